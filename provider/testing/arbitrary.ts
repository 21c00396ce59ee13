import fc from "fast-check";
import type { z } from "zod";
import { findMeta, isOptional, propertiesOf, shapeOf } from "../core/field";
import type { Values } from "../core/unknown";

/**
 * Arbitrary response values of the API, from the schema: all required properties, some optional ones. They need not follow
 * the rules of inputs, because responses are not checked by these.
 */
export function valuesOf(object: z.ZodObject): fc.Arbitrary<Values> {
  const entries = propertiesOf(object);
  const model = Object.fromEntries(entries.map(([name, schema]) => [name, valueOf(schema)]));
  const requiredKeys = entries.filter(([, schema]) => !isOptional(schema)).map(([name]) => name);
  return fc.record(model, { requiredKeys, noNullPrototype: true });
}

function valueOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const shape = shapeOf(schema);
  switch (shape.kind) {
    case "string":
      return fc.string({ unit: "grapheme" });
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer();
    case "list":
      return fc.array(valueOf(shape.element), { maxLength: 4 });
    case "map":
      // The texts of a codec are not arbitrary: its own test checks them.
      return fc.dictionary(fc.string(), findMeta(schema)?.codec ? conditionText : valueOf(shape.element), {
        maxKeys: 4,
        noNullPrototype: true,
      });
    case "object":
      return valuesOf(shape.object);
  }
}

const conditionText = fc
  .record({ code: fc.constantFrom("OK", "NOT_FOUND", "DATA_LOSS"), message: fc.string() })
  .map(({ code, message }) => (message === "" ? code : `${code}: ${message}`));

/** A part of a resource name. */
export const segments = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
