import { COMMAND } from "../command";
import { addressProblem } from "../core/config/address";
import { DEFAULTS } from "../core/config/definition";
import { settingOf, sourceOf, type ResolvedConfiguration } from "../core/config/resolve";
import type { ServiceDefinition } from "../core/definition";
import { ConfigurationError } from "../core/errors";
import { quote } from "../core/problem";
import { textOf } from "../core/unknown";

const LOOPBACK = /^(localhost|[^/:]+\.localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/;

/**
 * Whether a host is this machine. Requests to it never leave the machine.
 *
 * @param hostname without a port; an IPv6 address with or without its brackets.
 */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** The domain of the cloud universe whose APIs the provider calls. */
export function universeOfProvider({ values }: Pick<ResolvedConfiguration, "values">): string {
  return values.universeDomain ?? DEFAULTS.universeDomain;
}

/** The default base URL of a service: `https://healthcare.googleapis.com/v1/`. */
export function defaultBaseUrl(
  { api, host = api, version }: ServiceDefinition,
  universe: string = DEFAULTS.universeDomain,
): string {
  return `https://${host}.${universe}/${version}/`;
}

/**
 * Whether another API, at its address, is in the cloud of a service. Where it has only its public address, the service must be in
 * the same domain: Google must not be asked about the resources of an emulator or a private cloud.
 *
 * @param serviceUrl the base URL of the service. @param otherUrl that of the other API.
 */
export function isInOneCloud(serviceUrl: string, other: ServiceDefinition, otherUrl: string): boolean {
  const [host, ...domain] = new URL(otherUrl).hostname.split(".");
  return host !== other.api || new URL(serviceUrl).hostname.endsWith(`.${domain.join(".")}`);
}

/** The address of a service, and whether it receives credentials. */
export interface Endpoint {
  /** With version and trailing slash: `https://host/v1/`. */
  baseUrl: string;
  authenticated: boolean;
  kind: "public" | "custom" | "emulator";
  /** True for an emulator on any machine, and for an address of this machine. */
  isLocal: boolean;
  /** The configuration key or environment variable that sets it; undefined for the public one. */
  source?: string;
  /** What a user can do if no server listens there; undefined if they can do nothing. */
  whenRefused?: string;
}

/**
 * The endpoint of a service: the first of these that is set.
 *  1. `{service}CustomEndpoint` in the configuration, then `GOOGLE_{SERVICE}_CUSTOM_ENDPOINT`, each with every name of the
 *     service; then its entry in `endpoints`;
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
  // An emulator in the configuration is preferred to an endpoint in the environment.
  const emulatorFirst = emulator !== undefined && !fromEnvironment.has("emulatorHost") && fromEnvironment.has(key);
  if (emulator !== undefined && (custom === undefined || emulatorFirst)) {
    const port = emulator.slice(emulator.lastIndexOf(":") + 1);
    return {
      baseUrl: `http://${emulator}/${service.isPrefixed ? `${service.api}/` : ""}${service.version}/`,
      authenticated: false,
      kind: "emulator",
      isLocal: true,
      source: sourceOf("emulatorHost", configuration),
      whenRefused: `Is the emulator running? Start it with: ${COMMAND} emulator --port ${port}`,
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
    ...(loopback ? { whenRefused: `Is the server that ${source} names running?` } : {}),
  };
}

/** The endpoint that the configuration sets for a service, and its key. An explicit one is preferred to the environment's. */
function customEndpoint(
  service: ServiceDefinition,
  { values, fromEnvironment }: ResolvedConfiguration,
): { key: string; url?: string } {
  const settings = new Map<string, unknown>(Object.entries(values));
  const keys = service.endpointKeys.map((each) => `${each}CustomEndpoint`);
  const given = keys.filter((each) => settings.get(each) !== undefined);
  const key = given.find((each) => !fromEnvironment.has(each)) ?? given[0];
  if (key !== undefined) return { key, url: textOf(settings.get(key)) || undefined };
  const url = values.endpoints?.[service.api] || undefined;
  return url === undefined ? { key: keys[0] ?? "endpoints" } : { key: "endpoints", url };
}

/** @param setting the setting of the URL, for the message. @throws ConfigurationError for text that is not a base URL */
function checkedUrl(base: string, setting: string): URL {
  const problem = addressProblem(base, "base URL");
  if (problem === undefined) return new URL(base);
  // A URL with "@" may hold a password.
  throw new ConfigurationError(`${setting} ${problem}${base.includes("@") ? "" : `, got ${quote(base)}`}`);
}

/** The URL with the provider's version of the API: users set it for several tools, with another version or none. */
function withVersion(base: string, version: string): string {
  const trimmed = base.replace(/\/+$/, "").replace(/(?<!\/)\/v\d+[a-z0-9]*$/, "");
  const service = version.split("/").slice(0, -1).join("/");
  const isIncluded = service !== "" && trimmed.endsWith(`/${service}`);
  const root = isIncluded ? trimmed.slice(0, -service.length - 1) : trimmed;
  return `${root}/${version}/`;
}

/**
 * Whether a host in a full name or URL is a host of the API:
 *  - `{api}.googleapis.com` and Google's variants of it: mTLS, regional and private endpoints, and the older
 *    `www.googleapis.com/{api}/`; the same in the configured universe;
 *  - the configured endpoint;
 *  - this machine.
 *
 * @param text the full name or URL.
 * @param host its host, with the port.
 * @param services all services of the provider: each may have an endpoint of its own.
 */
export function isHostOf(
  api: string,
  text: string,
  host: string,
  configuration: ResolvedConfiguration,
  services: readonly ServiceDefinition[],
): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  if (isLoopback(name)) return true;
  const universes = [DEFAULTS.universeDomain, universeOfProvider(configuration)];
  const isGoogles = universes.some(
    (universe) =>
      (name === `www.${universe}` && text.includes(`//${host}/${api}/`)) ||
      (name.endsWith(`.${universe}`) && new RegExp(`^${api}[.-]`).test(name)),
  );
  return (
    isGoogles ||
    services.some((each) => each.api === api && new URL(endpointOf(each, configuration).baseUrl).host === host)
  );
}
