import type { Problem } from "../core/problem";
import { grantKey, type Grant } from "./policy";

/** A resource in a cloud on which grants are made. */
export interface GrantedResource {
  /** Base URL of its API. */
  readonly url: string;
  readonly name: string;
}

interface OnOneResource {
  /** By the grants' keys: the identities of the resources that declare each; undefined where nobody knows. */
  byKey: Map<string, Set<string | undefined>>;
  /** Each grant once, in the order of their declaration. */
  list: Grant[];
}

/**
 * The grants that the program of this run declares, by the resource that they are on: what a preview counts together, and
 * what shows that two grants whose writes replace the whole policy would undo each other.
 */
export class DeclaredGrants {
  private readonly byResource = new Map<string, OnOneResource>();
  private readonly newest = new Map<string, { resource: string; key: string }>();
  private readonly own = new Set<string>();

  /** @param identity of the declaring resource; its newest declaration counts. */
  declare(on: GrantedResource, grant: Grant, identity: string | undefined): void {
    const [resource, key] = [keyOf(on), grantKey(grant)];
    if (identity !== undefined) this.supersede(identity, resource, key);
    const { byKey, list } = this.byResource.get(resource) ?? {
      byKey: new Map<string, Set<string | undefined>>(),
      list: [],
    };
    if (!byKey.has(key)) list.push(grant);
    byKey.set(key, (byKey.get(key) ?? new Set()).add(identity));
    this.byResource.set(resource, { byKey, list });
  }

  /** Another grant that another resource declares on the same resource, and the identity of that one. */
  rival(on: GrantedResource, grant: Grant, identity: string | undefined): { identity: string | undefined } | undefined {
    const key = grantKey(grant);
    for (const [other, by] of this.byResource.get(keyOf(on))?.byKey ?? []) {
      const others = [...by].filter((each) => each === undefined || each !== identity);
      if (other !== key && others.length > 0) return { identity: others[0] };
    }
    return undefined;
  }

  /** The very same list as before, perhaps longer, unless a resource declares another grant than before. */
  on(resource: GrantedResource): readonly Grant[] {
    return this.byResource.get(keyOf(resource))?.list ?? [];
  }

  /** The state of the stack has this grant. */
  owns(on: GrantedResource, grant: Grant): void {
    this.own.add(keyOf(on) + grantKey(grant));
  }

  isOwn(on: GrantedResource, grant: Grant): boolean {
    return this.own.has(keyOf(on) + grantKey(grant));
  }

  private supersede(identity: string, resource: string, key: string): void {
    const before = this.newest.get(identity);
    this.newest.set(identity, { resource, key });
    if (!before || (before.resource === resource && before.key === key)) return;
    const declared = this.byResource.get(before.resource);
    const by = declared?.byKey.get(before.key);
    if (!declared || !by) return;
    by.delete(identity);
    if (by.size > 0) return;
    declared.byKey.delete(before.key);
    declared.list = declared.list.filter((grant) => grantKey(grant) !== before.key);
  }
}

function keyOf({ url, name }: GrantedResource): string {
  return JSON.stringify([url, name]);
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
