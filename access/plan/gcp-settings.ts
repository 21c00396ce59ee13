import { configurationKeys } from "../../provider/core/config/definition";
import { jsonIn } from "../../provider/core/json";
import { isRecord, filterProperties, type Values } from "../../provider/core/unknown";
import { policyKinds } from "../../provider/iam/kinds/kinds";
import { apiNamed } from "../meaning/api-names";

/**
 * Converts the settings of `@pulumi/gcp`: most keys have the same name and meaning as this provider's, and its endpoints become
 * `endpoints` by API.
 *
 * @returns `values`: with the keys of this provider's configuration. `places`: the project, region and zone. `unusable`: the
 * settings that decide about credentials or addresses and that a review cannot use.
 */
export function gcpSettings(all: Values): { values: Values; places: Values; unusable: string[] } {
  const { project, region, zone, externalCredentials } = all;
  const own = new Set(configurationKeys());
  const values: Values = {};
  const endpoints: Values = {};
  for (const [key, value] of Object.entries(all)) {
    const name = /^(\w+)CustomEndpoint$/.exec(key)?.[1];
    if (own.has(key)) values[key] = value;
    else if (name !== undefined) endpoints[apiNamed(name)] = value;
  }
  const known = new Set(policyKinds().map(({ api }) => api));
  const used = Object.entries(endpoints).filter(([api]) => known.has(api));
  const given = typeof values.endpoints === "string" ? jsonIn(values.endpoints) : values.endpoints;
  const merged = { ...(isRecord(given) ? given : {}), ...Object.fromEntries(used) };
  return {
    values: Object.keys(merged).length > 0 ? { ...values, endpoints: merged } : values,
    places: filterProperties({ project, region, zone }, (_name, value) => value !== undefined),
    unusable: externalCredentials === undefined ? [] : ["externalCredentials"],
  };
}
