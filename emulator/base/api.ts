import type { Service } from "./generated/services";
import { ownProperty } from "./json";
import type { Field, FieldType, Message } from "./schema";

export { SERVICES, type Service } from "./generated/services";

/**
 * What the discovery document of one API and version says, in the compact form of `generated/`: `make generate` writes
 * it from the documents below tests/wire/discovery/.
 */
export interface ApiDescription {
  readonly service: Service;
  readonly version: string;
  /** By id without the name of the API, e.g. `projects.locations.triggers.create`. */
  readonly methods: Readonly<Record<string, MethodDescription>>;
  /**
   * By the name of the schema; of each field its type, e.g. `output list EventFilter`: marks (`output`, `required`,
   * `immutable`, `input`), `list` or `map`, then `string`, `enum FIRST_VALUE SECOND_VALUE` or the name of a schema.
   */
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface MethodDescription {
  readonly verb: "GET" | "POST" | "PATCH" | "DELETE";
  /** Without version and action, e.g. `projects/{project}/locations/{location}/triggers`. */
  readonly path: string;
  /** The custom verb after the colon, e.g. `getIamPolicy`. */
  readonly action?: string;
  readonly query?: Readonly<Record<string, QueryType>>;
  /** Names of schemas. */
  readonly request?: string;
  readonly response: string;
}

/** How a query parameter of a method is read. */
export type QueryType = "string" | "strings" | "int32" | "bool";

/** Values of a method's own query parameters, by camelCase name (dots stay: `options.requestedPolicyVersion`). */
export type QueryValues = Record<string, string | number | boolean | undefined>;

/** What discovery documents do not say about an API; written by hand in the folder of the service. */
export interface ApiNotes {
  /** As error messages and the console show it, e.g. `GKE Hub API`. */
  readonly title: string;
  /** The name of its package, where that is not the service's: `clouddms`. */
  readonly package?: string;
  /** The name of a message within the package, by the name of its schema. @default the name of the schema */
  readonly messageName?: (schema: string) => string;
  /** The text with which it refuses a caller who lacks a permission. @default as for most APIs (`permissionDenied`) */
  readonly denial?: (permission: string, resource: string) => string;
  /** Whether a requestId can be any text, and not only a UUID. */
  readonly anyRequestId?: boolean;
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

const SCALARS = new Set<string>(["string", "bool", "int32", "int64", "bytes", "timestamp", "duration", "struct"]);

/** Messages that several APIs share, by what is left of the name of the schema. */
const SHARED: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(SetIamPolicyRe|TestIamPermissionsRe)\w+$|^(Policy|Binding|AuditConfig|AuditLogConfig)$/, "google.iam.v1"],
  [/^Expr$/, "google.type"],
  [/^Status$/, "google.rpc"],
  [/^Empty$/, "google.protobuf"],
  [/^(Operation|CancelOperationRequest|ListOperationsResponse)$/, "google.longrunning"],
  [/^(Location|ListLocationsResponse)$/, "google.cloud.location"],
];

/** Names that some documents lead with a part of the shared package. */
const SHARED_PREFIX = /^Google(Longrunning|Rpc|IamV1)/;

/** One API in one version: its methods as described, and its messages, each built when it is first asked for. */
export class Api {
  readonly service: Service;
  readonly version: string;
  readonly methods: ApiDescription["methods"];
  /** e.g. `google.cloud.clouddms.v1` */
  readonly package: string;
  private readonly built = new Map<string, Message>();

  constructor(
    private readonly description: ApiDescription,
    readonly notes: ApiNotes,
    /** Another version that is served in the form of this one. */
    version = description.version,
  ) {
    this.service = description.service;
    this.version = version;
    this.methods = description.methods;
    this.package = `google.cloud.${notes.package ?? this.service}.${version}`;
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
    const message: Message = {
      name: this.protoName(schema),
      fields: Object.fromEntries(
        Object.entries(described).map(([field, text]) => [field, this.field(text, schema, field)]),
      ),
    };
    this.built.set(schema, message);
    return message;
  }

  /** The message of this full name, e.g. that of the metadata of operations; undefined where the document has none. */
  messageNamed(name: string): Message | undefined {
    const schema = Object.keys(this.description.messages).find((each) => this.protoName(each) === name);
    return schema === undefined ? undefined : this.message(schema);
  }

  /** The full name of a message, which errors and the `@type` of operations show, e.g. `google.iam.v1.Policy`. */
  private protoName(schema: string): string {
    const { messageName = (name: string) => name } = this.notes;
    const short = messageName(schema.replace(SHARED_PREFIX, ""));
    const shared = SHARED.find(([names]) => names.test(short));
    return `${shared === undefined ? this.package : shared[1]}.${short}`;
  }

  private field(text: string, schema: string, name: string): Field {
    const words = text.split(" ");
    const marks = new Set<string>();
    while (["output", "required", "immutable", "input"].includes(words[0] ?? "")) {
      marks.add(words.shift() ?? "");
    }
    const at = `${schema}.${name}`;
    const { oneof = {}, required = [], output = [], optional = [] } = this.notes;
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
      return { kind: "enum", name: `${this.protoName(schema)}.${enumeration}`, values: rest };
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
