import { isRecord, listOf, textOf, type Values } from "../unknown";

/**
 * `google.rpc.Code`: for each name the number in an operation's error (`rpc`) and its HTTP status
 * (docs/wire.md section 10; https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto).
 */
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

const NAMES = Object.keys(RPC_STATUSES).filter(isRpcStatus);

export function isRpcStatus(text: unknown): text is RpcStatus {
  return typeof text === "string" && Object.hasOwn(RPC_STATUSES, text);
}

/** The most likely meaning of an HTTP status for which `google.rpc.Code` has several names or none. */
const LIKELY: ReadonlyMap<number, RpcStatus> = new Map([
  [400, "INVALID_ARGUMENT"],
  [408, "DEADLINE_EXCEEDED"],
  [409, "ABORTED"],
  [412, "ABORTED"],
  [500, "INTERNAL"],
  [502, "UNAVAILABLE"],
]);

/** The status for an HTTP status. Only for responses whose body names none: 400 and 409 have several meanings. */
export function statusOfHttp(http: number): RpcStatus {
  const status = LIKELY.get(http) ?? NAMES.find((name) => RPC_STATUSES[name].http === http);
  return status ?? (http >= 500 ? "INTERNAL" : "UNKNOWN");
}

/** The status of the number in an operation's error; `UNKNOWN` for a number that `google.rpc.Code` does not have. */
export function statusOfRpc(rpc: number): RpcStatus {
  return NAMES.find((name) => RPC_STATUSES[name].rpc === rpc) ?? "UNKNOWN";
}

/**
 * The `details` of an error: https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto. Every
 * field may be missing or have a wrong type.
 */

/** The details of a type of `google.rpc`, such as `RetryInfo` (docs/wire.md section 10). */
export function detailsOfType(details: readonly unknown[], type: string): Values[] {
  return details.filter(isRecord).filter((each) => textOf(each["@type"]).endsWith(`google.rpc.${type}`));
}

/** The `reason` of an ErrorInfo among the details: the only machine-readable cause. */
export function errorInfoReason({ details }: { details: readonly unknown[] }): string | undefined {
  const reasons = detailsOfType(details, "ErrorInfo").map(({ reason }) => reason);
  return reasons.find((reason) => typeof reason === "string");
}

/**
 * The lines that details of an error add to its message: each useful fact, once. Responses repeat facts: a description often
 * equals the message, and the same link appears in the message, in an ErrorInfo and in a Help.
 */
export function helpIn(details: readonly unknown[], message: string): string[] {
  const said = [message];
  for (const detail of details.filter(isRecord)) {
    const isSaid = (fact: string) => said.some((text) => text.includes(fact));
    said.push(...new Set(helpInDetail(detail, isSaid)));
  }
  return said.slice(1);
}

function helpInDetail(detail: Values, isSaid: (fact: string) => boolean): string[] {
  /** The line for a fact, without the part that an earlier line already has. */
  const line = (about: string, fact: string, label: string) => {
    if (fact !== "" && !isSaid(fact)) return [about === "" ? fact : `${about}: ${fact}`];
    return about === "" || isSaid(about) ? [] : [`${label}: ${about}`];
  };
  switch (textOf(detail["@type"]).split(".").at(-1)) {
    case "ErrorInfo":
      return helpInErrorInfo(textOf(detail.reason), isRecord(detail.metadata) ? detail.metadata : {}, isSaid);
    case "BadRequest":
      return recordsIn(detail.fieldViolations).flatMap(({ field, description }) =>
        line(textOf(field), textOf(description), "Field"),
      );
    case "QuotaFailure":
      return recordsIn(detail.violations).flatMap(({ subject, description }) =>
        line(textOf(subject), textOf(description), "Subject").map((each) => `Quota: ${each}`),
      );
    case "PreconditionFailure":
      return recordsIn(detail.violations).flatMap(({ type, subject, description }) =>
        line([type, subject].map(textOf).filter(Boolean).join(" "), textOf(description), "Precondition"),
      );
    case "Help":
      return recordsIn(detail.links).flatMap(({ description, url }) =>
        textOf(url) === "" || isSaid(textOf(url)) ? [] : line(textOf(description), textOf(url), "See"),
      );
    default:
      return [];
  }
}

function helpInErrorInfo(reason: string, metadata: Values, isSaid: (fact: string) => boolean): string[] {
  if (reason === "SERVICE_DISABLED") {
    const link = textOf(metadata.activationUrl);
    if (link !== "" && isSaid(link)) return [];
    const name = textOf(metadata.serviceTitle) || textOf(metadata.service) || "the API";
    return [`Enable ${name} for ${textOf(metadata.consumer) || "the project"}${link ? `: ${link}` : ""}`];
  }
  if (reason === "IAM_PERMISSION_DENIED" && textOf(metadata.permission)) {
    return [`Missing permission: ${textOf(metadata.permission)}`];
  }
  if (reason === "USER_PROJECT_DENIED") {
    const project = textOf(metadata.consumer);
    return [`The quota project ${project} was refused: the caller needs serviceusage.services.use on it`];
  }
  if (reason === "RATE_LIMIT_EXCEEDED") {
    const limit = textOf(metadata.quota_limit_value);
    return [`Quota: ${textOf(metadata.quota_metric)} (${textOf(metadata.quota_limit)}${limit ? `, ${limit}` : ""})`];
  }
  return reason ? [`Reason: ${reason}`] : [];
}

function recordsIn(value: unknown): Values[] {
  return listOf(value).filter(isRecord);
}
