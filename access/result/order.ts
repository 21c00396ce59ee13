import { getOrCompute } from "../../provider/core/once";
import type { ReviewedResource } from "./result";

/** A comparison of values by texts, the most important first. */
export function compareBy<T>(keysOf: (value: T) => readonly string[]): (left: T, right: T) => number {
  return (left, right) => {
    const others = keysOf(right);
    return keysOf(left).reduce((order, key, index) => order || compare(key, others[index] ?? ""), 0);
  };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The values in groups by a key, each in the order of the values. */
export function groupedBy<T, K>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of values) getOrCompute(groups, keyOf(each), (): T[] => []).push(each);
  return groups;
}

export function isSameSet<T>(left: ReadonlySet<T>, right: ReadonlySet<T>): boolean {
  return left.size === right.size && [...left].every((each) => right.has(each));
}

/** The API and the name of a resource, which another cloud may have, too. */
export function nameKey({ api, resource }: Pick<ReviewedResource, "api" | "resource">): string {
  return JSON.stringify([api, resource]);
}

/** The API, the name and the endpoint of a resource, and for one whose name is not known yet, what creates it. */
export function placeKey({
  api,
  resource,
  endpoint,
  createdBy,
}: Pick<ReviewedResource, "api" | "resource" | "endpoint" | "createdBy">): string {
  return JSON.stringify([api, resource, endpoint, createdBy]);
}

/** The order of resources in an answer. Two clouds may have the same names. */
export const byResource = compareBy(({ resource, api, endpoint = "" }: ReviewedResource) => [resource, api, endpoint]);
