import { ApiError, detailsOfType } from "../core/errors";
import { textOf } from "../core/unknown";
import type { Clock } from "./clock";

/** All in milliseconds. The steps are those of IAM's documentation, with their longest at 32 s (wire reference section 11). */
const FIRST_STEP = 500;
const LONGEST_STEP = 32_000;

/** No wait is shorter, whatever the server asks for: it doubles from here, so that no answer makes a hot loop. */
const FIRST_LEAST_DELAY = 100;
const LONGEST_LEAST_DELAY = 10_000;

/** Exponential from half a second to 32, with full jitter: a random part of the step. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_STEP, FIRST_STEP * 2 ** (attempt - 1));
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
