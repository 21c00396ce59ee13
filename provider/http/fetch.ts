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
  const proxied = new EnvHttpProxyAgent(options);
  return async (url, init) => {
    const dispatcher = isLoopback(new URL(url).hostname) ? direct : proxied;
    const { status, headers, body } = await fetch(url, { ...init, dispatcher });
    return { status, headers, text: () => boundedText(body) };
  };
}

/** True for names of this machine: nothing sent there leaves it. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, "");
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}
