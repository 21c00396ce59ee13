import type { Clock } from "../../provider/http/clock";
import type { Send } from "../../provider/http/send";

interface Timer {
  at: number;
  wake(): void;
}

/**
 * A clock on which many can sleep at a time. Time stands still until everybody waits, then jumps to the moment when the
 * first of them wakes. So each run with it is the same.
 */
export class VirtualClock implements Clock {
  private time = Date.parse("2026-03-01T12:00:00Z");
  private readonly timers = new Set<Timer>();
  private requestsUnderWay = 0;

  constructor(private readonly chance: () => number = () => 0.5) {}

  now(): number {
    return this.time;
  }

  random(): number {
    return this.chance();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const timer: Timer = {
        at: this.time + ms,
        wake: () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        },
      };
      const stop = () => {
        this.timers.delete(timer);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", stop, { once: true });
      this.timers.add(timer);
    });
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

  alarm(ms: number, ring: () => void): () => void {
    const timer: Timer = { at: this.time + ms, wake: ring };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
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
      if (!this.wakeNext()) throw new Error("nobody sleeps any more, and the promise is not settled");
    }
  }

  /** Lets time pass until nobody sleeps any more. */
  async settle(): Promise<void> {
    await idle();
    while (this.wakeNext()) await idle();
  }

  private wakeNext(): boolean {
    let next: Timer | undefined;
    for (const timer of this.timers) if (!next || timer.at < next.at) next = timer;
    if (!next) return false;
    this.timers.delete(next);
    this.time = Math.max(this.time, next.at);
    next.wake();
    return true;
  }
}

/** Waits until every promise that can continue has continued. */
function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
