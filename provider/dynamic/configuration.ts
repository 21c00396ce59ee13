import { PACKAGE_NAME } from "../core/definition";
import type { Values } from "../core/unknown";

/** Keys that Pulumi itself reads from a provider's configuration. */
const PULUMIS_KEYS: readonly string[] = ["version", "pluginDownloadURL"];

/**
 * The provider's part of a stack's configuration, misspelled keys included: they are refused and not ignored, for a
 * setting that does nothing may be the one that keeps others' access.
 *
 * @param stack every key of the stack's configuration with its namespace, such as `perimeter:project`
 */
export function ownConfiguration(stack: Readonly<Record<string, unknown>>): Values {
  const prefix = `${PACKAGE_NAME}:`;
  return Object.fromEntries(
    Object.entries(stack)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value])
      .filter(([key]) => !PULUMIS_KEYS.includes(key as string)),
  );
}
