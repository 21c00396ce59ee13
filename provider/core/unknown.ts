/**
 * A value that is not known yet: in a preview, an output of a resource that will be created. Fronts convert the engine's
 * special strings to this and back.
 */
export const UNKNOWN: unique symbol = Symbol("perimeter.unknown");
export type Unknown = typeof UNKNOWN;

/** Property values without a type: plain JSON values, with `UNKNOWN` anywhere. The check of inputs and `services/shared/resource.ts` give them their types. */
export type Values = Record<string, unknown>;

export function isUnknown(value: unknown): value is Unknown {
  return value === UNKNOWN;
}

/** True if the value or any value inside it is unknown. */
export function containsUnknown(value: unknown): boolean {
  return containsWhere(value, isUnknown);
}

/** True if the value or any value inside it is one that is looked for. */
export function containsWhere(value: unknown, isWanted: (value: unknown) => boolean): boolean {
  if (isWanted(value)) return true;
  const parts = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  return parts.some((each) => containsWhere(each, isWanted));
}

/** True for `{…}` objects, false for null, lists and everything else. */
export function isRecord(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text, or an empty text for other values. `String()` would throw for some objects from JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The elements of a list, or an empty list for other values. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The properties that are wanted. */
export function filterProperties(values: Values, isWanted: (name: string, value: unknown) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => isWanted(name, value)));
}

/** Drops properties, nested ones too, that are undefined or null: both mean "not given" in every Pulumi language. */
export function withoutAbsent(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, isRecord(value) ? withoutAbsent(value) : value]),
  );
}
