/** The emulator's time: a base clock, which `advance` moves forward. Operations, tokens and quotas go by it. */
export class Clock {
  /**
   * @param base milliseconds since the epoch, as `Date.now`
   * @param offsetMs how far it has been moved, which is a part of the state
   */
  constructor(
    private readonly base: () => number,
    private readonly offsetMs: () => number,
  ) {}

  /** Milliseconds since the epoch. */
  now(): number {
    return this.base() + this.offsetMs();
  }

  /** RFC 3339 in UTC with nine digits of fraction, zeros kept, as the APIs answer times (docs/wire.md section 1). */
  timestamp(ms: number = this.now()): string {
    // Only milliseconds are known: the digits below them are the same for the same millisecond, and not in use otherwise.
    const below = String(((Math.floor(ms) % 1_000_000) * 48_271) % 1_000_000).padStart(6, "0");
    return new Date(ms).toISOString().replace("Z", `${below}Z`);
  }
}
