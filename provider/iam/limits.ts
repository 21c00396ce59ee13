import { RefusedError } from "../core/errors";
import { isRecord, listOf, textOf } from "../core/unknown";
import { getOrCompute } from "../core/once";
import { addGrants, grantKey, grantsOf, membersOf, setMembers, type Grant, type Policy } from "./policy";
import type { DeclaredGrants } from "./declared-grants";

/**
 * The largest numbers of principals, and of Google groups among them, in a policy:
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

export function countOccurrences(policy: Policy): PrincipalCount {
  return countOf([...(policy.bindings ?? []).flatMap(({ members = [] }) => members), ...exemptedMembers(policy)]);
}

/** Counts principals, and the groups among them. */
function countOf(members: readonly string[]): PrincipalCount {
  return { principals: members.length, groups: members.filter(isGroup).length };
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
  return countRefusal(resource, countOccurrences(before), countOccurrences(after), () => after);
}

/**
 * Like `limitRefusal`, for policies that are already counted.
 *
 * @param after returns the later policy for the message; called only when the policy is refused.
 */
function countRefusal(
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
  return getOrCompute(previewed, policy, () => new PreviewedPolicy(policy));
}

/**
 * A policy that was read, with the grants that the program declares. It processes each grant of the policy and each declared
 * grant once, so a preview of many grants takes linear time.
 */
class PreviewedPolicy {
  private readonly count: PrincipalCount;
  private readonly keys: Set<string>;
  private declared: readonly DeclaredGrants[] = [];
  private seen = 0;
  private added = new Set<string>();
  private planned: PrincipalCount;

  constructor(private readonly policy: Policy) {
    this.keys = new Set(grantsOf(policy).map(grantKey));
    this.count = countOccurrences(policy);
    this.planned = { ...this.count };
  }

  has(grant: Grant): boolean {
    return this.keys.has(grantKey(grant));
  }

  /**
   * Refuses the program if the policy, after all declared grants are added, exceeds the limits. Returns undefined when it may be
   * written.
   *
   * @param declared each once. When this is the same list as in the previous call, only its new entries are processed.
   */
  refusal(resource: string, declared: readonly DeclaredGrants[]): RefusedError | undefined {
    if (declared !== this.declared) {
      this.declared = declared;
      this.seen = 0;
      this.added = new Set();
      this.planned = { ...this.count };
    }
    for (const each of declared.slice(this.seen)) this.add(each);
    this.seen = declared.length;
    return countRefusal(resource, this.count, this.planned, () => declared.reduce(withDeclared, this.policy));
  }

  private add({ grants, ownsRole }: DeclaredGrants): void {
    const [first] = grants;
    if (!first) return;
    const own = new Map(grants.map((grant) => [grantKey(grant), grant]));
    const gained = [...own].filter(([key]) => !this.keys.has(key) && !this.added.has(key));
    for (const [key] of gained) this.added.add(key);
    const lost = ownsRole
      ? membersOf(this.policy, first).filter((member) => !own.has(grantKey({ ...first, member })))
      : [];
    const [more, fewer] = [countOf(gained.map(([, { member }]) => member)), countOf(lost)];
    this.planned = {
      principals: this.planned.principals + more.principals - fewer.principals,
      groups: this.planned.groups + more.groups - fewer.groups,
    };
  }
}

/** Returns the policy with declared grants, and without the other members of a role that they own. */
function withDeclared(policy: Policy, { grants, ownsRole }: DeclaredGrants): Policy {
  const [first] = grants;
  if (first && ownsRole) return setMembers(policy, { ...first, members: grants.map(({ member }) => member) });
  return addGrants(policy, grants);
}
