import { isDeepStrictEqual } from "node:util";
import { getOrCompute } from "../core/once";
import { keyOf, type CloudResource } from "../core/reference";
import type { Grant } from "./policy";

/** What one resource of the program declares on a policy: all its grants have the same role and condition. */
export interface DeclaredGrants {
  readonly grants: readonly Grant[];
  /** Whether no other members have the role under the condition. */
  readonly ownsRole: boolean;
}

/**
 * The grants that the resources of this process declare, in plain text, by their policy. A preview adds them to the policy that it
 * read, to compare the result with the limits. `Claims` has only hashes of them, and those of other processes too.
 */
export class DeclaredByPolicy {
  private readonly byPolicy = new Map<string, DeclaredGrants[]>();
  /** The policy and the declaration of each resource, by its identity. */
  private readonly byIdentity = new Map<string, { policy: string; declared: DeclaredGrants }>();

  /** Records what a resource of the program declares, in place of what it declared before. */
  declare(on: CloudResource, declared: DeclaredGrants, identity: string | undefined): void {
    const policy = keyOf(on);
    const before = identity === undefined ? undefined : this.byIdentity.get(identity);
    if (before?.policy === policy && isDeepStrictEqual(before.declared, declared)) return;
    if (before) {
      const others = this.byPolicy.get(before.policy) ?? [];
      this.byPolicy.set(
        before.policy,
        others.filter((each) => each !== before.declared),
      );
    }
    if (identity !== undefined) this.byIdentity.set(identity, { policy, declared });
    getOrCompute(this.byPolicy, policy, (): DeclaredGrants[] => []).push(declared);
  }

  /** Whether a resource of this process declares grants. */
  has(identity: string): boolean {
    return this.byIdentity.has(identity);
  }

  /**
   * What the program declares on a policy, in the order of the checks. As long as no resource changes its declaration, every call
   * returns the same list, which only grows: a caller can continue where it stopped.
   */
  on(resource: CloudResource): readonly DeclaredGrants[] {
    return this.byPolicy.get(keyOf(resource)) ?? [];
  }
}
