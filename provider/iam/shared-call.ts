import { onAbort, type Call, type Reporter } from "../http/call";

/**
 * One call that stands for several. Its work goes on as long as one of them waits, and reports its progress to all of
 * them. When the last one leaves, the work is stopped, with any request that is under way.
 */
export class SharedCall implements Call {
  private readonly members = new Set<{ call: Call }>();
  private readonly controller = new AbortController();

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
   * Lets a call wait for the work.
   *
   * @returns takes the call out again; it may be called more than once.
   */
  join(call: Call): () => void {
    const member = { call };
    this.members.add(member);
    return () => {
      if (this.members.delete(member) && this.members.size === 0) this.controller.abort();
    };
  }

  /**
   * Waits for the result of the work, and no longer than this call lasts, whatever the others do.
   *
   * @param ended makes the error for a call that is over before the work.
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
