import type { Configuration } from "../../core/config/definition";
import type { ServiceDefinition } from "../../core/definition";
import type { Holders } from "../../core/holders";
import type { DatedApiClient } from "../../http/client";
import type { DeclaredGrants } from "../../iam/declared-grants";
import type { PolicyStore } from "../../iam/policy-store";
import type { UnmanagedGrants } from "../../iam/unmanaged";

/** What a lifecycle or lookup works with: made once for each configured provider. */
export interface LifecycleContext {
  client(service: ServiceDefinition): DatedApiClient;
  configuration: Configuration;
  /** Which resources of this run hold or declare which objects. */
  holders: Holders;
  declaredGrants: DeclaredGrants;
  /** Where the engine keeps the state, in a text that tells backends apart; undefined where nothing says. */
  stateBackend(): Promise<string | undefined>;
  /** Whether users of this front have `pulumi import`. */
  canImport: boolean;
  policies: PolicyStore;
  unmanaged: UnmanagedGrants;
  /** The provider's own identity towards a service, as a member; undefined where the credentials do not say. */
  caller(service: ServiceDefinition): Promise<string | undefined>;
}
