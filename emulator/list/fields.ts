import { isObject, ownProperty, toCamel, type Json, type JsonObject } from "../base/json";
import type { Field, FieldType, Message } from "../base/schema";
import { ListSyntaxError } from "./parse-filter";

/** A field that a filter or an order names, found in the shape of the message. */
export interface FieldPath {
  readonly type: FieldType;
  /** Names in camelCase, and the keys of maps as written. */
  readonly steps: readonly string[];
  /** Whether the path leads through a list, so that there is a value for each item. */
  readonly repeated: boolean;
  /** Whether the last step is a key of a map or of a free-form object. The key may be absent. */
  readonly keyed: boolean;
}

/** @throws ListSyntaxError that names the unknown part of the path */
export function findField(shape: Message, path: readonly string[]): FieldPath {
  let type: FieldType = { kind: "message", message: shape };
  let repeated = false;
  let keyed = false;
  const steps: string[] = [];
  for (const name of path) {
    while (type.kind === "list") {
      type = type.item;
      repeated = true;
    }
    keyed = type.kind !== "message";
    if (type.kind === "message") {
      const field: Field | undefined = ownProperty(type.message.fields, toCamel(name));
      if (field === undefined) {
        throw new ListSyntaxError(`there is no field '${path.join(".")}'`);
      }
      steps.push(toCamel(name));
      type = field.type;
    } else if (type.kind === "map" || type.kind === "struct") {
      steps.push(name);
      type = type.kind === "map" ? type.value : type;
    } else {
      throw new ListSyntaxError(`'${steps.join(".")}' has no field '${name}'`);
    }
  }
  return { type, steps, repeated, keyed };
}

/** The values of a message at a path: none if a part of the path is unset, several if it leads through lists. */
export function valuesAt(body: JsonObject, steps: readonly string[]): Json[] {
  let values: Json[] = [body];
  for (const step of steps) {
    values = values.flat().flatMap((value) => {
      const held = isObject(value) ? ownProperty(value, step) : undefined;
      return held === undefined || held === null ? [] : [held];
    });
  }
  return values;
}

/** Whether the message has all objects on the path before its last step. */
export function isReachable(body: JsonObject, { steps }: FieldPath): boolean {
  return valuesAt(body, steps.slice(0, -1)).length > 0;
}

/** The default value of an unset field of this type; undefined for messages, such as a time. */
export function defaultValue(type: FieldType): Json | undefined {
  switch (type.kind) {
    case "string":
    case "bytes":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
      return "0";
    case "enum":
      return type.values[0];
    default:
      return undefined;
  }
}

/** Converts a value so that it can be compared with others of its type. */
export type Comparable = string | bigint | boolean;

/** @throws ListSyntaxError for an invalid value of the type, or a type that has no order */
export function comparable(type: FieldType, value: string | number | boolean, field: string): Comparable {
  const refuse = (expected: string): never => {
    throw new ListSyntaxError(`'${String(value).slice(0, 100)}' is not a value of '${field}': it must be ${expected}`);
  };
  const text = String(value);
  switch (type.kind) {
    case "string":
    case "bytes":
    case "struct":
      return text;
    case "enum":
      return type.values.includes(text) ? text : refuse(`one of ${type.values.join(", ")}`);
    case "bool":
      return text === "true" || (text === "false" ? false : refuse("true or false"));
    case "int32":
    case "int64":
      return /^-?\d{1,19}$/.test(text) ? BigInt(text) : refuse("a whole number");
    case "timestamp":
      return nanosecondsOf(text) ?? refuse("a time such as 2026-01-31T12:00:00Z");
    case "duration":
      return durationOf(text) ?? refuse("seconds such as 1.5s");
    default:
      throw new ListSyntaxError(`'${field}' holds more than one value; only ':' (has) is supported for it`);
  }
}

/** Parses RFC 3339 with any offset and up to nine digits of fraction. Returns nanoseconds since the epoch. */
function nanosecondsOf(text: string): bigint | undefined {
  const found = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/.exec(text);
  const ms = found === null ? NaN : Date.parse(`${found[1]}${found[3]}`.toUpperCase());
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt((found?.[2] ?? "").padEnd(9, "0"));
}

function durationOf(text: string): bigint | undefined {
  const found = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(text);
  if (found === null) {
    return undefined;
  }
  const nanoseconds = BigInt(`${found[2]}${(found[3] ?? "").padEnd(9, "0")}`);
  return found[1] === "-" ? -nanoseconds : nanoseconds;
}
