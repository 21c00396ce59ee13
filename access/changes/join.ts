import type { ReviewedResource } from "../result/result";

/** The resources of two answers, joined: those that both have, and those that only one has. */
export interface Joined {
  /** The earlier resource, by the current one. */
  pairs: ReadonlyMap<ReviewedResource, ReviewedResource>;
  onlyEarlier: readonly ReviewedResource[];
  onlyNow: readonly ReviewedResource[];
}

/**
 * Joins the resources of two answers by API, name and endpoint, because two clouds may have the same names.
 *
 * @param anyEndpoint also joins what is left by API and name, where each answer has one resource of this name: an emulator has
 * another port each time.
 */
export function joined(
  earlier: readonly ReviewedResource[],
  now: readonly ReviewedResource[],
  anyEndpoint: boolean,
): Joined {
  const pairs = new Map<ReviewedResource, ReviewedResource>();
  const taken = new Set<ReviewedResource>();
  for (const keyOf of anyEndpoint ? [placeOf, nameOf] : [placeOf]) {
    const then = byKey(
      earlier.filter((each) => !taken.has(each)),
      keyOf,
    );
    const left = now.filter((each) => !pairs.has(each));
    for (const [key, [one, ...others]] of byKey(left, keyOf)) {
      const [other, ...more] = then.get(key) ?? [];
      if (!one || !other || others.length + more.length > 0) continue;
      pairs.set(one, other);
      taken.add(other);
    }
  }
  return {
    pairs,
    onlyEarlier: earlier.filter((each) => !taken.has(each)),
    onlyNow: now.filter((each) => !pairs.has(each)),
  };
}

/** The API and the name of a resource, which another cloud may have, too. */
export function nameOf({ api, resource }: ReviewedResource): string {
  return `${api} ${resource}`;
}

/** The API, the name and the endpoint of a resource. */
export function placeOf(resource: ReviewedResource): string {
  return `${nameOf(resource)} ${resource.endpoint ?? ""}`;
}

function byKey(
  resources: readonly ReviewedResource[],
  keyOf: (resource: ReviewedResource) => string,
): Map<string, ReviewedResource[]> {
  const groups = new Map<string, ReviewedResource[]>();
  for (const each of resources) {
    const key = keyOf(each);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return groups;
}
