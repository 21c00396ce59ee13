import {
  ApiError,
  ConnectionError,
  BadAnswerError,
  TimeoutError,
  isRpcStatus,
  reasonOf,
  type RpcStatus,
} from "../core/errors";
import { isRecord, textOf } from "../core/unknown";
import { checkpoint, pause, type Call } from "./call";
import type { Clock } from "./clock";

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

/** The server said that it did not act: always safe to repeat. */
const NOT_ACTED: readonly RpcStatus[] = ["UNAVAILABLE", "RESOURCE_EXHAUSTED"];
/** Nobody knows whether the server acted. Without a status of its own, only a failure of the server counts as one. */
const UNCERTAIN: readonly RpcStatus[] = ["INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED"];

/** True where repeating the request may help and cannot harm. An error that is not listed is never repeated. */
export function isRetryable(kind: RequestKind, error: unknown, codes: readonly number[] = []): boolean {
  if (kind === "once") return false;
  if (error instanceof ConnectionError || error instanceof TimeoutError) return kind !== "unsafe";
  if (error instanceof BadAnswerError) return kind !== "unsafe" && error.retryable;
  if (!(error instanceof ApiError)) return false;
  if (isQuotaDenial(error)) return true;
  // A 503 from a proxy may have reached the server; with a request id, or for a read, that does not matter.
  if (NOT_ACTED.includes(error.status)) return error.httpStatus !== 502 || kind !== "unsafe";
  if (kind === "unsafe") return false;
  if (UNCERTAIN.includes(error.status) && !isRefusal(error)) return true;
  // Another operation runs on the resource: it ends some time.
  if (kind === "change" && isConflict(error)) return true;
  return kind === "read" && error.httpStatus !== undefined && codes.includes(error.httpStatus);
}

/** An answer 4xx that no status of `google.rpc.Code` stands for, such as 405 or 413: the request itself is wrong. */
function isRefusal({ status, httpStatus }: ApiError): boolean {
  return status === "UNKNOWN" && httpStatus !== undefined && httpStatus < 500;
}

/** Somebody else was quicker: 409 ABORTED, or 412 whatever status comes with it (wire reference section 11). */
export function isConflict(error: ApiError): boolean {
  return error.status === "ABORTED" || error.httpStatus === 412;
}

/** Some services answer an exhausted quota with 403; only the reason tells it from a denial. */
export function isQuotaDenial(error: ApiError): boolean {
  return (
    error.status === "PERMISSION_DENIED" &&
    ["RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"].includes(reasonOf(error) ?? "")
  );
}

/** Exponential from half a second to 32, with full jitter: a random part of the step. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1));
}

/** Milliseconds to wait before the next attempt: what the server asks for, else a jittered step. */
export function delayAfter(error: unknown, attempt: number, clock: Clock): number {
  const asked = error instanceof ApiError ? (retryInfoMs(error.details) ?? error.retryAfterMs) : undefined;
  return asked ?? backoff(attempt, () => clock.random());
}

function retryInfoMs(details: readonly unknown[]): number | undefined {
  for (const detail of details) {
    if (!isRecord(detail) || !textOf(detail["@type"]).endsWith("google.rpc.RetryInfo")) continue;
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(detail.retryDelay))?.[1];
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
  for (let number = 1; ; number++) {
    checkpoint(call, clock, doing);
    try {
      return await attempt(number);
    } catch (error) {
      if (!isRetryable(kind, error, options.codes)) throw error;
      // The other operation on the resource may take as long as ours: its end is waited for, not tried so many times.
      const patient = error instanceof ApiError && isConflict(error);
      if (!patient && number >= options.maxAttempts) throw error;
      const delay = delayAfter(error, number, clock);
      const until = patient ? call.deadline : Math.min(begun + options.maxElapsed, call.deadline);
      if (clock.now() + delay > until) throw error;
      call.reporter.status(`${statusWord(error)}; trying again in ${Math.ceil(delay / 1000)} s`);
      await pause(call, clock, delay, doing);
    }
  }
}

function statusWord(error: unknown): string {
  if (error instanceof ApiError && isConflict(error)) return "Another operation is at work on the resource";
  if (error instanceof ApiError && isRpcStatus(error.status)) return `The API answered ${error.status}`;
  return "The connection failed";
}
