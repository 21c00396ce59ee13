import type { z } from "zod";
import { findMeta, isOptional, metaOf, propertiesOf, shapeOf } from "./field";
import { isRecord, type Values } from "./unknown";

/**
 * An answer has not the shape that the API promises. `parseAnswer` of http/ turns it into a BadAnswerError that names the
 * request, which the mapping here does not know.
 */
export class WireShapeError extends Error {
  override readonly name = "WireShapeError";
  constructor(path: string, expected: string) {
    super(`${path || "the answer"} should be ${expected}`);
  }
}

/**
 * The values in an object of the API: with our names, and with every property that the type requires. The API leaves out
 * what has its default value (docs/wire.md section 1), so an absent required property gets the zero value of its type:
 * `""`, `false`, `0`, `[]`, `{}`, and an object with all of its properties zero. An absent optional property stays absent.
 * Properties that the definition does not have are dropped.
 *
 * @param schema without the inputs that travel outside the body, which no answer has: `omit` them.
 * @throws WireShapeError where a value has another type than the definition says.
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
  // Built from the schema, property by property, which TypeScript does not follow.
  return result as z.infer<S>;
}

function valueFromWire(schema: z.ZodType, value: unknown, path: string): unknown {
  const shape = shapeOf(schema);
  switch (shape.kind) {
    case "object":
      return fromWire(shape.object, value, path);
    case "list":
      if (!Array.isArray(value)) throw new WireShapeError(path, "a list");
      return value.map((element, index) => valueFromWire(shape.element, element, `${path}[${index}]`));
    case "map": {
      if (!isRecord(value)) throw new WireShapeError(path, "a map");
      const codec = codecOf(schema);
      return Object.fromEntries(
        Object.entries(value).map(([key, element]) => [
          key,
          codec ? codec.fromWire(element) : valueFromWire(shape.element, element, `${path}.${key}`),
        ]),
      );
    }
    case "string":
      if (typeof value !== "string") throw new WireShapeError(path, "a string");
      return value;
    case "boolean":
      if (typeof value !== "boolean") throw new WireShapeError(path, "true or false");
      return value;
    case "integer":
      if (typeof value !== "number" || !Number.isInteger(value)) throw new WireShapeError(path, "a whole number");
      return value;
  }
}

/** The value of a required property that the wire leaves out. */
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

/** The body of a request: the values under the API's names, without those that are absent or travel outside the body. */
export function toWire(schema: z.ZodObject, values: Values): Values {
  const result: Values = {};
  for (const [name, property] of propertiesOf(schema)) {
    const value = values[name];
    if (value === undefined || value === null || metaOf(property).outsideBody) continue;
    result[wireNameOf(name, property)] = valueToWire(property, value);
  }
  return result;
}

/** A value of another type than the schema's is sent as it is: the check, not the mapping, refuses it. */
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

/** The codec of a map property, which translates each of its values; elements of lists and maps have none. */
function codecOf(schema: z.ZodType) {
  return findMeta(schema)?.codec;
}
