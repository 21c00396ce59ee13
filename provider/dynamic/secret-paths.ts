import type { PathSegment } from "../core/problem";
import type { SecretTexts } from "../core/secrets";
import { isRecord } from "../core/unknown";
import { isEngineUnknown } from "../runtime/unknowns";

/**
 * Where a secret is among a resource's values. Pulumi's dynamic server takes the marks away before the provider's process
 * sees the values, so the program tells it the places.
 */
export type SecretPath = readonly PathSegment[];

/** Notes the values at the paths. What is not there, or not known yet, is left out. */
export function noteSecrets(values: unknown, paths: readonly SecretPath[], texts: SecretTexts): void {
  for (const path of paths) {
    const value = path.reduce<unknown>(
      (at, key) => (isRecord(at) || Array.isArray(at) ? at[key as never] : at),
      values,
    );
    if (!isEngineUnknown(value)) texts.add(value);
  }
}
