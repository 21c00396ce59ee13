import { CancelledError, messageOf, TimeoutError } from "../core/errors";
import { onAbort, unlessAborted } from "./call";
import { systemClock, type Clock } from "./clock";
import type { TokenSource } from "./token-source";

/** One HTTP request. */
export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** From 1: how many times this request has been sent, including this time. */
  attempt?: number;
}

/** One HTTP response, read completely. Header names are lower case. */
export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>;

/** Adds one aspect to a `Send`, such as a header or a time limit. */
export type Layer = (next: Send) => Send;

/** Lists the innermost first: `compose(pooledSend, timeout, auth)` runs auth, then the timeout, then the request. */
export function compose(innermost: Send, ...layers: readonly Layer[]): Send {
  return layers.reduce((next, layer) => layer(next), innermost);
}

/** The URL for messages and logs: a query string holds request ids, and the one of a custom endpoint may hold a key. */
export function withoutQuery(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
}

/** The server's id of the request, from the headers of its response. */
export function requestIdIn({ headers }: HttpResponse): string | undefined {
  return headers["x-request-id"] ?? headers["x-goog-request-id"];
}

/**
 * Limits one request, including the reading of its response, to `ms` milliseconds.
 *
 * @param alarm starts the timer; tests pass their own.
 * @throws TimeoutError when the time has passed.
 */
export function timeoutLayer(ms: number, alarm: Clock["alarm"] = systemClock.alarm): Layer {
  return (next) => async (request) => {
    const controller = new AbortController();
    const removeListener = onAbort(request.signal, () => controller.abort(request.signal.reason));
    const turnOff = alarm(ms, () => {
      const what = `${request.method} ${withoutQuery(request.url)}`;
      controller.abort(new TimeoutError(`${what} was not answered within ${ms / 1000} s`));
    });
    try {
      return await next({ ...request, signal: controller.signal });
    } finally {
      turnOff();
      removeListener();
    }
  };
}

/** Adds headers that are the same for every request. Headers that the request already has stay. */
export function headersLayer(headers: Readonly<Record<string, string>>): Layer {
  return (next) => (request) => next({ ...request, headers: { ...headers, ...request.headers } });
}

/** A project in a path, up to a slash or to the verb of a method. Only the ids of projects of a domain have a colon: `example.com:p`. */
const PROJECT = /\/projects\/((?:[^/:%]+\.[^/:%]+:)?[^/:]+)/;

/**
 * Bills quota to the billing project, or without one to the project in the request's URL: the configuration key
 * `userProjectOverride` (docs/wire.md section 12).
 */
export function userProjectLayer(billingProject: string | undefined): Layer {
  return (next) => (request) => {
    const ofResource = PROJECT.exec(new URL(request.url).pathname)?.[1];
    const project = billingProject ?? (ofResource === undefined ? undefined : decodeURIComponent(ofResource));
    if (project === undefined) return next(request);
    return next({ ...request, headers: { ...request.headers, "x-goog-user-project": project } });
  };
}

/** Adds the token. After a response 401, sends the request once more with a fresh token. Waiting for a token ends with the request. */
export function authLayer(source: TokenSource): Layer {
  return (next) => async (request) => {
    const { signal, headers } = request;
    const waitFor = async <T>(promise: Promise<T>): Promise<T> => {
      try {
        return await unlessAborted(signal, promise);
      } catch (error) {
        throw signal.aborted ? unsent(signal.reason) : error;
      }
    };
    const quota = headers["x-goog-user-project"] ? undefined : await waitFor(source.quotaProject());
    const send = async (fresh: boolean) =>
      next({
        ...request,
        headers: {
          ...(quota ? { "x-goog-user-project": quota } : {}),
          ...headers,
          authorization: `Bearer ${await waitFor(source.token({ fresh }))}`,
        },
      });
    const response = await send(false);
    return response.status === 401 ? send(true) : response;
  };
}

/** The error of a request that was aborted before it was sent, and so changed nothing. */
function unsent(reason: unknown): TimeoutError | CancelledError {
  return reason instanceof TimeoutError
    ? new TimeoutError(messageOf(reason), { effect: "none" })
    : new CancelledError(messageOf(reason), { effect: "none" });
}
