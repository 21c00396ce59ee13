import { z } from "zod";
import type { ReferenceKind } from "./reference";

/** What a change of an input does to the resource. `none`: the input steers a request, the resource does not keep it. */
export type ChangeEffect = "update" | "replace" | "none";

/** A provider configuration key that supplies an input which the program leaves out. */
export type ConfigDefault = "project" | "zone";

/** What a definition says of one property beyond its type. */
export interface FieldMeta {
  description: string;
  /** The API's own name, where it differs from the interface's. */
  wire?: string;
  /** Inputs only. Default: `update`. */
  change?: ChangeEffect;
  /** The value is a resource name (or a URL of one), compared and sent in its normal form. */
  reference?: ReferenceKind;
  /** The value is a project, its id or its number: one given as the other is no change. */
  isProject?: boolean;
  /** Texts only: whether the cloud takes two spellings for the same. Default: where they are equal. */
  same?: (left: string, right: string) => boolean;
  /** Configuration that supplies the value when the program gives none. Not with an optional schema: it is always there. */
  defaultFrom?: ConfigDefault;
  secret?: boolean;
  /** Values known today of a set that the API may extend. Documentation only: never enforced. */
  knownValues?: readonly string[];
  /** Inputs that the request carries outside the body (path or query). */
  outsideBody?: boolean;
  /** Outputs only: the inputs that the value shows. Where one of them is secret, so is the value. */
  shows?: readonly string[];
  /** A shape that differs on the wire in more than its name. */
  codec?: Codec;
}

/** Translates one value between its shape on the wire and its shape at the interface. */
export interface Codec {
  fromWire(value: unknown): unknown;
  toWire(value: unknown): unknown;
}

/** What a definition says of a nested object type. */
export interface TypeMeta {
  /** Name of the type, unique inside its service module, e.g. `EventFilter`. */
  typeName: string;
  description: string;
}

const fieldRegistry = z.registry<FieldMeta>();
const typeRegistry = z.registry<TypeMeta>();

/** Attaches a description and the rest of the metadata to a property. Must be the last call on its schema. */
export function field<T extends z.ZodType>(
  schema: T,
  description: string,
  meta: Omit<FieldMeta, "description"> = {},
): T {
  fieldRegistry.add(schema, { description, ...meta });
  return schema;
}

/** The metadata of a property; every property of a definition has some. */
export function metaOf(schema: z.ZodType): FieldMeta {
  const meta = fieldRegistry.get(schema);
  if (!meta) throw new Error("A property in a definition has no description: wrap its schema in field(...)");
  return meta;
}

/** The metadata of a schema that may be a property or an element of a list or map (which has none). */
export function findMeta(schema: z.ZodType): FieldMeta | undefined {
  return fieldRegistry.get(schema);
}

/** A nested object type with a name of its own in every SDK. Unknown properties in it are errors. */
export function objectType<S extends z.ZodRawShape>(typeName: string, description: string, shape: S) {
  const schema = z.strictObject(shape);
  typeRegistry.add(schema, { typeName, description });
  return schema;
}

export function typeMetaOf(schema: z.ZodObject): TypeMeta {
  const meta = typeRegistry.get(schema);
  if (!meta) throw new Error("A nested object in a definition has no type name: declare it with objectType(...)");
  return meta;
}

/** The structure of a property's schema, with the wrappers that only say "may be left out" taken off. */
export type Shape =
  /** `values`: the only ones there are, where the set is closed. */
  | { kind: "string"; values?: readonly string[] }
  | { kind: "boolean" }
  | { kind: "integer" }
  | { kind: "list"; element: z.ZodType }
  | { kind: "map"; element: z.ZodType }
  | { kind: "object"; object: z.ZodObject };

export function shapeOf(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodOptional) return shapeOf(classic(schema.unwrap()));
  if (schema instanceof z.ZodString) return { kind: "string" };
  if (schema instanceof z.ZodEnum) return { kind: "string", values: schema.options.map(String) };
  if (schema instanceof z.ZodBoolean) return { kind: "boolean" };
  if (schema instanceof z.ZodNumber) return { kind: "integer" };
  if (schema instanceof z.ZodArray) return { kind: "list", element: classic(schema.element) };
  if (schema instanceof z.ZodRecord) return { kind: "map", element: classic(schema.valueType) };
  if (schema instanceof z.ZodObject) return { kind: "object", object: schema };
  throw new Error(`Definitions cannot hold a schema of type ${schema.def.type}`);
}

/** The schemas inside another one have the type of zod's core, which zod's two flavours share; ours are all of one flavour. */
function classic(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error("Definitions cannot hold a schema of another flavour of zod");
}

/** A program may leave the property out: it may be absent for good, or the configuration supplies it. */
export function isOptional(schema: z.ZodType): boolean {
  return mayBeAbsent(schema) || findMeta(schema)?.defaultFrom !== undefined;
}

/** The property may be absent even from checked inputs, which hold the configuration's defaults, and from a whole state. */
export function mayBeAbsent(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional;
}

/** The properties of an object schema, in the order of the definition. */
export function propertiesOf(object: z.ZodObject): [name: string, schema: z.ZodType][] {
  return Object.entries<unknown>(object.shape).map(([name, schema]) => [name, classic(schema)]);
}

/** One property of an object schema; undefined where it has none of this name. */
export function propertyOf(object: z.ZodObject, name: PropertyKey): z.ZodType | undefined {
  return Object.hasOwn(object.shape, name) ? classic(object.shape[String(name)]) : undefined;
}

/** Names of the properties that a program must give. */
export function requiredProperties(object: z.ZodObject): string[] {
  return propertiesOf(object)
    .filter(([, property]) => !isOptional(property))
    .map(([name]) => name);
}
