import type { Clock } from "../http/clock";

/** Nothing is shown before this time, in milliseconds: shorter waits do not interest a user. */
const FIRST_AFTER_MS = 1_000;
/**
 * Each message is shown for as long as the call has lasted so far, but at most this long. In a pipeline's log, with one line
 * for each message, a create of 20 minutes gives about ten lines.
 */
const LONGEST_SHOWN_MS = 180_000;

/**
 * The status of one call on the line of its resource. Each message is a call to the engine and a separate event, so only
 * useful messages are sent: of several quick messages, only the last, when it is due.
 */
export class StatusLine {
  private began: number | undefined;
  private next = "";
  private shown: { message: string; until: number } | undefined;
  private turnOff: (() => void) | undefined;
  private hasEnded = false;

  /** @param show sends a message to the engine. */
  constructor(
    private readonly clock: Pick<Clock, "now" | "alarm">,
    private readonly show: (message: string) => void,
  ) {}

  set(message: string): void {
    if (this.hasEnded) return;
    this.began ??= this.clock.now();
    this.next = message;
    if (this.turnOff) return;
    const until = this.shown?.until ?? this.began + FIRST_AFTER_MS;
    this.turnOff = this.clock.alarm(until - this.clock.now(), () => this.send());
  }

  /**
   * Ends the status. The engine keeps the last message next to the finished resource, so a final message replaces it (the
   * engine ignores empty messages).
   *
   * @param succeeded whether the call succeeded: the engine shows the error of a failed call.
   */
  end(succeeded: boolean): void {
    this.hasEnded = true;
    this.turnOff?.();
    if (!succeeded || this.shown === undefined || this.began === undefined) return;
    this.show(`done after ${Math.round((this.clock.now() - this.began) / 1000)} s`);
  }

  private send(): void {
    this.turnOff = undefined;
    const now = this.clock.now();
    if (this.next === this.shown?.message) return;
    const waited = now - (this.began ?? now);
    this.shown = { message: this.next, until: now + Math.min(LONGEST_SHOWN_MS, waited) };
    this.show(this.next);
  }
}
