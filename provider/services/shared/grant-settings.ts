import { configurationKeys, DEFAULTS } from "../../core/config/definition";
import { checkedConfiguration, sourceOf, type ResolvedConfiguration } from "../../core/config/resolve";
import type { ServiceDefinition } from "../../core/definition";
import { ConfigurationError } from "../../core/errors";
import type { Values } from "../../core/unknown";
import { endpointOf } from "../../http/endpoints";

/** The settings that decide how a grant changes an access policy, and in which cloud. */
export interface GrantSettings {
  grantMode: Setting<"replace" | "merge">;
  /** Base URL of the API. */
  endpoint: Setting;
}

export interface Setting<T extends string = string> {
  value: T;
  /** The environment variable that it comes from; absent for a setting of the program, of the stack, or by default. */
  variable?: string;
}

/** The settings that a preview has printed. */
export type StatedSettings = Partial<Record<keyof GrantSettings, Setting>>;

/** The settings of grants on this service's resources. @throws ConfigurationError for an endpoint that cannot be used. */
export function grantSettings(service: ServiceDefinition, configuration: ResolvedConfiguration): GrantSettings {
  const { values, fromEnvironment } = configuration;
  const variableOf = (key: string) =>
    fromEnvironment.has(key) ? { variable: sourceOf(key, configuration) } : undefined;
  const { baseUrl, kind, source } = endpointOf(service, configuration);
  const isVariable = source !== undefined && !configurationKeys().includes(source);
  return {
    grantMode: { value: values.grantMode ?? DEFAULTS.grantMode, ...variableOf("grantMode") },
    endpoint: {
      value: baseUrl,
      ...(kind === "public" ? variableOf("universeDomain") : isVariable && { variable: source }),
    },
  };
}

/** The settings of a grant without environment variables, as a plan shows them. Undefined if the plan's settings are wrong. */
export function plannedGrantSettings(service: ServiceDefinition, planned: Values): GrantSettings | undefined {
  try {
    return grantSettings(service, checkedConfiguration(planned, {}));
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/**
 * The message that states, at preview, the settings of a grant that a plan does not show; undefined if the plan shows all.
 *
 * @param planned the provider's settings that a plan shows.
 */
export function unplannedGrantSettings(
  service: ServiceDefinition,
  configuration: ResolvedConfiguration,
  planned: Values,
): string | undefined {
  const settings = grantSettings(service, configuration);
  return unplannedSettings(service.api, settings, plannedGrantSettings(service, planned));
}

const STATED = "Settings from outside the plan";

/**
 * The message with which a preview states the settings that a plan of it does not show, so that a review of the plan can
 * compare them with its own; undefined where a plan shows all.
 *
 * @param api that the grant is on: `healthcare`.
 */
function unplannedSettings(
  api: string,
  { grantMode, endpoint }: GrantSettings,
  planned: GrantSettings | undefined,
): string | undefined {
  const differs = (one: Setting, other: Setting | undefined) =>
    one.variable !== undefined || one.value !== other?.value;
  const stated = [
    ...(differs(grantMode, planned?.grantMode) ? [`grant mode ${textOfSetting(grantMode)}`] : []),
    ...(differs(endpoint, planned?.endpoint) ? [`${api} API at ${textOfSetting(endpoint)}`] : []),
  ];
  return stated.length === 0 ? undefined : `${STATED}: ${stated.join(", ")}`;
}

/** `merge from PERIMETER_GRANT_MODE` */
export function textOfSetting({ value, variable }: Setting): string {
  return variable === undefined ? value : `${value} from ${variable}`;
}

/** The settings in a message of `unplannedSettings`; undefined for any other message. */
export function statedSettings(message: string): StatedSettings | undefined {
  if (!message.startsWith(`${STATED}: `)) return undefined;
  const settingIn = (pattern: RegExp): Setting | undefined => {
    const [, value, variable] = pattern.exec(message) ?? [];
    return value === undefined ? undefined : { value, ...(variable !== undefined && { variable }) };
  };
  const grantMode = settingIn(/: grant mode (\w+)(?: from (\w+))?/);
  const endpoint = settingIn(/\w API at (\S+\/)(?: from (\w+))?/);
  return { ...(grantMode && { grantMode }), ...(endpoint && { endpoint }) };
}
