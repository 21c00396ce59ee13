import type { z } from "zod";
import { InputError } from "./errors";
import { mayBeAbsent, propertiesOf, shapeOf } from "./field";
import { formatPath, type PathSegment, type Problem } from "./problem";
import { containsUnknown, isRecord, isUnknown, withoutAbsent, type Unknown, type Values } from "./unknown";
import { kindName } from "./validate";

/**
 * Plain values become typed ones here, by a look at each: its type must be the one in the definition, and what the
 * definition requires must be there. The definition's finer rules (patterns, lengths) are the check's and not looked at
 * again: what an older release kept in a state may break a newer rule.
 *
 * What the definition does not know stays in the values unseen, such as the properties with two underscores that a
 * lifecycle keeps for itself. Properties that are null or undefined count as left out.
 */

/** The same properties, where any value at any depth may be unknown. */
export type WithUnknowns<T> = { [K in keyof T]: PerhapsUnknown<T[K]> };

export type PerhapsUnknown<T> = Unknown | (T extends object ? WithUnknowns<T> : T);

/** Narrows values of a preview to known ones: nothing in them is unknown, at any depth. */
export function isKnown<T>(values: WithUnknowns<T>): values is WithUnknowns<T> & T {
  return !containsUnknown(values);
}

/** @throws InputError that names each property of another type, and each that is missing. `what`: "the inputs of …". */
export function typed<S extends z.ZodObject>(schema: S, values: Values, what: string): z.infer<S> {
  return fitting(schema, values, { unknowns: false, partial: false }, what);
}

/** As `typed`, for a preview: any value may be unknown. */
export function typedWithUnknowns<S extends z.ZodObject>(
  schema: S,
  values: Values,
  what: string,
): WithUnknowns<z.infer<S>> {
  return fitting(schema, values, { unknowns: true, partial: false }, what);
}

/** As `typed`, for what an engine remembers: any property may be missing. */
export function typedPart<S extends z.ZodObject>(schema: S, values: Values, what: string): Partial<z.infer<S>> {
  return fitting(schema, values, { unknowns: false, partial: true }, what);
}

/** As `typedPart`, for a preview: any property may be missing or unknown. */
export function typedPartWithUnknowns<S extends z.ZodObject>(
  schema: S,
  values: Values,
  what: string,
): WithUnknowns<Partial<z.infer<S>>> {
  return fitting(schema, values, { unknowns: true, partial: true }, what);
}

interface Latitude {
  /** Any value may be unknown. */
  unknowns: boolean;
  /** Any property may be missing; those of nested objects not. */
  partial: boolean;
}

function fitting<T>(schema: z.ZodObject, values: Values, latitude: Latitude, what: string): T {
  const given = withoutAbsent(values);
  const problems = problemsOfType(schema, given, latitude);
  if (problems.length > 0) throw new InputError(`Cannot work with ${what}`, problems);
  // T is what the schema and the latitude say, which was just looked at value by value; TypeScript does not follow it.
  return given as T;
}

function problemsOfType(schema: z.ZodObject, values: Values, latitude: Latitude, path: PathSegment[] = []): Problem[] {
  return propertiesOf(schema).flatMap(([name, property]) => {
    const at = [...path, name];
    const value = values[name];
    if (value !== undefined) return problemsOfValue(property, value, latitude, at);
    if (latitude.partial || mayBeAbsent(property)) return [];
    return [{ path: formatPath(at), reason: "is missing" }];
  });
}

function problemsOfValue(schema: z.ZodType, value: unknown, latitude: Latitude, path: PathSegment[]): Problem[] {
  if (latitude.unknowns && isUnknown(value)) return [];
  const shape = shapeOf(schema);
  const inner = { ...latitude, partial: false };
  switch (shape.kind) {
    case "string":
      if (typeof value === "string" && (shape.values?.includes(value) ?? true)) return [];
      break;
    case "boolean":
      if (typeof value === "boolean") return [];
      break;
    case "integer":
      if (Number.isInteger(value)) return [];
      break;
    case "list":
      if (!Array.isArray(value)) break;
      return value.flatMap((element, index) => problemsOfValue(shape.element, element, inner, [...path, index]));
    case "map":
      if (!isRecord(value)) break;
      return Object.entries(value).flatMap(([key, element]) =>
        problemsOfValue(shape.element, element, inner, [...path, key]),
      );
    case "object":
      if (!isRecord(value)) break;
      return problemsOfType(shape.object, value, inner, path);
  }
  // The value is not quoted: it may be a secret.
  const reason = isUnknown(value) ? "is not known yet" : `must be ${kindName(shape)}`;
  return [{ path: formatPath(path), reason }];
}
