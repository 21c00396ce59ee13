import { RefusedError } from "../core/errors";
import { isRecord, listOf, textOf } from "../core/unknown";
import { grantKey, grantOfKey, grantsOf, type Grant, type Policy } from "./policy";

/**
 * The largest numbers of principals, and of Google groups among them, in a policy: specification section 8 and
 * https://cloud.google.com/iam/quotas#limits. Each occurrence of a principal counts, including those in the exempted members
 * of audit configs (docs/wire.md section 9).
 */
export const MOST_PRINCIPALS = 1_500;
export const MOST_GROUPS = 250;

export interface PrincipalCount {
  principals: number;
  /** The number of groups among the principals. */
  groups: number;
}

export function countPrincipals(policy: Policy): PrincipalCount {
  const lists = [...(policy.bindings ?? []).map(({ members = [] }) => members), exemptedMembers(policy)];
  let [principals, groups] = [0, 0];
  for (const members of lists) {
    principals += members.length;
    for (const member of members) if (isGroup(member)) groups += 1;
  }
  return { principals, groups };
}

/** Returns the counts after adding a grant that the policy does not have yet. */
function countGrant({ principals, groups }: PrincipalCount, { member }: Grant): PrincipalCount {
  return { principals: principals + 1, groups: isGroup(member) ? groups + 1 : groups };
}

function isGroup(member: string): boolean {
  return member.startsWith("group:") || member.startsWith("deleted:group:");
}

function exemptedMembers({ auditConfigs = [] }: Policy): string[] {
  return auditConfigs
    .flatMap((config) => listOf(isRecord(config) && config.auditLogConfigs))
    .flatMap((log) => listOf(isRecord(log) && log.exemptedMembers))
    .map(textOf);
}

/**
 * Refuses a change that makes a policy exceed the limits, or exceed them by more than before. A policy that already exceeds
 * the limits may shrink. Returns undefined when the policy may be written.
 */
export function limitRefusal(resource: string, before: Policy, after: Policy): RefusedError | undefined {
  return countRefusal(resource, countPrincipals(before), countPrincipals(after), () => after);
}

/**
 * Like `limitRefusal`, for policies that are already counted.
 *
 * @param after returns the later policy for the message; called only when the policy is refused.
 */
export function countRefusal(
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

const previewed = new WeakMap<Policy, PreviewedPolicy>();

/** The results for each policy that was read. Previews share reads, so each policy is processed only once. */
export function previewedPolicy(policy: Policy): PreviewedPolicy {
  const known = previewed.get(policy) ?? new PreviewedPolicy(policy);
  previewed.set(policy, known);
  return known;
}

/**
 * A policy that was read, with the grants that the program declares. It processes each grant of the policy and each declared
 * grant once, so a preview of many grants takes linear time.
 */
class PreviewedPolicy {
  readonly count: PrincipalCount;
  private readonly keys: Set<string>;
  private declared: readonly { part: string }[] = [];
  private seen = 0;
  private added: Grant[] = [];
  private planned: PrincipalCount;

  constructor(policy: Policy) {
    this.keys = new Set(grantsOf(policy).map(grantKey));
    this.count = countPrincipals(policy);
    this.planned = { ...this.count };
  }

  has(grant: Grant): boolean {
    return this.keys.has(grantKey(grant));
  }

  /**
   * Counts the principals of the policy after all declared grants are added, and lists the declared grants that it does not
   * have.
   *
   * @param declared the keys of grants, each once. When this is the same list as in the previous call, only its new entries
   *   are processed.
   */
  with(declared: readonly { part: string }[]): { count: PrincipalCount; added: readonly Grant[] } {
    if (declared !== this.declared) {
      this.declared = declared;
      this.seen = 0;
      this.added = [];
      this.planned = { ...this.count };
    }
    for (const { part } of declared.slice(this.seen)) {
      if (this.keys.has(part)) continue;
      const grant = grantOfKey(part);
      this.added.push(grant);
      this.planned = countGrant(this.planned, grant);
    }
    this.seen = declared.length;
    return { count: this.planned, added: this.added };
  }
}
