import type { PathSegment } from "./problem";
import { normalName } from "./reference";
import type { SecretPaths } from "./validate";
import { isRecord } from "./unknown";

/** The places of a resource's values that are secret. The values themselves are plain, as the core works with them. */
export class Secrets {
  private readonly marked = new Map<string, readonly PathSegment[]>();

  mark(path: readonly PathSegment[]): void {
    this.marked.set(JSON.stringify(path), path);
  }

  /** Whether the value at the path itself was marked, and not only something around it. */
  isMarked(path: readonly PathSegment[]): boolean {
    return this.marked.has(JSON.stringify(path));
  }

  /** Whether the value at the path, or something around it, was marked. */
  readonly isSecret: SecretPaths = (path) => path.some((_, index) => this.isMarked(path.slice(0, index + 1)));

  /** Whether a top-level property, or something in it, was marked. */
  touches(property: string): boolean {
    return [...this.marked.values()].some((path) => path[0] === property);
  }

  /** A copy that has the marks of both. */
  with(others: Secrets): Secrets {
    const all = new Secrets();
    for (const path of [...this.marked.values(), ...others.marked.values()]) all.mark(path);
    return all;
  }
}

const BLOTTED = "[secret]";
/** Shorter texts are not looked for: they are in every message by chance, and hide nothing that could not be guessed. */
const SHORTEST = 4;
/** A resource name that ends with an id. A name of two parts, such as `roles/viewer`, has none that a user chose. */
const RESOURCE_NAME = /^(?:[^\s/]*\/){3,}([^\s/]+)$/;

/**
 * The texts that this process was given as secrets. An API's error may quote a secret of any call, so every message is
 * cleared of all of them.
 */
export class SecretTexts {
  private readonly texts = new Set<string>();
  /** The ids at the end of secret resource names. They are short, so they are looked for as whole words only. */
  private readonly ids = new Set<string>();
  /** How to find each text, the longest first. Undefined after a text was added: made anew when it is needed. */
  private wanted: WantedText[] | undefined;

  /**
   * Adds every text in a secret value, and the parts of it that APIs name alone: a member without its kind, a URL's
   * resource name, and the project and the id in a resource name.
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

  /** Marks the places of all texts in the values that contain one of these secrets. */
  markIn(values: unknown, secrets: Secrets, path: readonly PathSegment[] = []): void {
    if (typeof values === "string" && this.scrub(values) !== values) secrets.mark(path);
    else if (Array.isArray(values)) values.forEach((element, index) => this.markIn(element, secrets, [...path, index]));
    else if (isRecord(values)) {
      for (const [key, value] of Object.entries(values)) this.markIn(value, secrets, [...path, key]);
    }
  }

  /** The text with `[secret]` in place of each secret, in whatever case or encoding an API repeats it. */
  scrub(text: string): string {
    this.wanted ??= [
      ...longestFirst(this.texts).map((each) => wantedText(each)),
      ...longestFirst(this.ids).map((each) => wantedText(each, { wholeWord: true })),
    ];
    // There may be thousands of secrets and of messages. Most messages hold none, which a plain search tells fastest.
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
  /** Its spellings in upper case, for a search that does not tell cases apart. */
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

/** The text as in a URL. A lone surrogate, half of a character, cannot be encoded: such a text stays as it is. */
function encodedText(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The text as a regular expression that finds just it. */
export function escapedForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
