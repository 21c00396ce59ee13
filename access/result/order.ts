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

/** The order of resources in a result. Two clouds may have the same names. */
export const byResource = compareBy(({ resource, api, endpoint = "", stack = "" }: ReviewedResource) => [
  resource,
  api,
  endpoint,
  stack,
]);
