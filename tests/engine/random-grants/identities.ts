/** Refreshes of a stack before its next update, and identities that are deleted and recovered meanwhile. */
import type { Random } from "../../support/grants-random";
import type { GrantCloud } from "./cloud";
import { grantEntries, type Program } from "./program";
import { checkedRefresh, type Repetition } from "./repetitions";
import type { EngineStack } from "./stack";

/**
 * Chooses a member of the program. After the refresh, the state has the member in the deleted form, so a member grant is
 * replaced: it must not be protected.
 */
function anyIdentity(program: Program, random: Random): string | undefined {
  const entries = grantEntries(program).map(([, each]) => each);
  const membersOf = (all: typeof entries) => all.flatMap(({ members }) => members.map((each) => each.toLowerCase()));
  const bound = membersOf(entries.filter(({ kind, protect }) => kind === "member" && protect));
  const free = membersOf(entries).filter((member) => !bound.includes(member));
  return free.length === 0 ? undefined : random.pick(free);
}

/** The identity is deleted, the stack is refreshed, and the identity is recovered. */
async function deleteAndRecover(member: string, stack: EngineStack, cloud: GrantCloud): Promise<Repetition> {
  cloud.setDeleted(member, true);
  const refreshed = await checkedRefresh(stack, cloud, stack.settled);
  cloud.setDeleted(member, false);
  return { ...refreshed, what: `the identity of ${member} was deleted, and recovered after a refresh` };
}

export interface RefreshBefore {
  refresh?: Repetition;
  /** The member whose identity was deleted and recovered. */
  recovered?: string;
}

/** Perhaps refreshes the state, perhaps while an identity is deleted. */
export async function refreshBefore(stack: EngineStack, cloud: GrantCloud, random: Random): Promise<RefreshBefore> {
  const chance = random.next();
  const member = anyIdentity(stack.settled, random);
  if (member === undefined || chance > 0.45) return {};
  if (chance > 0.3) return { refresh: await checkedRefresh(stack, cloud, stack.settled) };
  return { refresh: await deleteAndRecover(member, stack, cloud), recovered: member };
}
