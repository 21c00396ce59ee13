import { PerimeterError, type Effect } from "./base";
import { helpIn } from "./error-details";
import type { RpcStatus } from "./rpc-status";

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
