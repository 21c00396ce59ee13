import { ConfigurationError } from "../core/errors";
import { boundedText, LARGEST_ANSWER } from "./bounded-body";
import type { Fetch } from "./send";

/** Connections kept open to one host. The engine runs some dozens of calls at a time; more would only queue there. */
const CONNECTIONS_PER_HOST = 32;

let shared: Promise<Fetch> | undefined;

/**
 * One pooled `fetch` for the process: keep-alive, gzip, answers of bounded size (packed and unpacked), and a proxy from
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
 * Loaded at first use, because a plugin starts faster than its first request needs.
 */
export function pooledFetch(): Promise<Fetch> {
  shared ??= Promise.resolve(load());
  return shared;
}

function load(): Fetch {
  // `import()` in CommonJS fails under jest without a flag.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { Agent, EnvHttpProxyAgent, fetch } = require("undici") as typeof import("undici");
  const options = { connections: CONNECTIONS_PER_HOST, keepAliveTimeout: 30_000, maxResponseSize: LARGEST_ANSWER };
  const direct = new Agent(options);
  const proxied = proxyOfEnvironment(() => new EnvHttpProxyAgent(options));
  return async (url, init) => {
    const dispatcher = isLoopback(new URL(url).hostname) ? direct : proxied;
    const { status, headers, body } = await fetch(url, { ...init, dispatcher });
    return { status, headers, text: () => boundedText(body) };
  };
}

/** @throws ConfigurationError for a proxy that is no URL, without showing it: a proxy's URL may hold a password. */
function proxyOfEnvironment<T>(make: () => T): T {
  try {
    return make();
  } catch {
    throw new ConfigurationError(
      "HTTPS_PROXY or HTTP_PROXY in the environment is not the URL of a proxy: it should look like http://host:port",
    );
  }
}

/** True for names of this machine: nothing sent there leaves it. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, "");
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}
