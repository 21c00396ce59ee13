import { type Call, checkpoint, onAbort, type Reporter } from "../http/call";
import type { Clock } from "../http/clock";

/**
 * How long a write counts, in milliseconds: a minute plus two seconds. The server counts writes when they arrive, and some
 * take longer to arrive than others.
 */
const WINDOW_MS = 62_000;
/** The share of the quota that one provider process uses. The rest is for other clients of the project. */
const SHARE = 0.9;

/** The right to send one write. Its owner uses it or returns it. */
export interface Slot {
  /** Call this when the write is sent. The write counts for a minute from then on. */
  use(): void;
  /** Returns the slot for another write, unless it was used. */
  release(): void;
}

/** The shortest wait that is announced, in milliseconds. */
const SHORTEST_ANNOUNCED_MS = 1_000;

/** Delays writes so that they stay under a quota per minute. */
export class Pacer {
  /** The slots that count now, each with the time when its write was sent, or undefined before that. */
  private readonly taken = new Set<{ at?: number }>();
  private readonly waiting = new Set<AbortController>();
  private isAnnounced = false;

  /**
   * @param perMinute the quota; undefined: writes are not delayed.
   * @param api for messages: "healthcare".
   */
  constructor(
    private readonly perMinute: number | undefined,
    private readonly api: string,
  ) {}

  /** Returns a slot if one is free now. */
  tryTake(clock: Clock): Slot | undefined {
    if (this.perMinute === undefined) return { use: () => {}, release: () => {} };
    const now = clock.now();
    for (const slot of this.taken) if (slot.at !== undefined && slot.at <= now - WINDOW_MS) this.taken.delete(slot);
    if (this.taken.size >= this.atOnce) return undefined;
    const slot: { at?: number } = {};
    this.taken.add(slot);
    return {
      use: () => {
        slot.at = clock.now();
        this.wake();
      },
      release: () => {
        if (slot.at === undefined && this.taken.delete(slot)) this.wake();
      },
    };
  }

  /**
   * Waits for a slot.
   *
   * @param doing describes the write in messages.
   * @param announcer reports the first wait of the run; the call's reporter shows the duration of this wait.
   * @throws CancelledError or TimeoutError when the call is over first.
   */
  async take(call: Call, doing: string, announcer: Reporter = call.reporter): Promise<Slot> {
    for (let isFirst = true; ; isFirst = false) {
      checkpoint(call, doing);
      const slot = this.tryTake(call.clock);
      if (slot) return slot;
      if (isFirst) this.report(this.untilTurn(this.waiting.size, call.clock), call.reporter, announcer);
      const woken = new AbortController();
      this.waiting.add(woken);
      const removeListener = onAbort(call.signal, () => woken.abort());
      await call.clock.sleep(this.untilTurn(0, call.clock), woken.signal).catch(() => {});
      removeListener();
      this.waiting.delete(woken);
    }
  }

  /** The number of writes that may be sent within the window. */
  private get atOnce(): number {
    return Math.max(1, Math.floor((this.perMinute ?? Infinity) * SHARE));
  }

  /**
   * Returns the time until a write gets a slot when so many other writes wait before it. Each of them waits until one slot
   * ends. A slot whose write was not sent yet ends after a full window at the earliest. When it is used or returned, all
   * waiting writes check again.
   */
  private untilTurn(before: number, clock: Clock): number {
    const now = clock.now();
    const ends = [...this.taken].map(({ at = now }) => at + WINDOW_MS - now).toSorted((left, right) => left - right);
    return (ends[before % ends.length] ?? 0) + Math.floor(before / this.atOnce) * WINDOW_MS;
  }

  private report(wait: number, { status }: Reporter, { info }: Reporter): void {
    const seconds = Math.ceil(wait / 1000);
    status(`Waiting about ${seconds} s: the quota is ${this.perMinute} policy changes a minute`);
    if (this.isAnnounced || wait < SHORTEST_ANNOUNCED_MS) return;
    this.isAnnounced = true;
    info(
      `The quota of ${this.api} is ${this.perMinute} policy changes a minute, and this run makes more: this change waits for ` +
        `about ${seconds} s, and later changes wait for their turn. perimeter:policyWritesPerMinute sets another quota`,
    );
  }

  /**
   * Makes all waiting writes check again, because a slot is free, or because the time when a slot becomes free is now known.
   */
  private wake(): void {
    for (const each of this.waiting) each.abort();
  }
}
