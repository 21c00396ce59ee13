import { BugError, NotReadyError, PerimeterError } from "../../../core/errors";
import type { Values } from "../../../core/unknown";
import type { Operation } from "../../../http/operations";
import { withPending, type Pending } from "./pending";

/** An operation that was begun, and what to remember if we do not see what becomes of it. */
export interface Begun {
  id: string;
  state: Values;
  verb: Pending["verb"];
  operation: Operation;
}

/**
 * Waits, and when the wait ends before we know what the operation did, throws what makes the engine keep the resource
 * together with the operation's name: nothing that the cloud goes on creating is forgotten.
 */
export async function interruptible<T>(begun: Begun, wait: () => Promise<T>): Promise<T> {
  try {
    return await wait();
  } catch (error) {
    if (!(error instanceof PerimeterError) || error instanceof NotReadyError || error instanceof BugError) throw error;
    const { verb, operation } = begun;
    const state = withPending(begun.state, { verb, operation: operation.name });
    throw new NotReadyError(begun.id, state, [`${error.message}. ${fate(begun)}`], { cause: error });
  }
}

function fate({ verb, operation }: Begun): string {
  const which = `Operation ${operation.name} (${verb})`;
  return operation.done
    ? `${which} has ended; the next pulumi up or pulumi refresh looks at what it did`
    : `${which} goes on in the cloud; the next pulumi up or pulumi refresh waits for it instead of beginning another one`;
}
