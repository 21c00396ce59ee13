import type { z } from "zod";
import type { ErrorCode, RpcStatus } from "./errors";
import type { NameTemplate } from "./reference";
import type { Values } from "./unknown";

export const PACKAGE_NAME = "perimeter";

/** Keys that Pulumi itself reads from a provider's settings. */
export const PULUMI_KEYS: readonly string[] = ["version", "pluginDownloadURL"];

/** The settings of one package, by key, among those of a stack by full key, such as `perimeter:project`. */
export function settingsIn(stack: Values, packageName: string): Values {
  const prefix = `${packageName}:`;
  const own = Object.entries(stack).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value]));
}

/** One cloud API: its address, and how a user overrides the address. */
export interface ServiceDefinition {
  /** The middle part of every token of the service: `{service}/{version}` (the versions: docs/wire.md section 1). */
  readonly module: string;
  /** The API's host is `{api}.googleapis.com`. Seeds, logs and gcloud's variables also use this name. */
  readonly api: string;
  /** The path in front of all names: `v1`, and `compute/v1` for an API with a service path. */
  readonly version: string;
  /** The first part of the host, if it is not the API: `us-central1-aiplatform`. */
  readonly host?: string;
  /** Whether an emulator's paths begin with the API, because other APIs have paths of the same form. */
  readonly isPrefixed?: boolean;
  /** The API's name in Google's documentation: "Network Security API". */
  readonly title: string;
  /** `{key}CustomEndpoint` in the configuration overrides the address of the service; the first key that is set wins. */
  readonly endpointKeys: readonly string[];
  /** The quota of policy writes per minute and project, which all its resources share. Default: unknown, so nothing is delayed. */
  readonly policyWritesPerMinute?: number;
}

/** The definition of a resource: its names, inputs, outputs and documentation. Its lifecycle has the operations. */
export interface ResourceDefinition<
  Inputs extends z.ZodObject = z.ZodObject,
  Outputs extends z.ZodObject = z.ZodObject,
> {
  readonly kind: "resource";
  readonly service: ServiceDefinition;
  readonly name: string;
  readonly description: string;
  readonly documentation: Documentation;
  readonly inputs: Inputs;
  /** The additional outputs. Every input is an output, too. */
  readonly outputs: Outputs;
  /** What a list of these resources in the cloud is asked for. Absent: they cannot be listed. */
  readonly listInputs?: z.ZodObject;
  /** Optional inputs that always have a value in the finished resource. */
  readonly computedInputs: readonly (keyof z.infer<Inputs> & string)[];
  /** Inputs that the id contains. Engines store ids in plain text, so the id is random when one of these inputs is secret. */
  readonly idContains: readonly (keyof z.infer<Inputs> & string)[];
  /** The forms of an id for the import of an existing resource, for documentation and messages. */
  readonly importIds: readonly string[];
  /** The types of the resource in other providers, declared as aliases: a stack with one of them keeps the resource. */
  readonly aliases: readonly string[];
  /** Whether an input names the resource in any API, by its full name. `service` has only the token's module then. */
  readonly isOfAnyApi?: boolean;
}

/** The inputs of a resource after the check: with the configuration's defaults, and references in normal form. */
export type InputsOf<D extends ResourceDefinition> = z.infer<D["inputs"]>;

/** A complete state: the inputs and the outputs. */
export type StateOf<D extends ResourceDefinition> = z.infer<D["inputs"]> & z.infer<D["outputs"]>;

/** A possibly incomplete state: another provider may have written it, or a create may have been interrupted. */
export type PartialStateOf<D extends ResourceDefinition> = Partial<z.infer<D["inputs"]>> &
  Partial<z.infer<D["outputs"]>>;

/** The definition of a lookup: its arguments and its result. `V`: the arguments that form the name of the resource. */
export interface LookupDefinition<
  Args extends z.ZodObject = z.ZodObject,
  Result extends z.ZodObject = z.ZodObject,
  V extends string = string,
> {
  readonly kind: "lookup";
  readonly service: ServiceDefinition;
  readonly name: string;
  readonly description: string;
  readonly documentation: Documentation;
  readonly args: Args;
  readonly result: Result;
  /** The name of the resource to look up. Its variables are names of arguments: `{scopeId}`. */
  readonly resource: NameTemplate<V>;
  /** As of a resource. */
  readonly isOfAnyApi?: boolean;
}

/**
 * The token of a resource type, `perimeter:{service}/{version}:{Name}`.
 *
 * @param type `{service}/{version}:{Name}`
 */
export function tokenOfType(type: string): string {
  return `${PACKAGE_NAME}:${type}`;
}

/** `perimeter:{service}/{version}:{Name}`: the same in every front and language. */
export function tokenOf(definition: { service: ServiceDefinition; name: string }): string {
  return tokenOfType(`${definition.service.module}:${definition.name}`);
}

export function defineResource<I extends z.ZodObject, O extends z.ZodObject>(
  definition: Omit<ResourceDefinition<I, O>, "kind">,
): ResourceDefinition<I, O> {
  return { kind: "resource", ...definition };
}

export function defineLookup<A extends z.ZodObject, R extends z.ZodObject, V extends string>(
  definition: Omit<LookupDefinition<A, R, V>, "kind">,
): LookupDefinition<A, R, V> {
  return { kind: "lookup", ...definition };
}

/** Documentation of a definition. `make generate` writes pages, `sdk/schema.json` and docstrings from it. */

/** A language-independent program with one resource or lookup: `tools/schema/examples` writes it in each language. */
export interface Example {
  /** A heading: "Link a firewall endpoint to a network". */
  readonly title: string;
  /** Preconditions and warnings, in Markdown. Code blocks use the language `sh`, which all SDKs show. */
  readonly text?: string;
  /** The variable name of the resource or result, in camel case. */
  readonly variable: string;
  /** The resource's inputs or the lookup's arguments, all known. */
  readonly values: Values;
  /** The exports of the program: the output's name, and the path of the property: `state.code`. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** A permission that the caller needs in the cloud. */
export interface PermissionNeed {
  /** Such as `gkehub.scopes.get`. */
  readonly permission: string;
  /** On which resource: "the fleet scope". */
  readonly on: string;
  /** For what: "create". */
  readonly for: string;
}

/** An error that is specific to this resource or lookup. */
export interface DocumentedError {
  readonly code: ErrorCode;
  /** The status of an `API` error; each status has a class. */
  readonly status?: RpcStatus;
  /** A clause that can follow "where": "the scope does not exist". */
  readonly when: string;
  /** A sentence. */
  readonly remedy: string;
}

export interface Documentation {
  /** A document with details: its title, and its file in docs/. */
  readonly guide?: { readonly title: string; readonly file: string };
  /** Readers start with the first example, so it must not remove anybody's access. */
  readonly examples: readonly Example[];
  readonly permissions: readonly PermissionNeed[];
  readonly errors: readonly DocumentedError[];
}

/** The class of an error in the npm package: `NotFoundError`. */
export function errorClass({ code, status }: Pick<DocumentedError, "code" | "status">): string {
  if (code === "API" && status === "CANCELLED") return "CancelledByServerError";
  const words = (code === "API" ? (status ?? code) : code).toLowerCase().split("_");
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Error`;
}
