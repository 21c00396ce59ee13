import { emptyObject, isObject, ownProperty, type Json, type JsonObject } from "../base/json";
import type { Field, FieldType, Message } from "../base/schema";

/** A stored body as a version of an API returns it: without unknown and input-only fields of this version. */
export function shown(shape: Message, body: JsonObject): JsonObject {
  return rewritten(shape, body, {
    isKept: (field) => field !== undefined && !field.inputOnly,
    leaf: (_type, value) => value,
  });
}

/** The message with enums as numbers, for `$alt=json;enum-encoding=int`. An unknown value stays a string. */
export function withEnumNumbers(shape: Message, body: JsonObject): JsonObject {
  return rewritten(shape, body, {
    isKept: () => true,
    leaf: (type, value) => {
      const index = type.kind === "enum" && typeof value === "string" ? type.values.indexOf(value) : -1;
      return index < 0 ? value : index;
    },
  });
}

interface Rewrite {
  /** Whether a field is kept; undefined means a field that the message does not have. */
  isKept: (field: Field | undefined) => boolean;
  /** Converts a value that is not a message, a list or a map. */
  leaf: (type: FieldType, value: Json) => Json;
}

function rewritten(shape: Message, body: JsonObject, rewrite: Rewrite): JsonObject {
  const result = emptyObject();
  for (const [name, value] of Object.entries(body)) {
    const field = ownProperty(shape.fields, name);
    if (value !== undefined && rewrite.isKept(field)) {
      result[name] = field === undefined ? value : rewrittenValue(field.type, value, rewrite);
    }
  }
  return result;
}

function rewrittenValue(type: FieldType, value: Json, rewrite: Rewrite): Json {
  if (type.kind === "message" && isObject(value)) {
    return rewritten(type.message, value, rewrite);
  }
  if (type.kind === "list" && Array.isArray(value)) {
    return value.map((item) => rewrittenValue(type.item, item, rewrite));
  }
  if (type.kind === "map" && isObject(value)) {
    const result = emptyObject();
    for (const [key, item] of Object.entries(value)) {
      result[key] = item === undefined ? item : rewrittenValue(type.value, item, rewrite);
    }
    return result;
  }
  return rewrite.leaf(type, value);
}
