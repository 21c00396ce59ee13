import type { z } from "zod";
import { tokenOf, type ResourceDefinition } from "../../core/definition";
import type { AnyLifecycle, Prior, ResourceLifecycle } from "../../core/lifecycle";
import { typedPart, typedPartWithUnknowns } from "../../core/typed";
import type { Values } from "../../core/unknown";
import type { Call } from "../../http/call";
import type { LifecycleContext } from "./lifecycle-context";

/** A resource type. `connect` gives its lifecycle the APIs. */
export interface Resource {
  readonly definition: ResourceDefinition;
  connect(context: LifecycleContext): ConnectedResource;
}

/**
 * A lifecycle, and the checks of the values that it gets. The inputs of a program have passed `Provider.check` and are not
 * checked again. No check has validated a state: an older release or another provider may have written it.
 */
export interface ConnectedResource {
  definition: ResourceDefinition;
  lifecycle: AnyLifecycle<Call>;
  /**
   * What the engine remembers, as the lifecycle's other methods take it.
   *
   * @throws InputError that names each property of another type, or when it is unclear which resource is meant
   */
  recognize(prior: Prior): { id: string };
  /** A state of this resource. @throws InputError that names each property of another type */
  typedState(state: Values): Values;
  /** Inputs for a diff: a refresh takes them from the state. @throws InputError that names each property of another type */
  typedInputs(inputs: Values): Values;
}

/** A resource of the provider, for the list in `services/index.ts`. */
export function withLifecycle<I extends z.ZodObject, O extends z.ZodObject, P extends { id: string }>(
  definition: ResourceDefinition<I, O>,
  connect: (context: LifecycleContext) => ResourceLifecycle<ResourceDefinition<I, O>, P, Call>,
): Resource {
  return { definition, connect: (context) => connected(definition, connect(context)) };
}

/** Exported for its test. */
export function connected(definition: ResourceDefinition, lifecycle: AnyLifecycle<Call>): ConnectedResource {
  const resource = `this ${tokenOf(definition)}`;
  const typedState = (state: Values) => ({
    ...typedPart(definition.inputs, state, `the state of ${resource}`),
    ...typedPart(definition.outputs, state, `the state of ${resource}`),
  });
  return {
    definition,
    lifecycle,
    recognize: ({ id, inputs, state }) =>
      lifecycle.recognize({
        id,
        ...(inputs && { inputs: typedPart(definition.inputs, inputs, `the old inputs of ${resource}`) }),
        state: typedState(state),
      }),
    typedState,
    typedInputs: (inputs) => typedPartWithUnknowns(definition.inputs, inputs, `the inputs of ${resource}`),
  };
}
