import type { FieldViolation } from "../base/errors";
import { emptyObject, isObject, ownProperty, toCamel, toSnake, type Json, type JsonObject } from "../base/json";
import type { FieldType, Message } from "../base/schema";

export interface Decoded {
  value: JsonObject;
  violations: FieldViolation[];
}

export interface DecodeOptions {
  /** Whether to keep output-only fields, because a seed describes the stored resource. */
  keepOutputOnly?: boolean;
  /** The fields of a newer API by the name of their message. Their values are kept unchanged. */
  newer?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Decodes a message like the front end: it accepts names in camelCase and snake_case, treats `null` as unset, and omits
 * default values. It reports all mistakes together, with the messages of docs/wire.md section 10.
 */
export function decode(shape: Message, input: Json | undefined, options: DecodeOptions = {}): Decoded {
  const violations: FieldViolation[] = [];
  if (input === undefined) {
    return { value: emptyObject(), violations };
  }
  if (!isObject(input)) {
    violations.push({
      description: 'Invalid JSON payload received. Unknown name "": Root element must be a message.',
    });
    return { value: emptyObject(), violations };
  }
  const decoder = new Decoder(violations, options);
  return { value: decoder.message(shape, input, ""), violations };
}

class Decoder {
  constructor(
    private readonly violations: FieldViolation[],
    private readonly options: DecodeOptions,
  ) {}

  message(shape: Message, input: JsonObject, path: string): JsonObject {
    const result = emptyObject();
    const unions = new Map<string, string>();
    for (const [key, value] of Object.entries(input)) {
      const name = toCamel(key);
      const field = ownProperty(shape.fields, name);
      if (field === undefined) {
        if (this.options.newer?.[shape.name]?.includes(key)) {
          result[key] = value;
        } else {
          this.unknown(key, path);
        }
        continue;
      }
      if (value === null || value === undefined) {
        continue;
      }
      const at = path === "" ? toSnake(name) : `${path}.${toSnake(name)}`;
      const decoded = this.value(field.type, value, at, key, path);
      if (field.oneof !== undefined) {
        const earlier = unions.get(field.oneof);
        if (earlier !== undefined && earlier !== name) {
          this.add(
            at,
            `Invalid value at '${path || shape.name}' (oneof), oneof field '${field.oneof}' is already set. Cannot set '${name}'`,
          );
          continue;
        }
        unions.set(field.oneof, name);
      }
      // An etag is output-only, but a request may send it to identify the expected version (AIP-154).
      const isKept = !field.outputOnly || this.options.keepOutputOnly || (name === "etag" && path === "");
      if (decoded !== undefined && isKept) {
        result[name] = decoded;
      }
    }
    return result;
  }

  private value(type: FieldType, input: Json, at: string, key: string, parent: string): Json | undefined {
    if (Array.isArray(input) && type.kind !== "list") {
      this.add(
        at,
        `Invalid JSON payload received. Unknown name "${key}"${parent && ` at '${parent}'`}: Proto field is not repeating, cannot start list.`,
      );
      return undefined;
    }
    switch (type.kind) {
      case "list":
        return this.list(type.item, input, at, key, parent);
      case "map":
        return this.map(type.value, input, at, key);
      case "message":
        return isObject(input)
          ? this.message(type.message, input, at)
          : this.wrong(at, `type.googleapis.com/${type.message.name}`, input);
      case "struct":
        return isObject(input) ? input : this.wrong(at, "type.googleapis.com/google.protobuf.Struct", input);
      case "enum":
        return this.enum(type.name, type.values, input, at);
      case "string":
        return typeof input === "string" ? input || undefined : this.wrong(at, "TYPE_STRING", input);
      case "bool":
        return typeof input === "boolean" ? input || undefined : this.wrong(at, "TYPE_BOOL", input);
      case "int32":
        return this.int32(input, at);
      case "int64":
        return this.int64(input, at);
      case "bytes":
        return this.bytes(input, at);
      case "timestamp":
        return typeof input === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(input)
          ? input
          : this.wrong(at, "type.googleapis.com/google.protobuf.Timestamp", input);
      case "duration":
        return typeof input === "string" && /^-?\d+(\.\d{1,9})?s$/.test(input)
          ? input
          : this.wrong(at, "type.googleapis.com/google.protobuf.Duration", input);
    }
  }

  private list(item: FieldType, input: Json, at: string, key: string, parent: string): Json | undefined {
    if (!Array.isArray(input)) {
      return this.wrong(at, "a list", input);
    }
    const result: Json[] = [];
    input.forEach((element, index) => {
      if (element === null) {
        this.wrong(`${at}[${index}]`, "a value", element);
        return;
      }
      const decoded = this.value(item, element, `${at}[${index}]`, key, parent);
      result.push(decoded ?? defaultOf(item));
    });
    return result.length > 0 ? result : undefined;
  }

  private map(value: FieldType, input: Json, at: string, key: string): Json | undefined {
    if (!isObject(input)) {
      return this.wrong(at, "a map", input);
    }
    const result = emptyObject();
    for (const [name, element] of Object.entries(input)) {
      if (element === null || element === undefined) {
        this.wrong(`${at}[${name}]`, "a value", null);
        continue;
      }
      result[name] = this.value(value, element, `${at}[${name}]`, key, at) ?? defaultOf(value);
    }
    return Object.keys(result).length > 0 ? result : undefined;
  }

  private enum(name: string, values: readonly string[], input: Json, at: string): Json | undefined {
    const found = typeof input === "number" ? values[input] : values.find((value) => value === input);
    if (found === undefined) {
      return this.wrong(at, `type.googleapis.com/${name}`, input);
    }
    return found === values[0] ? undefined : found;
  }

  private int32(input: Json, at: string): Json | undefined {
    const number = typeof input === "string" && /^-?\d+$/.test(input) ? Number(input) : input;
    if (typeof number !== "number" || !Number.isInteger(number) || Math.abs(number) > 0x7fffffff) {
      return this.wrong(at, "TYPE_INT32", input);
    }
    return number || undefined;
  }

  private int64(input: Json, at: string): Json | undefined {
    const digits = typeof input === "number" ? String(input) : input;
    if (typeof digits !== "string" || !/^-?\d{1,19}$/.test(digits)) {
      return this.wrong(at, "TYPE_INT64", input);
    }
    return digits === "0" ? undefined : digits;
  }

  private bytes(input: Json, at: string): Json | undefined {
    if (typeof input !== "string") {
      return this.wrong(at, "TYPE_BYTES", input);
    }
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(input) || input.replace(/=+$/, "").length % 4 === 1) {
      this.add(at, `Invalid value at '${at}' (TYPE_BYTES), Base64 decoding failed for ${JSON.stringify(input)}`);
      return undefined;
    }
    return Buffer.from(input, "base64").toString("base64") || undefined;
  }

  private unknown(key: string, path: string): void {
    const at = path === "" ? "" : ` at '${path}'`;
    const description = `Invalid JSON payload received. Unknown name ${JSON.stringify(key)}${at}: Cannot find field.`;
    this.violations.push(path === "" ? { description } : { field: path, description });
  }

  private wrong(at: string, type: string, input: Json): undefined {
    // The front end also truncates long values.
    const shown = isObject(input) || Array.isArray(input) ? "a composite value" : JSON.stringify(input).slice(0, 200);
    this.add(at, `Invalid value at '${at}' (${type}), ${shown}`);
    return undefined;
  }

  private add(field: string, description: string): void {
    this.violations.push({ field, description });
  }
}

/** The default value of a type. Lists and maps contain it, although fields omit it. */
function defaultOf(type: FieldType): Json {
  switch (type.kind) {
    case "bool":
      return false;
    case "int32":
      return 0;
    case "int64":
      return "0";
    case "enum":
      return type.values[0] ?? "";
    case "message":
    case "map":
    case "struct":
      return {};
    case "list":
      return [];
    default:
      return "";
  }
}
