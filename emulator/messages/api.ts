import type { ApiDescription } from "./description";
import { ownProperty } from "./json";
import { protoName } from "./proto-names";
import type { Field, FieldType, Message } from "./schema";

/** What discovery documents do not say about the messages of an API; written by hand beside each service. */
export interface Corrections {
  /** Unions: `Schema.union` -> its fields, of which a request may set one. */
  readonly oneof?: Readonly<Record<string, readonly string[]>>;
  /** Fields, as `Schema.field`, that a request must set although the document does not say so. */
  readonly required?: readonly string[];
  /** Fields, as `Schema.field`, that only the server sets although the document does not say so. */
  readonly output?: readonly string[];
  /** Fields, as `Schema.field`, that a request may leave out although the document says otherwise. */
  readonly optional?: readonly string[];
}

type Scalar = Exclude<FieldType["kind"], "enum" | "message" | "list" | "map">;

const SCALARS = new Set<string>([...["string", "bool", "int32", "int64", "bytes", "timestamp", "duration", "struct"]]);

/** One API in one version: its methods as described, and its messages, each built when it is first asked for. */
export class Api {
  readonly service: string;
  readonly version: string;
  readonly methods: ApiDescription["methods"];
  private readonly built = new Map<string, Message>();

  constructor(
    private readonly description: ApiDescription,
    private readonly corrections: Corrections = {},
    /** Another version that is served in the form of this one. */
    version = description.version,
  ) {
    this.service = description.service;
    this.version = version;
    this.methods = description.methods;
  }

  /** @param schema its name in the discovery document */
  message(schema: string): Message {
    const known = this.built.get(schema);
    if (known !== undefined) {
      return known;
    }
    const described = ownProperty(this.description.messages, schema);
    if (described === undefined) {
      throw new Error(`${this.service} ${this.version} has no message ${schema}`);
    }
    const name = protoName(this.service, this.version, schema);
    const message: Message = {
      name,
      fields: Object.fromEntries(
        Object.entries(described).map(([field, text]) => [field, this.field(text, schema, field)]),
      ),
    };
    this.built.set(schema, message);
    return message;
  }

  /** Names of all its schemas. */
  schemas(): string[] {
    return Object.keys(this.description.messages);
  }

  private field(text: string, schema: string, name: string): Field {
    const words = text.split(" ");
    const marks = new Set<string>();
    while (["output", "required", "immutable", "input"].includes(words[0] ?? "")) {
      marks.add(words.shift() ?? "");
    }
    const at = `${schema}.${name}`;
    const { oneof = {}, required = [], output = [], optional = [] } = this.corrections;
    const union = Object.entries(oneof).find(
      ([place, fields]) => place.startsWith(`${schema}.`) && fields.includes(name),
    );
    return {
      type: this.type(words, schema, name),
      ...((marks.has("output") || output.includes(at)) && { outputOnly: true }),
      ...(((marks.has("required") && !optional.includes(at)) || required.includes(at)) && { required: true }),
      ...(marks.has("immutable") && { immutable: true }),
      ...(marks.has("input") && { inputOnly: true }),
      ...(union && { oneof: union[0].slice(schema.length + 1) }),
    };
  }

  private type(words: readonly string[], schema: string, field: string): FieldType {
    const [word = "", ...rest] = words;
    if (word === "list") {
      return { kind: "list", item: this.type(rest, schema, field) };
    }
    if (word === "map") {
      return { kind: "map", value: this.type(rest, schema, field) };
    }
    if (word === "enum") {
      const enumeration = field.charAt(0).toUpperCase() + field.slice(1);
      return {
        kind: "enum",
        name: `${protoName(this.service, this.version, schema)}.${enumeration}`,
        values: rest,
      };
    }
    return SCALARS.has(word) ? { kind: word as Scalar } : { kind: "message", message: this.message(word) };
  }
}

/**
 * The fields of all versions of a message in one: what the emulator can hold. Enums have the values of all versions.
 *
 * @param shapes at least one; the name and the marks are those of the first that has the field
 */
export function merged(shapes: readonly Message[]): Message {
  const [first] = shapes;
  if (first === undefined) {
    throw new Error("There is nothing to merge");
  }
  const fields: Record<string, Field> = {};
  for (const name of new Set(shapes.flatMap((shape) => Object.keys(shape.fields)))) {
    const held = shapes.flatMap((shape) => ownProperty(shape.fields, name) ?? []);
    fields[name] = { ...(held[0] as Field), type: held.map(({ type }) => type).reduce(mergedType) };
  }
  return { name: first.name, fields };
}

function mergedType(a: FieldType, b: FieldType): FieldType {
  if (a.kind === "message" && b.kind === "message") {
    return { kind: "message", message: merged([a.message, b.message]) };
  }
  if (a.kind === "enum" && b.kind === "enum") {
    return { ...a, values: [...new Set([...a.values, ...b.values])] };
  }
  if (a.kind === "list" && b.kind === "list") {
    return { kind: "list", item: mergedType(a.item, b.item) };
  }
  if (a.kind === "map" && b.kind === "map") {
    return { kind: "map", value: mergedType(a.value, b.value) };
  }
  return a;
}
