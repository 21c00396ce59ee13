import type { ResourceDefinition } from "../../core/definition";
import type { ResourceLifecycle } from "../../core/lifecycle";
import type { Call } from "../../http/call";
import type { LifecycleContext } from "./lifecycle-context";

/** What a resource is and what happens to it; `connect` gives it the APIs. */
export interface Resource {
  definition: ResourceDefinition;
  connect(environment: LifecycleContext): ResourceLifecycle<Call>;
}
