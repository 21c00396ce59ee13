import * as z from "zod";
import { getOrCompute } from "./once";
import type { ReferenceKind } from "./reference";
import { isRecord } from "./unknown";

/** The effect of a changed input on the resource. `none`: the input belongs to one request only, so the diff ignores it. */
export type ChangeEffect = "update" | "replace" | "none";

/** A key of the provider's configuration that supplies an input which the program leaves out. */
export type ConfigDefault = "project" | "zone";

/** The metadata of one property, in addition to its type. */
export interface FieldMeta {
  description: string;
  /** The API's name of the property, if it differs. */
  wire?: string;
  /** Inputs only. Default: `update`. */
  change?: ChangeEffect;
  /** The value is the name of a resource, or a URL of it: compared and sent in its normal form (`reference.ts`). */
  reference?: ReferenceKind;
  /** The value is a project's id or number. An id and a number count as equal in a diff. */
  isProject?: boolean;
  /** Strings only: whether two spellings mean the same value in the cloud. Default: whether they are equal. */
  same?: (left: string, right: string) => boolean;
  /** Lists only: whether two lists mean the same value in the cloud. Default: whether they are equal. */
  sameList?: (left: readonly string[], right: readonly string[]) => boolean;
  /** The configuration supplies the value when the program gives none. The schema is not optional then: the value is always there. */
  defaultFrom?: ConfigDefault;
  secret?: boolean;
  /** The current values of an open enum. For documentation; no check enforces them. */
  knownValues?: readonly string[];
  /** The input is sent in the path or query of the request, not in its body. */
  outsideBody?: boolean;
  /** Outputs only: the inputs that the value contains. The value is secret if one of them is secret. */
  contains?: readonly string[];
  /** For a map whose values have another form in the API: converts each value. */
  codec?: Codec;
}

/** Converts one value between its form in the API and its form in a program. */
export interface Codec {
  fromWire(value: unknown): unknown;
  toWire(value: unknown): unknown;
}

/** The metadata of a nested object type. */
export interface TypeMeta {
  /** Name of the type, unique inside its service module, e.g. `EventFilter`. */
  typeName: string;
  description: string;
}

// A schema never changes, and each call reads those of its resource many times: what is read of one is kept. Registries of
// zod would merge the metadata with those of the schemas that a schema was made from, at each read.
const fields = new WeakMap<z.ZodType, FieldMeta>();
const types = new WeakMap<z.ZodObject, TypeMeta>();
const shapes = new WeakMap<z.ZodType, Shape>();
const properties = new WeakMap<z.ZodObject, readonly Property[]>();

/** A property of an object schema. */
type Property = [name: string, schema: z.ZodType];

/** Attaches a description and the rest of the metadata to a property. Must be the last call on its schema. */
export function field<T extends z.ZodType>(
  schema: T,
  description: string,
  meta: Omit<FieldMeta, "description"> = {},
): T {
  fields.set(schema, { description, ...meta });
  return schema;
}

/** The metadata of a property. @throws Error if it has none: every property of a definition has a description. */
export function metaOf(schema: z.ZodType): FieldMeta {
  const meta = fields.get(schema);
  if (!meta) throw new Error("A property in a definition has no description: wrap its schema in field(...)");
  return meta;
}

/** The metadata of a schema, which elements of lists and maps do not have. */
export function findMeta(schema: z.ZodType): FieldMeta | undefined {
  return fields.get(schema);
}

/** A nested object type with a name in every SDK. Its check refuses unknown properties. */
export function objectType<S extends z.ZodRawShape>(typeName: string, description: string, shape: S) {
  const schema = z.strictObject(shape);
  types.set(schema, { typeName, description });
  return schema;
}

export function typeMetaOf(schema: z.ZodObject): TypeMeta {
  const meta = types.get(schema);
  if (!meta) throw new Error("A nested object in a definition has no type name: declare it with objectType(...)");
  return meta;
}

/** The structure of a property's schema, whether or not the property is optional. */
export type Shape =
  /** `values`: all allowed values of a closed enum. */
  | { kind: "string"; values?: readonly string[] }
  | { kind: "boolean" }
  | { kind: "integer" }
  | { kind: "list"; element: z.ZodType }
  | { kind: "map"; element: z.ZodType }
  | { kind: "object"; object: z.ZodObject };

export function shapeOf(schema: z.ZodType): Shape {
  return getOrCompute(shapes, schema, () => readShape(schema));
}

function readShape(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodOptional) return shapeOf(zodType(schema.unwrap()));
  if (schema instanceof z.ZodString) return { kind: "string" };
  if (schema instanceof z.ZodEnum) return { kind: "string", values: schema.options.map(String) };
  if (schema instanceof z.ZodBoolean) return { kind: "boolean" };
  if (schema instanceof z.ZodNumber) return { kind: "integer" };
  if (schema instanceof z.ZodArray) return { kind: "list", element: zodType(schema.element) };
  if (schema instanceof z.ZodRecord) return { kind: "map", element: zodType(schema.valueType) };
  if (schema instanceof z.ZodObject) return { kind: "object", object: schema };
  throw new Error(`Definitions cannot hold a schema of type ${schema.def.type}`);
}

/** Whether a value has the type of a shape; the values inside it may have others. Any string fits a closed enum. */
export function isOfShape({ kind }: Shape, value: unknown): boolean {
  switch (kind) {
    case "string":
    case "boolean":
      return typeof value === kind;
    case "integer":
      return Number.isInteger(value);
    case "list":
      return Array.isArray(value);
    case "map":
    case "object":
      return isRecord(value);
  }
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

/** A nested schema has the base type of zod and zod/mini. Definitions use zod. */
function zodType(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error("Definitions cannot hold a schema of zod/mini");
}

/** Whether a program may leave the property out: because it may be absent, or because the configuration supplies it. */
export function isOptional(schema: z.ZodType): boolean {
  return mayBeAbsent(schema) || findMeta(schema)?.defaultFrom !== undefined;
}

/** Whether the property may be absent from checked inputs (with the configuration's defaults) and from a complete state. */
export function mayBeAbsent(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional;
}

/** The properties of an object schema, in the order of the definition. */
export function propertiesOf(object: z.ZodObject): readonly Property[] {
  return getOrCompute(properties, object, () =>
    Object.entries<unknown>(object.shape).map(([name, schema]): Property => [name, zodType(schema)]),
  );
}

/** One property of an object schema; undefined if it has no property of this name. */
export function propertyOf(object: z.ZodObject, name: PropertyKey): z.ZodType | undefined {
  return Object.hasOwn(object.shape, name) ? zodType(object.shape[String(name)]) : undefined;
}

/** Names of the properties that a program must give. */
export function requiredProperties(object: z.ZodObject): string[] {
  return propertiesOf(object)
    .filter(([, property]) => !isOptional(property))
    .map(([name]) => name);
}
