import type { z } from "zod";
import { tokenOf, type LookupDefinition, type ResourceDefinition } from "./definition";
import type { Diff } from "./diff";
import type { LookupFunction, PriorOf, ResourceLifecycle } from "./lifecycle";
import type { Problem } from "./problem";
import { typed, typedPart, typedPartWithUnknowns, typedWithUnknowns } from "./typed";
import type { Values } from "./unknown";

/**
 * Lifecycles and lookups as the runtime keeps them side by side: plain values in and out. This is the one place where
 * plain values become the types of a definition; behind it, nothing looks at a type again.
 */

/** What an engine remembers of a resource, as a front hands it over. */
export interface Prior {
  id: string;
  /** Absent through fronts whose engine keeps outputs only. */
  inputs?: Values;
  state: Values;
}

/** A resource as it now is, for a front. */
export interface Current {
  id: string;
  inputs: Values;
  state: Values;
}

/** A `ResourceLifecycle` of any definition; its docstrings hold here too. */
export interface UntypedLifecycle<C> {
  check(inputs: Values, identity?: string): Problem[];
  idOf(state: Values): string | undefined;
  diff(prior: Prior, inputs: Values, identity?: string): Diff;
  collides(prior: Prior, inputs: Values): boolean;
  plan(inputs: Values, prior?: Prior): Values;
  previewCreate(inputs: Values, secret: readonly string[], call: C): Promise<void>;
  preflight(inputs: Values, call: C): Promise<string[]>;
  create(inputs: Values, call: C): Promise<{ id: string; state: Values }>;
  /** Reads what is remembered; without `prior`, imports what the user names by `id`. */
  read(id: string, prior: Omit<Prior, "id"> | undefined, call: C): Promise<Current | undefined>;
  update(prior: Prior, inputs: Values, call: C): Promise<Values>;
  delete(prior: Prior, call: C): Promise<void>;
}

/** Each method throws InputError where values are not of the definition's types. */
export function untypedLifecycle<I extends z.ZodObject, O extends z.ZodObject, P extends { id: string }, C>(
  definition: ResourceDefinition<I, O>,
  lifecycle: ResourceLifecycle<ResourceDefinition<I, O>, P, C>,
): UntypedLifecycle<C> {
  const token = tokenOf(definition);
  const known = (inputs: Values) => typed(definition.inputs, inputs, `the inputs of this ${token}`);
  const planned = (inputs: Values) => typedWithUnknowns(definition.inputs, inputs, `the inputs of this ${token}`);
  const compared = (inputs: Values) => typedPartWithUnknowns(definition.inputs, inputs, `the inputs of this ${token}`);
  const stateOf = (state: Values) => ({
    ...typedPart(definition.inputs, state, `the state of this ${token}`),
    ...typedPart(definition.outputs, state, `the state of this ${token}`),
  });
  const recognized = ({ id, inputs, state }: Prior): P => {
    const remembered: PriorOf<ResourceDefinition<I, O>> = { id, state: stateOf(state) };
    if (inputs) remembered.inputs = typedPart(definition.inputs, inputs, `the old inputs of this ${token}`);
    return lifecycle.recognize(remembered);
  };
  return {
    check: (inputs, identity) => lifecycle.check?.(planned(inputs), identity) ?? [],
    idOf: (state) => lifecycle.idOf(stateOf(state)),
    diff: (prior, inputs, identity) => lifecycle.diff(recognized(prior), compared(inputs), identity),
    collides: (prior, inputs) => lifecycle.collides?.(recognized(prior), compared(inputs)) ?? false,
    plan: (inputs, prior) => lifecycle.plan(planned(inputs), prior && recognized(prior)),
    previewCreate: async (inputs, secret, call) => lifecycle.previewCreate?.(planned(inputs), secret, call),
    preflight: async (inputs, call) => lifecycle.preflight?.(known(inputs), call) ?? [],
    create: async (inputs, call) => lifecycle.create(known(inputs), call),
    read: async (id, prior, call) =>
      prior ? lifecycle.read(recognized({ ...prior, id }), call) : lifecycle.import(id, call),
    update: async (prior, inputs, call) => lifecycle.update(recognized(prior), known(inputs), call),
    delete: async (prior, call) => lifecycle.delete(recognized(prior), call),
  };
}

/** A lookup of any definition: arguments that passed the check, to its result. */
export function untypedLookup<A extends z.ZodObject, R extends z.ZodObject, C>(
  definition: LookupDefinition<A, R>,
  run: LookupFunction<z.infer<A>, z.infer<R>, C>,
): LookupFunction<Values, Values, C> {
  return async (args, call) => run(typed(definition.args, args, `the arguments of ${tokenOf(definition)}`), call);
}
