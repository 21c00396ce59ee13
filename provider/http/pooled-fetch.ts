import { addressProblem } from "../core/config/address";
import type { Environment } from "../core/config/environment";
import { ConfigurationError } from "../core/errors";
import { once } from "../core/once";
import { trustedAuthorities } from "./authorities";
import { boundedText } from "./bounded-body";
import { dispatch } from "./dispatch";
import type { Fetch } from "./fetch";
import { loadUndici } from "./libraries";
import { isLoopback } from "./loopback";

/** Connections kept open to one host. The engine runs some dozens of calls at a time; more would only queue there. */
const CONNECTIONS_PER_HOST = 32;
const KEEP_ALIVE_MS = 30_000;

/**
 * One pool of connections for the process, with the shape of `fetch`: keep-alive, gzip, answers of bounded size (packed and
 * unpacked), and a proxy from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as they are at the first call.
 *
 * @throws ConfigurationError for a proxy that is not a URL.
 */
export const pooledFetch = once((): Fetch => {
  const { Agent, EnvHttpProxyAgent } = loadUndici();
  const ca = trustedAuthorities();
  const options = {
    connections: CONNECTIONS_PER_HOST,
    keepAliveTimeout: KEEP_ALIVE_MS,
    ...(ca && { connect: { ca }, requestTls: { ca }, proxyTls: { ca } }),
  };
  const direct = new Agent(options);
  checkProxies(process.env);
  const proxied = new EnvHttpProxyAgent(options);
  return async (url, { method, headers, body, signal }) => {
    const { origin, hostname, pathname, search } = new URL(url);
    const isLocal = isLoopback(hostname);
    const answer = await dispatch(
      isLocal ? direct : proxied,
      {
        origin,
        path: pathname + search,
        method: method,
        // Packing saves nothing on the way to this machine itself.
        headers: isLocal ? headers : { "accept-encoding": "gzip", ...headers },
        body,
      },
      signal,
    );
    const text = boundedText(answer.bytes, answer.headers["content-encoding"]);
    return { status: answer.status, headers: Object.entries(answer.headers), text: () => Promise.resolve(text) };
  };
});

/** In the order in which undici tries them: of each pair, the first that is set counts, even if it is empty. */
const PROXY_VARIABLES = [
  ["http_proxy", "HTTP_PROXY"],
  ["https_proxy", "HTTPS_PROXY"],
];

/** @throws ConfigurationError for a proxy that is not a URL, without showing it: a proxy's URL may hold a password. */
function checkProxies(environment: Environment): void {
  for (const pair of PROXY_VARIABLES) {
    const variable = pair.find((each) => environment[each] !== undefined) ?? "";
    const problem = environment[variable] ? addressProblem(environment[variable], "proxy URL") : undefined;
    if (problem !== undefined) throw new ConfigurationError(`${variable} ${problem}`);
  }
}
