import { countGrant, countPrincipals, type PrincipalCount } from "./limits";
import { grantKey, grantOfKey, grantsOf, type Grant, type Policy } from "./policy";

const previewed = new WeakMap<Policy, PreviewedPolicy>();

/** What was found out about a policy that was read. Previews share reads, and so each policy is looked at once. */
export function previewedPolicy(policy: Policy): PreviewedPolicy {
  const known = previewed.get(policy) ?? new PreviewedPolicy(policy);
  previewed.set(policy, known);
  return known;
}

/**
 * A policy as it was read, and what the grants that a program declares make of it. Looks at each grant of the policy and at
 * each declared grant once, so that a preview of many grants takes linear time.
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
   * Counts the principals of the policy with all declared grants in it, and lists those that it lacks.
   *
   * @param declared the keys of grants, each once. Where it is the list of the call before, only what was added to it is looked at.
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
