import { isObject, toSnake, type Json, type JsonObject } from "./json";
import type { FieldType, Message } from "./schema";

/** The paths, in snake_case, of all required fields that a decoded message leaves unset, nested ones too. */
export function missingRequired(shape: Message, value: JsonObject, path = ""): string[] {
  return Object.entries(shape.fields).flatMap(([name, field]) => {
    const at = path === "" ? toSnake(name) : `${path}.${toSnake(name)}`;
    const held = value[name];
    if (held === undefined) {
      return field.required ? [at] : [];
    }
    return missingWithin(field.type, held, at);
  });
}

function missingWithin(type: FieldType, held: Json, at: string): string[] {
  if (type.kind === "message" && isObject(held)) {
    return missingRequired(type.message, held, at);
  }
  if (type.kind === "list" && Array.isArray(held)) {
    return held.flatMap((item, index) => missingWithin(type.item, item, `${at}[${index}]`));
  }
  return [];
}
