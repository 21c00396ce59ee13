import { onAbort, type Call, type Reporter } from "../http/call";
import type { Clock } from "../http/clock";

/**
 * One call that several calls share. Its work continues while one of them waits, and reports its progress to all of them. When
 * the last call leaves, the work and its request in progress are stopped.
 */
export class SharedCall implements Call {
  private readonly members = new Set<{ call: Call }>();
  private readonly controller = new AbortController();

  constructor(readonly clock: Clock) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The latest deadline of the calls that still wait. */
  get deadline(): number {
    return Math.max(...[...this.members].map(({ call }) => call.deadline));
  }

  readonly reporter: Reporter = {
    status: (message) => this.members.forEach(({ call }) => call.reporter.status(message)),
    info: (message) => this.members.forEach(({ call }) => call.reporter.info(message)),
    warning: (message) => this.members.forEach(({ call }) => call.reporter.warning(message)),
  };

  /**
   * Makes a call wait for the work.
   *
   * @returns a function that removes the call again; it may be called more than once.
   */
  join(call: Call): () => void {
    const member = { call };
    this.members.add(member);
    return () => {
      if (this.members.delete(member) && this.members.size === 0) this.controller.abort();
    };
  }

  /**
   * Waits for the result of the work until this call ends, independently of the other calls.
   *
   * @param ended returns the error for a call that ends before the work.
   */
  wait<T>(call: Call, work: Promise<T>, ended: () => Error): Promise<T> {
    const leave = this.join(call);
    return new Promise((resolve, reject) => {
      const removeListener = onAbort(call.signal, () => {
        reject(ended());
        leave();
      });
      const done = () => {
        removeListener();
        leave();
      };
      work.then(resolve, reject).finally(done);
    });
  }
}
