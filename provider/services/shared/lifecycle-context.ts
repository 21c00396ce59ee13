import type { Configuration } from "../../core/config/definition";
import type { ServiceDefinition } from "../../core/definition";
import type { Claims } from "../../core/claims";
import type { ApiClient } from "../../http/client";
import type { PolicyStore } from "../../iam/policy-store";
import type { StackGrants } from "../../iam/stack-grants";

/** The shared objects of lifecycles and lookups. Each configured provider has one context. */
export interface LifecycleContext {
  /** The client of a service's API. Calls of one service get the same client. */
  client(service: ServiceDefinition): ApiClient;
  configuration: Configuration;
  /** Which resources of this run want, have and made which objects in the cloud. */
  claims: Claims;
  /** A text that identifies the backend of the engine's state; undefined if unknown. */
  stateBackend(): Promise<string | undefined>;
  /** Whether `pulumi import` works with this front; it does not with the npm front. */
  canImport: boolean;
  /** The access policies that this process reads and changes. */
  policies: PolicyStore;
  /** The grants of the program and of the state: what a replaced policy may lose, and what a refresh does not report. */
  stackGrants: StackGrants;
  /** The provider's own identity as a member of policies, `user:…` or `serviceAccount:…`; undefined if the credentials do not show it. */
  caller(service: ServiceDefinition): Promise<string | undefined>;
  /** Whether the cloud's quotas apply to a service: not for an emulator or an address of this machine. */
  hasQuota(service: ServiceDefinition): boolean;
}
