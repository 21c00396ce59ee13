/** How the tables write programs and policies: `{ reader: "ada grace" }` for who has which role. */
import type { Policy } from "../../../provider/iam/policy";
import type { Values } from "../../../provider/core/unknown";
import { STORE_BINDING, STORE_GRANT } from "../../support/tokens";

const ROLES = {
  reader: "roles/healthcare.fhirResourceReader",
  editor: "roles/healthcare.fhirResourceEditor",
  viewer: "roles/healthcare.fhirStoreViewer",
} as const;
const CONDITIONS = {
  nights: { title: "nights", expression: "request.time.getHours() < 6" },
  days: { title: "days", expression: "request.time.getHours() >= 6" },
  weekends: { title: "weekends", description: "Saturday and Sunday", expression: "request.time.getDayOfWeek() > 5" },
} as const;

type Role = keyof typeof ROLES;
type Condition = keyof typeof CONDITIONS;

/** A role, with its condition if it has one. */
export type RoleText = Role | `${Role} if ${Condition}`;
/** Names without `user:` and `@example.com`, with spaces between them. */
export type Names = string;
/** Who has which roles on the first store. A key with `on second` is about the second store. */
export type PolicyText = Partial<Record<RoleText | `${RoleText} on second`, Names>>;

export const STORES = ["first", "second"] as const;
export type Store = (typeof STORES)[number];

export interface Options {
  /** The name that the resource had in the program before. */
  formerly?: string;
  deleteBeforeReplace?: boolean;
  protect?: boolean;
  /** The name of an explicit provider. */
  provider?: string;
  on?: Store;
  /** Names the store as the program before does, where the rest of the program has the spelling after. */
  keepsSpelling?: boolean;
}

/** A grant or a binding in a program of the tables. */
export interface Entry extends Options {
  role: RoleText;
  /** Of a member grant. */
  member?: string;
  /** Of a binding. */
  members?: Names;
}

export type ProgramText = Record<string, Entry>;

export const member = (role: RoleText, name: string, options: Options = {}): Entry => ({
  role,
  member: name,
  ...options,
});
export const binding = (role: RoleText, members: Names, options: Options = {}): Entry => ({
  role,
  members,
  ...options,
});

/** How a program writes the names of resources and members. */
export interface Spelling {
  title: string;
  store(name: string): string;
  member(name: string): string;
}

const bindingOf = (text: RoleText): { role: string; condition?: (typeof CONDITIONS)[Condition] } => {
  const [role, condition] = text.split(" if ") as [Role, Condition?];
  return { role: ROLES[role], ...(condition ? { condition: CONDITIONS[condition] } : {}) };
};

const split = (names: Names): string[] => names.split(" ").filter((name) => name !== "");
export const memberOf = (name: string): string => `user:${name}@example.com`;

export const typeOf = (entry: Entry): string => (entry.members === undefined ? STORE_GRANT : STORE_BINDING);

/** The inputs of a grant or a binding. @param stores the relative names of the stores. */
export function inputsOf(entry: Entry, stores: Record<Store, string>, spelling: Spelling): Values {
  const name = spelling.store(stores[entry.on ?? "first"]);
  const spelled = (each: string) => spelling.member(memberOf(each));
  const whom =
    entry.members === undefined
      ? { member: spelled(entry.member ?? "") }
      : { members: split(entry.members).map(spelled) };
  return { name, ...bindingOf(entry.role), ...whom };
}

/** What a program grants. */
export function declaredBy(program: ProgramText): PolicyText {
  const texts = Object.values(program).map(({ role, on, member: one = "", members = one }) => ({
    [on === "second" ? `${role} on second` : role]: members,
  }));
  return together(...texts);
}

/** The part of a policy text that is about one store. */
export function policyOn(store: Store, text: PolicyText): Policy {
  const entries = Object.entries(text).filter(([key]) => key.endsWith(" on second") === (store === "second"));
  const bindings = entries.map(([key, names]) => ({
    ...bindingOf(key.replace(" on second", "") as RoleText),
    members: split(names ?? "").map(memberOf),
  }));
  return { bindings: bindings.filter(({ members }) => members.length > 0) };
}

/** Both texts in one: who has a role in either of them has it. */
export function together(...texts: PolicyText[]): PolicyText {
  const all: Record<string, Names> = {};
  for (const text of texts) {
    for (const [key, names = ""] of Object.entries(text)) {
      all[key] = [...new Set([...split(all[key] ?? ""), ...split(names)])].join(" ");
    }
  }
  return all;
}
