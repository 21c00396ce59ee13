/** The clock of operations, tokens and quotas: a base clock that `advance` moves forward. */
export class Clock {
  /**
   * @param base returns milliseconds since the epoch, like `Date.now`
   * @param offsetMs how far the clock was moved; a part of the state
   */
  constructor(
    private readonly base: () => number,
    private readonly offsetMs: () => number,
  ) {}

  /** Milliseconds since the epoch. */
  now(): number {
    return this.base() + this.offsetMs();
  }

  /** RFC 3339 in UTC with exactly nine digits of fraction, as in responses of the APIs (docs/wire.md section 1). */
  timestamp(ms: number = this.now()): string {
    // Only milliseconds are known. The digits below them are derived from the millisecond and have no meaning.
    const below = String(((Math.floor(ms) % 1_000_000) * 48_271) % 1_000_000).padStart(6, "0");
    return new Date(ms).toISOString().replace("Z", `${below}Z`);
  }
}
