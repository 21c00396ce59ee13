import { emptyObject, isObject, ownProperty, type Json, type JsonObject } from "./json";
import type { FieldType, Message } from "./schema";

/** A stored body as one version of an API answers it: without fields that this version lacks or only takes in. */
export function shown(shape: Message, body: JsonObject): JsonObject {
  const result = emptyObject();
  for (const [name, value] of Object.entries(body)) {
    const field = ownProperty(shape.fields, name);
    if (field !== undefined && value !== undefined && !field.inputOnly) {
      result[name] = shownValue(field.type, value);
    }
  }
  return result;
}

function shownValue(type: FieldType, value: Json): Json {
  if (type.kind === "message" && isObject(value)) {
    return shown(type.message, value);
  }
  if (type.kind === "list" && Array.isArray(value)) {
    return value.map((item) => shownValue(type.item, item));
  }
  if (type.kind === "map" && isObject(value)) {
    const result = emptyObject();
    for (const [key, item] of Object.entries(value)) {
      result[key] = item === undefined ? item : shownValue(type.value, item);
    }
    return result;
  }
  return value;
}
