import { comparableMember } from "../../provider/iam/member";
import { grantKey, grantsOf, type Grant, type Policy } from "../../provider/iam/policy";

/** A grant that a plan makes, takes away, or puts under another condition. */
export type GrantChange =
  | { change: "gained" | "lost"; grant: Grant }
  /** `grant` as it is after the plan. */
  | { change: "condition"; grant: Grant; before: Grant };

/** What a plan makes of one policy. */
export interface PolicyOutcome {
  changes: GrantChange[];
  /** How many grants stay as they are. */
  unchanged: number;
  /** Members that had access by the policy, and have none by it any more. */
  noAccessLeft: string[];
}

/** Compares a policy with what it becomes. In the order of the policies: who loses first, then who gains. */
export function policyOutcome(before: Policy, after: Policy): PolicyOutcome {
  const held = byKey(before);
  const wanted = byKey(after);
  const lost = [...held].filter(([key]) => !wanted.has(key)).map(([, grant]) => grant);
  const gained = [...wanted].filter(([key]) => !held.has(key)).map(([, grant]) => grant);
  const left = new Set([...wanted.values()].filter(givesAccess).map(({ member }) => comparableMember(member)));
  const had = new Map([...held.values()].filter(givesAccess).map(({ member }) => [comparableMember(member), member]));
  return {
    changes: paired(lost, gained),
    unchanged: held.size - lost.length,
    noAccessLeft: [...had].filter(([key]) => !left.has(key)).map(([, member]) => member),
  };
}

/** Who loses a role under one condition and gains it under another keeps the role: that is one change. */
function paired(lost: readonly Grant[], gained: readonly Grant[]): GrantChange[] {
  const losses = new Map<string, Grant[]>();
  for (const grant of lost) {
    const same = losses.get(roleKey(grant));
    if (same) same.push(grant);
    else losses.set(roleKey(grant), [grant]);
  }
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

function byKey(policy: Policy): Map<string, Grant> {
  return new Map(grantsOf(policy).map((grant) => [grantKey(grant), grant]));
}

function roleKey({ role, member }: Grant): string {
  return JSON.stringify([role, comparableMember(member)]);
}

/** The entry of a deleted identity gives no access to anybody. */
export function givesAccess({ member }: Grant): boolean {
  return !member.startsWith("deleted:");
}
