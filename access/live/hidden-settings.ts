import { isDecisiveKey } from "../../provider/core/config/definition";
import type { Uncertainty } from "../result/result";
import type { StackClouds } from "./clouds";

/** Settings of a stack's providers that are secret or not known yet, so that what was read may not be what the stack has. */

/** The hidden settings that decide which policies are read, or how. */
export function unknownSettings(clouds: StackClouds): Uncertainty[] {
  return clouds.all().flatMap(({ settings: { key, hidden } }) =>
    hidden.filter(isDecisiveKey).map((name): Uncertainty => ({
      code: "not known yet",
      message: `The setting ${name} of the provider ${key} is secret or not known yet: the review treated it as not set`,
    })),
  );
}

const CREDENTIALS = ["accessToken", "credentials"];

/** Sentences about hidden credentials, in whose place those of the environment were used. */
export function credentialNotes(clouds: StackClouds): string[] {
  return clouds.all().flatMap(({ settings }) => {
    const names = settings.hidden.filter((name) => CREDENTIALS.includes(name));
    if (names.length === 0) return [];
    const are = names.length === 1 ? "is" : "are";
    const who = `${names.join(" and ")} of the provider ${settings.key}`;
    return [`${who} ${are} secret: the review used the credentials of its own environment`];
  });
}
