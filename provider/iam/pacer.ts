import { checkpoint, endOf, type Call } from "../http/call";
import type { Clock } from "../http/clock";

/** A minute, and as long as a write may take longer than another to arrive: the server counts by its own clock. */
const WINDOW_MS = 62_000;
/** A part of the quota is left to others. */
const SHARE = 0.9;

/** A place in the quota: one write, which the owner makes or gives back. */
export interface Slot {
  /** To be called when the write is sent: from then on it counts for a minute. */
  use(): void;
  /** Leaves the place to somebody else, unless it has been used. */
  giveBack(): void;
}

/** Keeps writes under a quota per minute by waiting, so that the server need not refuse. */
export class Pacer {
  /** Every place that is taken: undefined while its write has yet to be sent, then when that was. */
  private readonly taken = new Set<{ at?: number }>();
  private readonly waiting = new Set<AbortController>();

  /** @param perMinute the service's quota; undefined: no limit is known. */
  constructor(
    private readonly perMinute: number | undefined,
    private readonly clock: Clock,
  ) {}

  /** A place, if one is free now. */
  tryTake(): Slot | undefined {
    if (this.perMinute === undefined) return { use: () => {}, giveBack: () => {} };
    const now = this.clock.now();
    for (const place of this.taken) if (place.at !== undefined && place.at <= now - WINDOW_MS) this.taken.delete(place);
    if (this.taken.size >= Math.max(1, Math.floor(this.perMinute * SHARE))) return undefined;
    const place: { at?: number } = {};
    this.taken.add(place);
    return {
      use: () => {
        place.at = this.clock.now();
        this.wake();
      },
      giveBack: () => {
        if (place.at === undefined && this.taken.delete(place)) this.wake();
      },
    };
  }

  /** Waits for a place. @param doing for messages: what the write is to do. */
  async take(call: Call, doing: string): Promise<Slot> {
    for (;;) {
      checkpoint(call, this.clock, doing);
      const slot = this.tryTake();
      if (slot) return slot;
      const left = Math.max(0, call.deadline - this.clock.now());
      const wait = this.untilNextEnds();
      call.reporter.status(
        `Waiting ${Math.ceil(wait / 1000)} s: the API allows ${this.perMinute} policy changes a minute`,
      );
      const woken = new AbortController();
      this.waiting.add(woken);
      try {
        await this.clock.sleep(Math.min(wait, left), AbortSignal.any([call.signal, woken.signal]));
      } catch {
        if (call.signal.aborted) throw endOf(call, doing);
      } finally {
        this.waiting.delete(woken);
      }
    }
  }

  /** How long until the oldest write counts no more; where none was sent yet, its owner will wake whoever waits. */
  private untilNextEnds(): number {
    const times = [...this.taken].flatMap(({ at }) => (at === undefined ? [] : [at]));
    return times.length === 0 ? WINDOW_MS : Math.min(...times) + WINDOW_MS - this.clock.now();
  }

  /** Lets everybody look again: a place is free, or it is known when one will be. */
  private wake(): void {
    for (const each of this.waiting) each.abort();
  }
}
