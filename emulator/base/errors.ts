import type { ApiNotes } from "./api";
import type { JsonObject } from "./json";

/** The google.rpc.Code and the HTTP code of each status (docs/wire.md section 10). */
export const STATUS = {
  OK: [0, 200],
  CANCELLED: [1, 499],
  UNKNOWN: [2, 500],
  INVALID_ARGUMENT: [3, 400],
  DEADLINE_EXCEEDED: [4, 504],
  NOT_FOUND: [5, 404],
  ALREADY_EXISTS: [6, 409],
  PERMISSION_DENIED: [7, 403],
  RESOURCE_EXHAUSTED: [8, 429],
  FAILED_PRECONDITION: [9, 400],
  ABORTED: [10, 409],
  OUT_OF_RANGE: [11, 400],
  UNIMPLEMENTED: [12, 501],
  INTERNAL: [13, 500],
  UNAVAILABLE: [14, 503],
  DATA_LOSS: [15, 500],
  UNAUTHENTICATED: [16, 401],
} as const;

export type StatusName = keyof typeof STATUS;

export const STATUS_NAMES = Object.keys(STATUS) as StatusName[];

/** A mistake in a request. `field` is absent if the front end names no field. */
export interface FieldViolation {
  field?: string;
  description?: string;
}

/** An error response of the API. Handlers throw it, and only `errorBody` formats it. */
export class ApiError extends Error {
  readonly httpCode: number;

  constructor(
    readonly status: StatusName,
    message: string,
    readonly details: JsonObject[] = [],
    httpCode?: number,
    /** The reason in the older error format, e.g. `aborted`. Some responses have both formats. */
    readonly oldReason?: string,
  ) {
    super(message);
    this.name = "ApiError";
    this.httpCode = httpCode ?? STATUS[status][1];
  }

  /** @param code a google.rpc.Code. Invalid codes become UNKNOWN */
  static ofCode(code: number, message: string): ApiError {
    return new ApiError(STATUS_NAMES.find((name) => STATUS[name][0] === code) ?? "UNKNOWN", message);
  }
}

/** The body of an HTTP error: `{"error": {code, message, errors?, status, details?}}`. */
export function errorBody(error: ApiError): JsonObject {
  const { httpCode, message, status, details, oldReason } = error;
  return {
    error: {
      code: httpCode,
      message,
      ...(oldReason !== undefined && { errors: [{ message, domain: "global", reason: oldReason }] }),
      status,
      ...(details.length > 0 && { details }),
    },
  };
}

/** The HTTP code, the reason and the text, if it is fixed, of each status in the older format. Other statuses keep their code. */
const OLDER: Partial<Record<StatusName, readonly [number, string, string?]>> = {
  INVALID_ARGUMENT: [400, "invalid"],
  UNAUTHENTICATED: [401, "authError"],
  PERMISSION_DENIED: [403, "forbidden"],
  NOT_FOUND: [404, "notFound"],
  ALREADY_EXISTS: [409, "conflict"],
  // An etag that is not the current one: https://github.com/hashicorp/terraform-provider-google/issues/7853
  ABORTED: [412, "conditionNotMet", "Precondition Failed"],
  RESOURCE_EXHAUSTED: [429, "rateLimitExceeded"],
  INTERNAL: [500, "backendError"],
};

/** The body of an HTTP error of an API with the older format: `{"error": {code, message, errors}}`. */
export function inOlderFormat(error: ApiError): { code: number; body: JsonObject } {
  const { status, httpCode } = error;
  const [usual, reason, message = error.message] = OLDER[status] ?? [httpCode, "backendError"];
  const code = httpCode === STATUS[status][1] ? usual : httpCode;
  return { code, body: { error: { code, message, errors: [{ message, domain: "global", reason }] } } };
}

function detail(type: string, fields: JsonObject): JsonObject {
  return { "@type": `type.googleapis.com/google.rpc.${type}`, ...fields };
}

export function errorInfo(reason: string, domain: string, metadata: Record<string, string> = {}): JsonObject {
  return detail("ErrorInfo", { reason, domain, ...(Object.keys(metadata).length > 0 ? { metadata } : {}) });
}

/** @param delay a protobuf duration, e.g. `"3s"` */
export function retryInfo(delay: string): JsonObject {
  return detail("RetryInfo", { retryDelay: delay });
}

/** @param requestId identifies the request for the operators of the service */
export function requestInfo(requestId: string): JsonObject {
  return detail("RequestInfo", { requestId });
}

export function badRequest(violations: readonly FieldViolation[]): JsonObject {
  return detail("BadRequest", { fieldViolations: violations.map((violation) => ({ ...violation })) });
}

export function invalidArgument(message: string, violations: readonly FieldViolation[] = []): ApiError {
  return new ApiError("INVALID_ARGUMENT", message, violations.length > 0 ? [badRequest(violations)] : []);
}

/**
 * The error that refuses a request with all its mistakes. The message has one line for each of the first hundred.
 */
export function invalidPayload(violations: readonly FieldViolation[]): ApiError {
  const descriptions = violations.map(({ description }) => description ?? "");
  return invalidArgument(firstHundred(descriptions, "problems").join("\n"), violations.slice(0, 100));
}

/** The first hundred lines of an error and the number of the rest, because a program may repeat one mistake 100,000 times. */
export function firstHundred(all: readonly string[], what: string): readonly string[] {
  return all.length > 100 ? [...all.slice(0, 100), `… and ${all.length - 100} more ${what}`] : all;
}

export function notFound(name: string, { missing }: Pick<ApiNotes, "missing"> = {}): ApiError {
  return new ApiError("NOT_FOUND", missing?.(name) ?? `Resource '${name}' was not found`);
}

export function alreadyExists(name: string): ApiError {
  return new ApiError("ALREADY_EXISTS", `Resource '${name}' already exists`);
}

export function failedPrecondition(type: string, subject: string, description: string): ApiError {
  return new ApiError("FAILED_PRECONDITION", description, [
    detail("PreconditionFailure", { violations: [{ type, subject, description }] }),
  ]);
}

/** The names in errors that identify the API. */
export interface ErrorSource {
  readonly service: string;
  readonly notes: Pick<ApiNotes, "title" | "denial">;
}

export function permissionDenied({ notes }: ErrorSource, permission: string, resource: string): ApiError {
  const text = `Permission '${permission}' denied on resource '${resource}' (or it may not exist).`;
  return new ApiError("PERMISSION_DENIED", notes.denial?.(permission, resource) ?? text, [
    errorInfo("IAM_PERMISSION_DENIED", "iam.googleapis.com", { permission, resource }),
  ]);
}

export function serviceDisabled({ service, notes }: ErrorSource, project: string): ApiError {
  const { title } = notes;
  const host = `${service}.googleapis.com`;
  const activationUrl = `https://console.developers.google.com/apis/api/${host}/overview?project=${project}`;
  const message =
    `${title} has not been used in project ${project} before or it is disabled. Enable it by visiting ` +
    `${activationUrl} then retry. If you enabled this API recently, wait a few minutes for the action to propagate ` +
    "to our systems and retry.";
  return new ApiError("PERMISSION_DENIED", message, [
    errorInfo("SERVICE_DISABLED", "googleapis.com", {
      service: host,
      serviceTitle: title,
      consumer: `projects/${project}`,
      containerInfo: project,
      activationUrl,
    }),
    detail("LocalizedMessage", { locale: "en-US", message }),
    detail("Help", { links: [{ description: "Google developers console API activation", url: activationUrl }] }),
  ]);
}

export function userProjectDenied(service: string, userProject: string): ApiError {
  const url = `https://console.developers.google.com/iam-admin/iam/project?project=${userProject}`;
  return new ApiError(
    "PERMISSION_DENIED",
    `Caller does not have required permission to use project ${userProject}. Grant the caller the ` +
      "roles/serviceusage.serviceUsageConsumer role, or a custom role with the serviceusage.services.use permission.",
    [
      errorInfo("USER_PROJECT_DENIED", "googleapis.com", {
        consumer: `projects/${userProject}`,
        service: `${service}.googleapis.com`,
      }),
      detail("Help", { links: [{ description: "Google developer console IAM admin", url }] }),
    ],
  );
}

export function credentialsMissing(service: string, method: string): ApiError {
  return new ApiError(
    "UNAUTHENTICATED",
    "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other " +
      "valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
    [errorInfo("CREDENTIALS_MISSING", "googleapis.com", { service: `${service}.googleapis.com`, method })],
  );
}

export function credentialsInvalid(service: string, method: string): ApiError {
  return new ApiError(
    "UNAUTHENTICATED",
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid " +
      "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
    [errorInfo("ACCESS_TOKEN_TYPE_UNSUPPORTED", "googleapis.com", { service: `${service}.googleapis.com`, method })],
  );
}

export function rateLimited(service: string, project: string, perMinute: number): ApiError {
  const host = `${service}.googleapis.com`;
  const metric = `${host}/policy_write_requests`;
  const limit = "PolicyWriteRequestsPerMinutePerProject";
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    `Quota exceeded for quota metric '${metric}' and limit '${limit}' of service '${host}' for consumer ` +
      `'projects/${project}'.`,
    [
      errorInfo("RATE_LIMIT_EXCEEDED", "googleapis.com", {
        quota_metric: metric,
        quota_limit: limit,
        quota_limit_value: String(perMinute),
        service: host,
        consumer: `projects/${project}`,
      }),
    ],
  );
}
