/** The parts of google.iam.v1.Policy that the picture shows; the same message in every API that has policies. */
export interface PolicyLike {
  bindings?: ReadonlyArray<{ role?: string; members?: readonly string[]; condition?: ConditionLike }>;
  auditConfigs?: ReadonlyArray<{
    service?: string;
    auditLogConfigs?: ReadonlyArray<{ logType?: string; exemptedMembers?: readonly string[] }>;
  }>;
}

export interface ConditionLike {
  title?: string;
  description?: string;
  expression?: string;
}

export type Change = "added" | "removed";

/** One member has one role, at all times or under one condition. */
export interface Grant {
  member: string;
  role: string;
  condition?: ConditionLike;
  change?: Change;
}

/** The grants of a policy, each once, in the order of the policy. */
export function grantsOf(policy: PolicyLike | null | undefined): Grant[] {
  const found = new Map<string, Grant>();
  for (const { role = "", members = [], condition } of policy?.bindings ?? []) {
    for (const member of members) {
      const grant: Grant = { member, role, ...(condition && { condition }) };
      found.set(keyOfGrant(grant), grant);
    }
  }
  return [...found.values()];
}

/** Two conditions are the same one when all their texts are the same. */
export function conditionKey(condition: ConditionLike | undefined): string {
  return condition === undefined
    ? ""
    : JSON.stringify([condition.title ?? "", condition.expression ?? "", condition.description ?? ""]);
}

/** Equal grants have the same key. */
export function keyOfGrant({ member, role, condition }: Grant): string {
  return JSON.stringify([role, member, conditionKey(condition)]);
}
