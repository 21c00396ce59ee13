import { BinaryReader, Map as FieldMap, Message, type BinaryWriter } from "google-protobuf";
import { ListValue, NullValue, Struct, Value } from "google-protobuf/google/protobuf/struct_pb";

/**
 * Plain JSON values in and out of `google.protobuf.Struct`, with every property. The library by itself loses one that is
 * called `__proto__`.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export function jsonOf(struct: Struct | undefined): { [key: string]: Json } {
  const entries: [string, Json][] = [];
  struct?.getFieldsMap().forEach((value, key) => entries.push([key, jsonOfValue(value)]));
  // Makes own properties of whatever name.
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

export function structOf(json: { [key: string]: Json }): Struct {
  const struct = withAllFields(new Struct());
  const fields = struct.getFieldsMap();
  for (const [key, value] of Object.entries(json)) fields.set(wellFormed(key), valueOf(value));
  return struct;
}

/** The library leaves out half a character (a lone surrogate), which UTF-8 does not have: the text would be another. */
function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\ufffd");
}

function valueOf(json: Json): Value {
  const value = new Value();
  if (json === null) value.setNullValue(NullValue.NULL_VALUE);
  else if (typeof json === "number") value.setNumberValue(json);
  else if (typeof json === "string") value.setStringValue(wellFormed(json));
  else if (typeof json === "boolean") value.setBoolValue(json);
  else if (Array.isArray(json)) value.setListValue(new ListValue().setValuesList(json.map(valueOf)));
  else value.setStructValue(structOf(json));
  return value;
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
    // A map's entry is a message of its own: the key is its field 1, the value its field 2.
    writer.writeMessage(field, this.proto, (value: Value, entry: BinaryWriter) => {
      entry.writeString(1, PROTO);
      entry.writeMessage(2, value, Value.serializeBinaryToWriter);
    });
  }
}
