import { onAbort, type Call, type Reporter } from "./call";
import type { Clock } from "./clock";

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

/** Work that runs, or whose result is kept. */
interface Running<T> {
  call: SharedCall;
  result: Promise<T>;
  /** The time until which the result is kept, in milliseconds; undefined while the work runs. */
  until?: number;
  turnOff?: () => void;
}

/**
 * Work that several calls share: calls that ask for the same work at the same time wait for one result, each until its own end.
 * Failures are not kept.
 */
export class SharedWork<T> {
  private readonly running = new Map<string, Running<T>>();

  /** @param keepMs how long later calls get a result too, in milliseconds. After that, its memory is released. Default: 0. */
  constructor(private readonly keepMs = 0) {}

  /** Whether a call that asks for this work now gets the result of work that another call began. */
  has(key: string, { clock }: Call): boolean {
    const running = this.running.get(key);
    return running !== undefined && (running.until === undefined || clock.now() < running.until);
  }

  /**
   * Joins the work that runs, or begins it.
   *
   * @param key of the work.
   * @param ended returns the error for a call that ends before the work.
   * @param begin does the work, under a call that lasts as long as any caller waits for the result. With `close`, later calls
   *   do not join it any more.
   */
  run(key: string, call: Call, ended: () => Error, begin: (call: Call, close: () => void) => Promise<T>): Promise<T> {
    const known = this.has(key, call) ? this.running.get(key) : undefined;
    const { call: shared, result } = known ?? this.begin(key, call, begin);
    return shared.wait(call, result, ended);
  }

  /** Keeps a result that is known without new work. */
  keep(key: string, result: T, { clock }: Call): void {
    this.set(key, { call: new SharedCall(clock), result: Promise.resolve(result), ...this.kept(key, clock) });
  }

  /** Makes every later call begin new work. Running work still serves the calls that wait for it. */
  drop(): void {
    for (const key of [...this.running.keys()]) this.delete(key);
  }

  private begin(key: string, { clock }: Call, begin: (call: Call, close: () => void) => Promise<T>): Running<T> {
    const call = new SharedCall(clock);
    const isCurrent = () => this.running.get(key) === running;
    const forget = () => {
      if (isCurrent()) this.delete(key);
    };
    // In a later microtask. By then the caller has joined, so the work has a waiting call.
    const result = Promise.resolve().then(() => begin(call, forget));
    const running: Running<T> = { call, result };
    this.set(key, running);
    call.signal.addEventListener("abort", () => running.until === undefined && forget(), { once: true });
    const keep = () => {
      if (this.keepMs === 0) forget();
      else if (isCurrent()) Object.assign(running, this.kept(key, clock));
    };
    result.then(keep, forget);
    return running;
  }

  /** Releases the result under a key after its time. */
  private kept(key: string, clock: Clock): Pick<Running<T>, "until" | "turnOff"> {
    return { until: clock.now() + this.keepMs, turnOff: clock.alarm(this.keepMs, () => this.delete(key)) };
  }

  private set(key: string, running: Running<T>): void {
    this.delete(key);
    this.running.set(key, running);
  }

  private delete(key: string): void {
    this.running.get(key)?.turnOff?.();
    this.running.delete(key);
  }
}
