import { type Call, checkpoint, onAbort, type Reporter } from "../http/call";
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

/** A wait shorter than this, in milliseconds, is not announced. */
const SHORTEST_ANNOUNCED_MS = 1_000;

/** Delays writes so that they stay under a quota per minute. */
export class Pacer {
  /** The slots that count now, each with the time when its write was sent; without one where it was not sent yet. */
  private readonly taken = new Set<{ at?: number }>();
  private readonly waiting = new Set<AbortController>();
  private isAnnounced = false;

  /**
   * @param perMinute the quota; undefined: writes are not delayed.
   * @param api for messages: "healthcare".
   */
  constructor(
    private readonly perMinute: number | undefined,
    private readonly clock: Clock,
    private readonly api: string,
  ) {}

  /** A slot, if one is free now. */
  tryTake(): Slot | undefined {
    if (this.perMinute === undefined) return { use: () => {}, giveBack: () => {} };
    const now = this.clock.now();
    for (const slot of this.taken) if (slot.at !== undefined && slot.at <= now - WINDOW_MS) this.taken.delete(slot);
    if (this.taken.size >= this.atOnce) return undefined;
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
   * @param announcer gets the report of the first wait of the run; the call's reporter shows how long this one lasts.
   * @throws CancelledError or TimeoutError when the call is over first.
   */
  async take(call: Call, doing: string, announcer: Reporter = call.reporter): Promise<Slot> {
    for (let isFirst = true; ; isFirst = false) {
      checkpoint(call, doing);
      const slot = this.tryTake();
      if (slot) return slot;
      if (isFirst) this.report(this.untilTurn(this.waiting.size), call.reporter, announcer);
      const woken = new AbortController();
      this.waiting.add(woken);
      const removeListener = onAbort(call.signal, () => woken.abort());
      await this.clock.sleep(this.untilTurn(0), woken.signal).catch(() => {});
      removeListener();
      this.waiting.delete(woken);
    }
  }

  /** How many writes are sent within the window. */
  private get atOnce(): number {
    return Math.max(1, Math.floor((this.perMinute ?? Infinity) * SHARE));
  }

  /**
   * How long until it is the turn of a write before which so many others wait: each waits for one of the slots to end. A
   * slot whose write was not sent yet ends a window from now at the earliest, and its use or return wakes all that wait.
   */
  private untilTurn(before: number): number {
    const now = this.clock.now();
    const ends = [...this.taken].map(({ at = now }) => at + WINDOW_MS - now).toSorted((left, right) => left - right);
    return (ends[before % ends.length] ?? 0) + Math.floor(before / this.atOnce) * WINDOW_MS;
  }

  private report(wait: number, { status }: Reporter, { info }: Reporter): void {
    const seconds = Math.ceil(wait / 1000);
    status(`Waiting about ${seconds} s: the quota is ${this.perMinute} policy changes a minute`);
    if (this.isAnnounced || wait < SHORTEST_ANNOUNCED_MS) return;
    this.isAnnounced = true;
    info(
      `The quota of ${this.api} is ${this.perMinute} policy changes a minute, and more are to be made: this one waits for ` +
        `about ${seconds} s, and later ones for their turn. perimeter:policyWritesPerMinute sets another quota`,
    );
  }

  /** Lets all that wait look again, since a slot is free, or the time when one will be is known now. */
  private wake(): void {
    for (const each of this.waiting) each.abort();
  }
}
