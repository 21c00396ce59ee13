import { addressProblem } from "../core/config/address";
import type { Environment } from "../core/environment";
import { causesOf, ConfigurationError, messageOf } from "../core/errors";
import { isLoopback } from "./endpoints";

/** Which requests use a proxy of the environment, and what a user can do about a proxy that refuses them. */

/** Servers of this machine's link, and the metadata server. A proxy would reach other servers with these names. */
const OF_THE_LINK = /^(169\.254(\.\d{1,3}){2}|\[f[de][0-9a-f]{2}:[0-9a-f:]+\]|metadata\.google\.internal\.?)$/;

/** Whether a server is never reached through a proxy: one of this machine or of its link. Such a proxy would get their tokens. */
export function isDirect(url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopback(hostname) || OF_THE_LINK.test(hostname);
}

/** In undici's order: the first variable of each pair that is set is used, even if it is empty. */
const PROXY_VARIABLES = [
  ["http_proxy", "HTTP_PROXY"],
  ["https_proxy", "HTTPS_PROXY"],
];

/** @throws ConfigurationError for a proxy that is not a URL, without the text: the URL of a proxy may hold a password. */
export function checkProxies(environment: Environment): void {
  for (const pair of PROXY_VARIABLES) {
    const variable = pair.find((each) => environment[each] !== undefined) ?? "";
    const problem = environment[variable] ? addressProblem(environment[variable], "proxy URL") : undefined;
    if (problem !== undefined) throw new ConfigurationError(`${variable} ${problem}`);
  }
}

/** undici's texts for a proxy that opens no tunnel to the server. They have no code. */
const REFUSALS = [/^Proxy response \((\d{3})\) !== 200/, /^Proxy Authentication Required \((407)\)/];

/** What a proxy answered in place of opening a tunnel; undefined for any other failure. The request was not sent. */
export function refusalOfProxy(error: unknown): { words: string; retryable: boolean } | undefined {
  const messages = causesOf(error).map(messageOf);
  const status = Number(REFUSALS.flatMap((each) => messages.flatMap((text) => each.exec(text)?.[1] ?? []))[0]);
  if (!(status > 0)) return undefined;
  const advice =
    status === 407
      ? "It needs a user and a password: put them into its URL, before the host"
      : "It must let requests to this host through, or NO_PROXY must list the host";
  const words = `the proxy in HTTPS_PROXY or HTTP_PROXY answered HTTP ${status}. ${advice}`;
  return { words, retryable: status === 429 || status >= 500 };
}
