import * as z from "zod";
import type { ReferenceKind } from "./reference";

/** What a change of an input does to the resource. `none`: the input is for one request only, so that a change of it is none. */
export type ChangeEffect = "update" | "replace" | "none";

/** A key of the provider's configuration that supplies an input which the program leaves out. */
export type ConfigDefault = "project" | "zone";

/** What a definition says of one property beyond its type. */
export interface FieldMeta {
  description: string;
  /** The API's name of the property, where that differs from ours. */
  wire?: string;
  /** Inputs only. Default: `update`. */
  change?: ChangeEffect;
  /** The value is the name of a resource, or a URL of it: compared and sent in its normal form (`reference.ts`). */
  reference?: ReferenceKind;
  /** The value is a project's id or number. To write one for the other is no change. */
  isProject?: boolean;
  /** Texts only: whether the cloud takes two spellings for the same value. Default: where they are equal. */
  same?: (left: string, right: string) => boolean;
  /** The configuration supplies the value when the program gives none. The schema is not optional then: the value is always there. */
  defaultFrom?: ConfigDefault;
  secret?: boolean;
  /** The values of today, where the API may add others. For documentation; no check enforces them. */
  knownValues?: readonly string[];
  /** Inputs that the request has in its path or query, and not in its body. */
  outsideBody?: boolean;
  /** Outputs only: the inputs that can be read off the value. Where one of them is secret, so is the value. */
  shows?: readonly string[];
  /** For a map whose values have another shape on the wire than here: translates each of them. */
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

/** The metadata of a property. @throws Error where it has none: every property of a definition has a description. */
export function metaOf(schema: z.ZodType): FieldMeta {
  const meta = fieldRegistry.get(schema);
  if (!meta) throw new Error("A property in a definition has no description: wrap its schema in field(...)");
  return meta;
}

/** The metadata of a schema, which elements of lists and maps do not have. */
export function findMeta(schema: z.ZodType): FieldMeta | undefined {
  return fieldRegistry.get(schema);
}

/** A nested object type, which has a name of its own in every SDK. Its check refuses properties that it does not have. */
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

/** The structure of a property's schema, whether or not the property is optional. */
export type Shape =
  /** `values`: the only ones there are, where the set is closed. */
  | { kind: "string"; values?: readonly string[] }
  | { kind: "boolean" }
  | { kind: "integer" }
  | { kind: "list"; element: z.ZodType }
  | { kind: "map"; element: z.ZodType }
  | { kind: "object"; object: z.ZodObject };

export function shapeOf(schema: z.ZodType): Shape {
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

/** A schema inside another one has the type that zod and zod/mini share. Definitions are made with zod. */
function zodType(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error("Definitions cannot hold a schema of zod/mini");
}

/** Whether a program may leave the property out: because it may be absent, or because the configuration supplies it. */
export function isOptional(schema: z.ZodType): boolean {
  return mayBeAbsent(schema) || findMeta(schema)?.defaultFrom !== undefined;
}

/** Whether the property may be absent from checked inputs, which have the configuration's defaults, and from a whole state. */
export function mayBeAbsent(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional;
}

/** The properties of an object schema, in the order of the definition. */
export function propertiesOf(object: z.ZodObject): [name: string, schema: z.ZodType][] {
  return Object.entries<unknown>(object.shape).map(([name, schema]) => [name, zodType(schema)]);
}

/** One property of an object schema; undefined where it has none of this name. */
export function propertyOf(object: z.ZodObject, name: PropertyKey): z.ZodType | undefined {
  return Object.hasOwn(object.shape, name) ? zodType(object.shape[String(name)]) : undefined;
}

/** Names of the properties that a program must give. */
export function requiredProperties(object: z.ZodObject): string[] {
  return propertiesOf(object)
    .filter(([, property]) => !isOptional(property))
    .map(([name]) => name);
}
