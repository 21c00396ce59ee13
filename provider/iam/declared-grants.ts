import type { CloudResource } from "../core/cloud-object";
import type { ObjectNotes } from "../core/object-notes";
import type { Problem } from "../core/problem";
import { grantKey, type Grant } from "./policy";

/**
 * The grants of this run's stack, by the resource that they are on. A preview counts those that the program declares
 * together, and two of them on one resource undo each other where each write replaces the whole policy.
 */
export class DeclaredGrants {
  private readonly inState = new Set<string>();

  /** @param notes say which resource declares what; deletes ask the same ones. */
  constructor(private readonly notes: ObjectNotes<Grant>) {}

  /** @param identity of the declaring resource; its newest declaration counts. */
  declare(on: CloudResource, grant: Grant, identity: string | undefined): void {
    this.notes.declare({ ...on, part: grantKey(grant) }, identity, grant);
  }

  /** Another resource that declares another grant on the same resource, and its identity where that is known. */
  rival(on: CloudResource, grant: Grant, identity: string | undefined): { identity: string | undefined } | undefined {
    return this.notes.rival({ ...on, part: grantKey(grant) }, identity);
  }

  /** The very same list as before, perhaps longer, unless a resource declares another grant than before. */
  on(resource: CloudResource): readonly Grant[] {
    return this.notes.declaredOn(resource);
  }

  /** Notes that the stack's state has this grant. */
  noteInState(on: CloudResource, grant: Grant): void {
    this.inState.add(keyOf(on, grant));
  }

  isInState(on: CloudResource, grant: Grant): boolean {
    return this.inState.has(keyOf(on, grant));
  }
}

function keyOf({ url, name }: CloudResource, grant: Grant): string {
  return JSON.stringify([url, name, grantKey(grant)]);
}

/** Why a second grant on a resource cannot be, where each of them replaces the resource's whole policy. */
export function rivalProblem(resource: string, identity: string | undefined): Problem {
  return {
    path: "name",
    reason:
      `is the resource of another grant in this program too${identity === undefined ? "" : ` (${identity})`}. With ` +
      `grantMode "replace" each of them replaces the whole policy of ${resource}, so they would undo each other: set the ` +
      `provider's grantMode to "merge", or keep one grant for each resource`,
  };
}
