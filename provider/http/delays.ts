import { ApiError, detailsOfType } from "../core/errors";
import { textOf } from "../core/unknown";
import type { Clock } from "./clock";

/** Milliseconds. IAM's documentation has the longest step at 32 or 64 s (docs/wire.md section 11). */
const FIRST_STEP = 500;
const LONGEST_STEP = 32_000;

/** Milliseconds. No wait is shorter, whatever the server asks for, so that no answer makes the provider ask without end. */
const FIRST_LEAST_DELAY = 100;
const LONGEST_LEAST_DELAY = 10_000;

/** A random part of a step that doubles with each attempt, in milliseconds. @param attempt the one that failed, from 1 */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_STEP, FIRST_STEP * 2 ** (attempt - 1));
}

/**
 * Milliseconds to wait before the next attempt: what the server asks for, else a random part of a step. In either case at
 * least a time that grows with the attempts.
 *
 * @param attempt the one that failed, from 1.
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
 * The header `Retry-After` in milliseconds: it has seconds, or an HTTP date. Undefined for anything else.
 *
 * @param now the time of day that a date is compared with, in milliseconds since the epoch: best the answer's own date.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header.trim()) * 1000;
  // `Date.parse` sees a date in nearly anything, "1.5" included; an HTTP date begins with the day of the week.
  const date = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(header.trim()) ? Date.parse(header) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
