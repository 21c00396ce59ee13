import { emptyObject, isObject, ownProperty, type Json, type JsonObject } from "./json";
import type { FieldType, Message } from "./schema";

/** The message with enums as numbers, which `$alt=json;enum-encoding=int` asks for. An unknown value stays a string. */
export function withEnumNumbers(shape: Message, value: JsonObject): JsonObject {
  const result = emptyObject();
  for (const [name, held] of Object.entries(value)) {
    const field = ownProperty(shape.fields, name);
    result[name] = field === undefined || held === undefined ? held : numbered(field.type, held);
  }
  return result;
}

function numbered(type: FieldType, held: Json): Json {
  if (type.kind === "enum" && typeof held === "string") {
    const index = type.values.indexOf(held);
    return index < 0 ? held : index;
  }
  if (type.kind === "message" && isObject(held)) {
    return withEnumNumbers(type.message, held);
  }
  if (type.kind === "list" && Array.isArray(held)) {
    return held.map((item) => numbered(type.item, item));
  }
  if (type.kind === "map" && isObject(held)) {
    const result = emptyObject();
    for (const [key, item] of Object.entries(held)) {
      result[key] = item === undefined ? item : numbered(type.value, item);
    }
    return result;
  }
  return held;
}
