import type { z } from "zod";
import { PACKAGE_NAME } from "../../provider/core/definition";
import {
  metaOf,
  propertiesOf,
  requiredProperties,
  shapeOf,
  typeMetaOf,
  type FieldMeta,
} from "../../provider/core/field";
import type { ObjectSpec, PropertySpec, TypeSpec } from "./spec";

/** Describes properties for the schema, and gathers the nested object types that it meets. */
export class TypeSpecs {
  readonly specs: Record<string, ObjectSpec> = {};

  /** @param module of the service, in which nested object types get their names: `eventing/v1`. */
  property(schema: z.ZodType, module: string): PropertySpec {
    const meta = metaOf(schema);
    return {
      ...this.type(schema, module),
      description: describe(meta),
      ...(meta.secret ? { secret: true } : {}),
      ...(meta.change === "replace" ? { replaceOnChanges: true, willReplaceOnChanges: true } : {}),
    };
  }

  properties(object: z.ZodObject, module: string): Record<string, PropertySpec> {
    return Object.fromEntries(propertiesOf(object).map(([name, schema]) => [name, this.property(schema, module)]));
  }

  object(object: z.ZodObject, module: string, description?: string): ObjectSpec {
    return {
      type: "object",
      ...(description === undefined ? {} : { description }),
      properties: this.properties(object, module),
      ...someRequired(requiredProperties(object)),
    };
  }

  private type(schema: z.ZodType, module: string): TypeSpec {
    const shape = shapeOf(schema);
    switch (shape.kind) {
      case "list":
        return { type: "array", items: this.type(shape.element, module) };
      case "map":
        return { type: "object", additionalProperties: this.type(shape.element, module) };
      case "object":
        return { $ref: `#/types/${this.declare(shape.object, module)}` };
      default:
        return { type: shape.kind };
    }
  }

  /** @throws Error where two different types of one module have the same name. */
  private declare(object: z.ZodObject, module: string): string {
    const { typeName, description } = typeMetaOf(object);
    const token = `${PACKAGE_NAME}:${module}:${typeName}`;
    const spec = this.object(object, module, description);
    const known = this.specs[token];
    if (known && JSON.stringify(known) !== JSON.stringify(spec)) {
      throw new Error(`Two types of ${module} are called ${typeName} and differ: give one of them another name`);
    }
    this.specs[token] = spec;
    return token;
  }
}

/** Known values are documentation only. As an enum, a value that the API adds would be an error in some languages. */
function describe({ description, knownValues }: FieldMeta): string {
  if (!knownValues) return description;
  return `${description} Known values: ${knownValues.map((value) => `\`${value}\``).join(", ")}.`;
}

export function someRequired(names: string[]): { required?: string[] } {
  return names.length > 0 ? { required: [...names].sort() } : {};
}
