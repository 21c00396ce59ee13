import { apiError, BadAnswerError, detailsOfType, isRpcStatus, statusOfHttp, type ApiError } from "../core/errors";
import { recordIn } from "../core/json";
import { isRecord, listOf, textOf, type Values } from "../core/unknown";
import { doingOf, effectOfFailures, requestLine, resourceOf, type ApiRequest } from "./api-request";
import { retryAfterMs } from "./delays";
import { requestIdIn, type HttpResponse } from "./send";

/** A request and what came back. */
export interface Exchange {
  request: ApiRequest;
  url: string;
  response: HttpResponse;
}

/**
 * The JSON object in the answer.
 *
 * @param repeatsNotFound whether a read is repeated after a 404: the configuration can ask for that.
 * @throws ApiError for an error of the API, BadAnswerError for what is not an answer of the API.
 */
export function objectIn(exchange: Exchange, repeatsNotFound: boolean): Values {
  const { request, response } = exchange;
  const answer = recordIn(response.body);
  if (response.status === 404 && !hasApiStatus(answer)) {
    throw notFoundByOthers(exchange, request.kind === "read" && repeatsNotFound);
  }
  if (response.status < 200 || response.status >= 300) throw errorIn(exchange, answer);
  if (!answer) throw noObject(exchange);
  return answer;
}

/** When the server sent the answer, in milliseconds since the epoch, whole seconds; undefined where it does not say. */
export function dateOf({ headers }: HttpResponse): number | undefined {
  const date = Date.parse(headers.date ?? "");
  return Number.isNaN(date) ? undefined : date;
}

/** Errors of the APIs name their status (docs/wire.md section 10). */
function hasApiStatus(answer: Values | undefined): boolean {
  return isRecord(answer?.error) && isRpcStatus(answer.error.status);
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
 * A 404 that is not the API's own, but of a proxy, a gateway or another server: it does not tell whether the resource
 * exists. Taken for the API's NOT_FOUND, it would drop from the state what is there.
 */
function notFoundByOthers({ request, url, response }: Exchange, retryable: boolean): BadAnswerError {
  const id = requestIdIn(response);
  return new BadAnswerError(
    `Could not ${doingOf(request)}: the answer HTTP 404 is not the API's ` +
      `(${contentOf(response)}), so it does not say whether the resource exists. Check custom endpoints, and any proxy ` +
      `between here and the API\n  (${requestLine(request, url)}${id === undefined ? "" : `, request id ${id}`})`,
    { retryable, effect: effectOfFailures(request) },
  );
}

function contentOf({ body, headers }: HttpResponse): string {
  return body === "" ? "no body" : (headers["content-type"] ?? "no content type");
}

/** The error of an answer: JSON from the service, or HTML or nothing from whatever stands before it. */
function errorIn({ request, url, response }: Exchange, answer: Values | undefined): ApiError {
  const error = isRecord(answer?.error) ? answer.error : {};
  const details = listOf(error.details);
  return apiError({
    doing: request.doing,
    resource: resourceOf(request),
    request: requestLine(request, url),
    status: isRpcStatus(error.status) ? error.status : statusOfHttp(response.status),
    httpStatus: response.status,
    message: typeof error.message === "string" ? error.message : plainMessage(response),
    details,
    requestId: requestIdOf(details, response),
    retryAfterMs: retryAfterMs(response.headers["retry-after"], dateOf(response) ?? Date.now()),
    effect: effectOfFailures(request),
  });
}

function plainMessage(response: HttpResponse): string {
  if (response.body === "") return "the answer has no body";
  return `the answer is not the API's (${contentOf(response)})`;
}

/** The server's id of the request: the details of an error tell it, or a header. */
function requestIdOf(details: readonly unknown[], response: HttpResponse): string | undefined {
  const [info] = detailsOfType(details, "RequestInfo");
  return info ? textOf(info.requestId) || undefined : requestIdIn(response);
}
