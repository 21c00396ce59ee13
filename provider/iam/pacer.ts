import { pause, type Call } from "../http/call";
import type { Clock } from "../http/clock";

/** A minute, and as long as a write may take longer than another to arrive: the server counts by its own clock. */
const WINDOW_MS = 62_000;
/** A part of the quota is left to others. */
const SHARE = 0.9;

/** Keeps writes under a quota per minute by waiting, so that the server need not refuse. */
export class Pacer {
  private readonly begun: number[] = [];

  /** @param perMinute the service's quota; undefined: no limit is known. */
  constructor(
    private readonly perMinute: number | undefined,
    private readonly clock: Clock,
  ) {}

  /** Returns when one more write fits. `doing`: for messages, what the write is to do. */
  async admit(call: Call, doing = "change the access policy within its quota"): Promise<void> {
    if (this.perMinute === undefined) return;
    const most = Math.max(1, Math.floor(this.perMinute * SHARE));
    for (;;) {
      const now = this.clock.now();
      while (this.begun.length > 0 && (this.begun[0] as number) <= now - WINDOW_MS) this.begun.shift();
      if (this.begun.length < most) {
        this.begun.push(now);
        return;
      }
      const wait = (this.begun[0] as number) + WINDOW_MS - now;
      call.reporter.status(
        `Waiting ${Math.ceil(wait / 1000)} s: the API allows ${this.perMinute} policy changes a minute`,
      );
      await pause(call, this.clock, wait, doing);
    }
  }
}
