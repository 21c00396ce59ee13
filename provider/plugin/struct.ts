import { BinaryReader, Map as FieldMap, Message, type BinaryWriter } from "google-protobuf";
import { ListValue, NullValue, Struct, Value } from "google-protobuf/google/protobuf/struct_pb";

/**
 * Converts between plain JSON values and `google.protobuf.Struct`. The library alone would lose a property named
 * `__proto__`.
 */

type JsonLeaf = null | boolean | number | string;
export type Json = JsonLeaf | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isJsonLeaf(value: unknown): value is JsonLeaf {
  return value === null || ["boolean", "number", "string"].includes(typeof value);
}

/** The values of a Struct; empty if there is no Struct. */
export function jsonOf(struct: Struct | undefined): JsonObject {
  const entries: [string, Json][] = [];
  struct?.getFieldsMap().forEach((value, name) => entries.push([name, jsonOfValue(value)]));
  // This creates `__proto__` as an ordinary property; an assignment would not.
  return Object.fromEntries(entries);
}

function jsonOfValue(value: Value): Json {
  switch (value.getKindCase()) {
    case Value.KindCase.NUMBER_VALUE:
      return value.getNumberValue();
    case Value.KindCase.STRING_VALUE:
      return value.getStringValue();
    case Value.KindCase.BOOL_VALUE:
      return value.getBoolValue();
    case Value.KindCase.STRUCT_VALUE:
      return jsonOf(value.getStructValue());
    case Value.KindCase.LIST_VALUE:
      return (value.getListValue()?.getValuesList() ?? []).map(jsonOfValue);
    default:
      return null;
  }
}

/**
 * A Struct with these values. In a text, U+FFFD replaces an unpaired surrogate: UTF-8 has no form for it, and the library
 * would drop it and so change the text.
 */
export function structOf(json: JsonObject): Struct {
  const struct = withAllFields(new Struct());
  const fields = struct.getFieldsMap();
  for (const [name, value] of Object.entries(json)) fields.set(name.toWellFormed(), valueOf(value));
  return struct;
}

function valueOf(json: Json): Value {
  const value = new Value();
  if (json === null) return value.setNullValue(NullValue.NULL_VALUE);
  if (typeof json === "number") return value.setNumberValue(json);
  if (typeof json === "string") return value.setStringValue(json.toWellFormed());
  if (typeof json === "boolean") return value.setBoolValue(json);
  if (Array.isArray(json)) return value.setListValue(new ListValue().setValuesList(json.map(valueOf)));
  return value.setStructValue(structOf(json));
}

/** Reads messages whose Structs keep a field called `__proto__`. */
export class StructReader extends BinaryReader {
  /** The library's generated code calls this with each new and empty message, before it reads the message's fields. */
  override readMessage: BinaryReader["readMessage"] = (message, readFields) => {
    if (message instanceof Struct) withAllFields(message);
    BinaryReader.prototype.readMessage.call(this, message, readFields);
  };
}

/** `map<string, Value> fields = 1;` of https://protobuf.dev/reference/protobuf/google.protobuf/#struct */
const FIELDS = 1;
const PROTO = "__proto__";

function withAllFields(struct: Struct): Struct {
  Message.setWrapperField(struct, FIELDS, new Fields([], Value));
  return struct;
}

/**
 * The fields of a Struct. The library keeps them as the properties of an ordinary object, whose `__proto__` is not a
 * property but its prototype, so that a field of this name would be lost. This keeps it beside the others.
 */
class Fields extends FieldMap<string, Value> {
  private proto: Value | undefined;

  override set(name: string, value: Value): this {
    if (name !== PROTO) return super.set(name, value);
    this.proto = value;
    return this;
  }

  override getLength(): number {
    return super.getLength() + (this.proto ? 1 : 0);
  }

  override forEach(callback: (value: Value, name: string) => void): void {
    if (this.proto) callback(this.proto, PROTO);
    super.forEach(callback);
  }

  override serializeBinary(
    ...[field, writer, writeKey, writeValue, writeMessage]: Parameters<FieldMap<string, Value>["serializeBinary"]>
  ): void {
    super.serializeBinary(field, writer, writeKey, writeValue, writeMessage);
    if (!this.proto) return;
    // A map's entry is a separate message: the key is its field 1, the value its field 2.
    writer.writeMessage(field, this.proto, (value: Value, entry: BinaryWriter) => {
      entry.writeString(1, PROTO);
      entry.writeMessage(2, value, Value.serializeBinaryToWriter);
    });
  }
}
