import type { z } from "zod";
import type { ResourceDefinition } from "../../core/definition";
import type { ResourceLifecycle } from "../../core/lifecycle";
import { untypedLifecycle, type UntypedLifecycle } from "../../core/untyped";
import type { Call } from "../../http/call";
import type { LifecycleContext } from "./lifecycle-context";

/** What a resource is and what happens to it; `connect` gives it the APIs. */
export interface Resource {
  readonly definition: ResourceDefinition;
  connect(context: LifecycleContext): UntypedLifecycle<Call>;
}

/** A resource of the provider, for the list in `services/index.ts`. */
export function withLifecycle<I extends z.ZodObject, O extends z.ZodObject, P extends { id: string }>(
  definition: ResourceDefinition<I, O>,
  connect: (context: LifecycleContext) => ResourceLifecycle<ResourceDefinition<I, O>, P, Call>,
): Resource {
  return { definition, connect: (context) => untypedLifecycle(definition, connect(context)) };
}
