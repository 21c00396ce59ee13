import { once } from "../../provider/core/once";
import { ANY_NAME, fullNameIn, policyKinds } from "../../provider/iam/kinds/kinds";
import { FOREIGN_KINDS } from "../meaning/foreign-rows";
import { NAMED_BY_INPUTS } from "../meaning/names-by-inputs";
import { canMatchGlob, GOOGLE_SERVICE_AGENTS, type TextPart } from "../result/glob";
import type { Patterns } from "./matches";
import type { ReviewPolicy } from "./rules";

/** Patterns of policy files that can match nothing, whatever a review finds. Most likely, they are typing mistakes. */

export interface DeadPattern {
  /** `forbiddenRoles[0]` */
  rule: string;
  message: string;
}

interface Entry extends Patterns {
  types?: readonly string[];
}

/** @param names of resources of the review: another provider's step may name one in a form of its own */
export function deadPatternsIn(policy: ReviewPolicy, names: readonly string[]): DeadPattern[] {
  return Object.entries(policy).flatMap(([list, entries]) => {
    if (!Array.isArray(entries)) return [];
    return (entries as readonly Entry[]).flatMap((entry, index) => deadIn(`${list}[${index}]`, entry, names));
  });
}

function deadIn(rule: string, entry: Entry, names: readonly string[]): DeadPattern[] {
  return Object.entries(FORMS).flatMap(([list, { forms, remedy }]) =>
    (entry[list as keyof Entry] ?? [])
      .filter((pattern) => ![...forms(), ...names.map((name) => [name])].some((parts) => canMatchGlob(pattern, parts)))
      .map((pattern) => ({ rule, message: `The pattern ${pattern} of ${list} can match nothing: ${remedy}.` })),
  );
}

const ANY = /./s;
const SEGMENT = /[^/]/;
/** What members have where no input says a role: `database user`. */
const WITHOUT_ROLE = FOREIGN_KINDS.flatMap(({ members = [] }) => members.flatMap(({ as }) => as ?? []));
/** The roles of access lists: `OWNER` (https://cloud.google.com/storage/docs/access-control/lists#permissions). */
const OF_LIST = /[A-Z_]/;
/**
 * The members of access lists that stand for those of a project with a basic role: `project-owners-123` of Cloud Storage, `projectOwners`
 * of BigQuery (https://cloud.google.com/storage/docs/access-control/lists#scopes).
 */
const PROJECT_TEAM: readonly TextPart[] = ["project", /[\w-]/];

/** The relative names of Identity-Aware Proxy: https://cloud.google.com/iap/docs/managing-access */
const PROXIED = ["projects/", "folders/", "organizations/"].map((each): TextPart[] => [each, SEGMENT, "/iap_", ANY]);
/** What other providers' steps change that has no policy in IAM: custom roles, and what has an access list or users. */
const ROLES = ["projects/{p}/roles/{r}", "organizations/{o}/roles/{r}"].map((template) => ({ api: "iam", template }));

const resourceForms = once((): TextPart[][] => {
  const kinds = policyKinds().flatMap(({ api, path, names }) =>
    [path, names].flatMap(({ template }) => {
      if (template === ANY_NAME) return [...PROXIED, [fullNameIn(api, ""), ANY]];
      return spelled(template).flatMap((each) => [partsOf(each), partsOf(fullNameIn(api, each))]);
    }),
  );
  // The full names of Bigtable have another host than its requests.
  const bigtable = kinds.flatMap(([first, ...rest]): TextPart[][] =>
    typeof first === "string" ? [[first.replace("//bigtableadmin.", "//bigtable."), ...rest]] : [],
  );
  const others = [...ROLES, ...NAMED_BY_INPUTS].flatMap(({ api, template }) =>
    spelled(template).flatMap((each) => [each, fullNameIn(api, each)]),
  );
  return [...kinds, ...bigtable, ...others.map(partsOf)];
});

/** What a log bucket and an entitlement can be in: https://cloud.google.com/logging/docs/reference/v2/rest/v2/locations.buckets */
const COLLECTIONS = ["projects", "folders", "organizations", "billingAccounts"];

function spelled(template: string): string[] {
  const open = /^(?:\{collection\}\/\{id\}|\{\+parent\})/;
  return open.test(template) ? COLLECTIONS.map((each) => template.replace(open, `${each}/{id}`)) : [template];
}

/** The parts of a name: its fixed texts, and its variables. Only the name of an object has slashes. */
function partsOf(template: string): TextPart[] {
  return template
    .split(/(\{[^}]*\})/)
    .filter((part) => part !== "")
    .map((part) => (part === "{object}" || part.startsWith("{+") ? ANY : part.startsWith("{") ? SEGMENT : part));
}

const FORMS: Readonly<Record<keyof Entry, { forms: () => ReadonlyArray<readonly TextPart[]>; remedy: string }>> = {
  principals: {
    forms: () => [[/\w/, ":", ANY], ["allUsers"], ["allAuthenticatedUsers"], [GOOGLE_SERVICE_AGENTS], PROJECT_TEAM],
    remedy: "write members as policies have them, such as user:ada@example.com",
  },
  roles: {
    forms: () => [
      ["roles/", ANY],
      ["projects/", SEGMENT, "/roles/", ANY],
      ["organizations/", SEGMENT, "/roles/", ANY],
      [OF_LIST],
      ...WITHOUT_ROLE.map((each) => [each]),
    ],
    remedy: "write roles as policies have them, such as roles/viewer",
  },
  resources: {
    forms: resourceForms,
    remedy: "no resource with an access policy has such a relative name or full name",
  },
  types: {
    forms: () => [[/[\w-]/, ":", ANY]],
    remedy: "write types of other providers, such as gcp:storage/*",
  },
};
