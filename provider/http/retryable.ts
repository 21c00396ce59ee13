import {
  ApiError,
  BadAnswerError,
  ConnectionError,
  isOtherRefusal,
  TimeoutError,
  type RpcStatus,
} from "../core/errors";
import { isCountLimit, isQuotaDenial } from "./quota";

/**
 * What a request is to the server, which decides when it may be repeated (docs/wire.md section 11):
 *  - `read`: changes nothing, so it is repeated after any failure that may pass;
 *  - `change`: create, patch or delete with a request id, by which the server recognises a repeat;
 *  - `once`: setIamPolicy. Never repeated as it is: its caller reads the policy again first.
 */
export type RequestKind = "read" | "change" | "once";

/** Statuses that another attempt may not meet. */
const TRANSIENT: readonly RpcStatus[] = [
  "UNAVAILABLE",
  "RESOURCE_EXHAUSTED",
  "INTERNAL",
  "UNKNOWN",
  "DEADLINE_EXCEEDED",
];

/** True where the same request may succeed a moment later. Whether it may be repeated is another question. */
export function isTransient(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  if (error instanceof ConnectionError || error instanceof BadAnswerError) return error.retryable;
  if (!(error instanceof ApiError) || isCountLimit(error)) return false;
  return isQuotaDenial(error) || (TRANSIENT.includes(error.status) && !isOtherRefusal(error));
}

/**
 * True where repeating the request may help and cannot harm.
 *
 * @param codes HTTP statuses that the configuration has repeated for reads.
 */
export function isRetryable(kind: RequestKind, error: unknown, codes: readonly number[] = []): boolean {
  if (kind === "once") return false;
  if (isTransient(error)) return true;
  if (!(error instanceof ApiError)) return false;
  // Another operation runs on the resource, and will end.
  if (kind === "change" && isConflict(error)) return true;
  return kind === "read" && error.httpStatus !== undefined && codes.includes(error.httpStatus);
}

/**
 * True where somebody else changed the resource first, or is changing it: 409 ABORTED, or 412 with whatever status (wire
 * reference section 11).
 */
export function isConflict(error: ApiError): boolean {
  return error.status === "ABORTED" || error.httpStatus === 412;
}
