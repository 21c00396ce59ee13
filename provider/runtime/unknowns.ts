import { isRecord, isUnknown, UNKNOWN, type Values } from "../core/unknown";

/**
 * How Pulumi's wire spells a value that is not known yet: a string for each type (`UnknownStringValue` and its siblings
 * in the SDKs). Whatever type the property has, any of them means the same.
 */
const ENGINE_UNKNOWNS: ReadonlySet<unknown> = new Set([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9", // string
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // bool
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
  "030794c1-ac77-496b-92df-f27374a8bd58", // asset
  "e48ece36-62e2-4504-bad9-02848725956a", // archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

/** The one that the SDKs write for any property of a resource. */
export const ENGINE_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function isEngineUnknown(value: unknown): boolean {
  return ENGINE_UNKNOWNS.has(value);
}

/** Values with the engine's unknowns as the core's. */
export function fromEngineUnknowns(values: Values): Values {
  return mapLeaves(values, (value) => (isEngineUnknown(value) ? UNKNOWN : value)) as Values;
}

/** Values with the core's unknowns as the engine's. */
export function toEngineUnknowns(values: Values): Values {
  return mapLeaves(values, (value) => (isUnknown(value) ? ENGINE_UNKNOWN : value)) as Values;
}

function mapLeaves(value: unknown, map: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => mapLeaves(element, map));
  if (isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, mapLeaves(element, map)]));
  }
  return map(value);
}
