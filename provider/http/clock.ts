/** Time and chance, passed in so that tests own them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `ring` once when `ms` have passed. Unlike a sleep it is a limit and no step: it keeps no process alive, and a
   * test's clock does not move on for it.
   *
   * @returns turns the alarm off.
   */
  alarm(ms: number, ring: () => void): () => void;
  /** Uniform in [0, 1). */
  random(): number;
}

/** The longest time that a Node.js timer can wait; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
        Math.min(ms, LONGEST_TIMER_MS),
      );
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
  alarm(ms, ring) {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      const step = Math.min(left, LONGEST_TIMER_MS);
      timer = setTimeout(() => (left > step ? wait(left - step) : ring()), step).unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
