import { whenOver, type Call, type Reporter } from "../http/call";
import type { Clock } from "../http/clock";

/**
 * One call on behalf of several: what serves it runs as long as anybody still waits for it. It tells all of them how it is
 * getting on, and stops, the request in flight included, when the last one has left.
 */
export class SharedCall implements Call {
  private readonly members = new Set<{ call: Call }>();
  private readonly controller = new AbortController();

  constructor(private readonly clock: Clock) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The latest of those who still wait. */
  get deadline(): number {
    return Math.max(...[...this.members].map(({ call }) => call.deadline));
  }

  readonly reporter: Reporter = {
    status: (message) => this.members.forEach(({ call }) => call.reporter.status(message)),
    info: (message) => this.members.forEach(({ call }) => call.reporter.info(message)),
    warning: (message) => this.members.forEach(({ call }) => call.reporter.warning(message)),
  };

  /** True when nobody waits any more: what is served by it has stopped. */
  get isAbandoned(): boolean {
    return this.controller.signal.aborted;
  }

  /** @returns takes the call out again. Leaving twice is leaving once. */
  join(call: Call): () => void {
    const member = { call };
    this.members.add(member);
    return () => {
      if (this.members.delete(member) && this.members.size === 0) this.controller.abort();
    };
  }

  /**
   * What the work answers, or `ended` at the moment when this call is over: its end does not wait for the others.
   *
   * @param ended what to reject with.
   */
  wait<T>(call: Call, work: Promise<T>, ended: () => unknown): Promise<T> {
    const leave = this.join(call);
    return new Promise((resolve, reject) => {
      const unwatch = whenOver(call, this.clock, () => {
        reject(ended() as Error);
        leave();
      });
      const done = () => {
        unwatch();
        leave();
      };
      work.then(resolve, reject).finally(done);
    });
  }
}
