import { emptyObject, isObject, type JsonObject } from "./json";

/**
 * The target after a JSON merge patch (RFC 7396). Not by the library `json-merge-patch` (1.0): it gives up at a key such as
 * `constructor`, which is a label like any other.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result = Object.assign(emptyObject(), target);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[key];
    } else if (isObject(value)) {
      const inner = result[key];
      result[key] = mergePatch(isObject(inner) ? inner : {}, value);
    } else {
      result[key] = value;
    }
  }
  return result;
}
