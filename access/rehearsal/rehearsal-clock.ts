import type { Clock } from "../../provider/http/clock";

/**
 * The clock of a rehearsal. Waiting advances it at once, because policies in memory have no quota, no other writers and no
 * delays between servers. Between waits it stands still, so that no call exceeds its time.
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

  /** Never fires, because work that waits for nothing ends in time. */
  alarm(): () => void {
    return () => {};
  }

  random(): number {
    return 0.5;
  }
}
