import { BugError, messageOf, NotFoundError, NotReadyError, PerimeterError, type ApiError } from "../core/errors";
import type { Values } from "../core/unknown";
import type { Call } from "../http/call";
import type { ApiClient } from "../http/client";
import { undefinedIfNotFound } from "../http/parse-answer";
import { operationError, operationOf, type Operation } from "./operation";
import { pendingOf, withoutPending, withPending, type Pending, type Verb } from "./pending";
import { waitForOperation } from "./wait";

/** What is done to a kind of resource, for messages that begin with "Could not": "create the firewall endpoint association". */
export type Doing = Readonly<Record<Verb | "read", string>>;

/** An operation that was begun, and what to remember if we do not see what becomes of it. */
export interface Work {
  verb: Verb;
  /** Name of the resource, which is its id. */
  name: string;
  state: Values;
  operation: Operation;
}

/** What became of an operation that an earlier run began. */
export interface Resumed {
  pending: Pending;
  /** Why it failed; undefined where it succeeded, or the server has forgotten it. */
  failed?: ApiError;
}

const PROGRESS: Readonly<Record<Verb, string>> = { create: "creating", update: "updating", delete: "deleting" };

/**
 * The work on a resource that goes on in the cloud after the request for it was answered. It knows no kind of resource:
 * a lifecycle sends its own requests (`begin`), and leaves the waiting, the interruptions and the failures to this.
 */
export class LongRunning {
  constructor(
    private readonly client: () => ApiClient,
    private readonly doing: Doing,
  ) {}

  /** Waits for the end of an operation that was begun. The caller looks at its `error`. @throws NotReadyError as `keep`. */
  wait(work: Work, call: Call, progress = PROGRESS[work.verb]): Promise<Operation> {
    return this.keep(work, () => waitForOperation(this.client(), work.operation, call, progress));
  }

  /**
   * Does what is to be done before the operation's effect is known. When that ends too early, the error makes the engine
   * keep the resource together with the operation's name: nothing that the cloud goes on creating is forgotten.
   *
   * @throws NotReadyError for any failure of `rest`.
   */
  async keep<T>(work: Work, rest: () => Promise<T>): Promise<T> {
    try {
      return await rest();
    } catch (error) {
      if (!(error instanceof PerimeterError) || error instanceof NotReadyError || error instanceof BugError)
        throw error;
      const { name, verb, operation } = work;
      // Engines keep the state of before a delete that failed, whatever the error says.
      const state = verb === "delete" ? work.state : withPending(name, work.state, { verb, operation: operation.name });
      throw new NotReadyError(name, state, [`${error.message}. ${fate(work)}`], { cause: error });
    }
  }

  /**
   * Waits for the operation that an earlier run began and did not see the end of, and tells the user so.
   *
   * @returns undefined where the state has none.
   * @throws NotReadyError where it is not seen to its end this time either.
   */
  async resume(name: string, state: Values, call: Call): Promise<Resumed | undefined> {
    const pending = pendingOf(name, state);
    if (!pending) return undefined;
    const { verb } = pending;
    call.reporter.info(`This run finishes what an earlier run began: the ${verb} by operation ${pending.operation}`);
    const request = { kind: "read", method: "GET", path: pending.operation, doing: "read the operation" } as const;
    const answer = await undefinedIfNotFound(this.client().request(request, call));
    if (!answer) return { pending };
    const operation = operationOf(answer);
    const waiting = `waiting for the ${verb} that an earlier run began`;
    const done = await this.wait({ verb, name, state: withoutPending(state), operation }, call, waiting);
    const failed = operationError(done, this.doing[verb], name);
    if (!failed) return { pending };
    call.reporter.warning(`The ${verb} that an earlier run began has failed: ${failed.message}`);
    return { pending, failed };
  }

  /**
   * The error of an operation that failed after it began. Where it left something behind, or nobody can tell, the engine
   * has to keep the resource: a plain error would have it forget what is in the cloud.
   *
   * @param before what the engine remembers now.
   * @param read the resource's state as it is. Throws NotFoundError where there is none.
   * @param isAsBefore tells whether the operation changed nothing.
   */
  async failure(
    failed: ApiError,
    name: string,
    before: Values,
    read: () => Promise<Values>,
    isAsBefore: (state: Values) => boolean,
  ): Promise<Error> {
    try {
      const state = await read();
      if (isAsBefore(state)) return failed;
      const there = `It is there, in state ${String(state.state)}, and not as it should be`;
      return new NotReadyError(name, state, [failed.message, there], { cause: failed });
    } catch (error) {
      if (error instanceof NotFoundError) return failed;
      const unknown = `What is there now could not be read: ${messageOf(error)}`;
      return new NotReadyError(name, before, [failed.message, unknown], { cause: failed });
    }
  }
}

/** What becomes of an operation that is no longer watched. */
function fate({ verb, operation }: Work): string {
  const which = `Operation ${operation.name} (${verb})`;
  if (verb === "delete") {
    return (
      `${which} ${operation.done ? "has ended" : "goes on in the cloud"}. The resource stays in the state until a run ` +
      "sees that it is gone: run pulumi up, pulumi destroy or pulumi refresh again, which waits until it is gone"
    );
  }
  return operation.done
    ? `${which} has ended; the next pulumi up or pulumi refresh looks at what it did`
    : `${which} goes on in the cloud; the next pulumi up or pulumi refresh waits for it instead of beginning another one`;
}
