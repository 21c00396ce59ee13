import { once } from "../core/once";
import { ConfigurationError } from "../core/errors";
import { boundedText, LARGEST_ANSWER } from "./bounded-body";
import type { Fetch } from "./fetch";
import { loadUndici } from "./libraries";
import { isLoopback } from "./loopback";

/** Connections kept open to one host. The engine runs some dozens of calls at a time; more would only queue there. */
const CONNECTIONS_PER_HOST = 32;
const KEEP_ALIVE_MS = 30_000;

/**
 * One pooled `fetch` for the process: keep-alive, gzip, answers of bounded size (packed and unpacked), and a proxy from
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as they are at the first call.
 *
 * @throws ConfigurationError for a proxy that is no URL, without showing it: a proxy's URL may hold a password.
 */
export const pooledFetch = once((): Fetch => {
  const { Agent, EnvHttpProxyAgent, fetch } = loadUndici();
  const options = {
    connections: CONNECTIONS_PER_HOST,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxResponseSize: LARGEST_ANSWER,
  };
  const direct = new Agent(options);
  const proxied = proxyOfEnvironment(() => new EnvHttpProxyAgent(options));
  return async (url, init) => {
    const dispatcher = isLoopback(new URL(url).hostname) ? direct : proxied;
    const { status, headers, body } = await fetch(url, { ...init, dispatcher });
    return { status, headers, text: () => boundedText(body) };
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
