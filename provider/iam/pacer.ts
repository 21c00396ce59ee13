import { checkpoint, endOf, type Call } from "../http/call";
import type { Clock } from "../http/clock";

/**
 * For how long a write counts: a minute, plus two seconds, since the server counts writes when they arrive, and one may
 * take longer on its way than another.
 */
const WINDOW_MS = 62_000;
/** The part of the quota that one provider process uses; it leaves the rest to other clients of the project. */
const SHARE = 0.9;

/** The right to send one write, which its owner uses or gives back. */
export interface Slot {
  /** To be called when the write is sent. From then on it counts for a minute. */
  use(): void;
  /** Leaves the slot to another write, unless it was used. */
  giveBack(): void;
}

/** Delays writes so that they stay under a quota per minute. */
export class Pacer {
  /** The slots that count now, each with the time when its write was sent; without one where it was not sent yet. */
  private readonly taken = new Set<{ at?: number }>();
  private readonly waiting = new Set<AbortController>();

  /** @param perMinute the service's quota; undefined: no limit is known. */
  constructor(
    private readonly perMinute: number | undefined,
    private readonly clock: Clock,
  ) {}

  /** A slot, if one is free now. */
  tryTake(): Slot | undefined {
    if (this.perMinute === undefined) return { use: () => {}, giveBack: () => {} };
    const now = this.clock.now();
    for (const slot of this.taken) if (slot.at !== undefined && slot.at <= now - WINDOW_MS) this.taken.delete(slot);
    if (this.taken.size >= Math.max(1, Math.floor(this.perMinute * SHARE))) return undefined;
    const slot: { at?: number } = {};
    this.taken.add(slot);
    return {
      use: () => {
        slot.at = this.clock.now();
        this.wake();
      },
      giveBack: () => {
        if (slot.at === undefined && this.taken.delete(slot)) this.wake();
      },
    };
  }

  /**
   * Waits for a slot.
   *
   * @param doing for messages: what the write is to do.
   * @throws CancelledError or TimeoutError when the call is over first.
   */
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

  /** How long until the oldest write no longer counts. Where none was sent yet, the first to be sent wakes the waiting. */
  private untilNextEnds(): number {
    const times = [...this.taken].flatMap(({ at }) => (at === undefined ? [] : [at]));
    return times.length === 0 ? WINDOW_MS : Math.min(...times) + WINDOW_MS - this.clock.now();
  }

  /** Lets all that wait look again, since a slot is free, or the time when one will be is known now. */
  private wake(): void {
    for (const each of this.waiting) each.abort();
  }
}
