import { isEndpointKey } from "../../core/config/definition";
import type { Uncertainty } from "../result";
import type { RehearsedProviders } from "./rehearsed-providers";

/** Settings that decide what a step does, or to which cloud, beside those of endpoints. */
const DECISIVE = ["grantMode", "allowLockout", "universeDomain"];

/** What the settings leave open, and that belongs to no resource. */
export function uncertaintiesOf(providers: RehearsedProviders): Uncertainty[] {
  return providers.all().flatMap(({ settings: { key, hidden } }) =>
    hidden
      .filter((name) => isEndpointKey(name) || DECISIVE.includes(name))
      .map((name): Uncertainty => ({
        code: "not known yet",
        message: `The setting ${name} of the provider ${key} is secret or not known yet: the review took it as not set`,
      })),
  );
}
