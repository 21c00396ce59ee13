import { isObject, toSnake, type Json, type JsonObject } from "../base/json";
import type { FieldType, Message } from "../base/schema";

/**
 * The paths, in snake_case, of all required fields that are unset in a decoded message, including nested fields.
 *
 * @param stored the message comes from the store, which has no input-only fields
 */
export function missingRequired(shape: Message, value: JsonObject, path = "", stored = false): string[] {
  return Object.entries(shape.fields).flatMap(([name, field]) => {
    const at = path === "" ? toSnake(name) : `${path}.${toSnake(name)}`;
    const held = value[name];
    if (held === undefined) {
      return field.required && !(stored && field.inputOnly) ? [at] : [];
    }
    return missingWithin(field.type, held, at, stored);
  });
}

function missingWithin(type: FieldType, held: Json, at: string, stored: boolean): string[] {
  if (type.kind === "message" && isObject(held)) {
    return missingRequired(type.message, held, at, stored);
  }
  if (type.kind === "list" && Array.isArray(held)) {
    return held.flatMap((item, index) => missingWithin(type.item, item, `${at}[${index}]`, stored));
  }
  return [];
}
