import type { Json, JsonObject } from "../base/json";
import type { StoredResource } from "../state/store";
import type { Seed } from "./seed";
import { loadYaml } from "./parse-text";

/**
 * Returns a seed that restores the resources. The same resources always give the same seed: resources are sorted by name, and
 * fields alphabetically.
 */
export function exportSeed(resources: readonly StoredResource[]): Seed[] {
  return [...resources]
    .sort((a, b) => compare(a.name, b.name) || compare(a.service, b.service))
    .map(({ service, name, body: { name: _name, ...body }, policy }) => ({
      service,
      name,
      ...(Object.keys(body).length > 0 && { body: sorted(body) as JsonObject }),
      ...(policy && { policy: sorted(policy) as JsonObject }),
    }));
}

/** A seed or another list as YAML, with one value on each line, so that two of them can be compared by line. */
export function listAsYaml(list: readonly object[]): string {
  return loadYaml().stringify(list, { lineWidth: 0, aliasDuplicateObjects: false });
}

function sorted(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) {
    return value.map((item) => sorted(item) as Json);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value).sort(([a], [b]) => compare(a, b));
  return Object.fromEntries(entries.map(([key, held]) => [key, sorted(held)]));
}

/** Compares code units, so that the order does not depend on the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
