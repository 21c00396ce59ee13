import type { z } from "zod";
import { InputError } from "./errors";
import { mayBeAbsent, propertiesOf, shapeOf } from "./field";
import { formatPath, type PathSegment, type Problem } from "./problem";
import { containsUnknown, isRecord, isUnknown, withoutAbsent, type Unknown, type Values } from "./unknown";
import { kindName } from "./validate";

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
      return value.flatMap((element, index) => problemsOfValue(shape.element, element, unknowns, [...path, index]));
    case "map":
      if (!isRecord(value)) break;
      return Object.entries(value).flatMap(([key, element]) =>
        problemsOfValue(shape.element, element, unknowns, [...path, key]),
      );
    case "object":
      if (!isRecord(value)) break;
      return problemsOfObject(shape.object, value, unknowns, path);
  }
  // The value is not quoted: it may be a secret.
  const reason = isUnknown(value) ? "is not known yet" : `must be ${kindName(shape)}`;
  return [{ path: formatPath(path), reason }];
}
