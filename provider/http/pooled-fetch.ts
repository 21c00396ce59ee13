import { once } from "../core/once";
import { ConfigurationError } from "../core/errors";
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
 * @throws ConfigurationError for a proxy that is no URL, without showing it: a proxy's URL may hold a password.
 */
export const pooledFetch = once((): Fetch => {
  const { Agent, EnvHttpProxyAgent } = loadUndici();
  const options = { connections: CONNECTIONS_PER_HOST, keepAliveTimeout: KEEP_ALIVE_MS };
  const direct = new Agent(options);
  const proxied = proxyOfEnvironment(() => new EnvHttpProxyAgent(options));
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

function proxyOfEnvironment<T>(make: () => T): T {
  try {
    return make();
  } catch {
    throw new ConfigurationError(
      "HTTPS_PROXY or HTTP_PROXY in the environment is not the URL of a proxy: it should look like http://host:port",
    );
  }
}
