import { ApiError, effectOf, redact, TimeoutError, type Effect } from "../core/errors";
import { checkpoint, pause, type Call } from "./call";
import type { Clock } from "./clock";
import { delayAfter } from "./delays";
import { isConflict, isRetryable, type RequestKind } from "./retryable";

/** The configuration key `retry`. */
export interface RetryOptions {
  /** The first included. */
  maxAttempts: number;
  /** Milliseconds from the first attempt. */
  maxElapsed: number;
  /** HTTP statuses that are repeated for reads beside the standard ones. */
  codes: readonly number[];
}

/**
 * Runs `attempt` until it succeeds, fails for good, or the attempts, the time or the call are over.
 *
 * @param doing for messages, to be read on from "trying to": "read the scope projects/…".
 * @throws the error of the last attempt. CancelledError and TimeoutError when the call is over: their effect is unknown
 *   where one of the attempts may have had one.
 */
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
      // Another operation on the resource may take as long as this one would: wait for it for as long as the call lasts.
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

/** The beginning of the API's words, for a status line: perhaps the user can change what the provider waits for. */
function firstWords(message: string): string {
  const [line = ""] = message.trim().split(/[\r\n]/);
  if (line === "") return "";
  // Cuts between words, for redact() does not recognise a part of a secret.
  const text = line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS).replace(/\S*$/, "")}…` : line;
  return `: ${redact(text)}`;
}
