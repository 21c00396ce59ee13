import {
  apiError,
  isExpected,
  NotFoundError,
  NotReadyError,
  RPC_STATUSES,
  statusOfRpc,
  type ApiError,
} from "../core/errors";
import { isRecord, listOf, textOf, type Values } from "../core/unknown";
import { WireShapeError } from "../core/wire";
import { pause, type Call } from "../http/call";
import { undefinedIfNotFound, type ApiClient, type ApiRequest } from "../http/client";

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
    if (!operation.error) return undefined;
    const { code, message, details } = operation.error;
    return apiError({
      doing: this.doing[verb],
      resource: name,
      request: `operation ${operation.name}`,
      status: statusOfRpc(code),
      message,
      details,
      // The server started the change: only a read of the resource shows the effect of a failed operation.
      effect: "unknown",
    });
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
      if (error instanceof NotReadyError || !isExpected(error)) throw error;
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
    const operation = await undefinedIfNotFound(this.client.request(request, call, operationOf));
    if (!operation) return { failed: undefined };
    const work = { verb, name, state: withoutPending(state), operation: { ...operation, name: path } };
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

/**
 * `google.longrunning.Operation` with the `OperationMetadata` of these APIs, limited to the fields that the provider reads (docs/wire.md
 * section 6).
 */
export interface Operation {
  /** `projects/{project}/locations/{location}/operations/{operation}`. */
  name: string;
  done: boolean;
  /** `google.rpc.Status` with the numeric code; only when done. */
  error?: { code: number; message: string; details: readonly unknown[] };
  /** Full name of the resource that the operation works on. */
  target?: string;
  /** When the operation began, in milliseconds since the epoch, by the server's clock. */
  began?: number;
  /** When the operation ended, in the same form; only when done. */
  ended?: number;
}

/** Reads the operation in a response. Its name is empty if the response has no operation. */
export function operationOf(answer: Values): Operation {
  const metadata = isRecord(answer.metadata) ? answer.metadata : {};
  const response = isRecord(answer.response) ? answer.response : {};
  const target = [metadata.target, response.name].map(textOf).find((each) => each !== "");
  const [began, ended] = [metadata.createTime, metadata.endTime].map((time) => Date.parse(textOf(time)));
  return {
    name: textOf(answer.name),
    done: answer.done === true,
    ...(target === undefined ? {} : { target }),
    ...(isTime(began) ? { began } : {}),
    ...(isTime(ended) ? { ended } : {}),
    ...(isRecord(answer.error)
      ? {
          error: {
            code: typeof answer.error.code === "number" ? answer.error.code : RPC_STATUSES.UNKNOWN.rpc,
            message: textOf(answer.error.message),
            details: listOf(answer.error.details),
          },
        }
      : {}),
  };
}

function isTime(time: number | undefined): time is number {
  return time !== undefined && !Number.isNaN(time);
}

/**
 * Sends a request that starts an operation: a create, patch or delete with a request id.
 *
 * @throws BadAnswerError with an unknown effect for an answer without the operation's name, because nobody could wait for
 *   it. What the client throws.
 */
export function startOperation(client: ApiClient, request: ApiRequest, call: Call): Promise<Operation> {
  return client.request(request, call, (answer) => {
    const operation = operationOf(answer);
    if (operation.name === "") throw new WireShapeError("name", "the name of an operation");
    return operation;
  });
}

/** How long NOT_FOUND is tolerated: a new operation may not be readable everywhere at once (docs/wire.md section 6). */
const TOLERATE_MISSING_MS = 10_000;
/**
 * The interval between polls as a share of the elapsed time: the end of an operation is seen at most 5 % late, and the
 * number of polls grows only with the logarithm of the time.
 */
const INTERVAL_PER_ELAPSED = 0.05;
/** A new operation is polled when its age has doubled, within these limits, so that polling delays a short one little. */
const FIRST_INTERVAL_MS = 40;
const SHORTEST_INTERVAL_MS = 150;
const LONGEST_INTERVAL_MS = 10_000;

/**
 * Milliseconds to wait before the next poll, `elapsed` milliseconds after the wait began. It is shortened at random by up to
 * a quarter, so that the resources of one run do not poll at the same moments.
 */
export function pollInterval(elapsed: number, random: () => number): number {
  const least = Math.min(SHORTEST_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, elapsed));
  const step = Math.min(LONGEST_INTERVAL_MS, Math.max(least, elapsed * INTERVAL_PER_ELAPSED));
  return step * (0.75 + 0.25 * random());
}

/** An operation that has ended. */
export interface EndedOperation extends Operation {
  /** Whether a poll found it running: only then is it certain that it ran after the request whose response named it. */
  wasRunning: boolean;
}

/**
 * Polls an operation until it is done. It may have failed: the caller checks `error`.
 *
 * @param doing for the status line: "creating".
 * @throws TimeoutError or CancelledError when the call ends first; the operation then continues in the cloud. What a read
 *   throws.
 */
export async function waitForOperation(
  client: ApiClient,
  started: Operation,
  call: Call,
  doing: string,
): Promise<EndedOperation> {
  const { clock } = call;
  const start = clock.now();
  const resource = started.target ?? started.name;
  const waiting = "wait for the operation on";
  const request = { kind: "read", method: "GET", path: started.name, doing: waiting, resource } as const;
  let operation = started;
  let wasRunning = false;
  while (!operation.done) {
    const elapsed = clock.now() - start;
    call.reporter.status(progress(started, elapsed, call.deadline - start, doing));
    const interval = pollInterval(elapsed, () => clock.random());
    await pause(call, interval, `${waiting} ${resource}`);
    try {
      operation = { ...started, ...(await client.request(request, call, operationOf)), name: started.name };
      wasRunning ||= !operation.done;
    } catch (error) {
      const young = clock.now() - start < TOLERATE_MISSING_MS;
      if (!(error instanceof NotFoundError && young)) throw error;
    }
  }
  return { ...operation, wasRunning };
}

function progress(operation: Operation, elapsed: number, limit: number, doing: string): string {
  const id = operation.name.split("/").at(-1) ?? "";
  return `${doing}: ${seconds(elapsed)} of at most ${seconds(limit)} (operation ${id})`;
}

function seconds(ms: number): string {
  const total = Math.round(ms / 1000);
  return total < 60 ? `${total} s` : `${Math.floor(total / 60)} min ${total % 60} s`;
}

/** How long reads may lag behind the end of an operation. After that, its effect counts as missing. */
const READS_LAG_MS = 5_000;
const BETWEEN_READS_MS = 500;

/**
 * Reads a resource until the response shows the effect of an operation that has just ended.
 *
 * @param read.shows whether an answer shows the effect.
 * @param doing for messages, to be read on from "trying to".
 * @returns the last response, whether it shows the effect or not.
 */
export async function readUntil<T>(
  { read, shows }: { read: () => Promise<T>; shows: (answer: T) => boolean },
  call: Call,
  doing: string,
): Promise<T> {
  const { clock } = call;
  const until = clock.now() + READS_LAG_MS;
  for (;;) {
    const answer = await read();
    if (shows(answer) || clock.now() >= until) return answer;
    await pause(call, BETWEEN_READS_MS, doing);
  }
}
