import type { ApiError } from "../core/errors";
import type { Values } from "../core/unknown";
import type { Call } from "../http/call";
import type { LongRunning, Resumed } from "./long-running";
import type { Operation } from "./operation";
import { withoutPending } from "./pending";
import { APPEARS_WITHIN_MS, readUntil } from "./wait";

/** One resource that is to be changed in place. `S` is its state. */
export interface Update<S extends Values> {
  longRunning: LongRunning;
  /** Name of the resource, which is its id. */
  name: string;
  /** What the engine remembers; an earlier run may have left an operation in it. */
  before: Partial<S>;
  /** Names of the inputs in which a state is not as the program asks for. */
  differences(state: Partial<S>): string[];
  /** Sends the request that changes these inputs. */
  begin(inputs: readonly string[]): Promise<Operation>;
  /** The state as it is. `failed`: why an earlier run's operation failed that should have made it. */
  read(failed?: ApiError): Promise<S>;
  /** The state where nothing differs. `resumed`: what became of an earlier run's operation, where there was one. */
  unchanged(resumed: Resumed | undefined): Promise<S>;
  /** The error of the operation, where it failed after it began: what to keep, and what the user can do. */
  failure(failed: ApiError, inputs: readonly string[]): Promise<Error>;
  /** The error of a request that was refused, or what is thrown instead of it. */
  explain(error: unknown, inputs: readonly string[]): unknown;
}

/**
 * Changes a resource in place, after it has seen an earlier run's operation to its end.
 *
 * @throws NotReadyError when the wait ends early, or nobody can tell what a failed operation did.
 */
export async function updateInPlace<S extends Values>(update: Update<S>, call: Call): Promise<S> {
  const { longRunning, name, before } = update;
  const resumed = await longRunning.resume(name, before, call);
  // After an interrupted call, what is there decides what is left to do, not what was remembered.
  const inputs = update.differences(resumed ? await update.read(resumed.failed) : before);
  if (inputs.length === 0) return update.unchanged(resumed);
  const operation = await change(update, inputs, call);
  // The finished operation tells when it ended, should its result not be readable.
  return longRunning.keep({ verb: "update", name, state: before, operation }, () => {
    const shown = (state: S) => update.differences(state).length === 0;
    const looking = { shown, within: APPEARS_WITHIN_MS, doing: `${longRunning.doing.read} ${name}` };
    return readUntil(longRunning.client, looking, call, () => update.read());
  });
}

/** Returns the operation after its end. */
async function change<S extends Values>(update: Update<S>, inputs: readonly string[], call: Call): Promise<Operation> {
  const { longRunning, name, before } = update;
  try {
    const operation = await update.begin(inputs);
    const work = { verb: "update", name, state: withoutPending(before), operation } as const;
    const done = await longRunning.wait(work, call);
    const failed = longRunning.errorOf(done, "update", name);
    if (failed) throw await update.failure(failed, inputs);
    return done;
  } catch (error) {
    throw update.explain(error, inputs);
  }
}
