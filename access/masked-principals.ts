import { escapedForRegExp } from "../provider/core/secrets";
import { isHidden } from "./hidden-values";
import { mapTexts } from "./map-texts";
import type { ReviewResult } from "./result";

export interface MaskOptions {
  /** Whether service accounts are masked, too. @default false */
  serviceAccounts?: boolean;
}

/** The properties of a result that are principals, or lists of them. */
const PRINCIPALS: readonly string[] = ["principal", "members", "noAccessLeft", "accessLeftUnknown"];
/** The properties with fixed words, or with the names of things that are not people. */
const UNMASKED: readonly string[] = [
  ...["operation", "change", "code", "hidden", "mode", "variable", "rule", "state", "at", "expiresWithin"],
  ...["kind", "api", "role", "endpoint", "rules"],
];

const NOTE =
  "Principals are masked: each number stands for one name in this answer. Another answer may number the names differently";

/** The parts of a member: what is before the name, the name, its domain, and the id of a deleted principal. */
interface MemberParts {
  before: string;
  name: string;
  domain: string;
  /** `?uid=123` */
  uid: string;
}
const NO_PARTS: MemberParts = { before: "", name: "", domain: "", uid: "" };
const FORMS = [
  /^(?<before>(?:deleted:)?serviceAccount:[^[\]]+\.svc\.id\.goog\[)(?<name>[^\]]+)(?<domain>\])/,
  /^(?<before>(?:deleted:)?principal(?:Set)?:\/\/.*?\/(?:subject|group|attribute\.[^/]+)\/)(?<name>.+?)(?<domain>(?:@[^@/]+)?)$/,
  /^(?<before>(?:deleted:)?\w+:)(?<name>[^@]+)(?<domain>@[^@?]+)(?<uid>(?:\?uid=.+)?)$/,
];
/** Members that name nobody: the public, a domain, the roles of a project, all identities of a pool. */
const NOBODY = /^(?:all\w+|(?:deleted:)?(?:domain|project\w+|principalSet|principalHierarchy):.*)$/;
const SERVICE_ACCOUNT = /^(?:deleted:)?serviceAccount:|[@.]gserviceaccount\.com(?:\?uid=.*)?$/i;
/** An email address in a sentence whose name is not masked yet. */
const EMAIL = /(?<!…\d*)([\p{L}\p{N}._+-][\p{L}\p{N}._+'-]*)(@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)/gu;
/** A federated identity in a sentence whose name is not masked yet. */
const FEDERATED = /(principal(?:Set)?:\/\/[^\s"'`]*?\/(?:subject|group|attribute\.[^/\s]+)\/)(?!.?…)([^\s"'`,]+)/gu;
const URL_ENCODED = /\S*%[0-9a-f]{2}\S*/gi;
/** Shorter names are masked in members, but not in sentences: other words contain them by chance. */
const SHORTEST = 4;

/**
 * Replaces the names of people and groups in a result: `user:ada@example.com` becomes `user:a…1@example.com`. The domain stays.
 * The same name has the same number everywhere in the result, and two names never have the same one. It is applied after the
 * verdict, so that the rules compare the real names.
 */
export function maskPrincipals(result: ReviewResult, options: MaskOptions = {}): ReviewResult {
  const masked = maskedCopy(result, options);
  return { ...masked, notes: [...masked.notes, NOTE], masked: true };
}

/** A value with masked principals, such as a policy: those of its lists of members, and those in its texts. */
export function maskedCopy<T>(value: T, options: MaskOptions = {}): T {
  return new PrincipalMask(principalsIn(value), options).masked(value);
}

/** A message beside an answer with masked names: `user:a…@example.com`. */
export function maskMessage(text: string, options: MaskOptions = {}): string {
  return replacedNames(text, options, beginningOf);
}

/** The masked names of one answer. */
class PrincipalMask {
  /** By the name with its domain, in lower case. */
  private readonly numbers = new Map<string, number>();
  private readonly members = new Map<string, string>();
  /** The names that are not email addresses, with their masks; longest first. */
  private readonly names: Array<[pattern: RegExp, mask: string]>;

  constructor(
    principals: readonly string[],
    private readonly options: MaskOptions,
  ) {
    const names = new Map<string, string>();
    for (const member of principals.toSorted()) {
      const { before, name, domain, uid } = this.partsOf(member) ?? NO_PARTS;
      if (name === "") continue;
      const masked = this.mask(name, domain) + domain;
      if (replacedNames(name + domain, this.options, () => "") !== domain) names.set(name + domain, masked);
      const id = uid.slice("?uid=".length);
      // The id of a deleted principal is digits, and stays digits.
      const number = id && this.mask("", id).slice(1);
      if (id !== "") names.set(id, number);
      this.members.set(member, `${before}${masked}${id && `?uid=${number}`}`);
    }
    this.names = [...names]
      .filter(([name]) => name.length >= SHORTEST)
      .sort(([left], [right]) => right.length - left.length)
      .map(([name, mask]) => [wholeWord(name), mask]);
  }

  /** A value with masked principals in all its texts. */
  masked<T>(value: T): T {
    return mapTexts(value, (text, property) => {
      if (PRINCIPALS.includes(property)) return this.members.get(text) ?? text;
      return UNMASKED.includes(property) ? text : this.sentence(text);
    });
  }

  private sentence(text: string): string {
    const decoded = text.replace(URL_ENCODED, (encoded) => {
      const plain = decodedText(encoded);
      return this.inSentence(plain) === plain ? encoded : plain;
    });
    return this.inSentence(decoded);
  }

  private inSentence(text: string): string {
    const known = this.names.reduce((rest, [name, mask]) => rest.replaceAll(name, () => mask), text);
    return replacedNames(known, this.options, (name, domain) => this.mask(name, domain));
  }

  /** The parts of a member; undefined if it stays. */
  private partsOf(member: string): MemberParts | undefined {
    if (isHidden(member) || (SERVICE_ACCOUNT.test(member) && !this.options.serviceAccounts)) return undefined;
    for (const form of FORMS) {
      const parts = form.exec(member);
      if (parts) return { ...NO_PARTS, ...parts.groups };
    }
    const colon = member.indexOf(":") + 1;
    return NOBODY.test(member) ? undefined : { ...NO_PARTS, before: member.slice(0, colon), name: member.slice(colon) };
  }

  private mask(name: string, domain: string): string {
    const key = (name + domain).toLowerCase();
    const number = this.numbers.get(key) ?? this.numbers.size + 1;
    this.numbers.set(key, number);
    return beginningOf(name) + String(number);
  }
}

/** Returns `a…` for `ada`, and `…` for a name of one character, which would be shown as a whole otherwise. */
function beginningOf(name: string): string {
  const [first = "", ...rest] = name;
  return `${rest.length > 0 ? first : ""}…`;
}

/** Replaces the names in the email addresses and the federated identities of a sentence. */
function replacedNames(text: string, options: MaskOptions, mask: (name: string, domain: string) => string): string {
  return text
    .replace(EMAIL, (found, name: string, domain: string) =>
      SERVICE_ACCOUNT.test(domain) && !options.serviceAccounts ? found : mask(name, domain) + domain,
    )
    .replace(FEDERATED, (_found, before: string, name: string) => before + mask(name, ""));
}

/** Decodes a URL-encoded text. A text whose encoding is not valid stays as it is. */
function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The principals of all grants in a value. */
function principalsIn(value: unknown): string[] {
  const found: string[] = [];
  mapTexts(value, (text, property) => {
    if (PRINCIPALS.includes(property)) found.push(text);
    return text;
  });
  return found;
}

/** Finds a name in any letter case where it is not part of a longer word. */
function wholeWord(name: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escapedForRegExp(name)}(?![\\p{L}\\p{N}_])`, "giu");
}
