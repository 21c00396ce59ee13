import type { z } from "zod";
import { findMeta, isOptional, kindName, metaOf, propertiesOf, propertyOf, shapeOf } from "./field";
import { didYouMean, formatPath, quote, type PathSegment, type Problem } from "./problem";
import { hostIn, normalName } from "./reference";
import { isRecord, isUnknown, textOf, type Values } from "./unknown";

/** Whether the user marked the value at a path, or a value that contains it, as secret. */
export type SecretPaths = (path: readonly PathSegment[]) => boolean;

const nothingSecret: SecretPaths = () => false;

/** The problem of an unknown property name. */
export type UnknownName = (name: string, known: readonly string[]) => string;

const notOfType: UnknownName = (name, known) =>
  `is not a property of this type${didYouMean(name, known)}; the properties are ${known.join(", ")}`;

/**
 * All problems of `values`, each with its path. Unknown values are not checked. A missing value that the configuration may
 * supply is not a problem here: `withDefaults` reports it if no source supplies it. Secrets are not quoted.
 *
 * @param unknownName of a property of `values` themselves; those of nested objects are properties of their type.
 */
export function problemsOf(
  schema: z.ZodObject,
  values: Values,
  isSecret: SecretPaths = nothingSecret,
  unknownName: UnknownName = notOfType,
): Problem[] {
  const found = schemaProblems(schema, values, isSecret, unknownName);
  const paths = new Set(found.map((each) => each.path));
  return [...found, ...textProblems(values, []).filter((each) => !paths.has(each.path))];
}

/**
 * Keeps zod from compiling a check at its first use. Compiling takes as long as some hundred uncompiled checks, and would
 * delay the engine's first calls.
 */
export const UNCOMPILED = { jitless: true } as const;

function schemaProblems(
  schema: z.ZodObject,
  values: Values,
  isSecret: SecretPaths,
  unknownName: UnknownName,
): Problem[] {
  const parsed = schema.safeParse(withoutUnknownEntries(values), UNCOMPILED);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) => {
    const path = issue.path.map((segment) => (typeof segment === "symbol" ? String(segment) : segment));
    if (issue.code === "unrecognized_keys") {
      const known = propertyNamesAt(schema, path);
      const reasonOf = path.length === 0 ? unknownName : notOfType;
      return issue.keys.map((key) => ({ path: formatPath([...path, key]), reason: reasonOf(key, known) }));
    }
    const value = valueAt(values, path);
    if (isUnknown(value)) return [];
    if (value === undefined && hasDefault(schemaAt(schema, path))) return [];
    return [{ path: formatPath(path), reason: reasonForIssue(issue, schema, path, value, isSecret(path)) }];
  });
}

/** Characters that cannot be sent: an unpaired surrogate (half of a character) has no UTF-8 form, and no API accepts NUL. */
const NO_TEXT = /[\p{Cs}\0]/u;

/** Reports texts that cannot be sent. They are not quoted, because a terminal may be unable to print them. */
function textProblems(value: unknown, path: PathSegment[]): Problem[] {
  if (typeof value === "string") {
    if (!NO_TEXT.test(value)) return [];
    const reason = "must not have a NUL character or an unpaired surrogate (half of a character)";
    return [{ path: formatPath(path), reason }];
  }
  if (Array.isArray(value)) return value.flatMap((element, index) => textProblems(element, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, element]) => textProblems(element, [...path, key]));
}

function reasonForIssue(
  issue: z.core.$ZodIssue,
  schema: z.ZodObject,
  path: PathSegment[],
  value: unknown,
  secret: boolean,
): string {
  if (value === undefined) {
    const expected = schemaAt(schema, path);
    return `is required but missing${expected ? `: ${describeType(expected)}` : ""}`;
  }
  const got = secret ? "" : `, got ${quote(value)}`;
  if (issue.code === "invalid_type") {
    const expected = schemaAt(schema, path);
    return `must be ${expected ? kindName(shapeOf(expected)) : issue.expected}${got}`;
  }
  return `${issue.message}${isUnquoted(issue) ? "" : got}`;
}

/** Whether the value says nothing more: a key is wrong, which the path shows, or the reason counts. The rule says so by `params`. */
function isUnquoted(issue: z.core.$ZodIssue): boolean {
  return issue.code === "custom" && issue.params?.["quoted"] === false;
}

function hasDefault(schema: z.ZodType | undefined): boolean {
  return schema !== undefined && findMeta(schema)?.defaultFrom !== undefined;
}

function describeType(schema: z.ZodType): string {
  const kind = kindName(shapeOf(schema));
  const reference = findMeta(schema)?.reference;
  return reference ? `${kind}, the name of ${reference.kind}` : kind;
}

/** Removes unknown values, which zod would refuse. Problems of "missing" values at these paths are dropped afterwards. */
function withoutUnknownEntries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnknownEntries);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => !isUnknown(entry))
      .map(([key, entry]) => [key, withoutUnknownEntries(entry)]),
  );
}

function valueAt(values: unknown, path: readonly PathSegment[]): unknown {
  let current = values;
  for (const segment of path) {
    if (isUnknown(current)) return current;
    if (typeof current !== "object" || current === null) return undefined;
    current = Reflect.get(current, segment);
  }
  return current;
}

function schemaAt(schema: z.ZodObject, path: readonly PathSegment[]): z.ZodType | undefined {
  let current: z.ZodType | undefined = schema;
  for (const segment of path) {
    if (!current) return undefined;
    const shape = shapeOf(current);
    if (shape.kind === "object") current = propertyOf(shape.object, segment);
    else if (shape.kind === "list" || shape.kind === "map") current = shape.element;
    else return undefined;
  }
  return current;
}

function propertyNamesAt(schema: z.ZodObject, path: readonly PathSegment[]): string[] {
  const at = schemaAt(schema, path);
  const shape = at && shapeOf(at);
  return shape?.kind === "object" ? Object.keys(shape.object.shape) : [];
}

/**
 * A problem for each reference whose host does not belong to its API, by `isHostOf(api, text, host)`. Later code could not
 * see the wrong host, because the normal form has none.
 */
export function foreignHosts(
  schema: z.ZodObject,
  values: Values,
  isHostOf: (api: string, text: string, host: string) => boolean,
  isSecret: SecretPaths = nothingSecret,
): Problem[] {
  return propertiesOf(schema).flatMap(([name, property]) => {
    const { reference } = metaOf(property);
    const text = textOf(values[name]);
    const host = hostIn(text);
    if (!reference || host === undefined || isHostOf(reference.api, text, host)) return [];
    const got = isSecret([name]) ? "" : `, got ${quote(text)}`;
    return [
      {
        path: name,
        reason: `must have no host, or the host of ${reference.kind}, ${reference.api}.googleapis.com${got}`,
      },
    ];
  });
}

/** The values without empty optional references: an empty name means that the reference is not set. */
export function withoutEmptyReferences(schema: z.ZodObject, values: Values): Values {
  const result: Values = { ...values };
  for (const [name, property] of propertiesOf(schema)) {
    if (result[name] === "" && isOptional(property) && metaOf(property).reference) delete result[name];
  }
  return result;
}

/**
 * The inputs with every reference in its normal form, so that two spellings of one resource become equal. Expects values
 * without problems. Unknown values stay unknown.
 */
export function normalizeReferences(schema: z.ZodObject, values: Values): Values {
  const result: Values = { ...values };
  for (const [name, property] of propertiesOf(schema)) {
    const value = values[name];
    if (metaOf(property).reference && typeof value === "string") result[name] = normalName(value);
  }
  return result;
}
