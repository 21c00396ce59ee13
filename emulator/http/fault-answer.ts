import type { Fault } from "./faults";
import type { JsonObject } from "../base/json";
import { errorAnswer, htmlAnswer, JSON_TYPE, type Answer } from "./answer";
import { ApiError, errorInfo, retryInfo, STATUS, type StatusName } from "../base/errors";

/** Whether the fault replaces the real response. */
export function replacesAnswer(fault: Fault): boolean {
  return fault.status !== undefined || fault.body !== undefined || fault.html === true || fault.empty === true;
}

/** The response that a fault defines. */
export function faultAnswer(fault: Fault): Answer {
  const headers: Record<string, string> = {};
  if (fault.retryAfter !== undefined) {
    headers["Retry-After"] = String(fault.retryAfter);
  }
  return { ...faultBody(fault), headers };
}

function faultBody(fault: Fault): Answer {
  const { contentType } = fault;
  if (fault.html) {
    const { code } = faultStatus({ status: 502, ...fault });
    const page = htmlAnswer(code, "Server Error", fault.message ?? "The server encountered an error.");
    return contentType === undefined ? page : { ...page, contentType };
  }
  if (fault.empty) {
    const { code } = faultStatus({ status: 200, ...fault });
    return { status: code, body: "", contentType: contentType ?? JSON_TYPE };
  }
  if (fault.body !== undefined) {
    const { code } = faultStatus({ status: 200, ...fault });
    const body = typeof fault.body === "string" ? fault.body : JSON.stringify(fault.body);
    return { status: code, body, contentType: contentType ?? JSON_TYPE };
  }
  const { code, name } = faultStatus(fault);
  const details: JsonObject[] = [];
  if (fault.reason !== undefined) {
    details.push(errorInfo(fault.reason, fault.domain ?? "googleapis.com", fault.metadata));
  }
  if (fault.retryInfo !== undefined) {
    details.push(retryInfo(typeof fault.retryInfo === "number" ? `${fault.retryInfo}s` : fault.retryInfo));
  }
  const answer = errorAnswer(new ApiError(name, fault.message ?? `Injected fault: ${name}`, details, code));
  return contentType === undefined ? answer : { ...answer, contentType };
}

/** The HTTP code and the status of a fault's response. A fault defines one of them or both; the default is 500. */
function faultStatus({ status = 500, rpcStatus }: Fault): { code: number; name: StatusName } {
  if (typeof status === "string") {
    return { code: STATUS[status][1], name: rpcStatus ?? status };
  }
  return { code: status, name: rpcStatus ?? STATUS_OF_CODE[status] ?? "UNKNOWN" };
}

/** The status for an HTTP code. If several statuses share a code, it is the most frequent one. */
const STATUS_OF_CODE: Record<number, StatusName> = {
  200: "OK",
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  412: "FAILED_PRECONDITION",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};
