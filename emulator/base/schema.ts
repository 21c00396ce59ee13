/** What a field holds on the wire (ProtoJSON). */
export type FieldType =
  | { readonly kind: "string" | "bool" | "int32" | "int64" | "bytes" | "timestamp" | "duration" | "struct" }
  | { readonly kind: "enum"; readonly name: string; readonly values: readonly string[] }
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "list"; readonly item: FieldType }
  | { readonly kind: "map"; readonly value: FieldType };

export interface Field {
  readonly type: FieldType;
  /** Only the server sets it: a value in a request is dropped. */
  readonly outputOnly?: boolean;
  readonly required?: boolean;
  /** Keeps the value that it was created with. */
  readonly immutable?: boolean;
  /** Taken in and never answered, such as a password. */
  readonly inputOnly?: boolean;
  /** The union that this field belongs to: at most one field of it may be set. */
  readonly oneof?: string;
}

/** A message of an API: its full proto name, which errors show, and its fields by their camelCase names. */
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
/** Any JSON object: a part of a resource that no rule looks into. */
export const struct = scalar("struct");

export const nested = (inner: Message): Field => ({ type: { kind: "message", message: inner } });
export const list = (item: Field): Field => ({ type: { kind: "list", item: item.type } });
const map = (value: Field): Field => ({ type: { kind: "map", value: value.type } });
export const labels = map(text);
