import { isForeseen, NotReadyError, type ApiError } from "../core/errors";
import { isRecord, type Values } from "../core/unknown";
import type { Call } from "../http/call";
import { type ApiClient, undefinedIfNotFound } from "../http/client";
import { operationError, operationOf, type Operation } from "./operation";
import { waitForOperation, type EndedOperation } from "./wait";

const VERBS = ["create", "update", "delete"] as const;
export type Verb = (typeof VERBS)[number];

/** The actions on one kind of resource, for messages, as the continuation of "Could not". */
export type Doing = Readonly<Record<Verb | "read", string>>;

/** @param kind with its article: "the firewall endpoint association". */
export function doingTo(kind: string): Doing {
  return { create: `create ${kind}`, read: `read ${kind}`, update: `update ${kind}`, delete: `delete ${kind}` };
}

/** An operation that this run started or resumed. */
export interface StartedOperation {
  verb: Verb;
  /** Full name of the resource, which is also its id in the engine. */
  name: string;
  /** The state that the engine keeps, without the operation, when this run ends before the operation. */
  state: Values;
  operation: Operation;
}

const PROGRESS: Readonly<Record<Verb, string>> = { create: "creating", update: "updating", delete: "deleting" };

/**
 * Waits for the operations on one kind of resource, also across runs: when a call ends before its operation, the resource's
 * state keeps the operation's id, and the next run waits for the operation instead of starting another operation.
 */
export class LongRunning {
  constructor(
    private readonly client: ApiClient,
    private readonly doing: Doing,
  ) {}

  /**
   * Waits until an operation has ended. It may have failed: the caller checks `errorOf`.
   *
   * @param progress for the status line: "creating".
   * @throws NotReadyError when the call ends first, as `keep` does.
   */
  wait(work: StartedOperation, call: Call, progress = PROGRESS[work.verb]): Promise<EndedOperation> {
    return this.keep(work, () => waitForOperation(this.client, work.operation, call, progress));
  }

  /** The error of an operation that failed; undefined when it succeeded. */
  errorOf({ verb, name }: Pick<StartedOperation, "verb" | "name">, operation: Operation): ApiError | undefined {
    return operationError(operation, this.doing[verb], name);
  }

  /**
   * Runs the rest of a call after an operation was started: the wait, or the read of its effect. When that fails, the error
   * lets the engine keep the resource with the operation's id in its state. After another error, the engine would forget a
   * resource that the cloud is still creating.
   *
   * @throws NotReadyError for every failure of `rest`, except bugs, which pass unchanged.
   */
  async keep<T>(work: StartedOperation, rest: () => Promise<T>): Promise<T> {
    try {
      return await rest();
    } catch (error) {
      if (error instanceof NotReadyError || !isForeseen(error)) throw error;
      // After a failed delete, engines keep the old state, whatever the error contains.
      const state = work.verb === "delete" ? work.state : withPending(work.state, work);
      throw new NotReadyError(work.name, state, [`${error.message}. ${whatFollows(work)}`], { cause: error });
    }
  }

  /**
   * Waits for the operation that an interrupted run left in the state, and reports it to the user. The state is older than
   * the operation's effect: the caller reads the resource.
   *
   * @param name full name of the resource. @param state what the engine remembers of it.
   * @returns undefined when the state has no operation; otherwise the operation's error, if it failed. An operation that
   *   the API has forgotten counts as a success.
   * @throws NotReadyError when the call ends first again.
   */
  async resume(name: string, state: Values, call: Call): Promise<{ failed: ApiError | undefined } | undefined> {
    const pending = pendingOf(name, state);
    if (!pending) return undefined;
    const { verb, operation: path } = pending;
    call.reporter.info(`This run completes the ${verb} that an earlier run began: operation ${path}`);
    const request = { kind: "read", method: "GET", path, doing: "read the operation" } as const;
    const answer = await undefinedIfNotFound(this.client.request(request, call));
    if (!answer) return { failed: undefined };
    const work = { verb, name, state: withoutPending(state), operation: { ...operationOf(answer), name: path } };
    const failed = this.errorOf(work, await this.wait(work, call, `waiting for the ${verb} that an earlier run began`));
    if (failed) call.reporter.warning(`The ${verb} that an earlier run began has failed: ${failed.message}`);
    return { failed };
  }
}

/** Tells the user what happens next with an operation after this run has stopped waiting for it. */
function whatFollows({ verb, operation }: StartedOperation): string {
  const which = `Operation ${operation.name} (${verb})`;
  if (verb === "delete") {
    return (
      `${which} ${operation.done ? "has ended" : "continues in the cloud"}. The resource stays in the state until a run ` +
      "confirms its deletion: run pulumi up, pulumi destroy or pulumi refresh again to wait for it"
    );
  }
  return operation.done
    ? `${which} has ended; the next pulumi up or pulumi refresh checks the result`
    : `${which} continues in the cloud; the next pulumi up or pulumi refresh waits for it instead of starting another operation`;
}

/** The state's property for an unfinished operation. Engines treat names that begin with two underscores as internal. */
const KEY = "__pending";

/**
 * Adds an operation to a state. Keeps only the last part of its name: project and location may be secret, engines mask
 * only properties that the schema names, and the resource's name contains both.
 */
function withPending(state: Values, { verb, operation }: Pick<StartedOperation, "verb" | "operation">): Values {
  return { ...state, [KEY]: { verb, operation: operation.name.split("/").at(-1) } };
}

export function withoutPending(state: Values): Values {
  const { [KEY]: _, ...rest } = state;
  return rest;
}

/** The operation in a state, by its full name: operations are in the project and location of their resource. */
function pendingOf(resource: string, state: Values): { verb: Verb; operation: string } | undefined {
  const value = state[KEY];
  if (!isRecord(value) || typeof value.operation !== "string") return undefined;
  const verb = VERBS.find((each) => each === value.verb);
  const place = resource.split("/").slice(0, 4).join("/");
  return verb && { verb, operation: `${place}/operations/${value.operation}` };
}
