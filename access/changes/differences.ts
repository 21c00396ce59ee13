import { comparableMember } from "../../provider/iam/member";
import { accessChange, distinctGrants, type Grant, type Policy } from "../../provider/iam/policy";
import { inertAt, type Inert } from "../condition/expiry";
import { reviewedGrant } from "../result/grants";
import { groupedBy } from "../result/order";
import type { AccessChanged, Binding, ReviewedGrant, Uncertainty } from "../result/result";

/** A grant that a plan adds, removes, or changes to another condition. */
export interface GrantChange {
  change: AccessChanged["change"];
  /** As it is after the plan; for a loss, as it was. */
  grant: Grant;
  /** As it was; absent for a gain. */
  before?: Grant | undefined;
  /** Why the grant before gave no access. */
  gaveNoAccess?: Inert | undefined;
}

/** What differs between two contents of one policy. */
export interface Differences {
  changes: GrantChange[];
  /** The number of unchanged grants. */
  unchanged: number;
  /** Members that had access by the policy before, and have none after. */
  noAccessLeft: string[];
}

/** Compares a policy before and after. The changes are in the order of the policies, losses first. */
export function differences(before: Policy, after: Policy): Differences {
  const { gained, lost, kept } = accessChange(before, after);
  const inert = inertAt();
  const givesAccess = (grant: Grant) => inert(grant) === undefined;
  const left = new Set([...kept, ...gained].filter(givesAccess).map(({ member }) => comparableMember(member)));
  const had = new Map(
    distinctGrants(before)
      .filter(givesAccess)
      .map(({ member }) => [comparableMember(member), member]),
  );
  return {
    changes: paired(lost, gained).map((each) => ({ ...each, gaveNoAccess: each.before && inert(each.before) })),
    unchanged: kept.length,
    noAccessLeft: [...had].filter(([key]) => !left.has(key)).map(([, member]) => member),
  };
}

/** The differences between two answers about one policy, as a third answer has them. No step of a plan makes them. */
export function answeredDifferences(before: readonly Binding[], after: readonly Binding[]) {
  const { changes, ...others } = differences({ bindings: before }, { bindings: after });
  return { ...others, changes: changes.map((each) => changeOf(each, reviewedGrant)) };
}

/** The fact that two answers cannot be compared: two hidden values can differ although they are shown alike. */
export function notComparable(message: string): Uncertainty {
  return { code: "secret", message };
}

/** A member who loses a role under one condition and gains it under another keeps the role. That is one change. */
function paired(lost: readonly Grant[], gained: readonly Grant[]): GrantChange[] {
  const losses = groupedBy(lost, roleKey);
  const added = gained.map((grant): GrantChange => {
    const before = losses.get(roleKey(grant))?.shift();
    return { change: before ? "condition" : "gained", grant, before };
  });
  const settled = new Set(added.map(({ before }) => before));
  const removed = lost.filter((grant) => !settled.has(grant)).map(lossOf);
  const isGain = ({ change }: GrantChange) => change === "gained";
  return [...removed, ...added.filter((each) => !isGain(each)), ...added.filter(isGain)];
}

export function lossOf(grant: Grant): GrantChange {
  return { change: "lost", grant, before: grant };
}

function roleKey({ role, member }: Grant): string {
  return JSON.stringify([role, comparableMember(member)]);
}

/**
 * Of principals without direct access: those that have no access from above either, and those that may have some: under a
 * condition, or by a policy that could not be read.
 */
export function leftAbove(
  principals: readonly string[],
  { grants, unread }: { grants: ReadonlyArray<Pick<Grant, "member" | "condition">>; unread: readonly string[] },
): { none: string[]; unknown: string[] } {
  const isNone = unread.length === 0;
  const holders = (isWanted: (grant: Pick<Grant, "condition">) => boolean) => {
    const members = new Set(grants.filter(isWanted).map(({ member }) => comparableMember(member)));
    const isPublic = ["allUsers", "allAuthenticatedUsers"].some((each) => members.has(each));
    return (principal: string) => isPublic || members.has(comparableMember(principal));
  };
  const [keeps, mayKeep] = [holders(({ condition }) => !condition?.expression), holders(() => true)];
  const without = principals.filter((each) => !keeps(each));
  return {
    none: without.filter((each) => isNone && !mayKeep(each)),
    unknown: without.filter((each) => !isNone || mayKeep(each)),
  };
}

/**
 * A change as a result has it.
 *
 * @param shown a grant as the result has it.
 * @param steps URNs of the steps that make the change. Empty if another writer made it.
 */
export function changeOf(
  { change, grant, before, gaveNoAccess }: GrantChange,
  shown: (grant: Grant) => ReviewedGrant,
  steps: string[] = [],
): AccessChanged {
  return {
    ...shown(grant),
    change,
    ...(gaveNoAccess && { gaveNoAccess }),
    ...(change === "condition" && before && { conditionBefore: shown(before).condition ?? null }),
    steps,
  };
}
