import {
  ApiError,
  BadAnswerError,
  ConnectionError,
  detailsOfType,
  effectOf,
  isOtherRefusal,
  redact,
  TimeoutError,
  type Effect,
  type RpcStatus,
} from "../core/errors";
import { isRecord, listOf, textOf, type Values } from "../core/unknown";
import { checkpoint, pause, type Call } from "./call";
import type { Clock } from "./clock";

/**
 * The effect of a request on the server, which decides when it may be repeated (docs/wire.md section 11):
 *  - `read`: changes nothing. It is repeated after any transient failure;
 *  - `change`: a create, patch or delete with a request id, by which the server recognizes a repeat;
 *  - `once`: setIamPolicy. It is never repeated: its caller reads the policy again first.
 */
export type RequestKind = "read" | "change" | "once";

/** The configuration key `retry`. */
export interface RetryOptions {
  /** Includes the first attempt. */
  maxAttempts: number;
  /** Milliseconds from the first attempt. */
  maxElapsed: number;
  /** HTTP statuses after which reads are repeated, in addition to the standard ones. */
  codes: readonly number[];
}

/**
 * Runs `attempt` until it succeeds, fails permanently, or the attempts, the time or the call are over.
 *
 * @param doing for messages, as the continuation of "trying to": "read the scope projects/…".
 * @throws the error of the last attempt. CancelledError and TimeoutError when the call is over; their effect is unknown if
 *   one of the attempts may have had an effect.
 */
export async function withRetries<T>(
  kind: RequestKind,
  call: Call,
  options: RetryOptions,
  doing: string,
  attempt: (number: number) => Promise<T>,
): Promise<T> {
  const { clock } = call;
  const begun = clock.now();
  let effect: Effect = "none";
  for (let number = 1; ; number++) {
    checkpoint(call, doing, effect);
    try {
      return await attempt(number);
    } catch (error) {
      if (!isRetryable(kind, error, options.codes)) throw error;
      // Another operation on the resource may take as long as this one: wait for it until the call is over.
      const waitsForOtherOperation = error instanceof ApiError && isConflict(error);
      if (!waitsForOtherOperation && number >= options.maxAttempts) throw error;
      const delay = delayAfter(error, number, clock);
      const until = waitsForOtherOperation ? call.deadline : Math.min(begun + options.maxElapsed, call.deadline);
      if (clock.now() + delay > until) {
        if (!waitsForOtherOperation) throw error;
        const why = `the time limit was reached, and another operation on it is still running: ${error.cloudMessage}`;
        throw new TimeoutError(`Gave up trying to ${doing}: ${why}`, { cause: error, effect });
      }
      call.reporter.status(`${statusWord(error)}; trying again in ${Math.ceil(delay / 1000)} s`);
      if (effectOf(error) === "unknown") effect = "unknown";
      await pause(call, delay, doing, effect);
    }
  }
}

function statusWord(error: unknown): string {
  if (error instanceof ApiError && isConflict(error)) return "Another operation on the resource is running";
  if (error instanceof ApiError) return `The API answered ${error.status}${firstWords(error.cloudMessage)}`;
  return "The connection failed";
}

const LONGEST_WORDS = 200;

/** The beginning of the API's message, for a status line: the user may be able to remove the cause. */
function firstWords(message: string): string {
  const [line = ""] = message.trim().split(/[\r\n]/);
  if (line === "") return "";
  // Cuts between words, because redact() does not recognize a part of a secret.
  const text = line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS).replace(/\S*$/, "")}…` : line;
  return `: ${redact(text)}`;
}

/** Statuses that are often transient. */
const TRANSIENT: readonly RpcStatus[] = [
  "UNAVAILABLE",
  "RESOURCE_EXHAUSTED",
  "INTERNAL",
  "UNKNOWN",
  "DEADLINE_EXCEEDED",
];

/** True if the same request may succeed a moment later. `isRetryable` decides whether it may be repeated. */
export function isTransient(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  if (error instanceof ConnectionError || error instanceof BadAnswerError) return error.retryable;
  if (!(error instanceof ApiError) || isCountLimit(error)) return false;
  return TRANSIENT.includes(error.status) && !isOtherRefusal(error);
}

/**
 * True if repeating the request may help and does no harm.
 *
 * @param codes HTTP statuses after which the configuration has reads repeated.
 */
export function isRetryable(kind: RequestKind, error: unknown, codes: readonly number[] = []): boolean {
  if (kind === "once") return false;
  if (isTransient(error)) return true;
  if (!(error instanceof ApiError)) return false;
  // Another operation runs on the resource, and will end.
  if (kind === "change" && isConflict(error)) return true;
  return kind === "read" && error.httpStatus !== undefined && codes.includes(error.httpStatus);
}

/** True if somebody else changed the resource first, or is changing it: 409 ABORTED, or 412 with any status (docs/wire.md section 11). */
export function isConflict(error: ApiError): boolean {
  return error.status === "ABORTED" || error.httpStatus === 412;
}

/**
 * The reasons of a limit: in an `ErrorInfo`
 * (https://github.com/googleapis/googleapis/blob/master/google/api/error_reason.proto), and in the `errors` of older APIs, such
 * as BigQuery, Compute Engine and Cloud Storage.
 */
const RATE_REASONS = ["RATE_LIMIT_EXCEEDED", "rateLimitExceeded", "userRateLimitExceeded"];
/** Waiting does not help after this one. */
const COUNT_REASON = "RESOURCE_QUOTA_EXCEEDED";
/**
 * Reasons of rates and of other limits. `quotaExceeded` may be a quota of some minutes or of a day
 * (https://cloud.google.com/bigquery/docs/troubleshoot-quotas), or a number of resources
 * (https://cloud.google.com/docs/quotas/troubleshoot).
 */
const OTHER_REASONS = ["RESOURCE_EXHAUSTED", "quotaExceeded"];

/**
 * True for the details of a limit. Some services answer a limit with the status of a denial, 403: only the reason tells them
 * apart.
 *
 * @param details of an error, with the `errors` of older APIs.
 */
export function isLimit(details: readonly unknown[]): boolean {
  return hasReason(details, [...RATE_REASONS, COUNT_REASON, ...OTHER_REASONS]);
}

function hasReason(details: readonly unknown[], reasons: readonly string[]): boolean {
  const older = details.filter(isRecord).filter((each) => each["@type"] === undefined);
  return [...detailsOfType(details, "ErrorInfo"), ...older].some(({ reason }) => reasons.includes(textOf(reason)));
}

/** The words of a limit on requests per time. Such a quota is available again after that time. */
const RATE = /per[ _-]?(\d+[ _-]?)?(second|minute|hour|day)|\brate\b/i;

/**
 * True if the response proves that a limit on the number of objects is reached. A retry does not help then: the limit stays
 * reached until something is deleted. The status RESOURCE_EXHAUSTED stands for such counts and for rates:
 *  - a rate has one of the `RATE_REASONS`, or asks the client to wait (`RetryInfo`, `Retry-After`);
 *  - a count has the `COUNT_REASON`, or a `QuotaFailure` that mentions no time;
 *  - a response with none of these counts as a rate.
 */
export function isCountLimit({ details, retryAfterMs: asked }: ApiError): boolean {
  if (hasReason(details, [COUNT_REASON])) return true;
  if (hasReason(details, RATE_REASONS) || asked !== undefined) return false;
  if (detailsOfType(details, "RetryInfo").length > 0) return false;
  const failures = detailsOfType(details, "QuotaFailure");
  const violations = failures.flatMap((each) => listOf(each.violations)).filter(isRecord);
  return violations.length > 0 && !violations.some(isOfRate);
}

function isOfRate({ description, quotaId, quotaMetric }: Values): boolean {
  return [description, quotaId, quotaMetric].some((each) => RATE.test(textOf(each)));
}

/** Milliseconds. IAM's documentation recommends a longest step of 32 or 64 s (docs/wire.md section 11). */
const FIRST_STEP = 500;
const LONGEST_STEP = 32_000;

/** Milliseconds. No wait is shorter, whatever the server asks for, so that no response makes the provider retry without pause. */
const FIRST_LEAST_DELAY = 100;
const LONGEST_LEAST_DELAY = 10_000;

/** A random part of a step that doubles with each attempt, in milliseconds. @param attempt the failed one, from 1 */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_STEP, FIRST_STEP * 2 ** (attempt - 1));
}

/**
 * Milliseconds to wait before the next attempt: what the server asks for, or else a random part of a step. It has a minimum,
 * which grows with the attempts.
 *
 * @param attempt the failed one, from 1.
 */
export function delayAfter(error: unknown, attempt: number, clock: Clock): number {
  const asked = error instanceof ApiError ? (retryInfoMs(error.details) ?? error.retryAfterMs) : undefined;
  const least = Math.min(LONGEST_LEAST_DELAY, FIRST_LEAST_DELAY * 2 ** (attempt - 1));
  return Math.max(least, asked ?? backoff(attempt, () => clock.random()));
}

function retryInfoMs(details: readonly unknown[]): number | undefined {
  for (const { retryDelay } of detailsOfType(details, "RetryInfo")) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(retryDelay))?.[1];
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  return undefined;
}

/**
 * The header `Retry-After` in milliseconds. It contains seconds or an HTTP date; undefined for anything else.
 *
 * @param now the time of day to compare a date with, in milliseconds since the epoch: preferably the response's own date.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header.trim()) * 1000;
  // `Date.parse` finds a date in nearly any text, even "1.5"; an HTTP date begins with the day of the week.
  const date = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(header.trim()) ? Date.parse(header) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
