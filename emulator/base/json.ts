/** A value that JSON can carry. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. Objects from requests have no prototype, so that `__proto__` is an ordinary key. */
export interface JsonObject {
  [key: string]: Json | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Objects and lists within each other. Deeper values would exhaust the stack of the code that decodes, compares or copies them. */
export const MAX_DEPTH = 100;

/** Whether a value has more levels of objects and lists than `MAX_DEPTH`. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? (Object.values(each) as unknown[]) : [],
    );
  }
  return level.length > 0;
}

/** An object without a prototype. */
export function emptyObject(): JsonObject {
  return Object.create(null) as JsonObject;
}

/** Returns a string unchanged, and an empty string for any other value. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Returns an own property of the record, never an inherited one such as `constructor`. */
export function ownProperty<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function clone<T>(value: T): T {
  return structuredClone(value);
}

/** Returns a deep copy that cannot be changed: writes throw a TypeError. */
export function frozen<T>(value: T): T {
  return freeze(structuredClone(value));
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
}

/** `tls_inspection_policy` -> `tlsInspectionPolicy`; camelCase stays as it is. */
export function toCamel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `tlsInspectionPolicy` -> `tls_inspection_policy`, the spelling in the front end's messages. */
export function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) {
    return true;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
    );
  }
  return false;
}

/**
 * Applies the top level of a JSON merge patch (RFC 7396) to a body: each value replaces the whole field, and null removes it.
 */
export function withFields(body: JsonObject, fields: JsonObject | undefined): JsonObject {
  const result: JsonObject = { ...body };
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value === null) {
      delete result[name];
    } else {
      result[name] = value;
    }
  }
  return result;
}

/**
 * Applies a JSON merge patch (RFC 7396). The library `json-merge-patch` (1.0) fails for keys such as `constructor`, which is a
 * valid label.
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

/** Returns the JSON merge patch that turns `before` into `after`. */
export function mergeDifference(before: JsonObject, after: JsonObject): JsonObject {
  const result = emptyObject();
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, value] = [ownProperty(before, key), ownProperty(after, key)];
    if (!sameJson(old, value)) {
      result[key] = isObject(old) && isObject(value) ? mergeDifference(old, value) : (value ?? null);
    }
  }
  return result;
}
