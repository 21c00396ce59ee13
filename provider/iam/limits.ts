import { RefusedError } from "../core/errors";
import { isRecord } from "../core/unknown";
import type { Grant, Policy } from "./policy";

/** Spec section 8; each occurrence counts, also among the exempted members of audit configs (wire reference section 9). */
export const MOST_PRINCIPALS = 1_500;
export const MOST_GROUPS = 250;

export interface PrincipalCount {
  principals: number;
  groups: number;
}

export function countPrincipals(policy: Policy): PrincipalCount {
  const members = [...(policy.bindings ?? []).flatMap((binding) => [...(binding.members ?? [])]), ...exempted(policy)];
  return { principals: members.length, groups: members.filter(isGroup).length };
}

/** The count with one more grant, which the policy does not hold. */
export function countGrant({ principals, groups }: PrincipalCount, { member }: Grant): PrincipalCount {
  return { principals: principals + 1, groups: isGroup(member) ? groups + 1 : groups };
}

function isGroup(member: string): boolean {
  return /^(deleted:)?group:/.test(member);
}

function exempted(policy: Policy): string[] {
  return (policy.auditConfigs ?? []).flatMap((config) => {
    const logs = isRecord(config) && Array.isArray(config.auditLogConfigs) ? (config.auditLogConfigs as unknown[]) : [];
    return logs.flatMap((log) =>
      isRecord(log) && Array.isArray(log.exemptedMembers) ? (log.exemptedMembers as string[]) : [],
    );
  });
}

/** Why a policy is over the limits where the one before it was not as far over; undefined when it may be written. */
export function overLimit(resource: string, before: Policy, after: Policy): RefusedError | undefined {
  return overCount(resource, countPrincipals(before), countPrincipals(after), () => after);
}

/**
 * The same for policies that are counted already.
 *
 * @param after makes the later policy, for the message; only asked where it is refused.
 */
export function overCount(
  resource: string,
  was: PrincipalCount,
  is: PrincipalCount,
  after: () => Policy,
): RefusedError | undefined {
  const tooMany = is.principals > MOST_PRINCIPALS && is.principals > was.principals;
  const tooManyGroups = is.groups > MOST_GROUPS && is.groups > was.groups;
  if (!tooMany && !tooManyGroups) return undefined;
  const largest = [...(after().bindings ?? [])]
    .sort((left, right) => (right.members?.length ?? 0) - (left.members?.length ?? 0))
    .slice(0, 3)
    .map(
      (binding) =>
        `${binding.role}${binding.condition ? ` (${binding.condition.title})` : ""}: ${binding.members?.length ?? 0}`,
    );
  return new RefusedError(
    `The access policy of ${resource} would have ${is.principals} principals, ${is.groups} of them groups; the limits are ` +
      `${MOST_PRINCIPALS} and ${MOST_GROUPS}, counting each occurrence. Most are in ${largest.join(", ")}. ` +
      "Grant the role to a group that holds these members instead",
  );
}
