import type { Environment } from "../../provider/core/environment";
import type { ForeignStep } from "../foreign/foreign-steps";
import type { HiddenValues } from "../hidden-values";
import type { Plan, PlannedState } from "../plan/plan";
import type { ProviderSettings } from "../plan/provider-settings";

/** The inputs of a rehearsal. Messages of its result may contain hidden values: see `HiddenValues.scrubbed`. */
export interface RehearsalRequest {
  plan: Plan;
  /** The resources of the stack's export. Undefined without an export: then unchanged resources may be unknown. */
  state: readonly PlannedState[] | undefined;
  settings: ProviderSettings;
  hidden: HiddenValues;
  /** Environment variables, as the provider reads them. */
  environment: Environment;
  /** The steps of other providers, which the rehearsal does not run. @default none */
  foreign?: readonly ForeignStep[];
  /** Whether the policies above the resources are read, too. @default true */
  inherited?: boolean;
  /** Whether resources whose grants do not change are reviewed, too. @default for the current access only */
  all?: boolean;
  /** Milliseconds for each live request with its retries. @default 15,000 */
  timeout?: number;
}
