import type { z } from "zod";
import type { Documentation } from "./documentation";
import type { NameTemplate } from "./reference";

export const PACKAGE_NAME = "perimeter";

/** One cloud API: its address, and how a user overrides the address. */
export interface ServiceDefinition {
  /** The middle part of every token of the service: `{service}/{version}` (spec section 9). */
  readonly module: string;
  /** The API's host is `{api}.googleapis.com`. Seeds, logs and gcloud's variables also use this name. */
  readonly api: string;
  readonly version: string;
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
  /** Optional inputs that always have a value in the finished resource. */
  readonly computedInputs: readonly (keyof z.infer<Inputs> & string)[];
  /** Inputs that the id contains. Engines store ids in plain text, so the id is random when one of these inputs is secret. */
  readonly idContains: readonly (keyof z.infer<Inputs> & string)[];
  /** The forms of an id for the import of an existing resource, for documentation and messages. */
  readonly importIds: readonly string[];
  /** The types of the resource in other providers, declared as aliases: a stack with one of them keeps the resource. */
  readonly aliases: readonly string[];
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
}

/** `perimeter:{service}/{version}:{Name}`: the same in every front and language. */
export function tokenOf(definition: { service: ServiceDefinition; name: string }): string {
  return `${PACKAGE_NAME}:${definition.service.module}:${definition.name}`;
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
