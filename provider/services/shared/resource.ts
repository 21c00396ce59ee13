import type { z } from "zod";
import type { Claims } from "../../core/claims";
import type { Configuration } from "../../core/config/definition";
import { tokenOf, type ResourceDefinition, type ServiceDefinition } from "../../core/definition";
import type { AnyLifecycle, Prior, ResourceLifecycle } from "../../core/lifecycle";
import { typedPart, typedPartWithUnknowns } from "../../core/typed";
import type { Values } from "../../core/unknown";
import type { GrantTargets } from "./parent";
import type { Call } from "../../http/call";
import type { ApiClient } from "../../http/client";
import type { DeclaredByPolicy } from "../../iam/declared-grants";
import type { GrantableRoles } from "../../iam/grantable-roles";
import type { PolicyStore } from "../../iam/policy-store";
import type { ProjectIds } from "../../iam/project-ids";

/** A resource type. `connect` gives its lifecycle the APIs. */
export interface Resource {
  readonly definition: ResourceDefinition;
  /** Of a grant: the resources that it can be on. */
  readonly targets?: GrantTargets;
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

/** The API of a service, for one configuration of the provider. */
export interface ServiceApi {
  readonly client: ApiClient;
  /**
   * The quota of policy writes that its resources share; undefined: they are not delayed. The cloud's quota does not apply to an
   * emulator, or to an address of this machine.
   */
  readonly policyWritesPerMinute: number | undefined;
  /** The provider's own identity as a member of policies, `user:…` or `serviceAccount:…`; undefined if the credentials do not show it. */
  caller(): Promise<string | undefined>;
}

/** The shared objects of lifecycles and lookups. Each configured provider has one context. */
export interface LifecycleContext {
  /** The API of a service. Calls of one service get the same object. */
  api(service: ServiceDefinition): ServiceApi;
  configuration: Configuration;
  /** Which resources of this run want, have and made which objects in the cloud. */
  claims: Claims;
  /** A text that identifies the backend of the engine's state; undefined if unknown. */
  stateBackend(): Promise<string | undefined>;
  /** Whether `pulumi import` works with this front; it does not with the npm front. */
  canImport: boolean;
  /** The access policies that this process reads and changes. */
  policies: PolicyStore;
  /** The grants that the resources of this process declare. */
  declaredGrants: DeclaredByPolicy;
  /** The ids of the projects that names have by their numbers. */
  projectIds: ProjectIds;
  /** Which roles can be granted on which kinds of resources. */
  grantableRoles: GrantableRoles;
}
