import { validateHeaderValue } from "node:http";
import { BadAnswerError, CancelledError, ConfigurationError, ConnectionError, TimeoutError } from "../core/errors";
import { isRecord } from "../core/unknown";
import { isLoopback } from "./fetch";

/** One HTTP request, with a body that is already text. */
export interface HttpRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** From 1: how many times this request has been sent, this time included. */
  attempt?: number;
}

/** One HTTP answer, read to its end. Header names are lower case. */
export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>;

/** Wraps a `Send` in one more concern. */
export type Layer = (next: Send) => Send;

/** The innermost first: `compose(fetchSend(fetch), timeout, auth)` runs auth, then the timeout, then the request. */
export function compose(innermost: Send, ...layers: readonly Layer[]): Send {
  return layers.reduce((next, layer) => layer(next), innermost);
}

/** The part of `fetch` that is used, so that any implementation fits. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal; redirect: "manual" },
) => Promise<{ status: number; headers: Iterable<[string, string]>; text(): Promise<string> }>;

/**
 * Sends over `fetch`. Redirects are not followed, and so are errors: the APIs send none, and a token must not
 * follow one.
 *
 * @throws ConnectionError when no complete answer came back.
 * @throws BadAnswerError from `text()`, for an answer of which not all was read.
 * @throws CancelledError or TimeoutError, whichever the signal was aborted with.
 * @throws ConfigurationError for a header that HTTP cannot carry, by its name alone, and for a port that `fetch` refuses.
 */
export function fetchSend(fetch: Fetch): Send {
  return async ({ method, url, headers, body, signal }) => {
    checkHeaders(headers);
    try {
      const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
      const text = await response.text();
      return { status: response.status, headers: Object.fromEntries(response.headers), body: text };
    } catch (error) {
      if (error instanceof BadAnswerError) throw error;
      if (signal.aborted) {
        const reason: unknown = signal.reason;
        if (reason instanceof TimeoutError || reason instanceof CancelledError) throw reason;
        throw new CancelledError(`${method} ${withoutQuery(url)} was stopped`);
      }
      if (isBadPort(error)) {
        const { origin, port } = new URL(url);
        throw new ConfigurationError(
          `Nothing can be sent to ${origin}: Node.js keeps port ${port} for another protocol. Use another port`,
        );
      }
      const what = `${method} ${withoutQuery(url)}`;
      if (!isRefused(error)) {
        throw new ConnectionError(`${what} got no complete answer: ${causeOf(error)}`, { cause: error });
      }
      // Nothing was sent. At an address of this machine, nothing begins to listen while a call waits.
      const { host, hostname } = new URL(url);
      const local = isLoopback(hostname);
      throw new ConnectionError(
        `${what} was not sent: ${local ? `nothing listens at ${host}` : "the connection was refused"} (${causeOf(error)})`,
        { cause: error, effect: "none", retryable: !local },
      );
    }
  };
}

/** `fetch` would refuse it too, and quote the value, which may be a token. */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderValue(name, value);
    } catch {
      throw new ConfigurationError(`The header ${name} would have characters that HTTP does not allow in headers`);
    }
  }
}

/** Ports that every implementation of `fetch` blocks, such as 6000 of X11: https://fetch.spec.whatwg.org/#port-blocking */
function isBadPort(error: unknown): boolean {
  return isRecord(error) && isRecord(error.cause) && error.cause.message === "bad port";
}

function isRefused(error: unknown): boolean {
  for (let at = error, depth = 0; isRecord(at) && depth < 3; at = at.cause, depth++) {
    if (at.code === "ECONNREFUSED") return true;
  }
  return false;
}

function causeOf(error: unknown): string {
  const messages: string[] = [];
  for (let at = error; isRecord(at) && messages.length < 3; at = at.cause) {
    const { message, code } = at;
    if (typeof message === "string" && message !== "" && message !== "fetch failed") messages.push(message);
    else if (typeof code === "string") messages.push(code);
  }
  return messages.join(": ") || "unknown network error";
}

/** Query strings hold request ids and, in the wild, keys: they have no place in messages. */
export function withoutQuery(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
}

/** Calls back after `ms`, unless it is stopped before; tests pass their own. @returns what stops it */
export type StartTimer = (ms: number, late: () => void) => () => void;

const startTimer: StartTimer = (ms, late) => {
  const timer = setTimeout(late, ms);
  return () => clearTimeout(timer);
};

/** Bounds one request, the reading of its body included. */
export function timeoutLayer(ms: number, start: StartTimer = startTimer): Layer {
  return (next) => async (request) => {
    const controller = new AbortController();
    const stop = () => controller.abort(request.signal.reason);
    if (request.signal.aborted) stop();
    request.signal.addEventListener("abort", stop, { once: true });
    const stopTimer = start(ms, () =>
      controller.abort(
        new TimeoutError(`${request.method} ${withoutQuery(request.url)} was not answered within ${ms / 1000} s`),
      ),
    );
    try {
      return await next({ ...request, signal: controller.signal });
    } finally {
      stopTimer();
      request.signal.removeEventListener("abort", stop);
    }
  };
}

/** Adds headers that are the same for every request; what a request says itself wins. */
export function headersLayer(headers: Readonly<Record<string, string>>): Layer {
  return (next) => (request) => next({ ...request, headers: { ...headers, ...request.headers } });
}
