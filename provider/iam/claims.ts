import type { Problem } from "../core/problem";
import type { ClaimLedger } from "./claim-ledger";
import { addGrant, grantKey, type Grant, type Policy } from "./policy";

/**
 * The grants that this run's program asks for, noted at each check. They keep two grants whose writes replace the whole
 * policy from undoing each other, and keep a delete from revoking what another resource of the program still wants.
 */
export class Claims {
  private readonly byResource = new Map<string, Map<string, Grant>>();

  /** @param ledger shares the claims with the other provider processes of the run. */
  constructor(private readonly ledger?: ClaimLedger) {}

  claim(resource: string, grant: Grant): void {
    const claims = this.byResource.get(resource) ?? new Map<string, Grant>();
    const key = grantKey(grant);
    if (!claims.has(key)) this.ledger?.add(resource + key);
    claims.set(key, grant);
    this.byResource.set(resource, claims);
  }

  isClaimed(resource: string, grant: Grant): boolean {
    const key = grantKey(grant);
    return (this.byResource.get(resource)?.has(key) ?? false) || (this.ledger?.has(resource + key) ?? false);
  }

  /** A claim of another grant on the same resource: in replace mode the two would undo each other. */
  rival(resource: string, grant: Grant): Grant | undefined {
    const key = grantKey(grant);
    for (const [other, claimed] of this.byResource.get(resource) ?? []) if (other !== key) return claimed;
    return undefined;
  }

  /** A policy with every grant that this run has claimed so far added to it. */
  addTo(resource: string, policy: Policy): Policy {
    return [...(this.byResource.get(resource)?.values() ?? [])].reduce(addGrant, policy);
  }
}

export function rivalProblem(resource: string): Problem {
  return {
    path: "name",
    reason:
      `is the resource of another grant in this program too. With grantMode "replace" each of them replaces the whole ` +
      `policy of ${resource}, so they would undo each other: set the provider's grantMode to "merge", or keep one grant ` +
      "for each resource",
  };
}
