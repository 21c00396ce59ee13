import type { Environment } from "../../provider/core/config/environment";
import type { Plan, PlannedState } from "../plan/plan";
import type { ProviderSettings } from "../plan/provider-settings";

/** What a rehearsal needs. */
export interface RehearsalRequest {
  plan: Plan;
  /** Of the stack's export. Undefined where it is not there: unchanged resources may be unknown then. */
  state: readonly PlannedState[] | undefined;
  settings: ProviderSettings;
  /** Environment variables, as the provider reads them. */
  environment: Environment;
  /** Milliseconds for each live request with its retries. @default 15,000 */
  timeout?: number;
}
