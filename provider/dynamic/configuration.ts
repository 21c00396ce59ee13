import { PACKAGE_NAME, PULUMI_KEYS, settingsIn } from "../core/definition";
import { filterProperties, type Values } from "../core/unknown";

/**
 * The provider's part of a stack's configuration, with misspelled keys. The provider refuses unknown keys: a misspelled
 * setting would have no effect, and could be the setting that keeps others' access.
 *
 * @param stack every key of the stack's configuration with its namespace, such as `perimeter:project`
 */
export function ownConfiguration(stack: Values): Values {
  return filterProperties(settingsIn(stack, PACKAGE_NAME), (key) => !PULUMI_KEYS.includes(key));
}
