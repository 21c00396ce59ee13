import { getOrCompute } from "../../provider/core/once";
import { isHidden, mapTexts } from "../result/texts";
import { NameSearch } from "./name-search";
import type { Answer } from "../result/result";

export interface MaskOptions {
  /** Whether service accounts are masked, too. @default false */
  serviceAccounts?: boolean;
}

/** The properties of a result that are principals, or lists of them. */
const PRINCIPALS: readonly string[] = ["principal", "members", "noAccessLeft", "accessLeftUnknown"];
/** The properties with fixed words, or with the names of things that are not people. */
const UNMASKED: readonly string[] = [
  ...[
    "operation",
    "change",
    "code",
    "hidden",
    "mode",
    "variable",
    "effect",
    "state",
    "at",
    "expiresWithin",
    "component",
  ],
  ...["kind", "api", "role", "endpoint"],
  // They distinguish the answers in one pull request.
  ...["stack", "project"],
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

/**
 * Replaces the names of people and groups in a result: `user:ada@example.com` becomes `user:a…1@example.com`. The domain stays.
 * The same name has the same number everywhere in the result, and two names never have the same one. It is applied after the
 * verdict, so that the rules compare the real names.
 */
export function maskPrincipals(answer: Answer, options: MaskOptions = {}): Answer {
  const mask = new PrincipalMask(principalsIn(answer), options);
  const masked = mapTexts(answer, (text, property) => {
    if (PRINCIPALS.includes(property)) return mask.member(text);
    if (UNMASKED.includes(property)) return text;
    // Who knows some principals could find the one whose digest it is.
    if (property === "digest") return "";
    if (property === "rule") return maskedRule(text, mask);
    if (["step", "steps", "createdBy"].includes(property)) return maskedUrn(text, mask);
    return property === "resource" ? maskedResource(text, mask) : mask.text(text);
  });
  return { ...masked, notes: [...masked.notes, NOTE], masked: true };
}

/** The properties of a policy with texts that people write for people. */
const WRITTEN: readonly string[] = ["title", "description", "expression"];

/**
 * Resources and their policies with masked principals. The resources refer to each other by their names, so there only whole
 * addresses are masked.
 */
export function maskedCopy<T>(value: T, options: MaskOptions = {}): T {
  const mask = new PrincipalMask(principalsIn(value), options);
  return mapTexts(value, (text, property) => {
    if (PRINCIPALS.includes(property)) return mask.member(text);
    return WRITTEN.includes(property) ? mask.text(text) : mask.addresses(text);
  });
}

/** A message beside an answer with masked names: `user:a…@example.com`. @param principals what else it may name */
export function maskMessage(text: string, options: MaskOptions = {}, principals: readonly string[] = []): string {
  return new PrincipalMask(principals, options, beginningOf).text(text);
}

/** The name of a rule stays. The value of an option may be a principal: `--allow-loss user:ada@example.com`. */
function maskedRule(text: string, mask: PrincipalMask): string {
  const [, option, value = ""] = /^(--[\w-]+ )(.*)$/s.exec(text) ?? [];
  return option === undefined ? text : option + mask.text(value);
}

/** The type in a URN stays: it has words that may also be names. */
function maskedUrn(text: string, mask: PrincipalMask): string {
  const [prefix = "", project = "", type = "", ...name] = text.split("::");
  if (!prefix.startsWith("urn:") || name.length === 0) return mask.text(text);
  return [prefix, project, type, mask.text(name.join("::"))].join("::");
}

/** The kinds of resources in a relative name stay: `topics` in `projects/demo/topics/ada-lovelace`. */
function maskedResource(text: string, mask: PrincipalMask): string {
  const parts = text.split("/");
  if (parts.length % 2 > 0) return mask.text(text);
  return parts.map((part, index) => (index % 2 === 0 ? part : mask.text(part))).join("/");
}

const DOMAIN = String.raw`@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`;
/**
 * What is not searched for names: masked names, stand-ins for hidden values, roles, the rules file's name, and the words of
 * conditions.
 */
const KEPT = [
  String.raw`\p{L}?…\d*(?:${DOMAIN})?`,
  String.raw`\[(?:secret|known after the update)\]`,
  String.raw`(?<![\p{L}\p{N}])(?:(?:projects|organizations)\/[^\s/]+\/)?roles\/[\w.]+`,
  String.raw`\.perimeter-review\.(?:ya?ml|json)`,
  String.raw`(?<![\p{L}\p{N}])(?:request|resource|destination)(?:\.(?:name|type|service|time|auth|access_levels|path|host|ip|port)(?![\p{L}\p{N}]))+`,
  String.raw`(?:\.|(?<![\p{L}\p{N}.]))(?:timestamp|duration|startsWith|endsWith|extract|hasOnly|api\.getAttribute|(?:resource\.)?(?:matchTag|hasTagKey)(?:Id)?|get[A-Z]\w{1,20})(?=\()`,
].join("|");
/**
 * A run of characters of addresses, with its domain if it is an address. The run is read as a whole, so that no character is
 * read again for another beginning.
 */
const RUN = String.raw`(?<name>[\p{L}\p{N}._+-][\p{L}\p{N}._+'-]*)(?:(?<domain>${DOMAIN})|(?<=\.svc\.id\.goog)\[(?<workload>[^\][\s]+)\])?`;
const PARTS_OF_TEXT = new RegExp(`(?<kept>${KEPT})|${RUN}`, "gu");

/** A federated identity in a text, and its parts. */
const FEDERATED = /principal(?:Set)?:\/\/[^\s"'`,]+/g;
const FEDERATED_NAME = /^(.*?\/(?:subject|group|attribute\.[^/]+)\/)(?!\p{L}?…)(.+)$/u;
const ENCODED = /(?:%[0-9a-f]{2})+/gi;
/** Domains of Google's services. Their first words are not names. */
const SERVICE = /\.(?:googleapis|gserviceaccount)\.com$|\.svc\.id\.goog(?:\[|$)/;
/** The labels of a domain that a text may name without an address. */
const MOST_LABELS = 6;
/** Short words that may also be names. They are not masked, because sentences without them would be unreadable. */
const COMMON = new Set(
  (
    "a an and any api are as at be but by can do for from get had has he her him his how i id if in is it its may me my new no " +
    "not now of off on one or our out per see set she so the to too two up us use via was we who why yes you all iam gcp " +
    "that this with when than then what have does role into only none some same such they them"
  ).split(" "),
);

/** The masked names of one answer. */
class PrincipalMask {
  /** By the name with its domain, in lower case. */
  private readonly numbers = new Map<string, number>();
  private readonly members = new Map<string, string>();
  private readonly names = new NameSearch();
  private readonly domains = new Set<string>();

  /** @param shown how a masked name begins, with its number if the names have numbers */
  constructor(
    principals: readonly string[],
    private readonly options: MaskOptions,
    private readonly shown = (name: string, number: number): string => beginningOf(name) + String(number),
  ) {
    for (const member of principals.toSorted()) {
      const { before, name, domain, uid } = this.partsOf(member) ?? NO_PARTS;
      this.domains.add((domain || member.replace(/^(?:deleted:)?domain:/, "@")).slice(1).toLowerCase());
      if (name === "") continue;
      const mask = this.mask(name, domain);
      this.search(name, mask);
      const id = uid.slice("?uid=".length);
      // The id of a deleted principal is digits, and stays digits.
      const number = id && this.mask("", id).slice(1);
      if (id !== "") this.names.add(id, number, number);
      this.members.set(member, `${before}${mask}${domain}${id && `?uid=${number}`}`);
    }
  }

  /** A principal of the list. */
  member(text: string): string {
    return this.members.get(text) ?? text;
  }

  /** A text without names, with or without their domain. */
  text(text: string): string {
    return this.replacedIn(text, (part) => this.names.replacedIn(part));
  }

  /** A text without addresses. Names without a domain stay. */
  addresses(text: string): string {
    return this.replacedIn(text, (part) => part);
  }

  private replacedIn(text: string, replaced: (part: string) => string): string {
    const inPlain = (plain: string): string => this.withoutFederated(this.inParts(plain, replaced));
    return inPlain(
      text
        .split(/(\s+)/)
        .map((word) => {
          const plain = decodedText(word);
          return plain === word || inPlain(plain) === plain ? word : plain;
        })
        .join(""),
    );
  }

  /** Replaces addresses, and passes what is between them and between the kept parts on. */
  private inParts(text: string, replaced: (part: string) => string): string {
    let result = "";
    let written = 0;
    for (const { 0: found, index, groups } of text.matchAll(PARTS_OF_TEXT)) {
      const end = index + found.length;
      const stays = groups?.kept !== undefined;
      const address = stays ? undefined : this.maskedAddress(groups);
      const start = stays || address !== undefined ? index : end - this.domainAtEnd(found);
      if (start === end) continue;
      result += replaced(text.slice(written, start)) + (address ?? text.slice(start, end));
      written = end;
    }
    return result + replaced(text.slice(written));
  }

  /** The masked address; undefined if the run is not an address. */
  private maskedAddress({ name = "", domain, workload }: Partial<Record<string, string>> = {}): string | undefined {
    if (domain === undefined && workload === undefined) return undefined;
    const stays = (workload !== undefined || SERVICE_ACCOUNT.test(domain ?? "")) && !this.options.serviceAccounts;
    if (workload !== undefined) return `${name}[${stays ? workload : this.mask(workload, "]")}]`;
    return `${stays ? name : this.mask(name, domain ?? "")}${domain}`;
  }

  /** The length of a known domain at the end of a run: all of it for a service of Google. */
  private domainAtEnd(run: string): number {
    if (SERVICE.test(run)) return run.length;
    const labels = run.toLowerCase().split(".").slice(-MOST_LABELS);
    const suffixes = labels.map((_, at) => labels.slice(at).join("."));
    return suffixes.find((each) => this.domains.has(each))?.length ?? 0;
  }

  private withoutFederated(text: string): string {
    return text.replace(FEDERATED, (found) =>
      found.replace(FEDERATED_NAME, (_all, before: string, name: string) => before + this.mask(name, "")),
    );
  }

  /** Searches for a name without its domain, also written as one word, and for an address without its `+tag`. */
  private search(name: string, mask: string): void {
    const words = name.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
    const spellings = [name, ...(words.length > 1 ? [words.join("")] : []), name.replace(/\+.*/s, "")];
    for (const each of new Set(spellings)) {
      if (!COMMON.has(each.toLowerCase()) && !/^\d{1,3}$/.test(each)) this.names.add(each, mask, beginningOf(name));
    }
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
    const number = getOrCompute(this.numbers, (name + domain).toLowerCase(), () => this.numbers.size + 1);
    return this.shown(name, number);
  }
}

/** Returns `a…` for `ada`, and `…` for a name of one character, which would be shown as a whole otherwise. */
function beginningOf(name: string): string {
  const [first = "", ...rest] = name;
  return `${rest.length > 0 ? first : ""}…`;
}

/** Decodes the URL-encoded parts of a text. An invalid encoding stays unchanged. */
function decodedText(text: string): string {
  return text.replace(ENCODED, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
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
