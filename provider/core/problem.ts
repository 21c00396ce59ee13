import { closest, distance } from "fastest-levenshtein";

/** One problem of one property of a resource, a lookup or the configuration. */
export interface Problem {
  /** Path of the property as Pulumi writes it: `labels.env`, `bindings[0].role`. */
  path: string;
  /** The problem and the valid value, as a phrase after the path: "must be …", "is required …". */
  reason: string;
}

export type PathSegment = string | number;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** `["labels", "a.b"]` -> `labels["a.b"]`. */
export function formatPath(path: readonly PathSegment[]): string {
  return path
    .map((segment, index) => {
      if (typeof segment === "number") return `[${segment}]`;
      if (!IDENTIFIER.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join("");
}

/** `labels["a.b"]` -> `["labels", "a.b"]`; the `*` of `labels[*]`, in `ignoreChanges`, is a separate segment. */
export function parsePath(path: string): PathSegment[] {
  const parts = path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\[(\*)\]|([^.[\]]+)/g);
  return [...parts].map(([, quoted, index, star, name = ""]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/g, "$1");
    if (index !== undefined) return Number(index);
    return star ?? name;
  });
}

const LONGEST_QUOTE = 120;

/** Formats a value for a message: shortened; for lists and objects only the kind. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  // A program may pass what JSON lacks: a bigint, a function.
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}

/** ` (did you mean "location"?)` when a known word is similar enough, else an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const comparable = (text: string) => text.toLowerCase().replaceAll(/[-_]/g, "");
  const candidates = known.map(comparable);
  // The comparison takes time in proportion to both lengths, and a much longer word is never similar.
  if (comparable(word).length > 2 * Math.max(...candidates.map(({ length }) => length))) return "";
  const nearest = closest(comparable(word), candidates);
  const allowed = Math.max(1, Math.floor(Math.max(word.length, nearest.length) / 3));
  // Two swapped letters are one mistake, but would count as two replacements.
  if (distance(comparable(word), nearest) > allowed && !hasSameLetters(comparable(word), nearest)) return "";
  return ` (did you mean "${known[candidates.indexOf(nearest)]}"?)`;
}

function hasSameLetters(left: string, right: string): boolean {
  return [...left].sort().join("") === [...right].sort().join("");
}
