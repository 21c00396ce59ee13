import { isForeseen, messageOf, NotFoundError, NotReadyError, type ApiError } from "../core/errors";
import type { Values } from "../core/unknown";
import type { Call } from "../http/call";
import type { ApiClient } from "../http/client";
import { undefinedIfNotFound } from "../http/parse-answer";
import { operationError, operationOf, type Operation } from "./operation";
import { pendingOf, withoutPending, withPending, type Pending, type Verb } from "./pending";
import { waitForOperation } from "./wait";

/** What is done to one kind of resource, for messages, to be read on from "Could not". */
export type Doing = Readonly<Record<Verb | "read", string>>;

/** @param kind with its article: "the firewall endpoint association". */
export function doingTo(kind: string): Doing {
  return { create: `create ${kind}`, read: `read ${kind}`, update: `update ${kind}`, delete: `delete ${kind}` };
}

/** An operation that was begun, and what the engine is to remember should this run not see its end. */
export interface Work {
  verb: Verb;
  /** Full name of the resource, which is also its id in the engine. */
  name: string;
  /** The resource's state without the operation, as the engine is to keep it. */
  state: Values;
  operation: Operation;
}

/** What became of an operation that an earlier run began. */
export interface Resumed {
  pending: Pending;
  /** The error that it ended in; undefined where it succeeded, or where the API no longer knows it. */
  failed?: ApiError;
}

const PROGRESS: Readonly<Record<Verb, string>> = { create: "creating", update: "updating", delete: "deleting" };

/**
 * The work on a resource that goes on in the cloud after the API has answered the request for it. It knows no kind of
 * resource. The lifecycle of a resource whose API answers with operations
 *  1. sends its requests with `begin` (begin.ts);
 *  2. creates with `createOnce` (create.ts), updates with `updateInPlace` (update.ts) and deletes with `deleteAndWait`
 *     (delete.ts), which wait and, before an update or delete, finish what an interrupted run began;
 *  3. turns an operation that failed into an error by `failure`, so that the engine keeps what the operation left behind;
 *  4. at the beginning of each read: calls `resume`, which finishes what an interrupted run began.
 * When a call ends early, `wait` has the engine keep the operation's name in the state (pending.ts).
 */
export class LongRunning {
  /** @param connect is called at each use, so that nothing connects before it must. */
  constructor(
    private readonly connect: () => ApiClient,
    readonly doing: Doing,
  ) {}

  get client(): ApiClient {
    return this.connect();
  }

  /**
   * Waits for the end of an operation, and returns it as it is then. It may have failed: the caller looks at `error`.
   *
   * @param progress for the status line: "creating".
   * @throws NotReadyError when the call ends first, as `keep` does.
   */
  wait(work: Work, call: Call, progress = PROGRESS[work.verb]): Promise<Operation> {
    return this.keep(work, () => waitForOperation(this.client, work.operation, call, progress));
  }

  /** The error that an operation on the resource of this name ended in; undefined where it succeeded. */
  errorOf(operation: Operation, verb: Verb, name: string): ApiError | undefined {
    return operationError(operation, this.doing[verb], name);
  }

  /**
   * Runs what the call still has to do after an operation was begun: waiting, or reading what came of it. When that fails,
   * the error has the engine keep the resource, with the operation's name in its state, so that the next run resumes it.
   * A plain error would have the engine forget what the cloud goes on creating.
   *
   * @throws NotReadyError for every failure of `rest` but bugs, which stay as they are.
   */
  async keep<T>(work: Work, rest: () => Promise<T>): Promise<T> {
    try {
      return await rest();
    } catch (error) {
      if (error instanceof NotReadyError || !isForeseen(error)) throw error;
      const { name, verb, operation } = work;
      // After a delete that failed, engines keep the state that they have, whatever the error says.
      const state = verb === "delete" ? work.state : withPending(name, work.state, { verb, operation: operation.name });
      throw new NotReadyError(name, state, [`${error.message}. ${fate(work)}`], { cause: error });
    }
  }

  /**
   * Waits for the operation that an earlier run began and did not see the end of, and tells the user so. What the operation
   * did is for the caller to read: the state is older.
   *
   * @param name full name of the resource. @param state what the engine remembers of it.
   * @returns undefined where the state names no operation.
   * @throws NotReadyError when the call ends first again.
   */
  async resume(name: string, state: Values, call: Call): Promise<Resumed | undefined> {
    const pending = pendingOf(name, state);
    if (!pending) return undefined;
    const { verb } = pending;
    call.reporter.info(`This run finishes what an earlier run began: the ${verb} by operation ${pending.operation}`);
    const request = { kind: "read", method: "GET", path: pending.operation, doing: "read the operation" } as const;
    const answer = await undefinedIfNotFound(this.client.request(request, call));
    if (!answer) return { pending };
    const operation = operationOf(answer);
    const waiting = `waiting for the ${verb} that an earlier run began`;
    const done = await this.wait({ verb, name, state: withoutPending(state), operation }, call, waiting);
    const failed = this.errorOf(done, verb, name);
    if (!failed) return { pending };
    call.reporter.warning(`The ${verb} that an earlier run began has failed: ${failed.message}`);
    return { pending, failed };
  }

  /**
   * The error to end a call with whose operation failed. Where the operation left something behind, or that cannot be read,
   * it is a NotReadyError, so that the engine keeps the resource; else it is `failed`.
   *
   * @param name full name of the resource.
   * @param before what the engine is to remember where nothing can be read.
   * @param read the resource's state as it is now. Throws NotFoundError where there is no such resource.
   * @param isAsBefore tells whether the operation changed nothing.
   */
  async failure<S extends Values>(
    failed: ApiError,
    name: string,
    before: Values,
    read: () => Promise<S>,
    isAsBefore: (state: S) => boolean,
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

/** For the user: what becomes of an operation for which this run no longer waits. */
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
