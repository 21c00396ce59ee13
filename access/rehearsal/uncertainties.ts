import { isDecisiveKey } from "../../provider/core/config/definition";
import type { Uncertainty } from "../result";
import type { RehearsedProviders } from "./rehearsed-providers";

/** Unknown facts about the settings, which belong to no resource. */
export function uncertaintiesOf(providers: RehearsedProviders): Uncertainty[] {
  return providers.all().flatMap(({ settings: { key, hidden } }) =>
    hidden.filter(isDecisiveKey).map((name): Uncertainty => ({
      code: "not known yet",
      message: `The setting ${name} of the provider ${key} is secret or not known yet: the review took it as not set`,
    })),
  );
}
