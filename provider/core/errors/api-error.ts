import { PerimeterError, type Effect } from "./base";
import { isRecord, textOf } from "../unknown";

/** `google.rpc.Code`: name, number in an operation's error, HTTP status (wire reference section 10). */
export const RPC_STATUSES = {
  CANCELLED: { rpc: 1, http: 499 },
  UNKNOWN: { rpc: 2, http: 500 },
  INVALID_ARGUMENT: { rpc: 3, http: 400 },
  DEADLINE_EXCEEDED: { rpc: 4, http: 504 },
  NOT_FOUND: { rpc: 5, http: 404 },
  ALREADY_EXISTS: { rpc: 6, http: 409 },
  PERMISSION_DENIED: { rpc: 7, http: 403 },
  RESOURCE_EXHAUSTED: { rpc: 8, http: 429 },
  FAILED_PRECONDITION: { rpc: 9, http: 400 },
  ABORTED: { rpc: 10, http: 409 },
  OUT_OF_RANGE: { rpc: 11, http: 400 },
  UNIMPLEMENTED: { rpc: 12, http: 501 },
  INTERNAL: { rpc: 13, http: 500 },
  UNAVAILABLE: { rpc: 14, http: 503 },
  DATA_LOSS: { rpc: 15, http: 500 },
  UNAUTHENTICATED: { rpc: 16, http: 401 },
} as const;
export type RpcStatus = keyof typeof RPC_STATUSES;

export function isRpcStatus(text: unknown): text is RpcStatus {
  return typeof text === "string" && Object.hasOwn(RPC_STATUSES, text);
}

/** The status that an HTTP code alone stands for, when the body has no better word. 409 and 400 are more than one. */
export function statusOfHttp(http: number): RpcStatus {
  const first = (Object.entries(RPC_STATUSES) as [RpcStatus, { http: number }][]).find(
    ([, each]) => each.http === http,
  );
  if (http === 412) return "ABORTED";
  if (http === 500) return "INTERNAL";
  if (http === 409) return "ABORTED";
  if (http === 408) return "DEADLINE_EXCEEDED";
  if (first) return first[0];
  if (http === 502) return "UNAVAILABLE";
  return http >= 500 ? "INTERNAL" : "UNKNOWN";
}

/** Statuses after which the server may have acted all the same: it failed on the way, or was not what answered. */
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

/** An answer 4xx that no status of `google.rpc.Code` stands for, such as 405 or 413: the request itself is wrong. */
export function isOtherRefusal({ status, httpStatus }: Pick<ApiFailure, "status" | "httpStatus">): boolean {
  return status === "UNKNOWN" && httpStatus !== undefined && httpStatus < 500;
}

export function statusOfRpc(rpc: number): RpcStatus {
  const found = (Object.entries(RPC_STATUSES) as [RpcStatus, { rpc: number }][]).find(([, each]) => each.rpc === rpc);
  return found ? found[0] : "UNKNOWN";
}

/** Where and how a call failed. */
export interface ApiFailure {
  /** What was being done, as a phrase: "create the firewall endpoint association". */
  doing: string;
  /** Full name of the resource that the call was about. */
  resource: string;
  /** HTTP method and path, or the name of the operation that ended in an error. */
  request: string;
  status: RpcStatus;
  /** Absent for an error in an operation, which comes under HTTP 200. */
  httpStatus?: number;
  /** The cloud's own words. */
  message: string;
  /** `google.rpc` error details. */
  details?: readonly unknown[];
  /** The server's id of the request, for support. */
  requestId?: string;
  /** What the server asked to wait in a `Retry-After` header. */
  retryAfterMs?: number;
  /** What a user can do, when the status alone says too little. */
  hint?: string;
  /** What the answer proves. Default: what its status says. */
  effect?: Effect;
}

/** The cloud refused or failed a call. One subclass for each status; `instanceof` and `status` both tell them apart. */
export class ApiError extends PerimeterError {
  readonly code = "API";
  readonly status: RpcStatus;
  readonly httpStatus: number | undefined;
  readonly resource: string;
  readonly request: string;
  readonly doing: string;
  /** The cloud's own words, without what this error adds. */
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

  /** The same error with a word on what to do about it. */
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

/** The error of a failure, of the class that its status stands for. */
export function apiError(failure: ApiFailure): ApiError {
  return new CLASSES[failure.status](failure);
}

function failureMessage(failure: ApiFailure): string {
  const helpful = (failure.details ?? []).flatMap(helpOf);
  const http = failure.httpStatus === undefined ? "" : `HTTP ${failure.httpStatus}, `;
  const lines = [
    `Could not ${failure.doing} ${failure.resource}: ${failure.status}: ${failure.message || "no message"}`,
    ...helpful,
    ...(failure.hint ? [failure.hint] : []),
    `(${http}${failure.request}${failure.requestId ? `, request id ${failure.requestId}` : ""})`,
  ];
  return lines.join("\n  ");
}

/** The details that help somebody act, a line for each (wire reference section 10). */
function helpOf(detail: unknown): string[] {
  if (!isRecord(detail)) return [];
  const metadata = isRecord(detail.metadata) ? detail.metadata : {};
  switch (textOf(detail["@type"]).split(".").at(-1)) {
    case "ErrorInfo":
      if (detail.reason === "SERVICE_DISABLED") {
        const name = textOf(metadata.serviceTitle) || textOf(metadata.service) || "the API";
        const link = textOf(metadata.activationUrl);
        return [`Enable ${name} for ${textOf(metadata.consumer) || "the project"}${link ? `: ${link}` : ""}`];
      }
      if (detail.reason === "IAM_PERMISSION_DENIED" && textOf(metadata.permission)) {
        return [`Missing permission: ${textOf(metadata.permission)}`];
      }
      if (detail.reason === "USER_PROJECT_DENIED") {
        return [
          `The quota project ${textOf(metadata.consumer)} was refused: the caller needs serviceusage.services.use on it`,
        ];
      }
      if (detail.reason === "RATE_LIMIT_EXCEEDED") {
        const limit = textOf(metadata.quota_limit_value);
        return [
          `Quota: ${textOf(metadata.quota_metric)} (${textOf(metadata.quota_limit)}${limit ? `, ${limit}` : ""})`,
        ];
      }
      return textOf(detail.reason) ? [`Reason: ${textOf(detail.reason)}`] : [];
    case "BadRequest":
      return list(detail.fieldViolations).map((each) => {
        const name = textOf(each.field);
        return `${name ? `${name}: ` : ""}${textOf(each.description)}`;
      });
    case "QuotaFailure":
      return list(detail.violations).map((each) => `Quota: ${textOf(each.subject)}: ${textOf(each.description)}`);
    case "PreconditionFailure":
      return list(detail.violations).map(
        (each) => `${textOf(each.type)} ${textOf(each.subject)}: ${textOf(each.description)}`,
      );
    case "Help":
      return list(detail.links).map((each) => `${textOf(each.description)}: ${textOf(each.url)}`);
    default:
      return [];
  }
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Those of an error's details that are of a type of `google.rpc`, such as `RetryInfo` (wire reference section 10). */
export function detailsOfType(details: readonly unknown[], type: string): Record<string, unknown>[] {
  return details.filter(isRecord).filter((each) => textOf(each["@type"]).endsWith(`google.rpc.${type}`));
}

/** The `reason` of an ErrorInfo among an error's details: the only machine-readable word on what went wrong. */
export function errorInfoReason(error: ApiError): string | undefined {
  const reasons = detailsOfType(error.details, "ErrorInfo").map(({ reason }) => reason);
  return reasons.find((reason): reason is string => typeof reason === "string");
}
