import { invalidPayload } from "../base/errors";
import { isObject, ownProperty, toCamel, type Json, type JsonObject } from "../base/json";
import type { Message } from "../base/schema";

/** The path of a field, also in nested messages: `["destination", "cloudRun"]`. Never empty. */
export type FieldPath = readonly string[];

/**
 * The fields of a mask in camelCase; undefined for an absent or empty mask. A mask may use camelCase and snake_case. `*` means
 * all fields.
 *
 * @throws ApiError INVALID_ARGUMENT for an unknown field, and for a path into a map or a list
 */
export function parseMask(mask: string | undefined, shape: Message): FieldPath[] | undefined {
  const paths = (mask ?? "")
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
  if (paths.length === 0) {
    return undefined;
  }
  if (paths.includes("*")) {
    return Object.keys(shape.fields).map((field) => [field]);
  }
  const unknown = paths.filter((path) => !leadsToField(shape, path.split(".").map(toCamel)));
  if (unknown.length > 0) {
    const violations = unknown.map((path) => ({
      field: "update_mask",
      description: `Invalid field mask: '${path}' is not a field of ${shape.name}`,
    }));
    throw invalidPayload(violations);
  }
  return paths.map((path) => path.split(".").map(toCamel));
}

function leadsToField(shape: Message, [first = "", ...rest]: FieldPath): boolean {
  const type = ownProperty(shape.fields, first)?.type;
  if (type === undefined || rest.length === 0) {
    return type !== undefined;
  }
  return type.kind === "message" && leadsToField(type.message, rest);
}

/** The top-level fields of a mask. */
export function topFields(paths: readonly FieldPath[]): Set<string> {
  return new Set(paths.map(([field = ""]) => field));
}

/**
 * The body after an update: each field of the mask gets its value from `patch`, or is unset if the patch omits it. Setting a
 * field of a union unsets the others.
 */
export function applyMask(
  current: JsonObject,
  patch: JsonObject,
  paths: readonly FieldPath[],
  shape: Message,
): JsonObject {
  return paths.reduce((body, path) => applyPath(body, patch, path, shape), current);
}

function applyPath(current: JsonObject, patch: JsonObject, path: FieldPath, shape: Message): JsonObject {
  const [name = "", ...rest] = path;
  const field = ownProperty(shape.fields, name);
  let value: Json | undefined = patch[name];
  if (rest.length > 0 && field?.type.kind === "message") {
    const [before, wanted] = [current[name], value];
    const inner = applyPath(isObject(before) ? before : {}, isObject(wanted) ? wanted : {}, rest, field.type.message);
    value = Object.keys(inner).length > 0 || isObject(before) ? inner : undefined;
  }
  const held = current[name];
  if (field?.type.kind === "message" && isObject(held) && isObject(value)) {
    value = withOutputs(field.type.message, held, value);
  }
  const result = { ...current };
  delete result[name];
  if (value === undefined) {
    return result;
  }
  for (const [other, { oneof }] of Object.entries(shape.fields)) {
    if (oneof !== undefined && oneof === field?.oneof) {
      delete result[other];
    }
  }
  return { ...result, [name]: value };
}

/** A new message with the output-only fields of the old one, such as the subscription of a transport: no request can set them. */
function withOutputs(shape: Message, before: JsonObject, after: JsonObject): JsonObject {
  const result = { ...after };
  for (const [name, { type, outputOnly }] of Object.entries(shape.fields)) {
    const [old, value] = [before[name], after[name]];
    if (outputOnly && old !== undefined) {
      result[name] = old;
    } else if (type.kind === "message" && isObject(old) && isObject(value)) {
      result[name] = withOutputs(type.message, old, value);
    }
  }
  return result;
}
