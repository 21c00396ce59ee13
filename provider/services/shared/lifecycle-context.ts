import type { Configuration } from "../../core/config/definition";
import type { ServiceDefinition } from "../../core/definition";
import type { Holders } from "../../core/holders";
import type { DatedApiClient } from "../../http/client";
import type { DeclaredGrants } from "../../iam/declared-grants";
import type { PolicyStore } from "../../iam/policy-store";
import type { UnmanagedGrants } from "../../iam/unmanaged";

/** What lifecycles and lookups work with. Each configured provider has one. */
export interface LifecycleContext {
  /** The client of a service's API. Calls of one service get the same client. */
  client(service: ServiceDefinition): DatedApiClient;
  configuration: Configuration;
  /** Which resources of this run hold or declare which objects in the cloud. */
  holders: Holders;
  /** The grants that this run's program declares. */
  declaredGrants: DeclaredGrants;
  /** A text that tells the place where the engine keeps the state from other such places; undefined where none is known. */
  stateBackend(): Promise<string | undefined>;
  /** Whether `pulumi import` works with this front; the npm front has none. */
  canImport: boolean;
  /** The access policies that this process reads and changes. */
  policies: PolicyStore;
  /** The grants that no resource of the stack explains, for the report at the end of a refresh. */
  unmanaged: UnmanagedGrants;
  /** The provider's own identity as a member of policies, `user:…` or `serviceAccount:…`; undefined where the credentials do not say. */
  caller(service: ServiceDefinition): Promise<string | undefined>;
}
