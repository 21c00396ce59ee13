import {
  apiError,
  BadAnswerError,
  CancelledError,
  ConnectionError,
  detailsOfType,
  isConnectionRefused,
  isRpcStatus,
  NotFoundError,
  PerimeterError,
  statusOfHttp,
  TimeoutError,
  type ApiError,
  type Effect,
} from "../core/errors";
import { recordIn } from "../core/json";
import { isRecord, listOf, textOf, type Values } from "../core/unknown";
import { WireShapeError } from "../core/wire";
import { endOf, type Call } from "./call";
import { isLimit, retryAfterMs, withRetries, type RequestKind, type RetryOptions } from "./retry";
import { requestIdIn, withoutQuery, type HttpRequest, type HttpResponse, type Send } from "./send";

/** Calls the methods of one API. */
export interface ApiClient {
  /**
   * Sends a request.
   *
   * @returns what `parse` makes of the JSON object in the response.
   * @param parse throws WireShapeError for a malformed response.
   * @throws ApiError (one subclass for each status), BadAnswerError, ConnectionError, TimeoutError, CancelledError,
   *   CredentialsError.
   */
  request<T>(request: ApiRequest, call: Call, parse: (answer: Values) => T): Promise<T>;
  /** The address of the API, with its version: distinguishes two clouds whose resources have the same names. */
  readonly baseUrl: string;
  /**
   * The earliest that the time of the server can be now, in milliseconds since the epoch, by the dates of its responses so
   * far: up to a second too early. Undefined before the first response. The clock of this machine may be wrong.
   */
  serverTime?(call: Call): number | undefined;
}

/**
 * How the API of a kind reads and writes its policy:
 *  - `get`: GET {name}:getIamPolicy, POST {name}:setIamPolicy;
 *  - `post`: the same, but reads with POST, and the version in the body;
 *  - `query`: as `post`, but the version is in the query and the read has no body;
 *  - `path`: GET {name}/getIamPolicy, POST {name}/setIamPolicy;
 *  - `iam`: GET {name}/iam, PUT {name}/iam with the policy itself as the body;
 *  - `iam-1`: as `iam`, but a read cannot ask for a version of the policy, so it never shows conditions.
 */
export type PolicyForm = "get" | "post" | "query" | "path" | "iam" | "iam-1";

/** A resource with an access policy. */
export interface PolicyResource {
  /** Relative name, as the API has it. */
  resource: string;
  /** For messages, with its article: "a FHIR store". */
  kind: string;
  /** How its API reads and writes policies. Default: `get`. */
  form?: PolicyForm;
}

/** A method of an access policy. */
export interface PolicyRequest extends PolicyResource {
  method: "getIamPolicy" | "setIamPolicy" | "testIamPermissions";
}

/** One call of an API method. */
export interface ApiRequest {
  kind: RequestKind;
  method: HttpRequest["method"];
  /** Relative to the service's base URL, not encoded: `projects/p/locations/l/scopes/s`. A slash inside a segment is `%2F`. */
  path: string;
  /** Custom verb after the path: `getIamPolicy`. */
  verb?: string;
  /** A list repeats its key. */
  query?: Record<string, string | number | readonly string[] | undefined>;
  body?: Values;
  /** For a request on an access policy: its method, which has one name in all forms of the API, and the resource. */
  policy?: PolicyRequest;
  /** For messages, as the continuation of "Could not": "read the scope". */
  doing: string;
  /** For messages: the resource of the call. Default: the path. */
  resource?: string;
}

export function urlOf(baseUrl: string, { path, verb, query }: ApiRequest): string {
  return baseUrl + encodePath(path) + (verb ? `:${verb}` : "") + queryOf(query);
}

/**
 * Encodes each segment of a path, as the expansion `{+name}` of https://www.rfc-editor.org/rfc/rfc6570 does: slashes separate
 * segments, and no character of a name can end the path. A segment with a slash in it, the name of an object in a bucket, has it
 * as `%2F` already. Colons and at signs stay, because names of projects have them.
 */
export function encodePath(path: string): string {
  return path
    .split("/")
    .map((segment) =>
      encodeURIComponent(segment).replaceAll("%3A", ":").replaceAll("%40", "@").replaceAll("%252F", "%2F"),
    )
    .join("/");
}

function queryOf(query: ApiRequest["query"]): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    const values = Array.isArray(value) ? (value as readonly string[]) : value === undefined ? [] : [String(value)];
    for (const each of values) given.append(key, each);
  }
  return given.size === 0 ? "" : `?${given.toString()}`;
}

/** For messages: what the request does, and the resource. */
export function doingOf(request: ApiRequest): string {
  return `${request.doing} ${resourceOf(request)}`;
}

/** For messages: the resource of the request. */
export function resourceOf({ resource, path }: ApiRequest): string {
  return resource ?? path;
}

/** For messages: the request line, without the query. */
export function requestLine({ method }: ApiRequest, url: string): string {
  return `${method} ${withoutQuery(url)}`;
}

/** The effect of every failure of the request; undefined if it depends on the failure. */
export function effectOfFailures({ kind }: ApiRequest): Effect | undefined {
  return kind === "read" ? "none" : undefined;
}

/** A client whose requests are answered by a function, with the JSON object of each response. */
export function clientOf(
  baseUrl: string,
  answerTo: (request: ApiRequest, call: Call) => Promise<Values>,
): Pick<ApiClient, "baseUrl" | "request"> {
  return {
    baseUrl,
    request: async (request, call, parse) => parseAnswer(request, await answerTo(request, call), parse),
  };
}

export interface ApiClientOptions {
  baseUrl: string;
  send: Send;
  retry: RetryOptions;
  /** What a user can do if nothing listens at an address of this machine. */
  whenRefused?: string;
  /** What a user can do if the API refuses the token. */
  whenUnauthenticated?: string;
}

/** A client that sends JSON and repeats the requests that may be repeated. */
export function apiClient({ baseUrl, send, retry, whenRefused, whenUnauthenticated }: ApiClientOptions): ApiClient {
  /** The largest difference between the date of a response and the clock when it came. */
  let ahead = -Infinity;
  const answerTo = (request: ApiRequest, call: Call): Promise<Values> => {
    const url = urlOf(baseUrl, request);
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const headers = {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    return withRetries(request.kind, call, retry, doingOf(request), async (attempt) => {
      const { method } = request;
      const response = await send({ method, url, headers, body, signal: call.signal, attempt }).catch(
        (error: unknown) => {
          throw failureOf(request, call, error, whenRefused);
        },
      );
      ahead = Math.max(ahead, (dateOf(response) ?? -Infinity) - call.clock.now());
      return objectIn({ request, url, response, whenUnauthenticated }, retry.codes.includes(404));
    });
  };
  return {
    ...clientOf(baseUrl, answerTo),
    serverTime: ({ clock }) => (ahead === -Infinity ? undefined : clock.now() + ahead),
  };
}

/** The error of a request without a response. The error of the sending has only the URL; this one says what was being done. */
function failureOf(request: ApiRequest, call: Call, error: unknown, whenRefused: string | undefined): unknown {
  if (!(error instanceof PerimeterError)) return error;
  const doing = doingOf(request);
  const options = { cause: error, effect: effectOfFailures(request) ?? error.effect };
  const isEnd = error instanceof CancelledError || error instanceof TimeoutError;
  if (isEnd && call.signal.aborted) return endOf(call, doing, options.effect);
  if (error instanceof CancelledError) return new CancelledError(`Stopped while trying to ${doing}`, options);
  const message = `Could not ${doing}: ${error.message}`;
  if (error instanceof TimeoutError) return new TimeoutError(message, options);
  if (error instanceof BadAnswerError) return new BadAnswerError(message, { ...options, retryable: error.retryable });
  if (!(error instanceof ConnectionError)) return error;
  const failure = new ConnectionError(message, { ...options, retryable: error.retryable });
  return isConnectionRefused(error) && !error.retryable && whenRefused ? failure.withHint(whenRefused) : failure;
}

/** A request and its response. */
interface Exchange {
  request: ApiRequest;
  url: string;
  response: HttpResponse;
  whenUnauthenticated?: string;
}

/**
 * The JSON object in the response.
 *
 * @param repeatsNotFound whether the configuration has reads repeated after a 404.
 * @throws ApiError for an error of the API, BadAnswerError for a response that is not the API's.
 */
function objectIn(exchange: Exchange, repeatsNotFound: boolean): Values {
  const { request, response } = exchange;
  const answer = recordIn(response.body);
  if (response.status === 404 && !hasApiStatus(answer)) {
    throw notFoundByOthers(exchange, request.kind === "read" && repeatsNotFound);
  }
  if (response.status < 200 || response.status >= 300) throw errorIn(exchange, answer);
  if (!answer) throw noObject(exchange);
  return answer;
}

/** The header `Date`, in milliseconds since the epoch; undefined if there is none. */
function dateOf({ headers }: HttpResponse): number | undefined {
  const date = Date.parse(headers.date ?? "");
  return Number.isNaN(date) ? undefined : date;
}

/**
 * Errors of the APIs contain their status (docs/wire.md section 10). Those of older APIs, such as Cloud Storage, have a list of
 * reasons in its place: https://cloud.google.com/storage/docs/json_api/v1/status-codes.
 */
function hasApiStatus(answer: Values | undefined): boolean {
  if (!isRecord(answer?.error)) return false;
  const { errors, status } = answer.error;
  return isRpcStatus(status) || listOf(errors).some((each) => isRecord(each) && typeof each.reason === "string");
}

function noObject({ request, url, response }: Exchange): BadAnswerError {
  const type = response.headers["content-type"] ?? "no content type";
  const what = response.body === "" ? "an empty body" : `something that is not a JSON object (${type})`;
  return new BadAnswerError(
    `Could not ${doingOf(request)}: the API answered HTTP ${response.status} with ${what}` +
      `\n  (${requestLine(request, url)})`,
    { retryable: true, effect: effectOfFailures(request) },
  );
}

/**
 * The error of a 404 from a proxy, a gateway or another server: it does not say whether the resource exists. As a NOT_FOUND
 * of the API, it would remove an existing resource from the state.
 */
function notFoundByOthers({ request, url, response }: Exchange, retryable: boolean): BadAnswerError {
  const id = requestIdIn(response);
  return new BadAnswerError(
    `Could not ${doingOf(request)}: the response HTTP 404 is not from the API ` +
      `(${contentOf(response)}), so it is unknown whether the resource exists.  Check custom endpoints, and any proxy ` +
      `between here and the API\n  (${requestLine(request, url)}${id === undefined ? "" : `, request id ${id}`})`,
    { retryable, effect: effectOfFailures(request) },
  );
}

function contentOf({ body, headers }: HttpResponse): string {
  return body === "" ? "no body" : (headers["content-type"] ?? "no content type");
}

/** The error of a response: JSON from the service; HTML or nothing from a proxy before it. */
function errorIn({ request, url, response, whenUnauthenticated }: Exchange, answer: Values | undefined): ApiError {
  const error = isRecord(answer?.error) ? answer.error : {};
  // The reasons of older APIs are in a list of their own.
  const details = [...listOf(error.details), ...listOf(error.errors)];
  const status = isRpcStatus(error.status) ? error.status : statusOfHttp(response.status);
  return apiError({
    doing: request.doing,
    resource: resourceOf(request),
    request: requestLine(request, url),
    status: status === "PERMISSION_DENIED" && isLimit(details) ? "RESOURCE_EXHAUSTED" : status,
    httpStatus: response.status,
    message: typeof error.message === "string" ? error.message : plainMessage(response),
    details,
    requestId: requestIdOf(details, response),
    retryAfterMs: retryAfterMs(response.headers["retry-after"], dateOf(response) ?? Date.now()),
    effect: effectOfFailures(request),
    hint: status === "UNAUTHENTICATED" ? whenUnauthenticated : undefined,
  });
}

function plainMessage(response: HttpResponse): string {
  if (response.body === "") return "the response has no body";
  return `the response is not from the API (${contentOf(response)})`;
}

/** The server's id of the request, from the details of the error or from a header. */
function requestIdOf(details: readonly unknown[], response: HttpResponse): string | undefined {
  const [info] = detailsOfType(details, "RequestInfo");
  return info ? textOf(info.requestId) || undefined : requestIdIn(response);
}

/**
 * Parses the answer to a request.
 *
 * @throws BadAnswerError in place of a WireShapeError: it says which request has a malformed response.
 */
function parseAnswer<T>(request: ApiRequest, answer: Values, parse: (answer: Values) => T): T {
  try {
    return parse(answer);
  } catch (error) {
    if (!(error instanceof WireShapeError)) throw error;
    throw new BadAnswerError(
      `Could not ${doingOf(request)}: the API's response has an unexpected shape: ${error.message}`,
      { effect: effectOfFailures(request) },
    );
  }
}

/**
 * Returns an answer that is a resource.
 *
 * @throws WireShapeError for an object without a name: every resource has one, so another server may have answered.
 */
export function named(answer: Values): Values {
  if (typeof answer.name !== "string" || answer.name === "") throw new WireShapeError("name", "a string");
  return answer;
}

/** The result of a request, or undefined if the API answers NOT_FOUND. */
export async function undefinedIfNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
