/** Time and randomness. They are parameters, so that tests control them. */
export interface Clock {
  /**
   * Milliseconds, for durations and deadlines. It is not the time of day: setting the machine's clock, as a time server or a
   * person does, does not change it.
   */
  now(): number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `ring` once after `ms` milliseconds. An alarm is for limits and `sleep` is for steps: an alarm does not keep the
   * process alive, and the clock of a test does not advance for it.
   *
   * @returns turns the alarm off.
   */
  alarm(ms: number, ring: () => void): () => void;
  /** Uniform in [0, 1). */
  random(): number;
}

/** The maximum delay of a Node.js timer; a longer one fires immediately: https://nodejs.org/api/timers.html */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Math.floor(performance.now()),
  // Not with node:timers/promises: Jest's fake timers do not replace it, and a test would really wait.
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const timer = setTimeout(
        () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        },
        Math.min(ms, LONGEST_TIMER_MS),
      );
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", stop, { once: true });
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
