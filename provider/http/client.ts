import {
  BadAnswerError,
  CancelledError,
  causesOf,
  ConnectionError,
  PerimeterError,
  systemCodeOf,
  TimeoutError,
  type Effect,
} from "../core/errors";
import type { Values } from "../core/unknown";
import { dateOf, objectIn } from "./answer";
import { doingOf, effectOfFailures, urlOf, type ApiRequest } from "./api-request";
import { endOf, isOver, whileCallLasts, type Call } from "./call";
import type { Clock } from "./clock";
import { withRetries, type RetryOptions } from "./retry";
import type { Send } from "./send";

/** An answer that is not an error. */
export interface ApiAnswer {
  body: Values;
  /** When the server sent it, by its own clock, in milliseconds since the epoch, whole seconds. Absent: it does not say. */
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

/** A client that sends JSON and repeats what may be repeated. */
export function apiClient({ baseUrl, send, clock, retry, whenRefused }: ApiClientOptions): DatedApiClient {
  const exchange = (request: ApiRequest, call: Call): Promise<ApiAnswer> => {
    const url = urlOf(baseUrl, request);
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const headers = {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const doing = doingOf(request);
    return withRetries(request.kind, call, clock, retry, doing, async (attempt) => {
      const response = await whileCallLasts(call, clock, doing, (signal) =>
        send({ method: request.method, url, headers, body, signal, attempt }),
      ).catch((error: unknown) => {
        const failure = unanswered(call, clock, doing, error, effectOfFailures(request));
        const nothingListens =
          failure instanceof ConnectionError &&
          !failure.retryable &&
          causesOf(error).some((each) => systemCodeOf(each) === "ECONNREFUSED");
        throw nothingListens && whenRefused ? failure.withHint(whenRefused) : failure;
      });
      const answer = objectIn({ request, url, response }, retry.codes.includes(404));
      return { body: answer, date: dateOf(response) };
    });
  };
  return {
    clock,
    baseUrl,
    exchange,
    request: async (request, call) => (await exchange(request, call)).body,
  };
}

/**
 * The error of a request that got no answer. That of the sending knows the URL alone; this one says what was being done.
 *
 * @param effect the one that every failure of the request has; undefined: the error's own.
 */
function unanswered(call: Call, clock: Clock, doing: string, error: unknown, effect: Effect | undefined): unknown {
  if (!(error instanceof PerimeterError)) return error;
  const options = { cause: error, effect: effect ?? error.effect };
  const isEnd = error instanceof CancelledError || error instanceof TimeoutError;
  if (isEnd && isOver(call, clock)) return endOf(call, doing, options.effect);
  if (error instanceof CancelledError) return new CancelledError(`Stopped while trying to ${doing}`, options);
  const message = `Could not ${doing}: ${error.message}`;
  if (error instanceof TimeoutError) return new TimeoutError(message, options);
  if (error instanceof BadAnswerError) return new BadAnswerError(message, { ...options, retryable: error.retryable });
  if (error instanceof ConnectionError) return new ConnectionError(message, { ...options, retryable: error.retryable });
  return error;
}
