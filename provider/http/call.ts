import { CancelledError, TimeoutError, type Effect } from "../core/errors";
import { onAbort } from "./abort";
import type { Clock } from "./clock";

/** Tells the user how a long call is getting on. */
export interface Reporter {
  /** A line beside the resource that the next one overwrites; shown while the call runs, where the engine allows. */
  status(message: string): void;
  info(message: string): void;
  warning(message: string): void;
}

export const silentReporter: Reporter = { status: () => {}, info: () => {}, warning: () => {} };

/** One call of the engine (create, read, a lookup, …) and the limits it runs under. */
export interface Call {
  /** Aborted when the engine or the user asks to stop. */
  signal: AbortSignal;
  /** When the whole call gives up, in milliseconds of the clock's `now`. */
  deadline: number;
  reporter: Reporter;
  /** What the engine calls the resource, unique among all stacks; absent where the front is not told. */
  identity?: string;
  /** Top-level properties of the resource that hold a secret. What they hold must not be shown. */
  secret?: readonly string[];
  /** True where the front does not know the resource's state, and so not which texts of it are secret. */
  stateIsUnknown?: boolean;
  /** Whether the program has resources that may create what this one is on; absent where the front does not see the program. */
  hasOtherResources?: () => boolean;
}

/** A call that nobody stops before its deadline, and that tells nobody how it is getting on. */
export function silentCall(deadline: number): Call {
  return { signal: new AbortController().signal, deadline, reporter: silentReporter };
}

/**
 * Ends the work of a call that is over.
 *
 * @param doing for the message, to be read on from "trying to".
 * @param effect what is known of the requests so far. Default: none of them may have changed anything.
 * @throws CancelledError when the call was told to stop, TimeoutError when its time is over.
 */
export function checkpoint(call: Call, clock: Clock, doing: string, effect: Effect = "none"): void {
  if (isOver(call, clock)) throw endOf(call, doing, effect);
}

/** True when the call was told to stop, or its time has passed. */
export function isOver(call: Call, clock: Clock): boolean {
  return call.signal.aborted || clock.now() >= call.deadline;
}

/** The error of a call that is over: it was told to stop, or else its time has passed. Parameters as of `checkpoint`. */
export function endOf(call: Call, doing: string, effect: Effect = "none"): CancelledError | TimeoutError {
  return call.signal.aborted
    ? new CancelledError(`Stopped while trying to ${doing}`, { effect })
    : new TimeoutError(`Gave up trying to ${doing}: its time is over`, { effect });
}

/**
 * Runs `over` once, when the call is told to stop or its time is over; at once where it is over already.
 *
 * @returns stops watching.
 */
export function whenOver(call: Call, clock: Clock, over: () => void): () => void {
  if (isOver(call, clock)) {
    over();
    return () => {};
  }
  const end = () => {
    stopListening();
    turnOff();
  };
  const tell = () => {
    end();
    over();
  };
  const stopListening = onAbort(call.signal, tell);
  const turnOff = clock.alarm(call.deadline - clock.now(), tell);
  return end;
}

/** Runs something under a signal that is aborted when the call is over. The signal's reason is the call's error. */
export async function whileCallLasts<T>(
  call: Call,
  clock: Clock,
  doing: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const unwatch = whenOver(call, clock, () => controller.abort(endOf(call, doing, "unknown")));
  try {
    return await run(controller.signal);
  } finally {
    unwatch();
  }
}

/** Sleeps for `ms` milliseconds, but no longer than the call lasts. Throws what `checkpoint` does, before and after. */
export async function pause(
  call: Call,
  clock: Clock,
  ms: number,
  doing: string,
  effect: Effect = "none",
): Promise<void> {
  checkpoint(call, clock, doing, effect);
  const left = call.deadline - clock.now();
  try {
    await clock.sleep(Math.max(0, Math.min(ms, left)), call.signal);
  } catch {
    throw new CancelledError(`Stopped while trying to ${doing}`, { effect });
  }
  checkpoint(call, clock, doing, effect);
}
