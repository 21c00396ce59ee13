import type { z } from "zod";
import type { Documentation } from "./documentation";
import type { NameTemplate } from "./reference";

export const PACKAGE_NAME = "perimeter";

/** One cloud API, as data: where it lives and how a user overrides that. */
export interface ServiceDefinition {
  /** The middle part of every token of the service: `{service}/{version}` (spec section 9). */
  readonly module: string;
  /** The API's host is `{api}.googleapis.com`. Seeds, logs and gcloud's variables call the service by this name too. */
  readonly api: string;
  readonly version: string;
  /** The API's name in Google's documentation: "Network Security API". */
  readonly title: string;
  /** `{key}CustomEndpoint` in the configuration says where the service is instead; the first that is set wins. */
  readonly endpointKeys: readonly string[];
}

/** What a resource is: its names, inputs, outputs and documentation. What happens to it is in its lifecycle. */
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
  /** The outputs that are no inputs. Every input is an output too. */
  readonly outputs: Outputs;
  /** Inputs that a program may leave out, and that the finished resource has a value for all the same. */
  readonly presentWhenOmitted: readonly (keyof z.infer<Inputs> & string)[];
  /** Inputs that can be read off the id. Engines keep ids in plain text, so where one of these is secret, the id is a random one. */
  readonly idShows: readonly (keyof z.infer<Inputs> & string)[];
  /** The forms of an id by which a user imports an existing resource, for documentation and messages. */
  readonly importIds: readonly string[];
  /** The types that the resource has in other providers. A stack that has one of these keeps the resource. */
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
  readonly documentation: Documentation;
  readonly args: Args;
  readonly result: Result;
  /** The name of the resource that is looked up. Its variables are names of arguments: `{scopeId}`. */
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
