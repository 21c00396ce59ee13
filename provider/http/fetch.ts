import {
  BadAnswerError,
  CancelledError,
  causesOf,
  ConfigurationError,
  ConnectionError,
  messageOf,
  systemCodeOf,
  TimeoutError,
} from "../core/errors";
import { adviceOnCertificate } from "./authorities";
import { loadHttp } from "./libraries";
import { isLoopback } from "./loopback";
import { withoutQuery, type HttpRequest, type Send } from "./send";

/** The part of `fetch` that is used, so that any implementation fits. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal; redirect: "manual" },
) => Promise<{ status: number; headers: Iterable<[string, string]>; text(): Promise<string> }>;

/**
 * Sends over `fetch`. A redirect is an answer like any other, and no status of success: the APIs send none, and a token
 * must not follow one to another host.
 *
 * @throws ConnectionError when no complete answer came back.
 * @throws BadAnswerError from `text()`, for an answer of which not all was read.
 * @throws CancelledError or TimeoutError, whichever the signal was aborted with.
 * @throws ConfigurationError for a header that HTTP cannot carry, by its name alone.
 */
export function fetchSend(fetch: Fetch): Send {
  return async (request) => {
    const { method, url, headers, body, signal } = request;
    checkHeaders(headers);
    try {
      const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
      const text = await response.text();
      return { status: response.status, headers: Object.fromEntries(response.headers), body: text };
    } catch (error) {
      throw failureOf(request, error);
    }
  };
}

/** @throws ConfigurationError in place of the error of `fetch`, which quotes the value: that may be a token. */
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
  const { host, hostname } = new URL(url);
  if (!causesOf(error).some((each) => systemCodeOf(each) === "ECONNREFUSED")) {
    return new ConnectionError(`${request} got no complete answer: ${causesInWords(error)}`, { cause: error });
  }
  // The request was not sent. Nothing begins to listen at an address of this machine while a call waits.
  const isLocal = isLoopback(hostname);
  const why = isLocal ? `nothing listens at ${host}` : "the connection was refused";
  return new ConnectionError(`${request} was not sent: ${why} (${causesInWords(error)})`, {
    cause: error,
    effect: "none",
    retryable: !isLocal,
  });
}

/** `fetch` itself says "fetch failed"; what happened is in the causes, some of which have a code and no message. */
function causesInWords(error: unknown): string {
  const words = causesOf(error)
    .map((each) => messageOf(each) || systemCodeOf(each) || "")
    .filter((each) => each !== "" && each !== "fetch failed");
  return words.slice(0, 3).join(": ") || "unknown network error";
}
