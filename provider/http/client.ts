import {
  apiError,
  BadAnswerError,
  CancelledError,
  ConnectionError,
  detailsOfType,
  isRpcStatus,
  NotFoundError,
  PerimeterError,
  statusOfHttp,
  TimeoutError,
  type ApiError,
  type Effect,
} from "../core/errors";
import { isRecord, type Values } from "../core/unknown";
import { WireShapeError } from "../core/wire";
import { endOf, isOver, whileCallLasts, type Call } from "./call";
import type { Clock } from "./clock";
import { retryAfterMs, withRetries, type RequestKind, type RetryOptions } from "./retry";
import { withoutQuery, type HttpRequest, type HttpResponse, type Send } from "./send";

/** One call of an API method. */
export interface ApiRequest {
  kind: RequestKind;
  method: HttpRequest["method"];
  /** Relative to the service's base URL, not encoded: `projects/p/locations/l/scopes/s`. */
  path: string;
  /** Custom verb after the path: `getIamPolicy`. */
  verb?: string;
  query?: Record<string, string | number | undefined>;
  body?: Values;
  /** For messages: "read the scope". */
  doing: string;
  /** For messages: the resource that the call is about. Default: the path. */
  resource?: string;
}

/** An answer that is not an error. */
export interface ApiAnswer {
  body: Values;
  /** When the server sent it, by its own clock to the second, in milliseconds since the epoch. Absent: it does not say. */
  date?: number;
}

/** Calls the methods of one API. */
export interface ApiClient {
  /**
   * The answer's JSON object.
   *
   * @throws ApiError (one subclass for each status), BadAnswerError, ConnectionError, TimeoutError, CancelledError,
   *   CredentialsError.
   */
  request(request: ApiRequest, call: Call): Promise<Values>;
  readonly clock: Clock;
  /** Where the API is, with its version: tells two clouds apart whose resources have the same names. */
  readonly baseUrl: string;
}

/** Also tells what an answer says beside its body. */
export interface DatedApiClient extends ApiClient {
  /** As `request`. */
  exchange(request: ApiRequest, call: Call): Promise<ApiAnswer>;
}

export interface ApiClientOptions {
  baseUrl: string;
  send: Send;
  clock: Clock;
  retry: RetryOptions;
  /** What a user can do where nothing listens at an address of this machine. */
  whenRefused?: string;
}

export function apiClient({ baseUrl, send, clock, retry, whenRefused }: ApiClientOptions): DatedApiClient {
  return {
    clock,
    baseUrl,
    async request(request, call) {
      return (await this.exchange(request, call)).body;
    },
    exchange(request, call) {
      const url =
        baseUrl + encodePath(request.path) + (request.verb ? `:${request.verb}` : "") + queryOf(request.query);
      const body = request.body === undefined ? undefined : JSON.stringify(request.body);
      const headers = {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      };
      const doing = `${request.doing} ${request.resource ?? request.path}`;
      return withRetries(request.kind, call, clock, retry, doing, async (attempt) => {
        const response = await whileCallLasts(call, clock, doing, (signal) =>
          send({ method: request.method, url, headers, body, signal, attempt }),
        ).catch((error: unknown) => {
          const told = unanswered(call, clock, doing, error, effectOfFailure(request));
          throw whenRefused && told instanceof ConnectionError && !told.retryable ? told.withHint(whenRefused) : told;
        });
        const date = Date.parse(response.headers.date ?? "");
        return {
          body: answerOf(request, url, response, clock, retry),
          ...(Number.isNaN(date) ? {} : { date }),
        };
      });
    },
  };
}

/** What the sending says of its URL alone, with what was being done. */
function unanswered(call: Call, clock: Clock, doing: string, error: unknown, known: Effect | undefined): unknown {
  if (!(error instanceof PerimeterError)) return error;
  const options = { cause: error, effect: known ?? error.effect };
  const isEnd = error instanceof CancelledError || error instanceof TimeoutError;
  if (isEnd && isOver(call, clock)) return endOf(call, doing, options.effect);
  if (error instanceof CancelledError) return new CancelledError(`Stopped while trying to ${doing}`, options);
  const message = `Could not ${doing}: ${error.message}`;
  if (error instanceof BadAnswerError) return new BadAnswerError(message, { ...options, retryable: error.retryable });
  if (error instanceof TimeoutError) return new TimeoutError(message, options);
  if (!(error instanceof ConnectionError)) return error;
  return new ConnectionError(message, { ...options, retryable: error.retryable });
}

/** What every failure of a request proves; undefined where each failure tells by itself. */
function effectOfFailure({ kind }: ApiRequest): Effect | undefined {
  return kind === "read" ? "none" : undefined;
}

/** `{+name}` expansion: slashes divide segments, each segment is encoded by itself. */
export function encodePath(path: string): string {
  return path
    .split("/")
    .map((segment) => encodeURIComponent(segment).replaceAll("%3A", ":").replaceAll("%40", "@"))
    .join("/");
}

function queryOf(query: ApiRequest["query"]): string {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return "";
  return `?${new URLSearchParams(entries.map(([key, value]): [string, string] => [key, String(value)])).toString()}`;
}

function answerOf(
  request: ApiRequest,
  url: string,
  response: HttpResponse,
  clock: Clock,
  { codes }: RetryOptions,
): Values {
  const parsed = parseObject(response.body);
  if (response.status === 404 && !hasApiStatus(parsed)) {
    throw notFoundByOthers(request, url, response, request.kind === "read" && codes.includes(404));
  }
  if (response.status >= 200 && response.status < 300) {
    if (parsed) return parsed;
    throw badAnswer(request, url, response);
  }
  throw errorOf(request, url, response, parsed, clock);
}

function parseObject(body: string): Values | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Errors of the APIs name their status (wire reference section 10). */
function hasApiStatus(answer: Values | undefined): boolean {
  return isRecord(answer?.error) && isRpcStatus(answer.error.status);
}

function requestLine(request: ApiRequest, url: string): string {
  return `${request.method} ${withoutQuery(url)}`;
}

function badAnswer(request: ApiRequest, url: string, response: HttpResponse): BadAnswerError {
  const type = response.headers["content-type"] ?? "no content type";
  const what = response.body === "" ? "an empty body" : `something that is not a JSON object (${type})`;
  return new BadAnswerError(
    `Could not ${request.doing} ${request.resource ?? request.path}: the API answered HTTP ${response.status} with ${what}` +
      `\n  (${requestLine(request, url)})`,
    { retryable: true, effect: effectOfFailure(request) ?? "unknown" },
  );
}

/**
 * A 404 of something that stands before the API (a proxy, a gateway, another server): it says nothing of the resource.
 * Taken for the API's own NOT_FOUND, it would drop what is there from the state.
 */
function notFoundByOthers(
  request: ApiRequest,
  url: string,
  response: HttpResponse,
  retryable: boolean,
): BadAnswerError {
  const id = requestIdOf([], response);
  return new BadAnswerError(
    `Could not ${request.doing} ${request.resource ?? request.path}: the answer HTTP 404 is not the API's ` +
      `(${contentOf(response)}), so it does not say whether the resource exists. Check custom endpoints, and any proxy ` +
      `between here and the API\n  (${requestLine(request, url)}${id === undefined ? "" : `, request id ${id}`})`,
    { retryable, effect: effectOfFailure(request) ?? "unknown" },
  );
}

function contentOf(response: HttpResponse): string {
  if (response.body === "") return "no body";
  return response.headers["content-type"] ?? "no content type";
}

/** Errors come as JSON from the service and as HTML or nothing from whatever stands before it; both are understood. */
function errorOf(
  request: ApiRequest,
  url: string,
  response: HttpResponse,
  parsed: Values | undefined,
  clock: Clock,
): ApiError {
  const error = isRecord(parsed?.error) ? parsed.error : {};
  const status = isRpcStatus(error.status) ? error.status : statusOfHttp(response.status);
  const details = Array.isArray(error.details) ? (error.details as unknown[]) : [];
  const message = typeof error.message === "string" ? error.message : plainMessage(response);
  return apiError({
    doing: request.doing,
    resource: request.resource ?? request.path,
    request: requestLine(request, url),
    status,
    httpStatus: response.status,
    message,
    details,
    requestId: requestIdOf(details, response),
    retryAfterMs: retryAfterMs(response.headers["retry-after"], clock.now()),
    effect: effectOfFailure(request),
  });
}

function plainMessage(response: HttpResponse): string {
  if (response.body === "") return "the answer has no body";
  return `the answer is not the API's (${contentOf(response)})`;
}

function requestIdOf(details: readonly unknown[], response: HttpResponse): string | undefined {
  const [info] = detailsOfType(details, "RequestInfo");
  if (info) return typeof info.requestId === "string" ? info.requestId : undefined;
  return response.headers["x-request-id"] ?? response.headers["x-goog-request-id"];
}

/**
 * Reads an answer with a mapping that may find it malformed, and says which request that was.
 *
 * @param effect what an answer without meaning proves: of a read, the default, nothing was changed.
 */
export function parseAnswer<T>(doing: string, resource: string, map: () => T, effect: Effect = "none"): T {
  try {
    return map();
  } catch (error) {
    if (!(error instanceof WireShapeError)) throw error;
    throw new BadAnswerError(
      `Could not ${doing} ${resource}: the API's answer has an unexpected shape: ${error.message}`,
      { effect },
    );
  }
}

/** An answer that is a resource: it has a name, whatever else it has. An object without one is something else's answer. */
export function requireName(doing: string, resource: string, answer: Values): Values {
  return parseAnswer(doing, resource, () => {
    if (typeof answer.name !== "string" || answer.name === "") throw new WireShapeError("name", "a string");
    return answer;
  });
}

/** What a request answers, or undefined when what it is about is not there. */
export async function undefinedIfNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
