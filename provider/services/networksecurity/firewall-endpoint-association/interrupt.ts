import {
  ApiError,
  CancelledError,
  ConnectionError,
  CredentialsError,
  NotReadyError,
  TimeoutError,
} from "../../../core/errors";
import type { Values } from "../../../core/unknown";
import type { Operation } from "../../../http/operations";
import { withPending, type Pending } from "./pending";

/** An operation under way, and what to remember if we do not see its end. */
export interface Begun {
  id: string;
  state: Values;
  verb: Pending["verb"];
  operation: Operation;
}

/**
 * Waits, and when the wait ends before the operation does, throws what makes the engine keep the resource together with
 * the operation's name: nothing that the cloud goes on creating is forgotten.
 */
export async function interruptible<T>(begun: Begun, wait: () => Promise<T>): Promise<T> {
  try {
    return await wait();
  } catch (error) {
    if (!endsTheWait(error)) throw error;
    const { name } = begun.operation;
    const reason =
      `${(error as Error).message}. Operation ${name} (${begun.verb}) goes on in the cloud; ` +
      "the next pulumi up or pulumi refresh waits for it instead of beginning another one";
    const state = withPending(begun.state, { verb: begun.verb, operation: name });
    throw new NotReadyError(begun.id, state, [reason], { cause: error });
  }
}

function endsTheWait(error: unknown): boolean {
  return (
    error instanceof CancelledError ||
    error instanceof TimeoutError ||
    error instanceof ConnectionError ||
    error instanceof CredentialsError ||
    error instanceof ApiError
  );
}
