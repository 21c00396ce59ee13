/* eslint-disable @typescript-eslint/no-require-imports */
import { gunzipSync } from "node:zlib";
import type { Dispatcher } from "undici";
import {
  BadAnswerError,
  CancelledError,
  causesOf,
  ConfigurationError,
  ConnectionError,
  isConnectionRefused,
  messageOf,
  systemCodeOf,
  TimeoutError,
} from "../core/errors";
import { once } from "../core/once";
import { isRecord } from "../core/unknown";
import { adviceOnCertificate, trustedAuthorities } from "./authorities";
import { onAbort } from "./call";
import { isLoopback } from "./endpoints";
import { checkProxies, isDirect, refusalOfProxy } from "./proxies";
import { withoutQuery, type HttpRequest, type HttpResponse, type Send } from "./send";

// Both are loaded at the first request, because a plugin starts faster without them. Not with `import()`, which fails in
// users' jest tests without a flag. `require` returns `any`, so each cast names the library of its line.
const loadHttp = () => require("node:http") as typeof import("node:http");
const loadUndici = () => require("undici") as typeof import("undici");

/** The connections to this machine, and those to all other hosts, which may go through a proxy. */
export interface Pools {
  direct: Dispatcher;
  proxied: Dispatcher;
}

/**
 * Sends over connections that stay open for the next requests. A redirect is a response like any other, without success: the
 * APIs send none, and a token must not follow one to another host.
 *
 * @param pools is called for each request, and may throw a ConfigurationError.
 * @throws ConnectionError if no complete response was received.
 * @throws BadAnswerError for a response of more than `LARGEST_ANSWER` bytes, packed or unpacked; the rest is not read.
 * @throws CancelledError or TimeoutError: the reason of the request's signal.
 * @throws ConfigurationError for a header that HTTP does not allow. It shows only the header's name.
 */
export function sendOver(pools: () => Pools): Send {
  return async (request) => {
    const { direct, proxied } = pools();
    checkHeaders(request.headers);
    try {
      return await dispatch(isDirect(request.url) ? direct : proxied, request, LARGEST_ANSWER);
    } catch (error) {
      throw failureOf(request, error);
    }
  };
}

/** undici's own limits for a response are 5 minutes, in each dispatcher. Only the limit of `timeoutLayer` counts. */
const WITHOUT_LIMITS = { headersTimeout: 0, bodyTimeout: 0 };

/** The maximum number of connections to one host. The engine runs some dozens of calls at a time; more would only queue there. */
const CONNECTIONS_PER_HOST = 32;
const KEEP_ALIVE_MS = 30_000;

/** A certificate with which this machine identifies itself to a server. */
type ClientCertificate = Pick<import("node:tls").SecureContextOptions, "cert" | "key">;

/**
 * Connections with the authorities of the environment, and with a proxy from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
 *
 * @throws ConfigurationError for a proxy that is not a URL, and what `trustedAuthorities` throws.
 */
function newPools(certificate?: ClientCertificate): Pools {
  const { Agent, EnvHttpProxyAgent } = loadUndici();
  const ca = trustedAuthorities();
  const tls = { ...(ca && { ca }), ...certificate };
  const options = {
    connections: CONNECTIONS_PER_HOST,
    keepAliveTimeout: KEEP_ALIVE_MS,
    ...((ca ?? certificate) && { connect: tls, requestTls: tls }),
    ...(ca && { proxyTls: { ca } }),
  };
  checkProxies(process.env);
  return { direct: new Agent(options), proxied: new EnvHttpProxyAgent(options) };
}

/** The connections of this process, with the environment as it is at the first use. Throws what `newPools` throws. */
export const sharedPools = once((): Pools => newPools());

/** Sends over the connections of this process. Throws what `sendOver` throws, and ConfigurationError as `newPools`. */
export const pooledSend: Send = sendOver(sharedPools);

/** Bytes. An endless response of a token endpoint must not fill the memory. */
const LARGEST_TOKEN_ANSWER = 2 ** 20;

/**
 * `fetch` over the same connections, for google-auth-library: token requests and API requests have the same proxies and
 * authorities. It follows no redirect.
 *
 * @param init may have an `agent` with the certificate of this machine, which the library makes for some workload identities.
 * @throws undici's or zlib's error if no complete response was received; TimeoutError when the signal is aborted.
 */
export const pooledFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const { url, method, signal } = request;
  const { direct, proxied } = poolsFor(init);
  const body = (await request.text()) || undefined;
  const headers = Object.fromEntries(request.headers);
  try {
    const sent = { url, method: method as HttpRequest["method"], headers, body, signal };
    const answer = await dispatch(isDirect(url) ? direct : proxied, sent, LARGEST_TOKEN_ANSWER);
    return new Response(answer.body || null, { status: answer.status, headers: answer.headers });
  } catch (error) {
    throw signal.aborted ? new TimeoutError("the time limit was reached") : error;
  }
};

const poolsOfAgents = new WeakMap<object, Pools>();

function poolsFor(init: RequestInit | undefined): Pools {
  const agent: unknown = isRecord(init) ? init.agent : undefined;
  const { cert, key } = isRecord(agent) && isRecord(agent.options) ? (agent.options as ClientCertificate) : {};
  if (!isRecord(agent) || !cert || !key) return sharedPools();
  const pools = poolsOfAgents.get(agent) ?? newPools({ cert, key });
  poolsOfAgents.set(agent, pools);
  return pools;
}

/** @throws ConfigurationError, because Node's own error quotes the value, which may be a token. */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const { validateHeaderValue } = loadHttp();
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderValue(name, value);
    } catch {
      throw new ConfigurationError(`The header ${name} would have characters that HTTP does not allow in headers`);
    }
  }
}

/**
 * Sends one request with undici's `dispatch`, which needs no streams: the responses here are small, and each is read
 * completely. `undici.request` takes twice the processor time, and with `fetch` a create takes a quarter more.
 *
 * @param largest bytes of the response, packed or unpacked.
 * @throws the signal's reason when it is aborted; undici's or zlib's error if no complete response was received.
 */
function dispatch(pool: Dispatcher, request: HttpRequest, largest: number): Promise<HttpResponse> {
  const { method, body, signal } = request;
  const { origin, hostname, pathname, search } = new URL(request.url);
  // Packing saves nothing on the way to this machine.
  const headers = isLoopback(hostname) ? request.headers : { "accept-encoding": "gzip", ...request.headers };
  const options = { origin, path: pathname + search, method, headers, body, ...WITHOUT_LIMITS };
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Record<string, string> = {};
    const pieces: Buffer[] = [];
    let size = 0;
    if (signal.aborted) return reject(signal.reason as Error);
    const fail = (error: Error) => {
      removeListener();
      reject(error);
      controller?.abort(error);
    };
    const removeListener = onAbort(signal, () => fail(signal.reason as Error));
    pool.dispatch(options, {
      onRequestStart: (started) => {
        controller = started;
        // It waited for a connection, and was aborted meanwhile.
        if (signal.aborted) started.abort(signal.reason as Error);
      },
      onResponseStart: (_controller, code, received) => {
        status = code;
        headers = joined(received);
      },
      onResponseData: (_controller, piece) => {
        size += piece.length;
        if (size > largest) fail(tooLarge(largest));
        else pieces.push(piece);
      },
      onResponseEnd: () => {
        removeListener();
        const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
        // undici frees the connection in an immediate that it starts after this callback. A request before that would open
        // another connection.
        queueMicrotask(() =>
          setImmediate(() => {
            try {
              resolve({ status, headers, body: textOf(bytes, headers["content-encoding"], largest) });
            } catch (error) {
              reject(error);
            }
          }),
        );
      },
      onResponseError: (_controller, error) => {
        removeListener();
        reject(error);
      },
    });
  });
}

/** Joins the values of headers that were sent more than once, as `fetch` does. */
function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = ""]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

/** Bytes. Far above the largest response of the APIs (a policy has some tens of kB), and far below what harms a machine. */
const LARGEST_ANSWER = 32 * 2 ** 20;

const utf8 = new TextDecoder();

/**
 * The text of a response's body.
 *
 * @param encoding the header `content-encoding`. Requests accept only gzip.
 * @throws BadAnswerError for more than `largest` unpacked bytes; zlib's error for invalid data.
 */
function textOf(bytes: Buffer, encoding: string | undefined, largest: number): string {
  return utf8.decode(bytes.length > 0 && encoding === "gzip" ? unpacked(bytes, largest) : bytes);
}

function unpacked(bytes: Buffer, largest: number): Buffer {
  try {
    // Synchronously: for responses of a few kB, starting a stream takes longer than unpacking.
    return gunzipSync(bytes, { maxOutputLength: largest });
  } catch (error) {
    throw systemCodeOf(error) === "ERR_BUFFER_TOO_LARGE" ? tooLarge(largest) : error;
  }
}

/** Not retryable: another attempt would get the same response. */
function tooLarge(largest: number): BadAnswerError {
  return new BadAnswerError(`the response is larger than ${largest / 2 ** 20} MiB, the limit for such responses`);
}

/** The provider's error for a request without a complete response. */
function failureOf({ method, url, signal }: HttpRequest, error: unknown): Error {
  if (error instanceof BadAnswerError) return error;
  const request = `${method} ${withoutQuery(url)}`;
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    const isEnd = reason instanceof TimeoutError || reason instanceof CancelledError;
    return isEnd ? reason : new CancelledError(`${request} was stopped`);
  }
  const advice = adviceOnCertificate(error);
  if (advice !== undefined) {
    // The handshake comes before the request.
    return new ConnectionError(`${request} was not sent: ${advice}`, {
      cause: error,
      effect: "none",
      retryable: false,
    });
  }
  const refusal = refusalOfProxy(error);
  if (refusal !== undefined) {
    const { words, retryable } = refusal;
    return new ConnectionError(`${request} was not sent: ${words}`, { cause: error, effect: "none", retryable });
  }
  const { host, hostname } = new URL(url);
  if (!isConnectionRefused(error)) {
    return new ConnectionError(`${request} got no complete response: ${causesInWords(error)}`, { cause: error });
  }
  // The request was not sent. On this machine, a retry would not help: no server starts while a call waits.
  const isLocal = isLoopback(hostname);
  const why = isLocal ? `nothing listens at ${host}` : "the connection was refused";
  return new ConnectionError(`${request} was not sent: ${why} (${causesInWords(error)})`, {
    cause: error,
    effect: "none",
    retryable: !isLocal,
  });
}

/** The messages of the error and its causes. Some of them have only a code. */
function causesInWords(error: unknown): string {
  const words = causesOf(error)
    .map((each) => messageOf(each) || systemCodeOf(each) || "")
    .filter((each) => each !== "");
  return words.slice(0, 3).join(": ") || "unknown network error";
}
