/** The type of a field on the wire (ProtoJSON). */
export type FieldType =
  | { readonly kind: "string" | "bool" | "int32" | "int64" | "bytes" | "timestamp" | "duration" | "struct" }
  | { readonly kind: "enum"; readonly name: string; readonly values: readonly string[] }
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "list"; readonly item: FieldType }
  | { readonly kind: "map"; readonly value: FieldType };

export interface Field {
  readonly type: FieldType;
  /** Only the server sets the field. Values in requests are dropped. */
  readonly outputOnly?: boolean;
  readonly required?: boolean;
  /** The field keeps its value from the create. */
  readonly immutable?: boolean;
  /** Requests may set the field, but no response has it, e.g. a password. */
  readonly inputOnly?: boolean;
  /** The union of this field. At most one field of a union may be set. */
  readonly oneof?: string;
}

/** A message of an API: its full protobuf name, for errors, and its fields by camelCase name. */
export interface Message {
  readonly name: string;
  readonly fields: Readonly<Record<string, Field>>;
}

export function message(name: string, fields: Record<string, Field>): Message {
  return { name, fields };
}

const scalar = (kind: "string" | "bool" | "int32" | "timestamp" | "duration" | "struct"): Field =>
  Object.freeze({ type: { kind } });

export const text = scalar("string");
export const flag = scalar("bool");
export const int32 = scalar("int32");
export const timestamp = scalar("timestamp");
export const duration = scalar("duration");
/** Any JSON object, for parts of a resource that no rule checks. */
export const struct = scalar("struct");

export const nested = (inner: Message): Field => ({ type: { kind: "message", message: inner } });
export const list = (item: Field): Field => ({ type: { kind: "list", item: item.type } });
const map = (value: Field): Field => ({ type: { kind: "map", value: value.type } });
export const labels = map(text);
