/** The calls that the engine still waits for. */
export class CallsInFlight {
  private readonly calls = new Set<Promise<void>>();

  /** Counts a call until it has been answered. */
  async add(call: Promise<void>): Promise<void> {
    this.calls.add(call);
    try {
      await call;
    } finally {
      this.calls.delete(call);
    }
  }

  get areNone(): boolean {
    return this.calls.size === 0;
  }

  /** Resolves when the calls that are in flight now have been answered. */
  async answered(): Promise<void> {
    await Promise.allSettled(this.calls);
  }
}
