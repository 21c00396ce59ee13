import type { z } from "zod";
import { findMeta, isOptional, metaOf, propertiesOf, propertyOf, shapeOf, type Shape } from "./field";
import { formatPath, quote, type PathSegment, type Problem } from "./problem";
import { hostIn, normalName } from "./reference";
import { didYouMean } from "./suggest";
import { isRecord, isUnknown, textOf, type Values } from "./unknown";

/** Tells whether the user marked the value at a path, or something around it, as secret. */
export type SecretPaths = (path: readonly PathSegment[]) => boolean;

const nothingSecret: SecretPaths = () => false;

/** Why a name is wrong that is none of the known ones. */
export type UnknownName = (name: string, known: readonly string[]) => string;

const notOfType: UnknownName = (name, known) =>
  `is not a property of this type${didYouMean(name, known)}; the properties are ${known.join(", ")}`;

/**
 * Everything wrong with `values`, each problem with its path. A value that is not known yet is no problem. A missing value
 * that the configuration may supply is none either: `withDefaults` says where nothing supplies it. Secrets are not quoted.
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
 * Has zod not compile a check at its first use. That takes as long as some hundred checks that are not compiled, and the
 * engine's first calls would wait for it.
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

/** What cannot be in a text that is sent: a lone surrogate (half of a character) has no UTF-8, and no API takes NUL. */
const NO_TEXT = /[\p{Cs}\0]/u;

/** The texts that cannot be sent. They are not quoted, since a terminal may not be able to print them either. */
function textProblems(value: unknown, path: PathSegment[]): Problem[] {
  if (typeof value === "string") {
    if (!NO_TEXT.test(value)) return [];
    const reason = "must be text that can be sent: it has a NUL character, or half of a character (a lone surrogate)";
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
    return `is required, and missing${expected ? `: ${describeType(expected)}` : ""}`;
  }
  const got = secret ? "" : `, got ${quote(value)}`;
  if (issue.code === "invalid_type") {
    const expected = schemaAt(schema, path);
    return `must be ${expected ? kindName(shapeOf(expected)) : issue.expected}${got}`;
  }
  return `${issue.message}${isOfTheKey(issue) ? "" : got}`;
}

/** Is the key wrong, which the path shows, and not the value? The rule says so by `params: { quoted: false }`. */
function isOfTheKey(issue: z.core.$ZodIssue): boolean {
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

const KIND_NAMES: Record<Shape["kind"], string> = {
  string: "a string",
  boolean: "true or false",
  integer: "a whole number",
  list: "a list",
  map: "a map of strings",
  object: "an object",
};

/** A type in words, for "must be …". */
export function kindName(shape: Shape): string {
  return KIND_NAMES[shape.kind];
}

/** Takes out what is not known yet, which zod would refuse. What then seems to be missing is let pass afterwards. */
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
 * A problem for each reference whose host is not the one of its API, as `isHostOf(api, text, host)` says. Nobody would see
 * the wrong host later: the normal form has none.
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
        reason: `must have no host, or the one of ${reference.kind}, ${reference.api}.googleapis.com${got}`,
      },
    ];
  });
}

/** The values without empty optional references: an empty name means the same as none. */
export function withoutEmptyReferences(schema: z.ZodObject, values: Values): Values {
  const result: Values = { ...values };
  for (const [name, property] of propertiesOf(schema)) {
    if (result[name] === "" && isOptional(property) && metaOf(property).reference) delete result[name];
  }
  return result;
}

/**
 * The inputs with every reference in its normal form, so that after the check two spellings of one resource are one value.
 * Expects values without problems. Unknown values stay unknown.
 */
export function normalizeReferences(schema: z.ZodObject, values: Values): Values {
  const result: Values = { ...values };
  for (const [name, property] of propertiesOf(schema)) {
    const value = values[name];
    if (metaOf(property).reference && typeof value === "string") result[name] = normalName(value);
  }
  return result;
}
