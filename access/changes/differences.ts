import { comparableMember } from "../../provider/iam/member";
import { accessChange, distinctGrants, type Grant, type Policy } from "../../provider/iam/policy";
import { inertAt, type Inert } from "../condition/expiry";
import { reviewedGrant } from "../result/grants";
import { groupedBy } from "../result/order";
import type { AccessChanged, Binding, ReviewedGrant, Uncertainty } from "../result/result";

/** A grant that a plan adds, removes, or changes to another condition. */
export type GrantChange = { gaveNoAccess?: Inert } & (
  | { change: "gained" | "lost"; grant: Grant }
  /** `grant` as it is after the plan. */
  | { change: "condition"; grant: Grant; before: Grant }
);

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
    changes: paired(lost, gained).map((change) => withReason(change, inert)),
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

function withReason(change: GrantChange, inert: ReturnType<typeof inertAt>): GrantChange {
  if (change.change === "gained") return change;
  const why = inert(change.change === "condition" ? change.before : change.grant);
  return why === undefined ? change : { ...change, gaveNoAccess: why };
}

/** A member who loses a role under one condition and gains it under another keeps the role. That is one change. */
function paired(lost: readonly Grant[], gained: readonly Grant[]): GrantChange[] {
  const losses = groupedBy(lost, roleKey);
  const conditions: GrantChange[] = [];
  const gains: GrantChange[] = [];
  const settled = new Set<Grant>();
  for (const grant of gained) {
    const before = losses.get(roleKey(grant))?.shift();
    if (before) settled.add(before);
    if (before) conditions.push({ change: "condition", grant, before });
    else gains.push({ change: "gained", grant });
  }
  const rest = lost.filter((grant) => !settled.has(grant));
  return [...rest.map((grant): GrantChange => ({ change: "lost", grant })), ...conditions, ...gains];
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
  changed: GrantChange,
  shown: (grant: Grant) => ReviewedGrant,
  steps: string[] = [],
): AccessChanged {
  const { change, grant, gaveNoAccess } = changed;
  return {
    ...shown(grant),
    change,
    ...(gaveNoAccess === undefined ? {} : { gaveNoAccess }),
    ...(changed.change === "condition" ? { conditionBefore: shown(changed.before).condition ?? null } : {}),
    steps,
  };
}
