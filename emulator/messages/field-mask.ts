import { invalidArgument } from "../http/errors";
import { ownProperty, toCamel, type JsonObject } from "./json";
import type { Message } from "./schema";

/**
 * The top-level fields that a mask names, in camelCase; undefined for an absent or empty mask. A mask may use both
 * spellings, and `*` names every field.
 *
 * @throws ApiError INVALID_ARGUMENT for a field that the message does not have
 */
export function parseMask(mask: string | undefined, shape: Message): Set<string> | undefined {
  const paths = (mask ?? "")
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
  if (paths.length === 0) {
    return undefined;
  }
  if (paths.includes("*")) {
    return new Set(Object.keys(shape.fields));
  }
  const unknown = paths.filter((path) => ownProperty(shape.fields, toCamel(path)) === undefined);
  if (unknown.length > 0) {
    const violations = unknown.map((path) => ({
      field: "update_mask",
      description: `Invalid field mask: '${path}' is not a field of ${shape.name}`,
    }));
    throw invalidArgument(violations.map((violation) => violation.description).join("\n"), violations);
  }
  return new Set(paths.map(toCamel));
}

/** The body after an update: each field of the mask is as in `patch`, and unset where the patch leaves it out. */
export function applyMask(current: JsonObject, patch: JsonObject, mask: ReadonlySet<string>): JsonObject {
  const result = { ...current };
  for (const name of mask) {
    const value = patch[name];
    if (value === undefined) {
      delete result[name];
    } else {
      result[name] = value;
    }
  }
  return result;
}
