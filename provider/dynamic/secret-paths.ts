import type { PathSegment } from "../core/problem";
import type { SecretTexts } from "../core/secrets";
import { isEngineUnknown } from "../runtime/unknowns";

/**
 * The path of a secret among a resource's values, such as `["condition", "title"]`. Pulumi's dynamic server unwraps
 * secrets before this package's code sees the values, so the program sends the paths along.
 */
export type SecretPath = readonly PathSegment[];

/** Adds the values at the paths to the texts that no message may show. Skips values that are absent or not known yet. */
export function noteSecrets(values: unknown, paths: readonly SecretPath[], texts: SecretTexts): void {
  for (const path of paths) {
    const value = valueAt(values, path);
    if (!isEngineUnknown(value)) texts.add(value);
  }
}

/** The value at a path, or the value in which the path ends early: that one holds the secret then. */
function valueAt(values: unknown, path: SecretPath): unknown {
  return path.reduce((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : at), values);
}
