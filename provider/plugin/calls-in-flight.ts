/** The calls that are not answered yet. */
export class CallsInFlight {
  private readonly calls = new Set<Promise<void>>();

  /** Counts a call until it is answered. */
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

  /** Resolves when all calls that are in flight now are answered. */
  async answered(): Promise<void> {
    await Promise.allSettled(this.calls);
  }
}
