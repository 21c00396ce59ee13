import { countGrant, countPrincipals, type PrincipalCount } from "./limits";
import { grantKey, grantOfKey, grantsOf, type Grant, type Policy } from "./policy";

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
