import { messageOf } from "../../provider/core/errors";
import { asCall, type Call } from "../../provider/http/call";
import { systemClock } from "../../provider/http/clock";

/**
 * The time limit of a live read with its retries, in milliseconds. It is much shorter than in an update, because a person
 * waits for the review.
 */
export const READ_TIMEOUT_MS = 15_000;

/** The value of a live read, or the error and a sentence with the reason, and how long the read was tried. */
export type Attempted<T> = { value: T } | { failure: string; error: unknown };

/** @param timeout milliseconds, with its retries */
export async function attempted<T>(read: (call: Call) => Promise<T>, timeout = READ_TIMEOUT_MS): Promise<Attempted<T>> {
  const begun = systemClock.now();
  try {
    return { value: await asCall(systemClock, timeout, read) };
  } catch (error) {
    const seconds = Math.round((systemClock.now() - begun) / 1000);
    const failure = seconds < 1 ? messageOf(error) : `${messageOf(error)} (tried for ${seconds} s)`;
    return { failure, error };
  }
}

/** Live reads at the same time. More would wait for the same connections. */
const AT_ONCE = 8;

/**
 * The results of `run` for each item, in the order of the items. It runs on a few items at once. After a failure, it begins no
 * further item, waits for those that have begun, and throws the first error.
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R>,
  atOnce = AT_ONCE,
): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  // One iterator for all: each worker takes the next item when it is done with one.
  const failures: unknown[] = [];
  const work = async () => {
    for (const [index, item] of entries) {
      try {
        results[index] = await run(item);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}
