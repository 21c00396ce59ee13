import type { PathSegment } from "./problem";
import { normalName } from "./reference";
import type { SecretPaths } from "./validate";
import { isRecord } from "./unknown";

/** The paths of a resource's secret values. The core works with plain values. */
export class Secrets {
  private readonly marked = new Map<string, readonly PathSegment[]>();

  mark(path: readonly PathSegment[]): void {
    this.marked.set(JSON.stringify(path), path);
  }

  /** Whether the value at exactly this path is marked. */
  isMarked(path: readonly PathSegment[]): boolean {
    return this.marked.has(JSON.stringify(path));
  }

  /** Whether the value at the path, or a value that contains it, is marked. */
  readonly isSecret: SecretPaths = (path) => path.some((_, index) => this.isMarked(path.slice(0, index + 1)));

  /** Whether a top-level property, or a value in it, is marked. */
  touches(property: string): boolean {
    return [...this.marked.values()].some((path) => path[0] === property);
  }

  /** A copy with the marks of both. */
  with(others: Secrets): Secrets {
    const all = new Secrets();
    for (const path of [...this.marked.values(), ...others.marked.values()]) all.mark(path);
    return all;
  }
}

const BLOTTED = "[secret]";
/** Shorter texts are not searched for: they appear in messages by chance, and are easy to guess. */
const SHORTEST = 4;
/** A resource name that ends with an id. A name with two parts, such as `roles/viewer`, has no id that a user chose. */
const RESOURCE_NAME = /^(?:[^\s/]*\/){3,}([^\s/]+)$/;

/**
 * The secret texts of this process. An API's error may quote a secret of any call, so all of them are removed from every
 * message.
 */
export class SecretTexts {
  private readonly texts = new Set<string>();
  /** The ids at the end of secret resource names. They are short, so only whole words match. */
  private readonly ids = new Set<string>();
  /** Patterns of the texts, longest first. Undefined after a text was added, and then rebuilt on demand. */
  private wanted: WantedText[] | undefined;

  /**
   * Adds every text in a secret value, and its parts that APIs quote separately: a member without its kind, a URL's resource
   * name, and the project and the id in a resource name.
   */
  add(value: unknown): void {
    if (typeof value === "string") {
      const project = /(?:^|\/)projects\/([^/]+)/.exec(value)?.[1] ?? "";
      const spellings = [value, value.replace(/^\w+:/, ""), normalName(value), project];
      for (const text of spellings) if (text.length >= SHORTEST) this.addTo(this.texts, text);
      const id = RESOURCE_NAME.exec(value)?.[1] ?? "";
      if (id.length >= SHORTEST) this.addTo(this.ids, id);
    } else if (Array.isArray(value)) value.forEach((element) => this.add(element));
    else if (isRecord(value)) Object.values(value).forEach((element) => this.add(element));
  }

  /** Marks the paths of all texts in the values that contain one of these secrets. */
  markIn(values: unknown, secrets: Secrets, path: readonly PathSegment[] = []): void {
    if (typeof values === "string" && this.scrub(values) !== values) secrets.mark(path);
    else if (Array.isArray(values)) values.forEach((element, index) => this.markIn(element, secrets, [...path, index]));
    else if (isRecord(values)) {
      for (const [key, value] of Object.entries(values)) this.markIn(value, secrets, [...path, key]);
    }
  }

  /** Replaces each secret by `[secret]`, in any letter case or URL encoding. */
  scrub(text: string): string {
    this.wanted ??= [
      ...longestFirst(this.texts).map((each) => wantedText(each)),
      ...longestFirst(this.ids).map((each) => wantedText(each, { wholeWord: true })),
    ];
    // There may be thousands of secrets and messages. Most messages have no secret; a plain search finds that out fastest.
    const upperCase = text.toUpperCase();
    return this.wanted.reduce(
      (result, { upperCases, pattern }) =>
        upperCases.some((each) => upperCase.includes(each)) ? result.replace(pattern, BLOTTED) : result,
      text,
    );
  }

  private addTo(texts: Set<string>, text: string): void {
    if (texts.has(text)) return;
    texts.add(text);
    this.wanted = undefined;
  }
}

interface WantedText {
  /** Its spellings in upper case, for a case-insensitive search. */
  upperCases: string[];
  pattern: RegExp;
}

function longestFirst(texts: Iterable<string>): string[] {
  return [...texts].sort((left, right) => right.length - left.length);
}

function wantedText(secret: string, { wholeWord = false } = {}): WantedText {
  const encoded = encodedText(secret);
  // As in the path of a request, where `/`, `:` and `@` are not encoded.
  const inPath = encoded.replace(/%(2F|3A|40)/g, decodeURIComponent);
  const spellings = [...new Set([secret, encoded, inPath, JSON.stringify(secret).slice(1, -1)])];
  const any = spellings.map(escapedForRegExp).join("|");
  return {
    upperCases: spellings.map((each) => each.toUpperCase()),
    pattern: new RegExp(wholeWord ? `(?<![\\w-])(?:${any})(?![\\w-])` : any, "gi"),
  };
}

/** The text as in a URL. A text with an unpaired surrogate cannot be encoded and stays unchanged. */
function encodedText(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Escapes the text for a regular expression. */
export function escapedForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
