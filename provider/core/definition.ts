import type { z } from "zod";
import type { NameTemplate } from "./reference";

export const PACKAGE_NAME = "perimeter";

/** One cloud API, as data: where it lives and how a user overrides that. */
export interface ServiceDefinition {
  /** Middle part of every token of the service: `{service}/{version}`, spec section 9. */
  readonly module: string;
  /** Host name: `{api}.googleapis.com`; also the service's name in seeds, logs and gcloud's variables. */
  readonly api: string;
  readonly version: string;
  /** As people say it: "Network Security API". */
  readonly title: string;
  /** `{key}CustomEndpoint` in the configuration overrides where the service is; the first that is set wins. */
  readonly endpointKeys: readonly string[];
}

/** What a resource is: names, inputs, outputs, documentation. What happens to it is its lifecycle's. */
export interface ResourceDefinition<
  Inputs extends z.ZodObject = z.ZodObject,
  Outputs extends z.ZodObject = z.ZodObject,
> {
  readonly kind: "resource";
  readonly service: ServiceDefinition;
  readonly name: string;
  readonly description: string;
  readonly inputs: Inputs;
  /** Outputs beside the inputs, which are outputs too. */
  readonly outputs: Outputs;
  /** Optional inputs that the finished resource always has a value for, given or not. */
  readonly presentWhenOmitted: readonly string[];
  /** Inputs that the id shows. Where one of them is secret, the id, which engines keep in plain text, is another one. */
  readonly idShows: readonly string[];
  /** How a user names an existing one to import it, in the order in which they are tried. */
  readonly importIds: readonly string[];
  /** Tokens of older providers whose resources this one takes over. */
  readonly aliases: readonly string[];
}

/** The inputs of a resource, as the check leaves them: with the configuration's defaults, references in normal form. */
export type InputsOf<D extends ResourceDefinition> = z.infer<D["inputs"]>;

/** A whole state: the inputs, and the outputs beside them. */
export type StateOf<D extends ResourceDefinition> = z.infer<D["inputs"]> & z.infer<D["outputs"]>;

/** What there is of a state: others may have written it, and an interrupted create leaves a part only. */
export type PartialStateOf<D extends ResourceDefinition> = Partial<z.infer<D["inputs"]>> &
  Partial<z.infer<D["outputs"]>>;

/** What a lookup is: its arguments and its result. `V`: the arguments that the name of the resource is made of. */
export interface LookupDefinition<
  Args extends z.ZodObject = z.ZodObject,
  Result extends z.ZodObject = z.ZodObject,
  V extends string = string,
> {
  readonly kind: "lookup";
  readonly service: ServiceDefinition;
  readonly name: string;
  readonly description: string;
  readonly args: Args;
  readonly result: Result;
  /** Name of the resource that is looked up, with the arguments' names as variables (`{scopeId}`). */
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
