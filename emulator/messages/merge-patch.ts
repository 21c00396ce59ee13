import { emptyObject, isObject, type JsonObject } from "./json";

/** The target after a JSON merge patch (RFC 7396). */
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
