import type { Problem } from "../problem";
import type { Values } from "../unknown";
import { helpIn, type RpcStatus } from "./google-rpc";
import { LONGEST_REDACTED, redact, shortened } from "./text";

export { detailsOfType, errorInfoReason, isRpcStatus, RPC_STATUSES, statusOfHttp, statusOfRpc } from "./google-rpc";
export type { RpcStatus } from "./google-rpc";
export {
  causesOf,
  firstProblems,
  isConnectionRefused,
  LONGEST_LOG_LINE,
  LONGEST_MESSAGE,
  messageOf,
  redact,
  shortened,
  systemCodeOf,
} from "./text";

/** The code of every kind of failure. `docs/errors.md` explains each; a test compares both lists. */
export const ERROR_CODES = [
  "INPUT",
  "CONFIGURATION",
  "CREDENTIALS",
  "API",
  "CONNECTION",
  "TIMEOUT",
  "CANCELLED",
  "BAD_ANSWER",
  "NOT_READY",
  "REFUSED",
  "BUG",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * What a failure proves about the requested change. Retries, reads after a failure and the state that is kept depend only on
 * this:
 *  - `none`: the server did not make the change. The caller may ask again, or forget it.
 *  - `done`: the server made it, and the problem occurred later.
 *  - `unknown`: the server may have made it. Only a read of the resource shows whether it did.
 *
 * A read asks for no change, so its failure is always `none`.
 */
export type Effect = "none" | "done" | "unknown";

export interface PerimeterErrorOptions {
  cause?: unknown;
  /** Default: the effect of the error's class. */
  effect?: Effect;
}

/** Prepares a text for an error: removes credentials and limits the length. */
export function redactedText(text: string): string {
  return shortened(redact(text), LONGEST_REDACTED);
}

/** The base of every error of the provider: a code of the list above, its effect, and a message without credentials. */
export abstract class PerimeterError extends Error {
  abstract readonly code: ErrorCode;
  readonly effect: Effect;

  constructor(message: string, { effect = "none", ...options }: PerimeterErrorOptions = {}) {
    super(redactedText(message), options);
    this.effect = effect;
  }
}

/** The effect of any thrown value: unknown unless it is an error of the provider. */
export function effectOf(error: unknown): Effect {
  return error instanceof PerimeterError ? error.effect : "unknown";
}

/** The inputs of a resource or the arguments of a lookup are wrong. The message lists every problem. */
export class InputError extends PerimeterError {
  readonly code = "INPUT";
  override readonly name = "InputError";
  constructor(
    readonly subject: string,
    readonly problems: readonly Problem[],
  ) {
    super(`${subject}: ${problems.map((each) => `${each.path} ${each.reason}`).join("; ")}`);
  }
}

/** The error for an id from the user that names no resource of the type. */
export function importError(id: string, reason: string): InputError {
  return new InputError(`Cannot import ${JSON.stringify(id)}`, [{ path: "id", reason }]);
}

/** The provider's configuration is wrong or lacks something. */
export class ConfigurationError extends PerimeterError {
  readonly code = "CONFIGURATION";
  override readonly name = "ConfigurationError";
  constructor(
    message: string,
    readonly problems: readonly Problem[] = [],
  ) {
    super(message);
  }
}

/** There are no credentials, or they yield no token. */
export class CredentialsError extends PerimeterError {
  readonly code = "CREDENTIALS";
  override readonly name = "CredentialsError";
}

/** The request or its response was lost. Default effect: unknown. */
export class ConnectionError extends PerimeterError {
  readonly code = "CONNECTION";
  override readonly name = "ConnectionError";
  /** False when another attempt would fail in the same way, for example because a certificate is not trusted. */
  readonly retryable: boolean;
  constructor(
    message: string,
    { retryable = true, effect = "unknown", ...options }: PerimeterErrorOptions & { retryable?: boolean } = {},
  ) {
    super(message, { effect, ...options });
    this.retryable = retryable;
  }

  /** A copy whose message also has a hint for the user. */
  withHint(hint: string): ConnectionError {
    const { cause, effect, retryable } = this;
    return new ConnectionError(`${this.message}. ${hint}`, { cause, effect, retryable });
  }
}

/** Time ran out for one request, or for the whole call of the engine. Default effect: unknown, for a request in flight. */
export class TimeoutError extends PerimeterError {
  readonly code = "TIMEOUT";
  override readonly name = "TimeoutError";
  constructor(message: string, { effect = "unknown", ...options }: PerimeterErrorOptions = {}) {
    super(message, { effect, ...options });
  }
}

/** The engine or the user cancelled the run. Default effect: unknown, for a request in flight. */
export class CancelledError extends PerimeterError {
  readonly code = "CANCELLED";
  override readonly name = "CancelledError";
  constructor(message: string, { effect = "unknown", ...options }: PerimeterErrorOptions = {}) {
    super(message, { effect, ...options });
  }
}

/** The response does not match the API: HTML, cut off, or a wrong structure. Default effect: unknown. */
export class BadAnswerError extends PerimeterError {
  readonly code = "BAD_ANSWER";
  override readonly name = "BadAnswerError";
  /** True when another attempt may succeed: the response was cut off, or came from a proxy or gateway. */
  readonly retryable: boolean;
  constructor(
    message: string,
    { retryable = false, effect = "unknown", ...options }: PerimeterErrorOptions & { retryable?: boolean } = {},
  ) {
    super(message, { effect, ...options });
    this.retryable = retryable;
  }
}

/** The provider refuses a change that would take access from others, lock everybody out, or do half of a replacement. */
export class RefusedError extends PerimeterError {
  readonly code = "REFUSED";
  override readonly name = "RefusedError";
}

/** The provider is in a state that should be impossible. The message asks the user to report the bug. */
export class BugError extends PerimeterError {
  readonly code = "BUG";
  override readonly name = "BugError";
  constructor(message: string) {
    super(`Bug in the perimeter provider, please report it: ${message}`, { effect: "unknown" });
  }
}

/** True for expected failures; false for a bug of the provider. */
export function isExpected(error: unknown): error is PerimeterError {
  return error instanceof PerimeterError && !(error instanceof BugError);
}

/**
 * The resource exists but is not as the program wants it: its operation is still running, or failed halfway. Pulumi's engine
 * and its dynamic-provider server read `id`, `properties` and `reasons`, and keep the resource in the state: after any other
 * error they forget it. Default effect: done.
 */
export class NotReadyError extends PerimeterError {
  readonly code = "NOT_READY";
  override readonly name = "NotReadyError";
  /** The problems, one sentence each: engines print them in place of the message. */
  readonly reasons: string[];
  constructor(
    readonly id: string,
    readonly properties: Values,
    reasons: readonly string[],
    { effect = "done", ...options }: PerimeterErrorOptions = {},
  ) {
    super(reasons.join("\n"), { effect, ...options });
    this.reasons = reasons.map(redactedText);
  }

  /** A copy whose state also has these properties. */
  withProperties(more: Values): NotReadyError {
    const { id, properties, reasons, cause, effect } = this;
    return new NotReadyError(id, { ...properties, ...more }, reasons, { cause, effect });
  }
}

/** Statuses after which the server may have made the change: it failed midway, or a proxy answered. */
const UNCERTAIN: readonly RpcStatus[] = [
  "CANCELLED",
  "UNKNOWN",
  "DEADLINE_EXCEEDED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
];

function effectOfStatus(failure: ApiFailure): Effect {
  return UNCERTAIN.includes(failure.status) && !isOtherRefusal(failure) ? "unknown" : "none";
}

/**
 * True for an HTTP status 4xx that `google.rpc.Code` has no name for, such as 405 or 413: the server refused the request
 * itself, so it did nothing, and refuses it again.
 */
export function isOtherRefusal({ status, httpStatus }: Pick<ApiFailure, "status" | "httpStatus">): boolean {
  return status === "UNKNOWN" && httpStatus !== undefined && httpStatus < 500;
}

/** The details of a failed API call. */
export interface ApiFailure {
  /** The action, as a phrase after "Could not": "create the firewall endpoint association". */
  doing: string;
  /** Full name of the resource of the call. */
  resource: string;
  /** HTTP method and path, or the name of the operation that ended in an error. */
  request: string;
  status: RpcStatus;
  /** Absent for an error in an operation, which comes under HTTP 200. */
  httpStatus?: number;
  /** The cloud's message. */
  message: string;
  /** The `details` of the error, as received. */
  details?: readonly unknown[];
  /** The server's id of the request, for support. */
  requestId?: string;
  /** How long the server's `Retry-After` header asks to wait, in milliseconds. */
  retryAfterMs?: number;
  /** A hint for the user, when the status alone is not clear. */
  hint?: string;
  /** The effect that the response proves. Default: the effect of its status. */
  effect?: Effect;
}

/** An API refused or failed a call. Each status has a subclass, so a program can use `instanceof` or `status`. */
export class ApiError extends PerimeterError {
  readonly code = "API";
  readonly status: RpcStatus;
  readonly httpStatus: number | undefined;
  readonly resource: string;
  readonly request: string;
  readonly doing: string;
  /** The cloud's message, without the additions of this error. */
  readonly cloudMessage: string;
  readonly details: readonly unknown[];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  private readonly failure: ApiFailure;
  override readonly name: string;

  constructor(failure: ApiFailure) {
    super(failureMessage(failure), { effect: failure.effect ?? effectOfStatus(failure) });
    this.name = failure.status;
    this.status = failure.status;
    this.httpStatus = failure.httpStatus;
    this.resource = failure.resource;
    this.request = failure.request;
    this.doing = failure.doing;
    this.cloudMessage = failure.message;
    this.details = failure.details ?? [];
    this.requestId = failure.requestId;
    this.retryAfterMs = failure.retryAfterMs;
    this.failure = failure;
  }

  /** A copy whose message also has a hint for the user. */
  withHint(hint: string): ApiError {
    return apiError({ ...this.failure, hint });
  }
}

export class NotFoundError extends ApiError {}
export class InvalidArgumentError extends ApiError {}
export class PermissionDeniedError extends ApiError {}
export class UnauthenticatedError extends ApiError {}
export class AlreadyExistsError extends ApiError {}
export class AbortedError extends ApiError {}
export class FailedPreconditionError extends ApiError {}
export class OutOfRangeError extends ApiError {}
export class ResourceExhaustedError extends ApiError {}
export class CancelledByServerError extends ApiError {}
export class DeadlineExceededError extends ApiError {}
export class UnimplementedError extends ApiError {}
export class InternalError extends ApiError {}
export class UnavailableError extends ApiError {}
export class DataLossError extends ApiError {}
export class UnknownError extends ApiError {}

const CLASSES: Record<RpcStatus, new (failure: ApiFailure) => ApiError> = {
  CANCELLED: CancelledByServerError,
  UNKNOWN: UnknownError,
  INVALID_ARGUMENT: InvalidArgumentError,
  DEADLINE_EXCEEDED: DeadlineExceededError,
  NOT_FOUND: NotFoundError,
  ALREADY_EXISTS: AlreadyExistsError,
  PERMISSION_DENIED: PermissionDeniedError,
  RESOURCE_EXHAUSTED: ResourceExhaustedError,
  FAILED_PRECONDITION: FailedPreconditionError,
  ABORTED: AbortedError,
  OUT_OF_RANGE: OutOfRangeError,
  UNIMPLEMENTED: UnimplementedError,
  INTERNAL: InternalError,
  UNAVAILABLE: UnavailableError,
  DATA_LOSS: DataLossError,
  UNAUTHENTICATED: UnauthenticatedError,
};

/** The error of a failure, in the class of its status. */
export function apiError(failure: ApiFailure): ApiError {
  return new CLASSES[failure.status](failure);
}

/** A copy of a failed request's error whose message also says what to do. Other values are returned unchanged. */
export function withAdvice(error: unknown, advice: string): unknown {
  if (error instanceof ApiError || error instanceof ConnectionError) return error.withHint(advice);
  for (const Failure of [BadAnswerError, CancelledError, TimeoutError]) {
    if (error instanceof Failure) return new Failure(`${error.message}. ${advice}`, { ...error, cause: error });
  }
  return error;
}

function failureMessage(failure: ApiFailure): string {
  const message = failure.message.trim() || "no message";
  const http = failure.httpStatus === undefined ? "" : `HTTP ${failure.httpStatus}, `;
  const lines = [
    `Could not ${failure.doing} ${failure.resource}: ${failure.status}: ${message}`,
    ...helpIn(failure.details ?? [], message),
    ...(failure.hint ? [failure.hint] : []),
    `(${http}${failure.request}${failure.requestId ? `, request id ${failure.requestId}` : ""})`,
  ];
  return lines.join("\n  ");
}
