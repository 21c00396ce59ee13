import type { Json, JsonObject } from "../base/json";
import type { StoredResource } from "../state/store";
import type { Seed } from "./seed";
import { loadYaml } from "./parse-text";

/**
 * A seed that brings back the resources as they are. The same resources always give the same seed: they are in the order
 * of their names, and the fields of each in alphabetical order.
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

/** The same seed as YAML, one value to a line, so that two exports can be compared line by line. */
export function seedAsYaml(seed: readonly Seed[]): string {
  return loadYaml().stringify(seed, { lineWidth: 0, aliasDuplicateObjects: false });
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

/** By code units, which no locale changes. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
