import type { Environment } from "../core/environment";
import { resolveConfiguration, typedConfiguration, type ResolvedConfiguration } from "../core/config/resolve";
import type { Values } from "../core/unknown";

/** An unchecked configuration, for tests of code after the check. */
export function uncheckedConfiguration(given: Values, environment: Environment = {}): ResolvedConfiguration {
  const resolved = resolveConfiguration(typedConfiguration(given), environment);
  return { ...resolved, values: resolved.values };
}
