import type { Problem } from "../core/problem";
import { grantKey, type Grant } from "./policy";

/**
 * The grants that this run's program asks for, noted at each check. They keep two grants whose writes replace the whole
 * policy from undoing each other, and keep a delete from revoking what another resource of the program still wants.
 */
export class Claims {
  private readonly byResource = new Map<string, Map<string, Grant>>();

  claim(resource: string, grant: Grant): void {
    const claims = this.byResource.get(resource) ?? new Map<string, Grant>();
    claims.set(grantKey(grant), grant);
    this.byResource.set(resource, claims);
  }

  isClaimed(resource: string, grant: Grant): boolean {
    return this.byResource.get(resource)?.has(grantKey(grant)) ?? false;
  }

  /** A claim of another grant on the same resource: in replace mode the two would undo each other. */
  rival(resource: string, grant: Grant): Grant | undefined {
    const key = grantKey(grant);
    for (const [other, claimed] of this.byResource.get(resource) ?? []) if (other !== key) return claimed;
    return undefined;
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
