import { configurationKeys, DEFAULTS } from "../../core/config/definition";
import { checkedConfiguration, sourceOf, type ResolvedConfiguration } from "../../core/config/resolve";
import type { ServiceDefinition } from "../../core/definition";
import { ConfigurationError } from "../../core/errors";
import type { Values } from "../../core/unknown";
import { endpointOf } from "../../http/endpoints";
import { unplannedSettings, type GrantSettings } from "./stated-settings";

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
