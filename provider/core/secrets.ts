import type { PathSegment } from "./problem";
import { normalName } from "./reference";
import type { SecretPaths } from "./validate";
import { isRecord } from "./unknown";

/** The paths of a resource's secret values. The core works with plain values. */
export class Secrets {
  private readonly marked = new Map<string, readonly PathSegment[]>();

  /**
   * Marks the value at the path. A path into a list marks the whole list, as Pulumi's engine does: a refresh or another
   * provider may reorder its elements, and a mark of a position would then be on another element.
   */
  mark(path: readonly PathSegment[]): void {
    const marked = upToList(path);
    this.marked.set(JSON.stringify(marked), marked);
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

/** The path up to its first list: only positions in lists are numbers. */
export function upToList(path: readonly PathSegment[]): readonly PathSegment[] {
  const position = path.findIndex((segment) => typeof segment === "number");
  return position < 0 ? path : path.slice(0, position);
}

const REDACTED = "[secret]";
/** Shorter texts are not searched for: they appear in messages by chance, and are easy to guess. */
const SHORTEST = 4;
/** A resource name that ends with an id. A name with two parts, such as `roles/viewer`, has no id that a user chose. */
const RESOURCE_NAME = /^(?:[^\s/]*\/){3,}([^\s/]+)$/;

/**
 * The secret texts of this process. An API's error may quote a secret of any call, so all of them are removed from every
 * message.
 */
export class SecretTexts {
  private readonly texts = new WantedTexts();
  /** The ids at the end of secret resource names. They are short, so only whole words match. */
  private readonly ids = new WantedTexts({ wholeWord: true });

  /**
   * Adds every text in a secret value, and its parts that APIs quote separately: a member without its kind, a URL's resource
   * name, and the project and the id in a resource name.
   */
  add(value: unknown): void {
    if (typeof value === "string") {
      const project = /(?:^|\/)projects\/([^/]+)/.exec(value)?.[1] ?? "";
      const spellings = [value, value.replace(/^\w+:/, ""), normalName(value), project];
      for (const text of spellings) this.texts.add(text);
      this.ids.add(RESOURCE_NAME.exec(value)?.[1] ?? "");
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
    const found = [...this.texts.foundIn(text), ...this.ids.foundIn(text)];
    return found.reduce((result, { pattern }) => result.replace(pattern, REDACTED), text);
  }
}

interface WantedText {
  /** The position in the order of adding. */
  number: number;
  length: number;
  /** Matches all its spellings, in any letter case. */
  pattern: RegExp;
}

interface Listed {
  spelling: string;
  wanted: WantedText;
}

/**
 * Texts to search for in messages. There may be thousands of both, and a search for each text in each message would take
 * minutes. So each spelling of a text is listed under one of its fragments, which are its sequences of `SHORTEST` characters.
 * A message with the spelling also has the fragment: it is searched only for the spellings under its own fragments.
 */
class WantedTexts {
  private readonly added = new Set<string>();
  /** Each spelling once, by fragment. All are in upper case, for a search in any letter case. */
  private readonly byFragment = new Map<string, Listed[]>();

  constructor(private readonly options: { wholeWord?: boolean } = {}) {}

  /** Adds a text, unless it is too short. */
  add(text: string): void {
    if (text.length < SHORTEST || this.added.has(text)) return;
    this.added.add(text);
    const spellings = spellingsOf(text);
    const wanted = { number: this.added.size, length: text.length, pattern: patternOf(spellings, this.options) };
    for (const spelling of new Set(spellings.map((each) => each.toUpperCase()))) {
      const fragment = this.rarestFragment(spelling);
      const listed = this.byFragment.get(fragment);
      if (listed) listed.push({ spelling, wanted });
      else this.byFragment.set(fragment, [{ spelling, wanted }]);
    }
  }

  /** The texts that the message contains in any spelling and letter case: the longest first, then the first added. */
  foundIn(message: string): WantedText[] {
    if (this.added.size === 0) return [];
    const upperCase = message.toUpperCase();
    // A set, because a fragment can occur many times in a long message.
    const lists = new Set<Listed[]>();
    for (const fragment of fragmentsOf(upperCase)) {
      const listed = this.byFragment.get(fragment);
      if (listed) lists.add(listed);
    }
    const found = [...lists].flat().filter(({ spelling }) => upperCase.includes(spelling));
    return [...new Set(found.map(({ wanted }) => wanted))].sort(
      (left, right) => right.length - left.length || left.number - right.number,
    );
  }

  /** The fragment with the shortest list. Texts of one kind share most fragments, such as those of their domain. */
  private rarestFragment(spelling: string): string {
    const count = (fragment: string) => this.byFragment.get(fragment)?.length ?? 0;
    return [...fragmentsOf(spelling)].reduce((rarest, each) => (count(each) < count(rarest) ? each : rarest));
  }
}

/** All sequences of `SHORTEST` characters in a text. */
function* fragmentsOf(text: string): Generator<string> {
  for (let end = SHORTEST; end <= text.length; end++) yield text.slice(end - SHORTEST, end);
}

/** A secret as it is, in URLs and in JSON. */
function spellingsOf(secret: string): string[] {
  const encoded = encodedText(secret);
  // As in the path of a request, where `/`, `:` and `@` are not encoded.
  const inPath = encoded.replace(/%(2F|3A|40)/g, decodeURIComponent);
  return [...new Set([secret, encoded, inPath, JSON.stringify(secret).slice(1, -1)])];
}

function patternOf(spellings: readonly string[], { wholeWord = false }): RegExp {
  const any = spellings.map(escapedForRegExp).join("|");
  return new RegExp(wholeWord ? `(?<![\\w-])(?:${any})(?![\\w-])` : any, "gi");
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
