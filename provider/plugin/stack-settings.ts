import { configuration, environmentOf, isEndpointKey } from "../core/config/definition";
import type { Environment } from "../core/config/environment";
import { propertiesOf } from "../core/field";
import { recordIn } from "../core/json";
import type { Values } from "../core/unknown";

/**
 * The settings of a provider that a plan shows. Plans omit providers whose name begins with `default` (`IsDefaultProvider` in
 * pulumi/sdk). For these providers, a plan shows only the stack's configuration.
 *
 * @param given the provider's settings as the engine sent them.
 * @param environment as in `untakenSettingsWarning`.
 */
export function plannedSettings(urn: string, given: Values, environment: Environment): Values {
  const isLeftOut = urn.split("::").at(-1)?.startsWith("default");
  return (isLeftOut ? recordIn(environment.PULUMI_CONFIG) : undefined) ?? given;
}

/**
 * The warning for an explicit provider that lacks the stack's settings for access or addresses; undefined if it lacks none.
 *
 * Engines pass the stack's configuration to the default provider only: an explicit provider has its own arguments and the
 * environment. Other keys, such as `project`, are usually the reason for an explicit provider, so they give no warning.
 *
 * @param given the provider's settings as the engine sent them.
 * @param environment of the plugin. Engines put the stack's configuration of this package into its `PULUMI_CONFIG`, as JSON
 * and without the namespace (`plugin.NewProvider` in pulumi/pkg). Without that variable, the result is undefined.
 */
export function untakenSettingsWarning(given: Values, environment: Environment): string | undefined {
  const ofStack = recordIn(environment.PULUMI_CONFIG) ?? {};
  const untaken = propertiesOf(configuration)
    .filter(([key]) => ofStack[key] !== undefined && given[key] === undefined)
    .filter(([key]) => isEndpointKey(key) || (key === "grantMode" && ofStack.grantMode === "merge"))
    .filter(([, schema]) => !environmentOf(schema).some((name) => environment[name]))
    .map(([key]) => key);
  if (untaken.length === 0) return undefined;
  const keys = untaken.map((key) => `perimeter:${key}`).join(", ");
  const instead = untaken.includes("grantMode") ? " Its grants replace the policies of their resources." : "";
  return (
    `This explicit provider ignores ${keys} in the stack's configuration: it uses only its own arguments and the ` +
    `environment.${instead} Give it the ${untaken.length === 1 ? "argument" : "arguments"} ${untaken.join(", ")}`
  );
}
