import type { z } from "zod";
import {
  findMeta,
  isOptional,
  metaOf,
  propertiesOf,
  shapeOf,
  typeMetaOf,
  type ChangeEffect,
} from "../../../provider/core/field";
import { codes, table } from "../markdown";

/** Tables of properties, for the pages of resources and lookups. */

/** The effect of a changed input, for a table. */
const CHANGES = { replace: "replaces", update: "updates in place", none: "changes nothing" } as const;

/** The effect of a changed input. */
export function changeOf(schema: z.ZodType): ChangeEffect {
  return metaOf(schema).change ?? "update";
}

/** The inputs of a resource: whether each is required, and the effect of a change. */
export function inputTable(inputs: z.ZodObject): string {
  const rows = propertiesOf(inputs).map(([name, schema]) => [
    `\`${name}\``,
    typeName(schema),
    required(schema),
    CHANGES[changeOf(schema)],
    told(schema),
  ]);
  return table(["Input", "Type", "Required", "A change", "What it is"], rows);
}

/** The arguments of a lookup, or the properties of an input object. */
export function argumentTable(head: string, object: z.ZodObject): string {
  const rows = propertiesOf(object).map(([name, schema]) => [
    `\`${name}\``,
    typeName(schema),
    required(schema),
    told(schema),
  ]);
  return table([head, "Type", "Required", "What it is"], rows);
}

/** The outputs of a resource or lookup. */
export function resultTable(head: string, object: z.ZodObject): string {
  const rows = propertiesOf(object).map(([name, schema]) => [`\`${name}\``, typeName(schema), told(schema)]);
  return table([head, "Type", "What it is"], rows);
}

/** The object types of these properties, each once, in order of appearance. */
export function objectTypesIn(objects: readonly z.ZodObject[]): z.ZodObject[] {
  const found = new Map<string, z.ZodObject>();
  const visit = (schema: z.ZodType): void => {
    const shape = shapeOf(schema);
    if (shape.kind === "list" || shape.kind === "map") visit(shape.element);
    if (shape.kind !== "object") return;
    found.set(typeMetaOf(shape.object).typeName, shape.object);
    for (const [, inner] of propertiesOf(shape.object)) visit(inner);
  };
  for (const object of objects) for (const [, schema] of propertiesOf(object)) visit(schema);
  return [...found.values()];
}

function typeName(schema: z.ZodType): string {
  const shape = shapeOf(schema);
  switch (shape.kind) {
    case "list":
      return `list of ${plural(typeName(shape.element))}`;
    case "map":
      return `map of ${plural(typeName(shape.element))}`;
    case "object": {
      const { typeName: name } = typeMetaOf(shape.object);
      return `[${name}](#${name.toLowerCase()})`;
    }
    default:
      return shape.kind;
  }
}

function plural(type: string): string {
  return type.startsWith("[") ? type : `${type}s`;
}

function required(schema: z.ZodType): string {
  const supplied = findMeta(schema)?.defaultFrom;
  if (supplied !== undefined) return `unless \`perimeter:${supplied}\` is set`;
  return isOptional(schema) ? "no" : "yes";
}

function told(schema: z.ZodType): string {
  const { description, knownValues = [], secret } = metaOf(schema);
  const values = knownValues.length > 0 ? ` Known values: ${codes(knownValues)}.` : "";
  return `${description}${values}${secret ? " Secret." : ""}`.replaceAll("\n", " ");
}
