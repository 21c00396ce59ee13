import {
  ApiError,
  ConnectionError,
  BadAnswerError,
  TimeoutError,
  detailsOfType,
  effectOf,
  isOtherRefusal,
  errorInfoReason,
  redact,
  type Effect,
  type RpcStatus,
} from "../core/errors";
import { textOf } from "../core/unknown";
import { checkpoint, pause, type Call } from "./call";
import type { Clock } from "./clock";
import { isCountLimit } from "./quota";

/**
 * What a request is to the server, which decides when it may be repeated (wire reference section 11):
 *  - `read`: changes nothing, repeat on anything that may pass;
 *  - `change`: create, patch, delete with a request id, so a repeat is recognised as one;
 *  - `unsafe`: the same without a request id: repeat only when the server says that it did nothing;
 *  - `once`: setIamPolicy: never repeated as it is, its caller reads the policy again first.
 */
export type RequestKind = "read" | "change" | "unsafe" | "once";

export interface RetryOptions {
  maxAttempts: number;
  /** Milliseconds from the first attempt. */
  maxElapsed: number;
  /** HTTP statuses that are repeated for reads beside the standard ones. */
  codes: readonly number[];
}

export const DEFAULT_RETRY: RetryOptions = { maxAttempts: 10, maxElapsed: 300_000, codes: [] };

const FIRST_DELAY = 500;
const LONGEST_DELAY = 32_000;

/** No wait is shorter, whatever the server asks for: it doubles from here, so that no answer makes a hot loop. */
const FIRST_LEAST_DELAY = 100;
const LONGEST_LEAST_DELAY = 10_000;

/** Statuses that may be gone at the next attempt. */
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

/** True where repeating the request may help and cannot harm. */
export function isRetryable(kind: RequestKind, error: unknown, codes: readonly number[] = []): boolean {
  if (kind === "once") return false;
  if (isTransient(error)) return kind !== "unsafe" || effectOf(error) === "none" || isUnavailable(error);
  if (!(error instanceof ApiError)) return false;
  // Another operation runs on the resource: it ends some time.
  if (kind === "change" && isConflict(error)) return true;
  return kind === "read" && error.httpStatus !== undefined && codes.includes(error.httpStatus);
}

/** The one status that AIP-194 lets clients repeat whatever the request is. A proxy's 502 is not the API's word. */
function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.status === "UNAVAILABLE" && error.httpStatus !== 502;
}

/** Somebody else was quicker: 409 ABORTED, or 412 whatever status comes with it (wire reference section 11). */
export function isConflict(error: ApiError): boolean {
  return error.status === "ABORTED" || error.httpStatus === 412;
}

/** Some services answer an exhausted quota with 403; only the reason tells it from a denial. */
export function isQuotaDenial(error: ApiError): boolean {
  return (
    error.status === "PERMISSION_DENIED" &&
    ["RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"].includes(errorInfoReason(error) ?? "")
  );
}

/** Exponential from half a second to 32, with full jitter: a random part of the step. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1));
}

/**
 * Milliseconds to wait before the next attempt: what the server asks for, else a jittered step; in either case at least
 * a time that grows with the attempts.
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

/** `Retry-After` in milliseconds: seconds or an HTTP date; anything else is as good as none. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header.trim()) * 1000;
  // `Date.parse` sees a date in nearly anything, "1.5" included; an HTTP date begins with the day of the week.
  const date = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(header.trim()) ? Date.parse(header) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Runs `attempt` until it succeeds, fails for good, or the attempts, the time or the call are over. */
export async function withRetries<T>(
  kind: RequestKind,
  call: Call,
  clock: Clock,
  options: RetryOptions,
  doing: string,
  attempt: (number: number) => Promise<T>,
): Promise<T> {
  const begun = clock.now();
  let effect: Effect = "none";
  for (let number = 1; ; number++) {
    checkpoint(call, clock, doing, effect);
    try {
      return await attempt(number);
    } catch (error) {
      if (!isRetryable(kind, error, options.codes)) throw error;
      // The other operation on the resource may take as long as ours: its end is waited for, not tried so many times.
      const patient = error instanceof ApiError && isConflict(error);
      if (!patient && number >= options.maxAttempts) throw error;
      const delay = delayAfter(error, number, clock);
      const until = patient ? call.deadline : Math.min(begun + options.maxElapsed, call.deadline);
      if (clock.now() + delay > until) {
        if (!patient) throw error;
        const why = `its time is over, and another operation is still at work on it: ${error.cloudMessage}`;
        throw new TimeoutError(`Gave up trying to ${doing}: ${why}`, { cause: error, effect });
      }
      call.reporter.status(`${statusWord(error)}; trying again in ${Math.ceil(delay / 1000)} s`);
      if (effectOf(error) === "unknown") effect = "unknown";
      await pause(call, clock, delay, doing, effect);
    }
  }
}

function statusWord(error: unknown): string {
  if (error instanceof ApiError && isConflict(error)) return "Another operation is at work on the resource";
  if (error instanceof ApiError) return `The API answered ${error.status}${firstWords(error.cloudMessage)}`;
  return "The connection failed";
}

const LONGEST_WORDS = 200;

/** The beginning of the API's words, for a status line: what is waited for may be something that only a user can change. */
function firstWords(message: string): string {
  const line = message.trim().split(/[\r\n]/)[0] as string;
  if (line === "") return "";
  // Cut between words: a part of a secret would not be recognised as one.
  const text = line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS).replace(/\S*$/, "")}…` : line;
  return `: ${redact(text)}`;
}
