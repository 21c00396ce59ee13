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
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}
