import { unlessAborted } from "./abort";

/** Time and chance. They are passed in, so that tests own them. */
export interface Clock {
  /**
   * Milliseconds, to measure how long something takes and to set deadlines. Setting the machine's clock, which a time
   * server or a person does, does not change it; so it is not the time of day.
   */
  now(): number;
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason as soon as that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `ring` once when `ms` milliseconds have passed. It is for limits, where `sleep` is for steps: an alarm keeps no
   * process alive, and the clock of a test does not move on for it.
   *
   * @returns turns the alarm off.
   */
  alarm(ms: number, ring: () => void): () => void;
  /** Uniform in [0, 1). */
  random(): number;
}

/** The longest time that a Node.js timer can wait; a longer one fires at once: https://nodejs.org/api/timers.html */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Math.floor(performance.now()),
  // Not with node:timers/promises: Jest's fake timers do not reach it, and a test would wait for real.
  async sleep(ms, signal) {
    let timer: NodeJS.Timeout | undefined;
    const slept = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS));
    });
    try {
      await (signal ? unlessAborted(signal, slept) : slept);
    } finally {
      clearTimeout(timer);
    }
  },
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
