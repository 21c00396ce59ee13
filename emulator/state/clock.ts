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

  /** RFC 3339, UTC. */
  timestamp(ms: number = this.now()): string {
    return new Date(ms).toISOString();
  }
}
