import { PACKAGE_NAME, PULUMI_KEYS } from "../core/definition";
import type { Values } from "../core/unknown";

/**
 * The provider's part of a stack's configuration, with misspelled keys. The provider refuses unknown keys: a misspelled
 * setting would have no effect, and could be the setting that keeps others' access.
 *
 * @param stack every key of the stack's configuration with its namespace, such as `perimeter:project`
 */
export function ownConfiguration(stack: Values): Values {
  const prefix = `${PACKAGE_NAME}:`;
  const keys = Object.keys(stack).filter((key) => key.startsWith(prefix));
  const own = keys.map((key): [string, unknown] => [key.slice(prefix.length), stack[key]]);
  return Object.fromEntries(own.filter(([key]) => !PULUMI_KEYS.includes(key)));
}
