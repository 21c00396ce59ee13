/**
 * What policies and state must have after an update that failed: it may have made only a part of its changes, but what both
 * programs declare stays, and policies and state agree (docs/grants-conflicts.md, "Interruptions").
 */
import type { RunResult } from "../../support/engine-run";
import { keyOfGrant, type GrantText } from "./grant-text";
import { expectation, ownerIn, type Transition } from "./oracle";
import { allGrants, grantEntries, grantsOf, type Program } from "./program";
import type { HeldGrants } from "./state";

/** An update that failed. */
export type Failure = Omit<Transition, "after">;

/** A grant that both programs declare stays, and so does one of others. Also holds after a kill. */
export function lostInFailure(failure: Failure, now: ReadonlySet<GrantText>): string[] {
  const { before, failed, live, takenAway, meanwhile } = failure;
  const after = failed.at(-1) ?? before;
  const programs = [before, ...failed];
  const lost = [...live].filter((grant) => !now.has(grant) && !meanwhile.has(grant) && !takenAway.has(grant));
  return lost.sort().flatMap((grant) => {
    const isDeclared = programs.every((program) => allGrants(program).has(grant));
    // A replacement that deletes first may not have made its grant again.
    if (isDeclared)
      return programs.some((program) => isDeletedFirst(program, grant))
        ? []
        : [`MISSING ${grant}: all programs declare it`];
    if (programs.some((program) => allGrants(program).has(grant))) return [];
    const [expected, why] = expectation({ ...failure, after }, grant);
    return expected === "present" ? [`MISSING ${grant}: ${why}`] : [];
  });
}

/** A call that ended before its first write leaves nothing in the policy: no later write contains its grant. */
export function strayGrants(
  { live, meanwhile }: Failure,
  now: ReadonlySet<GrantText>,
  held: readonly HeldGrants[],
): string[] {
  const inState = new Set(held.flatMap(({ grants }) => grants));
  const stray = [...now].filter((grant) => !live.has(grant) && !meanwhile.has(grant) && !inState.has(grant));
  return stray.sort().map((grant) => `EXTRA ${grant}: the failed update made it, and the state does not have it`);
}

/** A delete or an update that failed left its grants, unless the error says that they may be gone. */
export function dangling(
  failure: Failure,
  now: ReadonlySet<GrantText>,
  held: readonly HeldGrants[],
  result: RunResult,
): string[] {
  const { mode, before, failed, takenAway, meanwhile } = failure;
  // A new grant removes those of other resources in this mode.
  if (mode === "replace") return [];
  const programs = [before, ...failed];
  const unclear = namesSaying(result, /may be (gone|in|missing in)/);
  return held.flatMap(({ name, grants, isComplete }) => {
    if (!isComplete || unclear.has(name)) return [];
    const missing = grants.filter((grant) => !now.has(grant) && !takenAway.has(grant) && !meanwhile.has(grant));
    return missing.flatMap((grant) => {
      const isTaken = failed.some((program) => ownerIn(program, keyOfGrant(grant)) !== undefined);
      if (isTaken || programs.some((program) => isDeletedFirst(program, grant))) return [];
      return [`MISSING ${grant}: the state has it as a grant of ${name}, and no error says that it may be gone`];
    });
  });
}

/** The resources whose diagnostics match. */
function namesSaying({ stdout, stderr }: RunResult, words: RegExp): Set<string> {
  const names = new Set<string>();
  let current = "";
  for (const line of `${stdout}\n${stderr}`.split("\n")) {
    const [, name] = /^ {2}\S+ \(([^)]+)\):/.exec(line) ?? [];
    if (name !== undefined) current = name;
    else if (words.test(line)) names.add(current);
  }
  return names;
}

function isDeletedFirst(program: Program, grant: GrantText): boolean {
  return grantEntries(program).some(([, each]) => each.deleteBeforeReplace && grantsOf(each).includes(grant));
}
