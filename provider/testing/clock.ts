import type { Clock } from "../http/clock";

/** A clock that a test controls: sleeping advances it at once, and the test sets the random numbers. */
export class FakeClock implements Clock {
  /** Every sleep so far, in milliseconds. */
  readonly sleeps: number[] = [];
  /** Called at the beginning of each sleep, with its number from 1: a test can change the world here. */
  onSleep: (number: number) => void = () => {};

  constructor(
    private time = Date.parse("2026-03-01T12:00:00Z"),
    private readonly chance: () => number = () => 0.5,
  ) {}

  now(): number {
    return this.time;
  }

  private readonly alarms = new Set<{ at: number; ring: () => void }>();

  advance(ms: number): void {
    this.time += ms;
    for (const alarm of this.alarms) {
      if (alarm.at <= this.time && this.alarms.delete(alarm)) alarm.ring();
    }
  }

  alarm(ms: number, ring: () => void): () => void {
    const alarm = { at: this.time + ms, ring };
    this.alarms.add(alarm);
    return () => this.alarms.delete(alarm);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    this.onSleep(this.sleeps.length);
    const end = this.time + ms;
    // An alarm that aborts the signal ends the sleep at the alarm's time.
    while (!signal?.aborted && this.time < end) {
      const next = Math.min(end, ...[...this.alarms].map(({ at }) => at).filter((at) => at > this.time));
      this.advance(next - this.time);
    }
    return signal?.aborted ? Promise.reject<void>(signal.reason) : Promise.resolve();
  }

  random(): number {
    return this.chance();
  }
}
