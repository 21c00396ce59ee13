import type { Service } from "./generated/services";
import { ownProperty } from "./json";
import type { Field, FieldType, Message } from "./schema";

export { SERVICES, type DescribedService, type Service } from "./generated/services";

/**
 * The content of the discovery document of one version of an API, in the compact form of `generated/`. `make generate` writes
 * it from the documents in tests/wire/discovery/.
 */
export interface ApiDescription {
  readonly service: Service;
  readonly version: string;
  /** The methods by id, without the name of the API, e.g. `projects.locations.triggers.create`. */
  readonly methods: Readonly<Record<string, MethodDescription>>;
  /**
   * The types of the fields, by the name of the schema, e.g. `output list EventFilter`. A type consists of marks (`output`,
   * `required`, `immutable`, `input`), then `list` or `map`, then `string`, `enum FIRST_VALUE SECOND_VALUE` or the name of a
   * schema.
   */
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface MethodDescription {
  readonly verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path without version and action, e.g. `projects/{project}/locations/{location}/triggers`. */
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

/** The values of a method's own query parameters by camelCase name. Dots are kept: `options.requestedPolicyVersion`. */
export type QueryValues = Record<string, string | number | boolean | undefined>;

/** Facts about an API that are not in its discovery document. They are written by hand in the folder of the service. */
export interface ApiNotes {
  /** The name in error messages and in the console, e.g. `GKE Hub API`. */
  readonly title: string;
  /** The name of the protobuf package, if it differs from the name of the service: `clouddms`. */
  readonly package?: string;
  /** Returns the name of a message in the package for the name of its schema. @default the name of the schema */
  readonly messageName?: (schema: string) => string;
  /** The error message for a caller without a permission. @default the message of most APIs (`permissionDenied`) */
  readonly denial?: (permission: string, resource: string) => string;
  /** The error message for a resource that does not exist. @default `Resource '{name}' was not found` */
  readonly missing?: (name: string) => string;
  /** Whether errors have the older format: a list of reasons in place of a status and details. */
  readonly olderErrors?: boolean;
  /** Whether a requestId can be any text, and not only a UUID. */
  readonly anyRequestId?: boolean;
  /** Unions: `Schema.union` -> its fields. A request may set one of them. */
  readonly oneof?: Readonly<Record<string, readonly string[]>>;
  /** Fields, as `Schema.field`, that are required although the document does not say so. */
  readonly required?: readonly string[];
  /** Fields, as `Schema.field`, that are output-only although the document does not say so. */
  readonly output?: readonly string[];
  /** Fields, as `Schema.field`, that are optional although the document calls them required. */
  readonly optional?: readonly string[];
}

type Scalar = Exclude<FieldType["kind"], "enum" | "message" | "list" | "map">;

const SCALARS = new Set<string>(["string", "bool", "int32", "int64", "bytes", "timestamp", "duration", "struct"]);

/** Messages that several APIs share, by the name of the schema without its prefix. */
const SHARED: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(SetIamPolicyRe|TestIamPermissionsRe)\w+$|^(Policy|Binding|AuditConfig|AuditLogConfig)$/, "google.iam.v1"],
  [/^Expr$/, "google.type"],
  [/^Status$/, "google.rpc"],
  [/^Empty$/, "google.protobuf"],
  [/^(Operation|CancelOperationRequest|ListOperationsResponse)$/, "google.longrunning"],
  [/^(Location|ListLocationsResponse)$/, "google.cloud.location"],
];

/** Prefixes of the names of shared messages in some documents. */
const SHARED_PREFIX = /^Google(Longrunning|Rpc|IamV1)/;

/** One version of an API: the descriptions of its methods, and its messages. A message is built on its first use. */
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
    /** Another version that has the same methods and messages. */
    version = description.version,
  ) {
    this.service = description.service;
    this.version = version;
    this.methods = description.methods;
    this.package = `google.cloud.${notes.package ?? this.service}.${version}`;
  }

  /** @param schema the name in the discovery document */
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

  /** The message with this full name, e.g. the metadata of operations; undefined if the document does not have it. */
  messageNamed(name: string): Message | undefined {
    const schema = Object.keys(this.description.messages).find((each) => this.protoName(each) === name);
    return schema === undefined ? undefined : this.message(schema);
  }

  /** The full name of a message, e.g. `google.iam.v1.Policy`. Errors and the `@type` of operations show it. */
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
 * Merges the versions of a message into one with all fields, for storage. Enums get the values of all versions.
 *
 * @param shapes at least one. The first one gives the name, and the first one with a field gives the marks of the field
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
