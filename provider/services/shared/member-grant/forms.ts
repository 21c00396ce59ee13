import { isRecord, listOf, textOf, type Values } from "../../../core/unknown";
import { bindingId, bindingsWithId, grantId, grantsWithId, hasMember, hasRole } from "../../../iam/grant-id";
import { isDeletedFormOf, livingFormOf } from "../../../iam/member";
import {
  bindingsIn,
  currentFormOf,
  distinctGrants,
  grantsOfBinding,
  hasGrant,
  membersOf,
  sameGrant,
  sameMembers,
  type Grant,
  type Policy,
  type RoleBinding,
} from "../../../iam/policy";
import type { GrantTargets } from "../parent";

/** The grants of one resource of the program: of one member, or of all members of a role binding. */
export interface GrantSet extends RoleBinding {
  /** The name of the cloud's resource, as its `GrantTargets` have it. */
  readonly name: string;
}

/** What differs between the two forms of a grant: of one member, and of a whole role. All else is one lifecycle. */
export interface GrantForm {
  /** For messages. */
  readonly noun: "grant" | "binding";
  /** The input with the members. */
  readonly input: "member" | "members";
  /** Whether the resource owns its role under its condition: then no other member has it. */
  readonly ownsRole: boolean;
  /** The members in inputs or a state; undefined if they are missing. */
  membersIn(values: Values): string[] | undefined;
  /** The inputs with these members. */
  inputOf(members: readonly string[]): Values;
  idOf(set: GrantSet): string;
  /** All sets of a policy, each once. */
  setsIn(policy: Policy): RoleBinding[];
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
  membersIn: ({ member }) => (typeof member === "string" ? [member] : undefined),
  inputOf: ([member]) => ({ member }),
  idOf: (set) => grantId(set.name, firstGrantOf(set)),
  setsIn: (policy) => distinctGrants(policy).map(setOf),
  withId: (resource, policy, id) => {
    const grants = grantsWithId(resource, policy, id);
    const [first] = grants;
    // Several spellings of one member are one grant.
    const others = first ? grants.slice(1).filter((each) => !sameGrant(each, first)) : [];
    return [...(first ? [first] : []), ...others].map(setOf);
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
  membersIn: ({ members }) => (Array.isArray(members) ? listOf(members).map(textOf) : undefined),
  inputOf: (members) => ({ members: [...members] }),
  idOf: (set) => bindingId(set.name, set),
  setsIn: bindingsIn,
  withId: bindingsWithId,
  isWholeId: hasRole,
  currentMembers: membersOf,
};

/** The set in inputs or a state; undefined if a value that identifies it is missing. */
export function setIn(values: Values, form: GrantForm, { find, input }: GrantTargets): GrantSet | undefined {
  const { role, condition } = values;
  const name = values[input];
  const members = form.membersIn(values);
  const place = typeof name === "string" ? find(name) : undefined;
  if (!place || typeof role !== "string" || !members) return undefined;
  return { name: place.name, role, members, ...(isRecord(condition) ? { condition: conditionOf(condition) } : {}) };
}

/** The inputs that declare a set of grants: with `member` for a member grant, with `members` for a binding. */
export function inputsOf({ members, name, ...set }: GrantSet, form: GrantForm, { input }: GrantTargets): Values {
  return { [input]: name, ...set, ...form.inputOf(members) };
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

function setOf({ member, ...grant }: Grant): RoleBinding {
  return { ...grant, members: [member] };
}

function firstGrantOf(set: GrantSet): Grant {
  return grantOf(set, set.members[0] ?? "");
}

/** The grant of a set to one member. */
export function grantOf({ role, condition }: GrantSet, member: string): Grant {
  return { role, member, ...(condition ? { condition } : {}) };
}

/** The set with the members that a policy has, in the program's spelling if they are the same: then nothing changed. */
export function withCurrent(set: GrantSet, members: readonly string[]): GrantSet {
  return { ...set, members: sameMembers(members, set.members) ? set.members : members };
}

/** The member whose identity was deleted, which the policy keeps in the deleted form. */
export function deletedFormIn(members: readonly string[], { members: known }: GrantSet): string | undefined {
  return members.find((member) => known.some((each) => isDeletedFormOf(member, each)));
}

/**
 * The set with the plain form of each member in the deleted form: the policy has it again after the identity was recovered
 * (docs/wire.md section 9).
 */
export function withRecovered(set: GrantSet): GrantSet {
  return { ...set, members: [...new Set(set.members.flatMap((member) => [member, livingFormOf(member)]))] };
}

/**
 * The grants of a set that its delete removes from a policy. A recovered identity is the one of the deleted form only if the policy
 * does not have the deleted form any more.
 *
 * @param declared the set without recovered members.
 */
export function grantsToRemove(set: GrantSet, declared: GrantSet, policy: Policy): Grant[] {
  const isStillDeleted = (member: string) =>
    declared.members.some((each) => isDeletedFormOf(each, member) && hasGrant(policy, grantOf(set, each)));
  const isOwn = (member: string) => declared.members.includes(member);
  return grantsIn({ ...set, members: set.members.filter((each) => isOwn(each) || !isStillDeleted(each)) });
}
