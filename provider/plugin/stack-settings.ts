import { configuration, environmentOf, isEndpointKey } from "../core/config/definition";
import type { Environment } from "../core/config/environment";
import { propertiesOf } from "../core/field";
import { recordIn } from "../core/json";
import type { Values } from "../core/unknown";

/**
 * The warning for an explicit provider that lacks what the stack's configuration says of access or of addresses;
 * undefined where it lacks none of that.
 *
 * Engines give the stack's configuration to the default provider only: an explicit one has its own arguments and the
 * environment. Other keys, such as `project`, are mostly the reason for having an explicit provider, and go unsaid.
 *
 * @param given the provider's settings as the engine sent them.
 * @param environment of the plugin. Engines put the stack's configuration of this package into its `PULUMI_CONFIG`, as JSON
 *   and without the namespace (`plugin.NewProvider` in pulumi/pkg); without it, nothing is said.
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
    `This explicit provider does not take ${keys} from the stack's configuration: it has its own arguments and the ` +
    `environment only.${instead} Give it the ${untaken.length === 1 ? "argument" : "arguments"} ${untaken.join(", ")}`
  );
}
