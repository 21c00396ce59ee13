import { detailsOfType, errorInfoReason, type ApiError } from "../core/errors";
import { isRecord, textOf } from "../core/unknown";

/** Limits on requests for a time: such a quota is there again when the time is over. */
const RATE = /per[ _-]?(\d+[ _-]?)?(second|minute|hour|day)|\brate\b/i;

/**
 * True where the answer proves that a limit on how many things there may be is reached: asking again does not help, for
 * it stays reached until something is deleted. RESOURCE_EXHAUSTED stands for these and for rates. A wait that the server
 * asks for (`RetryInfo`, `Retry-After`) and the reason `RATE_LIMIT_EXCEEDED` mean a rate; the reason
 * `RESOURCE_QUOTA_EXCEEDED` (`google.api.ErrorReason`), and a `QuotaFailure` that names no time, mean a count. An answer
 * without any of them cannot be told apart, and counts as a rate.
 */
export function isCountLimit(error: ApiError): boolean {
  const reason = errorInfoReason(error);
  if (reason === "RESOURCE_QUOTA_EXCEEDED") return true;
  if (reason === "RATE_LIMIT_EXCEEDED" || error.retryAfterMs !== undefined) return false;
  if (detailsOfType(error.details, "RetryInfo").length > 0) return false;
  const violations = detailsOfType(error.details, "QuotaFailure").flatMap(({ violations }) =>
    Array.isArray(violations) ? violations.filter(isRecord) : [],
  );
  return violations.length > 0 && !violations.some(isOfRate);
}

function isOfRate({ description, quotaId, quotaMetric }: Record<string, unknown>): boolean {
  return [description, quotaId, quotaMetric].some((each) => RATE.test(textOf(each)));
}

/** Some services answer an exhausted quota with 403; only the reason tells it from a denial. */
export function isQuotaDenial(error: ApiError): boolean {
  return (
    error.status === "PERMISSION_DENIED" &&
    ["RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"].includes(errorInfoReason(error) ?? "")
  );
}
