import type { SecretTexts } from "../core/secrets";
import type { SecretPath } from "../runtime/kept-properties";
import { isEngineUnknown } from "../runtime/unknowns";

/** Adds the values at the paths to the texts that messages must not show. Skips absent and unknown values. */
export function noteSecrets(values: unknown, paths: readonly SecretPath[], texts: SecretTexts): void {
  for (const path of paths) {
    const value = valueAt(values, path);
    if (!isEngineUnknown(value)) texts.add(value);
  }
}

/** The value at a path, or the value at which the path ends early, which then contains the secret. */
function valueAt(values: unknown, path: SecretPath): unknown {
  return path.reduce((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : at), values);
}
