import { groupedBy, nameKey, placeKey } from "../result/order";
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
  for (const keyOf of anyEndpoint ? [placeKey, nameKey] : [placeKey]) {
    const then = groupedBy(
      earlier.filter((each) => !taken.has(each)),
      keyOf,
    );
    const left = now.filter((each) => !pairs.has(each));
    for (const [key, [one, ...others]] of groupedBy(left, keyOf)) {
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
