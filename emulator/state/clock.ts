/** The emulator's time: a base clock, which `advance` moves forward. Operations, tokens and quotas go by it. */
export class Clock {
  private offsetMs = 0;

  /** @param base milliseconds since the epoch, as `Date.now` */
  constructor(private readonly base: () => number = Date.now) {}

  /** Milliseconds since the epoch. */
  now(): number {
    return this.base() + this.offsetMs;
  }

  /** RFC 3339, UTC. */
  timestamp(ms: number = this.now()): string {
    return new Date(ms).toISOString();
  }

  advance(ms: number): void {
    this.offsetMs += ms;
  }

  reset(): void {
    this.offsetMs = 0;
  }
}
