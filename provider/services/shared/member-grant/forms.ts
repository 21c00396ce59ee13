import type { ResourceDefinition } from "../../../core/definition";
import { isRecord, listOf, textOf, type Values } from "../../../core/unknown";
import { bindingId, bindingsWithId, grantId, grantsWithId, hasMember, hasRole } from "../../../iam/grant-id";
import { isDeletedFormOf } from "../../../iam/member";
import {
  currentFormOf,
  grantsOfBinding,
  membersOf,
  sameGrant,
  sameMembers,
  type Grant,
  type Policy,
  type RoleBinding,
} from "../../../iam/policy";
import type { GrantParent } from "../parent";
import { defineMemberGrant, defineRoleBinding } from "./definition";

/** The grants of one resource of the program: of one member, or of all members of a role binding. */
export interface GrantSet extends RoleBinding {
  /** Relative name of the cloud's resource. */
  readonly name: string;
}

/** The inputs of a set, in the form of its resource: `member` or `members`. */
export type SetInputs = Values & { name: string };

/** What differs between the two forms of a grant: of one member, and of a whole role. All else is one lifecycle. */
export interface GrantForm {
  /** For messages. */
  readonly noun: "grant" | "binding";
  /** The input with the members. */
  readonly input: "member" | "members";
  /** Whether the resource owns its role under its condition: then no other member has it. */
  readonly ownsRole: boolean;
  define(parent: GrantParent): ResourceDefinition;
  /** The set in inputs or a state; undefined if a value that identifies it is missing. */
  setIn(values: Values): GrantSet | undefined;
  inputsOf(set: GrantSet): SetInputs;
  idOf(set: GrantSet): string;
  /** The sets of a policy that match an id from the user. */
  withId(resource: string, policy: Policy, id: string): RoleBinding[];
  /** Whether an id from the user names a set, and not the resource alone. */
  isWholeId(resource: string, id: string): boolean;
  /** The members that the policy has now, for a refresh. Empty if it has none. */
  currentMembers(policy: Policy, set: GrantSet): readonly string[];
}

export const memberForm: GrantForm = {
  noun: "grant",
  input: "member",
  ownsRole: false,
  define: defineMemberGrant,
  setIn: (values) => setWith(values, typeof values.member === "string" ? [values.member] : undefined),
  inputsOf: ({ members: [member], ...set }) => ({ ...set, member }),
  idOf: (set) => grantId(set.name, firstGrantOf(set)),
  withId: (resource, policy, id) => {
    const grants = grantsWithId(resource, policy, id);
    const [first] = grants;
    // Several spellings of one member are one grant.
    const others = first ? grants.slice(1).filter((each) => !sameGrant(each, first)) : [];
    return [...(first ? [first] : []), ...others].map(({ member, ...grant }) => ({ ...grant, members: [member] }));
  },
  isWholeId: hasMember,
  currentMembers: (policy, set) => {
    const current = currentFormOf(policy, firstGrantOf(set));
    return current ? [current.member] : [];
  },
};

export const bindingForm: GrantForm = {
  noun: "binding",
  input: "members",
  ownsRole: true,
  define: defineRoleBinding,
  setIn: (values) => setWith(values, Array.isArray(values.members) ? listOf(values.members).map(textOf) : undefined),
  inputsOf: (set) => ({ ...set, members: [...set.members] }),
  idOf: (set) => bindingId(set.name, set),
  withId: bindingsWithId,
  isWholeId: hasRole,
  currentMembers: membersOf,
};

function setWith({ name, role, condition }: Values, members: string[] | undefined): GrantSet | undefined {
  if (typeof name !== "string" || typeof role !== "string" || !members) return undefined;
  return { name, role, members, ...(isRecord(condition) ? { condition: conditionOf(condition) } : {}) };
}

function conditionOf({ title, description, expression }: Values): NonNullable<Grant["condition"]> {
  return {
    title: textOf(title),
    expression: textOf(expression),
    ...(typeof description === "string" ? { description } : {}),
  };
}

/** One grant for each member of a set. */
export function grantsIn({ role, members, condition }: RoleBinding): Grant[] {
  return grantsOfBinding({ role, members, ...(condition ? { condition } : {}) });
}

function firstGrantOf(set: GrantSet): Grant {
  const [member = ""] = set.members;
  return { role: set.role, member, ...(set.condition ? { condition: set.condition } : {}) };
}

/** The set with the members that a policy has, in the program's spelling if they are the same: then nothing changed. */
export function withCurrent(set: GrantSet, members: readonly string[]): GrantSet {
  return { ...set, members: sameMembers(members, set.members) ? set.members : members };
}

/** The member whose identity was deleted, which the policy keeps in the deleted form. */
export function deletedFormIn(members: readonly string[], { members: known }: GrantSet): string | undefined {
  return members.find((member) => known.some((each) => isDeletedFormOf(member, each)));
}
