import type { Clock } from "../../provider/http/clock";

/**
 * The time of a rehearsal. Waiting moves it on at once: policies in memory have no quota of writes, no other writers, and
 * no servers that learn of a change later. Between the waits it stands still, so that no call runs out of its time.
 */
export class RehearsalClock implements Clock {
  private time = 0;

  now(): number {
    return this.time;
  }

  sleep(ms: number): Promise<void> {
    this.time += ms;
    return Promise.resolve();
  }

  /** Never rings: work that waits for nothing ends before its time is over. */
  alarm(): () => void {
    return () => {};
  }

  random(): number {
    return 0.5;
  }
}
