import { createHash } from "node:crypto";
import { listOf, type Values } from "../../../core/unknown";
import { comparableMember, isDeletedFormOf, sameMember } from "../../../iam/member";
import type { GrantSet } from "./forms";

/**
 * The members of an owned role that the program did not declare. A refresh adds them to the state's `members`, so that the next
 * update shows that it removes them. A delete leaves them, so the state also has a list of them.
 */

/** Internal property of the state: hashes of the members, which are not the program's to show. Absent when there are none. */
const KEY = "__others";

/** The members that are neither declared ones nor deleted forms of them. */
export function othersIn(members: readonly string[], declared: readonly string[]): string[] {
  const isDeclared = (member: string) =>
    declared.some((each) => sameMember(member, each) || isDeletedFormOf(member, each) || isDeletedFormOf(each, member));
  const known = new Set(declared.map(comparableMember));
  return members.filter((member) => !known.has(comparableMember(member)) && !isDeclared(member));
}

/** The set of a state without the members that others added. */
export function declaredIn(state: Values, set: GrantSet): GrantSet {
  const others = new Set(listOf(state[KEY]));
  return others.size === 0 ? set : { ...set, members: set.members.filter((member) => !others.has(hashOf(member))) };
}

/** Whether the program declares members that others added first. */
export function adoptsOthers(state: Values, { members }: GrantSet): boolean {
  const others = new Set(listOf(state[KEY]));
  return members.some((member) => others.has(hashOf(member)));
}

/** The property for a state with these members of others. */
export function othersProperty(others: readonly string[]): Values {
  return others.length === 0 ? {} : { [KEY]: others.map(hashOf) };
}

function hashOf(member: string): string {
  return createHash("sha256").update(comparableMember(member)).digest("base64url").slice(0, 22);
}
