import type { z } from "zod";
import { InputError } from "./errors";
import { isOfShape, kindName, mayBeAbsent, propertiesOf, shapeOf } from "./field";
import { formatPath, type PathSegment, type Problem } from "./problem";
import {
  containsUnknown,
  isRecord,
  isUnknown,
  listOf,
  textOf,
  withoutAbsent,
  type Unknown,
  type Values,
} from "./unknown";

/** The same properties, where any value at any depth may be unknown. */
export type WithUnknowns<T> = { [K in keyof T]: PerhapsUnknown<T[K]> };

export type PerhapsUnknown<T> = Unknown | (T extends object ? WithUnknowns<T> : T);

/** Narrows the type of values of a preview: true if they contain no unknown value, at any depth. */
export function isKnown<T>(values: WithUnknowns<T>): values is WithUnknowns<T> & T {
  return !containsUnknown(values);
}

/**
 * Checks the types of values that no check of a program has validated: an older release or another provider may have written
 * a state. Rules such as patterns and lengths are not checked: they may be newer than the state.
 *
 * Any property may be missing, and null counts as missing. Properties that the schema does not have are kept, such as those
 * that begin with two underscores.
 *
 * @param what the values, for the message: "the state of this perimeter:fleet/v1beta:Scope"
 * @throws InputError that names each property of another type
 */
export function typedPart<S extends z.ZodObject>(schema: S, values: Values, what: string): Partial<z.infer<S>> {
  return fitting(schema, values, false, what);
}

/** As `typedPart`, for a preview: any value may be unknown. */
export function typedPartWithUnknowns<S extends z.ZodObject>(
  schema: S,
  values: Values,
  what: string,
): WithUnknowns<Partial<z.infer<S>>> {
  return fitting(schema, values, true, what);
}

function fitting<T>(schema: z.ZodObject, values: Values, unknowns: boolean, what: string): T {
  const given = withoutAbsent(values);
  const problems = propertiesOf(schema).flatMap(([name, property]) =>
    given[name] === undefined ? [] : problemsOfValue(property, given[name], unknowns, [name]),
  );
  if (problems.length > 0) throw new InputError(`Cannot work with ${what}`, problems);
  // T is the type of the schema with missing properties, which the lines above check at run time only.
  return given as T;
}

/** The problems of a nested object, which has to be complete. */
function problemsOfObject(schema: z.ZodObject, values: Values, unknowns: boolean, path: PathSegment[]): Problem[] {
  return propertiesOf(schema).flatMap(([name, property]) => {
    const at = [...path, name];
    if (values[name] !== undefined) return problemsOfValue(property, values[name], unknowns, at);
    return mayBeAbsent(property) ? [] : [{ path: formatPath(at), reason: "is missing" }];
  });
}

function problemsOfValue(schema: z.ZodType, value: unknown, unknowns: boolean, path: PathSegment[]): Problem[] {
  if (unknowns && isUnknown(value)) return [];
  const shape = shapeOf(schema);
  const isAllowed = shape.kind !== "string" || (shape.values?.includes(textOf(value)) ?? true);
  if (!isOfShape(shape, value) || !isAllowed) {
    // The value is not quoted: it may be a secret.
    const reason = isUnknown(value) ? "is not known yet" : `must be ${kindName(shape)}`;
    return [{ path: formatPath(path), reason }];
  }
  if (shape.kind === "list") {
    return listOf(value).flatMap((each, index) => problemsOfValue(shape.element, each, unknowns, [...path, index]));
  }
  if (!isRecord(value)) return [];
  if (shape.kind === "object") return problemsOfObject(shape.object, value, unknowns, path);
  if (shape.kind !== "map") return [];
  return Object.entries(value).flatMap(([key, each]) => problemsOfValue(shape.element, each, unknowns, [...path, key]));
}
