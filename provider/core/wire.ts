import type { z } from "zod";
import { findMeta, isOfShape, isOptional, kindName, metaOf, propertiesOf, shapeOf } from "./field";
import { isRecord, listOf, type Values } from "./unknown";

/**
 * The response does not match the schema. The client of http/ converts this to a BadAnswerError that names the request,
 * which is unknown here.
 */
export class WireShapeError extends Error {
  override readonly name = "WireShapeError";
  constructor(path: string, expected: string) {
    super(`${path || "the answer"} should be ${expected}`);
  }
}

/**
 * Converts an object of the API: uses our names, and fills in every required property. The API omits default values
 * (docs/wire.md section 1), so an absent required property gets the zero value of its type: `""`, `false`, `0`, `[]`, `{}`,
 * and an object with all of its properties zero. An absent optional property stays absent. Properties that the definition
 * does not have are dropped.
 *
 * @param schema without the inputs outside the body, which responses never have: `omit` them. @throws WireShapeError when a
 * value does not have the type of the definition.
 */
export function fromWire<S extends z.ZodObject>(schema: S, wire: unknown, path = ""): z.infer<S> {
  if (!isRecord(wire)) throw new WireShapeError(path, "an object");
  const result: Values = {};
  for (const [name, property] of propertiesOf(schema)) {
    const wireName = wireNameOf(name, property);
    const value = wire[wireName];
    if (value === undefined || value === null) {
      if (!isOptional(property)) result[name] = zeroOf(property);
    } else {
      result[name] = valueFromWire(property, value, path ? `${path}.${wireName}` : wireName);
    }
  }
  // Built from the schema, property by property; TypeScript cannot infer this.
  return result as z.infer<S>;
}

function valueFromWire(schema: z.ZodType, value: unknown, path: string): unknown {
  const shape = shapeOf(schema);
  if (!isOfShape(shape, value)) throw new WireShapeError(path, shape.kind === "map" ? "a map" : kindName(shape));
  if (shape.kind === "object") return fromWire(shape.object, value, path);
  if (shape.kind === "list") {
    return listOf(value).map((element, index) => valueFromWire(shape.element, element, `${path}[${index}]`));
  }
  if (shape.kind !== "map" || !isRecord(value)) return value;
  const codec = codecOf(schema);
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => [
      key,
      codec ? codec.fromWire(element) : valueFromWire(shape.element, element, `${path}.${key}`),
    ]),
  );
}

/** The value of a required property that the API omits. */
export function zeroOf(schema: z.ZodType): unknown {
  const shape = shapeOf(schema);
  switch (shape.kind) {
    case "object":
      return fromWire(shape.object, {});
    case "list":
      return [];
    case "map":
      return {};
    case "string":
      return "";
    case "boolean":
      return false;
    case "integer":
      return 0;
  }
}

/** The body of a request: the values under the API's names, without absent values and values outside the body. */
export function toWire(schema: z.ZodObject, values: Values): Values {
  const result: Values = {};
  for (const [name, property] of propertiesOf(schema)) {
    const value = values[name];
    if (value === undefined || value === null || metaOf(property).outsideBody) continue;
    result[wireNameOf(name, property)] = valueToWire(property, value);
  }
  return result;
}

/** A value of a wrong type is sent unchanged: the check refuses it, not this mapping. */
function valueToWire(schema: z.ZodType, value: unknown): unknown {
  const shape = shapeOf(schema);
  if (shape.kind === "list" && Array.isArray(value)) return value.map((each) => valueToWire(shape.element, each));
  if (!isRecord(value)) return value;
  if (shape.kind === "object") return toWire(shape.object, value);
  const codec = codecOf(schema);
  if (!codec) return { ...value };
  return Object.fromEntries(Object.entries(value).map(([key, element]) => [key, codec.toWire(element)]));
}

/** The API's name of a property. */
export function wireNameOf(name: string, schema: z.ZodType): string {
  return metaOf(schema).wire ?? name;
}

/** The codec of a map property, which converts each of its values; elements of lists and maps have no codec. */
function codecOf(schema: z.ZodType) {
  return findMeta(schema)?.codec;
}
