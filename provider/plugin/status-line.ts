import type { Clock } from "../http/clock";

/** Nothing is shown before this, in milliseconds: a wait that is over by then is none that a user asks about. */
const FIRST_AFTER_MS = 1_000;
/**
 * Each message is shown for as long as the wait has lasted by then, but no longer than this. In the log of a pipeline, where
 * each is a line, a create of 20 minutes is some ten lines.
 */
const LONGEST_SHOWN_MS = 180_000;

/**
 * The status of one call on the line of its resource. Each message is a call to the engine and an event of its own, so only
 * those are sent that a reader needs: of messages that come faster, the last one when its turn has come.
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
   * Shows nothing more. What is shown says where the call stood before it ended, and the engine keeps it beside the finished
   * resource, so that another message takes its place. The engine takes an empty message for none.
   *
   * @param succeeded whether the call did: the engine shows the error of one that did not.
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
