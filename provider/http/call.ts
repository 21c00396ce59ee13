import { setMaxListeners } from "node:events";
import { CancelledError, TimeoutError, type Effect } from "../core/errors";
import type { Clock } from "./clock";

/** Shows the user the progress of a call. */
export interface Reporter {
  /** A line beside the resource, which the next one replaces. It is shown while the call runs, if the engine supports that. */
  status(message: string): void;
  info(message: string): void;
  warning(message: string): void;
}

export const silentReporter: Reporter = { status: () => {}, info: () => {}, warning: () => {} };

/** One call of the engine (create, read, a lookup, …) and its limits. */
export interface Call {
  /** Aborted when the call is over: its time has passed, or the engine or the user stopped it. `endOf` makes the error. */
  signal: AbortSignal;
  /** When the signal is aborted at the latest, by the clock's `now`: for decisions whether a wait still fits. */
  deadline: number;
  clock: Clock;
  reporter: Reporter;
  /** The engine's name of the resource, unique among all stacks; absent if the front does not know it. */
  identity?: string;
  /** Top-level properties of the resource that hold a secret. Their values must not be shown. */
  secret?: readonly string[];
  /** True if the front does not know the resource's state, and so does not know which of its texts are secret. */
  stateIsUnknown?: boolean;
  /** Whether the program has resources that may create this call's object; absent if the front does not see the program. */
  hasOtherResources?: () => boolean;
}

/** Default time limit of one call, in milliseconds, without custom timeouts in the program. */
export const DEFAULT_TIMEOUTS = {
  create: 20 * 60_000,
  update: 20 * 60_000,
  delete: 20 * 60_000,
  read: 5 * 60_000,
  lookup: 5 * 60_000,
} as const;

/** A call that runs, with the two ways to end it. */
export interface RunningCall {
  call: Call;
  /** Aborts the signal: the engine or the user wants the work to stop. */
  stop(): void;
  /** To be called when the work is done: frees the timer of the deadline. The signal is not aborted any more. */
  end(): void;
}

/** Starts a call that is over after `timeout` milliseconds. */
export function startCall(
  clock: Clock,
  timeout: number,
  details: Omit<Call, "signal" | "deadline" | "clock">,
): RunningCall {
  const controller = new AbortController();
  // A call may send many requests at once. By default, Node reports more than ten listeners as a leak.
  setMaxListeners(0, controller.signal);
  const passed = () => controller.abort(new TimeoutError("The time limit of the call was reached"));
  if (timeout <= 0) passed();
  const end = timeout <= 0 ? () => {} : clock.alarm(timeout, passed);
  const stop = () => {
    end();
    controller.abort(new CancelledError("The call was stopped"));
  };
  return { call: { ...details, clock, signal: controller.signal, deadline: clock.now() + timeout }, stop, end };
}

/** Runs work as a call of its own, of at most `timeout` milliseconds, which nobody stops. By default, it reports nothing. */
export async function asCall<T>(
  clock: Clock,
  timeout: number,
  work: (call: Call) => Promise<T>,
  reporter = silentReporter,
): Promise<T> {
  const { call, end } = startCall(clock, timeout, { reporter });
  try {
    return await work(call);
  } finally {
    end();
  }
}

/**
 * Ends the work of a call that is over.
 *
 * @param doing for the message, as the continuation of "trying to".
 * @param effect what is known of the requests so far. Default: none of them changed anything.
 * @throws CancelledError if the call was stopped, TimeoutError if its time has passed.
 */
export function checkpoint(call: Call, doing: string, effect: Effect = "none"): void {
  if (call.signal.aborted) throw endOf(call, doing, effect);
}

/** The error of a call whose signal is aborted. Parameters as of `checkpoint`. */
export function endOf({ signal }: Call, doing: string, effect: Effect = "none"): CancelledError | TimeoutError {
  return signal.reason instanceof TimeoutError
    ? new TimeoutError(`Gave up trying to ${doing}: the time limit was reached`, { effect })
    : new CancelledError(`Stopped while trying to ${doing}`, { effect });
}

/** Sleeps for `ms` milliseconds. Parameters as of `checkpoint`; throws the same errors as soon as the call is over. */
export async function pause(call: Call, ms: number, doing: string, effect: Effect = "none"): Promise<void> {
  try {
    await call.clock.sleep(ms, call.signal);
  } catch {
    throw endOf(call, doing, effect);
  }
}

/**
 * Runs `listener` when the signal is aborted, or now if it is aborted already.
 *
 * Signals are joined with this function, and not with `AbortSignal.any`: Node keeps the signals that `any` makes for as long
 * as their source (nodejs/node#54614, #55351), and from Node 24.16 on it can lose an abort (nodejs/node#65995).
 * `AbortSignal.timeout` cannot be turned off, and a test cannot control its time.
 *
 * @returns removes the listener.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/**
 * The result of the promise. If the signal is aborted first, the promise continues and its result is dropped.
 *
 * @throws the signal's reason
 */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let removeListener = () => {};
  const aborted = new Promise<void>((resolve) => {
    removeListener = onAbort(signal, resolve);
  });
  try {
    return await Promise.race([promise, aborted.then(() => Promise.reject<T>(signal.reason))]);
  } finally {
    removeListener();
  }
}
