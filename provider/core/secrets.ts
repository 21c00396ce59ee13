import type { PathSegment } from "./problem";
import { normalName } from "./reference";
import type { SecretPaths } from "./validate";
import { isRecord } from "./unknown";

/** Which of a resource's values the user marked as secret; kept beside the plain values, which the core works with. */
export class Secrets {
  private readonly marked = new Map<string, readonly PathSegment[]>();

  mark(path: readonly PathSegment[]): void {
    this.marked.set(JSON.stringify(path), path);
  }

  /** The value at the path itself is wrapped, not only something around it. */
  isMarked(path: readonly PathSegment[]): boolean {
    return this.marked.has(JSON.stringify(path));
  }

  /** The value at the path, or something around it, is secret. */
  readonly isSecret: SecretPaths = (path) => path.some((_, index) => this.isMarked(path.slice(0, index + 1)));

  /** A property is secret, or something in it is. */
  touches(property: string): boolean {
    return [...this.marked.values()].some((path) => path[0] === property);
  }

  /** These and the others. */
  with(others: Secrets): Secrets {
    const all = new Secrets();
    for (const path of [...this.marked.values(), ...others.marked.values()]) all.mark(path);
    return all;
  }
}

const BLOTTED = "[secret]";
/** Shorter texts are no secret anybody could keep, and would blot out half of every message. */
const SHORTEST = 4;
/** A resource name with its id; one of two parts, such as `roles/viewer`, ends with nothing that somebody chose. */
const RESOURCE_NAME = /^(?:[^\s/]*\/){3,}([^\s/]+)$/;

/**
 * The texts that this process was given as secrets. A cloud's error may quote any of them, so none of them passes into
 * a message, whichever call it belongs to.
 */
export class SecretTexts {
  private readonly texts = new Set<string>();
  /** Ids at the end of secret resource names, which are short: not looked for within longer words. */
  private readonly ids = new Set<string>();
  /** How to find each of them, the longest first; undefined where a text has been added since. */
  private wanted: WantedText[] | undefined;

  /**
   * Every text in a secret value, also as the cloud would write it: without a member's kind, or a URL's beginning. A name
   * shows its project, and ends with an id: clouds name both alone.
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

  /** Marks every text in the values that shows one of the secrets. */
  markIn(values: unknown, secrets: Secrets, path: readonly PathSegment[] = []): void {
    if (typeof values === "string" && this.scrub(values) !== values) secrets.mark(path);
    else if (Array.isArray(values)) values.forEach((element, index) => this.markIn(element, secrets, [...path, index]));
    else if (isRecord(values)) {
      for (const [key, value] of Object.entries(values)) this.markIn(value, secrets, [...path, key]);
    }
  }

  /** The text without any of the secrets, in whatever case or encoding the cloud repeats them. */
  scrub(text: string): string {
    this.wanted ??= [
      ...longestFirst(this.texts).map((each) => wantedText(each)),
      ...longestFirst(this.ids).map((each) => wantedText(each, { wholeWord: true })),
    ];
    // Thousands of secrets, and as many messages: most hold none, which this tells at once.
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
  /** Its spellings; a message that has one of them in any case has it in upper case. */
  upperCases: string[];
  pattern: RegExp;
}

function longestFirst(texts: Iterable<string>): string[] {
  return [...texts].sort((left, right) => right.length - left.length);
}

function wantedText(secret: string, { wholeWord = false } = {}): WantedText {
  const encoded = encodedText(secret);
  // As in the path of a request, where these stand for themselves.
  const inPath = encoded.replace(/%(2F|3A|40)/g, decodeURIComponent);
  const spellings = [...new Set([secret, encoded, inPath, JSON.stringify(secret).slice(1, -1)])];
  const any = spellings.map(escaped).join("|");
  return {
    upperCases: spellings.map((each) => each.toUpperCase()),
    pattern: new RegExp(wholeWord ? `(?<![\\w-])(?:${any})(?![\\w-])` : any, "gi"),
  };
}

/** As in a URL; half of a character that takes two (a lone surrogate) has no such form. */
function encodedText(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
