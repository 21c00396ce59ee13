import type { Clock } from "../http/clock";
import type { Send } from "../http/send";

interface Alarm {
  at: number;
  ring(): void;
}

/** A clock that a test controls: sleeping advances it at once, and the test sets the random numbers. */
export class FakeClock implements Clock {
  /** Every sleep so far, in milliseconds. */
  readonly sleeps: number[] = [];
  /** Called at the beginning of each sleep, with its number from 1: a test can change the world here. */
  onSleep: (number: number) => void = () => {};
  private readonly alarms = new Set<Alarm>();
  private requestsUnderWay = 0;
  private sleepersWait = false;

  constructor(
    private time = Date.parse("2026-03-01T12:00:00Z"),
    private readonly chance: () => number = () => 0.5,
  ) {}

  /**
   * A clock on which many can sleep at a time. Time stands still until `until` or `settle` lets it pass: then, as soon as
   * everybody waits, it jumps to the moment when the first of them wakes. So each run with it is the same.
   */
  static waiting(): FakeClock {
    const clock = new FakeClock();
    clock.sleepersWait = true;
    return clock;
  }

  now(): number {
    return this.time;
  }

  random(): number {
    return this.chance();
  }

  alarm(ms: number, ring: () => void): () => void {
    const alarm = { at: this.time + ms, ring };
    this.alarms.add(alarm);
    return () => this.alarms.delete(alarm);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    this.onSleep(this.sleeps.length);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      let isAsleep = true;
      const wake = () => {
        isAsleep = false;
        stopAlarm();
        signal?.removeEventListener("abort", stop);
      };
      const stop = () => {
        wake();
        reject(signal?.reason as Error);
      };
      const stopAlarm = this.alarm(ms, () => {
        wake();
        resolve();
      });
      signal?.addEventListener("abort", stop);
      // An alarm that aborts the signal ends the sleep at the alarm's time.
      while (isAsleep && !this.sleepersWait) this.ringNext();
    });
  }

  advance(ms: number): void {
    this.time += ms;
    for (const alarm of this.alarms) {
      if (alarm.at <= this.time && this.alarms.delete(alarm)) alarm.ring();
    }
  }

  /** Lets time pass until the promise is settled. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => void (settled = true);
    promise.then(done, done);
    for (;;) {
      await idle();
      if (settled) return promise;
      if (this.requestsUnderWay > 0) continue;
      if (!this.ringNext()) throw new Error("nobody sleeps any more, and the promise is not settled");
    }
  }

  /** Lets time pass until nobody sleeps any more. */
  async settle(): Promise<void> {
    await idle();
    while (this.ringNext()) await idle();
  }

  /** Sends requests during which no time passes, so that the speed of the machine changes nothing. */
  timeless(send: Send): Send {
    return async (request) => {
      this.requestsUnderWay += 1;
      try {
        return await send(request);
      } finally {
        this.requestsUnderWay -= 1;
      }
    };
  }

  private ringNext(): boolean {
    let next: Alarm | undefined;
    for (const alarm of this.alarms) if (!next || alarm.at < next.at) next = alarm;
    if (!next) return false;
    this.alarms.delete(next);
    this.time = Math.max(this.time, next.at);
    next.ring();
    return true;
  }
}

/** Waits until every promise that can continue has continued. */
function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
