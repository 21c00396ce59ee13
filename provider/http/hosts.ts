import { DEFAULTS } from "../core/config/definition";
import type { ResolvedConfiguration } from "../core/config/resolve";
import type { ServiceDefinition } from "../core/definition";
import { endpointOf, universeOfProvider } from "./endpoints";
import { isLoopback } from "./loopback";

/**
 * Whether the host in a full name or URL is a host of the API:
 *  - `{api}.googleapis.com` and what Google derives from it: mTLS, regional and private endpoints, and the older
 *    `www.googleapis.com/{api}/`; the same in the configured universe;
 *  - the endpoint that the configuration names;
 *  - this machine.
 *
 * @param text the full name or URL.
 * @param host its host, with the port.
 * @param services all that the provider calls: each may have an endpoint of its own.
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
