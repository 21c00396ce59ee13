import { detailsOfType, errorInfoReason, type ApiError } from "../core/errors";
import { isRecord, listOf, textOf, type Values } from "../core/unknown";

/** The words of a limit on requests for a time: such a quota is there again when the time is over. */
const RATE = /per[ _-]?(\d+[ _-]?)?(second|minute|hour|day)|\brate\b/i;

/**
 * True where the answer proves that a limit on the number of things is reached. To ask again does not help: the limit stays
 * reached until something is deleted. The status RESOURCE_EXHAUSTED stands for such counts, and for rates:
 *  - a rate has the reason `RATE_LIMIT_EXCEEDED`, or asks to wait (`RetryInfo`, `Retry-After`);
 *  - a count has the reason `RESOURCE_QUOTA_EXCEEDED`, or a `QuotaFailure` that names no time. The reasons are those of
 *    https://github.com/googleapis/googleapis/blob/master/google/api/error_reason.proto;
 *  - an answer with none of these is taken for a rate.
 */
export function isCountLimit(error: ApiError): boolean {
  const reason = errorInfoReason(error);
  if (reason === "RESOURCE_QUOTA_EXCEEDED") return true;
  if (reason === "RATE_LIMIT_EXCEEDED" || error.retryAfterMs !== undefined) return false;
  if (detailsOfType(error.details, "RetryInfo").length > 0) return false;
  const failures = detailsOfType(error.details, "QuotaFailure");
  const violations = failures.flatMap((each) => listOf(each.violations)).filter(isRecord);
  return violations.length > 0 && !violations.some(isOfRate);
}

function isOfRate({ description, quotaId, quotaMetric }: Values): boolean {
  return [description, quotaId, quotaMetric].some((each) => RATE.test(textOf(each)));
}

/** True for an exhausted quota under 403: some services answer so, and only the reason tells it from a denial. */
export function isQuotaDenial(error: ApiError): boolean {
  return (
    error.status === "PERMISSION_DENIED" &&
    ["RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"].includes(errorInfoReason(error) ?? "")
  );
}
