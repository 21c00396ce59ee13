import { ListValue, NullValue, Struct, Value } from "google-protobuf/google/protobuf/struct_pb";

/**
 * Plain JSON values in and out of `google.protobuf.Struct`. The library's own `toJavaScript` and `fromJavaScript` lose a
 * property called `__proto__`, and so does its map.
 */

const makeFields = Struct.prototype.getFieldsMap;

/**
 * The library keeps a map's entries in an ordinary object, in which `__proto__` is no property but the prototype: the
 * entry would vanish, and everything in it would show through as entries of the map. Without a prototype it is a property.
 */
Struct.prototype.getFieldsMap = function (this: Struct, noLazyCreate?: boolean) {
  const fields = makeFields.apply(this, [noLazyCreate] as never) as ReturnType<typeof makeFields> | undefined;
  for (const part of Object.values(fields ?? {})) {
    if (Object.getPrototypeOf(part) === Object.prototype) Object.setPrototypeOf(part, null);
  }
  return fields as ReturnType<typeof makeFields>;
};

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
  const struct = new Struct();
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
