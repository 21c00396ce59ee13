import { grantKey, type Expr, type Grant } from "../../provider/iam/policy";
import { placeKey } from "./order";
import type { AccessChanged, Binding, Expiry, ReviewedGrant, ReviewedResource } from "./result";

/** The fields of a resource whose policy is unknown, before anything is known about its changes. */
export const UNKNOWN_POLICY = {
  changes: [],
  unchanged: 0,
  noAccessLeft: [],
  unmanaged: [],
  before: null,
  after: null,
  unknown: [],
} satisfies Partial<ReviewedResource>;

/** A grant of a result, as policies have it. */
export function policyGrant({ principal: member, role, condition }: ReviewedGrant): Grant {
  return { member, role, ...(condition ? { condition } : {}) };
}

/** A grant of a policy, as results have it. */
export function reviewedGrant({
  member: principal,
  role,
  condition,
}: Omit<Grant, "condition"> & { condition?: Expr | undefined }): ReviewedGrant {
  if (!condition) return { principal, role };
  const { title = "", description, expression = "" } = condition;
  return { principal, role, condition: { title, ...(description ? { description } : {}), expression } };
}

/** The grant that a change takes away, as it was; undefined for a gain. */
export function grantBefore({ change, conditionBefore, ...grant }: AccessChanged): ReviewedGrant | undefined {
  if (change === "gained") return undefined;
  return change === "lost" ? grant : { ...grant, condition: conditionBefore ?? undefined };
}

/** The key of a grant of a result: equal grants have equal keys. */
export function keyOfGrant(grant: ReviewedGrant): string {
  return grantKey(policyGrant(grant));
}

/** The key of a change: two answers with equal keys have the same change. */
export function keyOfChange(on: Parameters<typeof placeKey>[0], change: AccessChanged): string {
  const before = grantBefore(change);
  return JSON.stringify([placeKey(on), change.change, keyOfGrant(change), before && keyOfGrant(before)]);
}

/** A grant of a result as the binding of one member. */
export function bindingOf({ principal, role, condition }: ReviewedGrant): Binding {
  return { role, members: [principal], ...(condition ? { condition } : {}) };
}

/** The grants in the bindings of a result, one for each member; none if the policy is unknown. */
export function grantsIn(bindings: readonly Binding[] | null): Array<ReviewedGrant & { expires?: Expiry | undefined }> {
  return (bindings ?? []).flatMap(({ members, ...binding }) => members.map((principal) => ({ ...binding, principal })));
}
