import { addressProblem } from "../core/config/address";
import { DEFAULTS } from "../core/config/definition";
import { settingOf, sourceOf, type ResolvedConfiguration } from "../core/config/resolve";
import type { ServiceDefinition } from "../core/definition";
import { ConfigurationError } from "../core/errors";
import { quote } from "../core/problem";
import { textOf } from "../core/unknown";
import { isLoopback } from "./loopback";

/** The domain of the cloud universe whose APIs the provider calls. */
export function universeOfProvider({ values }: Pick<ResolvedConfiguration, "values">): string {
  return values.universeDomain ?? DEFAULTS.universeDomain;
}

/** Where a service is unless somebody says so: `https://healthcare.googleapis.com/v1/`. */
export function defaultBaseUrl(
  { api, version }: ServiceDefinition,
  universe: string = DEFAULTS.universeDomain,
): string {
  return `https://${api}.${universe}/${version}/`;
}

/** Where a service is, and whether it gets to see credentials. */
export interface Endpoint {
  /** With version and trailing slash: `https://host/v1/`. */
  baseUrl: string;
  authenticated: boolean;
  kind: "public" | "custom" | "emulator";
  /** An emulator, wherever it is, or an address of this machine. */
  isLocal: boolean;
  /** The configuration key or environment variable that names it; undefined for the public one. */
  source?: string;
  /** What a user can do where nothing listens there; undefined where that is not theirs to do. */
  whenRefused?: string;
}

/**
 * The endpoint of a service, first match wins:
 *  1. `{service}CustomEndpoint` in the configuration, then `GOOGLE_{SERVICE}_CUSTOM_ENDPOINT`, each by every name that the
 *     service has;
 *  2. `emulatorHost`, then `PERIMETER_EMULATOR_HOST`: every service, without credentials;
 *  3. gcloud's `CLOUDSDK_API_ENDPOINT_OVERRIDES_{API}`, which has no version;
 *  4. `https://{api}.{universeDomain}/{version}/`.
 *
 * @throws ConfigurationError for a plain http URL that would carry a token over a network.
 */
export function endpointOf(service: ServiceDefinition, configuration: ResolvedConfiguration): Endpoint {
  const { values, fromEnvironment, environment } = configuration;
  const { key, url: custom } = customEndpoint(service, configuration);
  const emulator = values.emulatorHost;
  // An emulator in the configuration beats an endpoint in the environment.
  const emulatorFirst = emulator !== undefined && !fromEnvironment.has("emulatorHost") && fromEnvironment.has(key);
  if (emulator !== undefined && (custom === undefined || emulatorFirst)) {
    const port = emulator.slice(emulator.lastIndexOf(":") + 1);
    return {
      baseUrl: withVersion(`http://${emulator}`, service.version),
      authenticated: false,
      kind: "emulator",
      isLocal: true,
      source: sourceOf("emulatorHost", configuration),
      whenRefused: `Is the emulator running? Start it with: npx pulumi-perimeter emulator --port ${port}`,
    };
  }
  const gcloudVariable = `CLOUDSDK_API_ENDPOINT_OVERRIDES_${service.api.toUpperCase()}`;
  const gcloud = environment[gcloudVariable];
  const base = custom ?? (gcloud || defaultBaseUrl(service, universeOfProvider(configuration)));
  const isPublic = custom === undefined && !gcloud;
  const isGcloud = custom === undefined && Boolean(gcloud);
  const source = isGcloud ? gcloudVariable : sourceOf(key, configuration);
  const url = checkedUrl(base, isGcloud ? gcloudVariable : settingOf(key, configuration));
  const loopback = isLoopback(url.hostname);
  const authenticated = !loopback || values.sendCredentialsToLoopback === true;
  if (authenticated && !loopback && url.protocol === "http:") {
    throw new ConfigurationError(
      `${source} is ${url.origin}: a token would be sent over the network in plain text. Use https, or emulatorHost for an emulator`,
    );
  }
  return {
    baseUrl: withVersion(base, service.version),
    authenticated,
    isLocal: loopback,
    ...(isPublic ? { kind: "public" } : { kind: "custom", source }),
    ...(loopback ? { whenRefused: `Is what ${source} names running?` } : {}),
  };
}

/** The endpoint that the configuration names for a service, and under which key: an explicit one beats the environment's. */
function customEndpoint(
  service: ServiceDefinition,
  { values, fromEnvironment }: ResolvedConfiguration,
): { key: string; url?: string } {
  const settings = new Map<string, unknown>(Object.entries(values));
  const keys = service.endpointKeys.map((each) => `${each}CustomEndpoint`);
  const given = keys.filter((each) => settings.get(each) !== undefined);
  const key = given.find((each) => !fromEnvironment.has(each)) ?? given[0] ?? keys[0] ?? "";
  return { key, url: textOf(settings.get(key)) || undefined };
}

/** @param setting that names the URL, for the message. @throws ConfigurationError for what is not a base URL */
function checkedUrl(base: string, setting: string): URL {
  const problem = addressProblem(base, "base URL");
  if (problem === undefined) return new URL(base);
  // A URL with "@" may hold a password.
  throw new ConfigurationError(`${setting} ${problem}${base.includes("@") ? "" : `, got ${quote(base)}`}`);
}

/** Gives a URL the version that the provider speaks: users of several tools name another one, or none. */
function withVersion(base: string, version: string): string {
  const trimmed = base.replace(/\/+$/, "").replace(/(?<!\/)\/v\d+[a-z0-9]*$/, "");
  return `${trimmed}/${version}/`;
}
