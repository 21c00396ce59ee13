/**
 * What the policies must have after an update, by the rules of docs/grants.md: the grants that the program declares, none that
 * the stack gave up, and those of others except where a binding or the mode `replace` removes them.
 */
import { keyOf, keyOfGrant, type GrantText } from "./grant-text";
import { allGrants, grantEntries, grantsOf, type GrantDeclaration, type Mode, type Program } from "./program";

/** What one stack did to the policies. */
export interface Transition {
  mode: Mode;
  /** The program of the last update that succeeded. */
  before: Program;
  /** The programs of updates that failed or were killed since then. */
  failed: readonly Program[];
  /** The program of the update that succeeded. */
  after: Program;
  /** Whether one of these updates refreshed the state. */
  isRefreshed: boolean;
  /** The grants in the policies before all of these updates. */
  live: ReadonlySet<GrantText>;
  /** The grants in the policies at a refresh of the stack since its last update. */
  seen: ReadonlySet<GrantText>;
  /** Grants of the stack that others took away since its last refresh. */
  takenAway: ReadonlySet<GrantText>;
  /** Grants of the stack that others took away before this refresh: the state does not have them. */
  forgotten: ReadonlySet<GrantText>;
  /** Grants that others added or took away during the updates. */
  meanwhile: ReadonlySet<GrantText>;
  /** The grants of the program of the other stack. */
  ofOtherStack: ReadonlySet<GrantText>;
  /** Grants of which the documentation does not say whether they stay. */
  uncertain?: ReadonlySet<GrantText>;
}

type Expectation = "present" | "absent" | "either";

/** What is wrong in the policies after the update, one line for each grant. */
export function wrongGrants(transition: Transition, now: ReadonlySet<GrantText>): string[] {
  const { before, failed, after, live } = transition;
  const all = new Set([...live, ...now, ...[before, ...failed, after].flatMap((each) => [...allGrants(each)])]);
  return [...all].sort().flatMap((grant) => {
    const [expected, why] = expectation(transition, grant);
    if (expected === "either" || (expected === "present") === now.has(grant)) return [];
    return [`${now.has(grant) ? "EXTRA" : "MISSING"} ${grant}: ${why}`];
  });
}

/** Whether the policy must have a grant, and why. */
export function expectation(transition: Transition, grant: GrantText): readonly [Expectation, string] {
  const { before, failed, after, live, isRefreshed, takenAway, forgotten, meanwhile, ofOtherStack, uncertain } =
    transition;
  if (uncertain?.has(grant)) return ["either", "uncertain"];
  const had = allGrants(before).has(grant);
  if (allGrants(after).has(grant)) {
    const isUnnoticed = had && takenAway.has(grant) && !isRefreshed;
    return [isUnnoticed || meanwhile.has(grant) ? "either" : "present", "the program declares it"];
  }
  const programs = [before, ...failed, after];
  if (had) {
    const isRetained = programs.some((program) => isRetainedIn(program, grant));
    const isUnclear = isRetained || [ofOtherStack, meanwhile, forgotten].some((each) => each.has(grant));
    return [isUnclear ? "either" : "absent", "the program declared it and does not any more"];
  }
  if (failed.some((program) => allGrants(program).has(grant))) {
    // A grant of others may have become the grant of a resource that failed later.
    const isUnclear = live.has(grant) || meanwhile.has(grant);
    return [isUnclear ? "either" : "absent", "only a program that failed declared it"];
  }
  return ofOthers(transition, grant);
}

/** A grant that no program of this stack declares. */
function ofOthers(transition: Transition, grant: GrantText): readonly [Expectation, string] {
  const { mode, before, failed, after, live, meanwhile, seen } = transition;
  const isRefreshed = transition.isRefreshed || seen.has(grant);
  const key = keyOfGrant(grant);
  const programs = [before, ...failed, after];
  const owner = ownerIn(after, key);
  const isOwned = programs.some((program) => ownerIn(program, key) !== undefined);
  if (meanwhile.has(grant))
    return [
      isOwned || mode === "replace" ? "either" : live.has(grant) ? "either" : "present",
      "others added it meanwhile",
    ];
  if (!live.has(grant)) return ["absent", "nobody made it"];
  const old = ownerIn(before, key);
  if (owner) {
    const isSet = old === undefined || isRefreshed || !sameMembers(old, owner);
    // Without a change, the binding does not touch the members of others. A rename can be a change.
    return [isSet ? "absent" : "either", "a binding of the program owns its role"];
  }
  if (mode === "replace" && programs.some((program) => hasMemberOn(program, key))) {
    const isNew = [...grantsOfMembersOn(after, key)].some((each) => !allGrants(before).has(each));
    return [isNew ? "absent" : "either", "a grant of the program replaces the policy"];
  }
  if (isOwned) {
    // A binding that was made meanwhile removed it, or a refresh made it one of the members of the binding.
    const isSet = isRefreshed || failed.some((program) => ownerIn(program, key) !== undefined);
    return [
      isSet ? "either" : "present",
      "others added it to the role of a binding, which did not declare it and is deleted",
    ];
  }
  return ["present", "it belongs to others"];
}

/** The binding of a program that owns a role. */
export function ownerIn(program: Program, key: string): GrantDeclaration | undefined {
  return grantEntries(program)
    .map(([, each]) => each)
    .find((each) => each.kind === "binding" && keyOf(each) === key);
}

/** A list may name a member twice, in letters of another case. */
const sameMembers = (left: GrantDeclaration, right: GrantDeclaration) => membersOf(left) === membersOf(right);
const membersOf = (binding: GrantDeclaration) => [...new Set(grantsOf(binding))].sort().join();

const shortOf = (key: string) => key.split(" ")[0];

function grantsOfMembersOn(program: Program, key: string): Set<GrantText> {
  const members = grantEntries(program).filter(([, each]) => each.kind === "member" && each.on === shortOf(key));
  return new Set(members.flatMap(([, each]) => grantsOf(each)));
}

const hasMemberOn = (program: Program, key: string) => grantsOfMembersOn(program, key).size > 0;

function isRetainedIn(program: Program, grant: GrantText): boolean {
  return grantEntries(program).some(([, each]) => each.retainOnDelete && grantsOf(each).includes(grant));
}
