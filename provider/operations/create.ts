import { apiError, type ApiError } from "../core/errors";
import { sameName } from "../core/reference";
import type { Values } from "../core/unknown";
import type { Call } from "../http/call";
import type { ApiClient } from "../http/client";
import type { Begun } from "./begin";
import type { Doing, LongRunning } from "./long-running";
import { operationError, type Operation } from "./operation";
import { APPEARS_WITHIN_MS, readUntil } from "./wait";

/**
 * What a create under request ids came to.
 *  - `made`: the resource is there, made by this create or by one of the same resource that was interrupted.
 *  - `stale`: the program's request id brought back the operation of another create.
 *  - `failed`: the create's own operation failed, and may have left something behind.
 */
export type Created =
  | { kind: "made"; name: string; state: Values }
  | { kind: "stale"; name: string; error: ApiError }
  | { kind: "failed"; name: string; error: ApiError };

/** One resource that is to be created. */
export interface Creation {
  client: ApiClient;
  longRunning: LongRunning;
  doing: Doing;
  /** The request id of the program, which cannot be exchanged for another. */
  given?: string;
  /**
   * A request id of our own, the same in every run.
   *
   * @param after an operation that an earlier id brought back and that is not this create's.
   */
  requestId(after?: string): string;
  /** Sends the request. */
  begin(requestId: string): Promise<Begun>;
  /** Name of what the operation creates. Throws where nobody can know. */
  nameOfCreated(begun: Begun): string;
  /** What the engine remembers while the operation is under way. */
  provisional: Values;
  /** State of the resource as it is; undefined while it is not there. */
  read(name: string): Promise<Values | undefined>;
  /** Whether another resource has the one of this name: then it is not this one's to adopt. */
  belongsToAnother(name: string): boolean;
  /** Whether what is there can only be what the operation made. */
  isMadeBy(operation: Operation, state: Values): boolean;
}

/** The outcome of one request. */
type Outcome =
  | Exclude<Created, { kind: "stale" }>
  /** `proved`: the operation is another create's. Else it may be that our own has nothing to show. */
  | { kind: "stale"; name: string; begun: Begun; requestId: string; proved: boolean };

/** So many creates, each deleted again or failed, can be behind the request ids of one resource within the hour. */
const MOST_CREATES_REMEMBERED = 20;
/** For how long to look for what an operation made that had ended when it was answered: long visible, or long gone. */
const ENDED_APPEARS_WITHIN_MS = 1_000;
/** Two operations are taken for ours where they began as far apart as our two requests, to this precision. */
const SAME_PACE_MS = 500;

/**
 * Creates a resource once. Runs that repeat each other, because one was killed, arrive at the same request id and so at
 * one operation. An id can bring back the operation of an older create, too, whose resource failed or was deleted since:
 * one of ours is then exchanged for the next. An operation that began with our request is never answered with another.
 *
 * @throws NotReadyError when the wait ends early.
 */
export async function createOnce(creation: Creation, call: Call): Promise<Created> {
  let requestId = creation.given ?? creation.requestId();
  let last: { began?: number; sent: number } | undefined;
  let unproved = 0;
  for (let requests = 1; ; requests++) {
    const sent = creation.client.clock.now();
    const outcome = await createUnder(requestId, creation, call);
    if (outcome.kind !== "stale") return outcome;
    if (creation.given !== undefined)
      return { kind: "stale", name: outcome.name, error: staleRequestId(creation, outcome) };
    const { begun } = outcome;
    const ours = begun.error !== undefined && atOnePace(last, { began: begun.began, sent });
    if (!outcome.proved) unproved++;
    if (ours || unproved > 1 || requests >= MOST_CREATES_REMEMBERED) return ownFailure(creation, outcome);
    last = { began: begun.began, sent };
    requestId = creation.requestId(begun.name);
  }
}

/**
 * Two operations that failed at once, and began as far apart as the requests that they answer, were begun by these: older
 * ones were begun by two runs. The server's clocks differ then, so that its times prove nothing.
 */
function atOnePace(last: { began?: number; sent: number } | undefined, now: { began?: number; sent: number }): boolean {
  if (last?.began === undefined || now.began === undefined) return false;
  return Math.abs(now.began - last.began - (now.sent - last.sent)) <= SAME_PACE_MS;
}

async function createUnder(requestId: string, creation: Creation, call: Call): Promise<Outcome> {
  const { longRunning, doing, provisional, isMadeBy } = creation;
  const begun = await creation.begin(requestId);
  const name = creation.nameOfCreated(begun);
  const stale = (proved: boolean): Outcome => ({ kind: "stale", name, begun, requestId, proved });
  if (begun.target !== undefined && !sameName(begun.target, name)) return stale(true);
  // An operation that is under way, and did not begin before the request, can only be this one's.
  const ours = !begun.done && !begun.earlier;
  if (!ours && creation.belongsToAnother(name)) return stale(true);
  const work = { verb: "create", name, state: { ...provisional, name } } as const;
  const done = await longRunning.wait({ ...work, operation: begun }, call);
  const error = operationError(done, doing.create, name);
  if (error) {
    const mayBeOlder = begun.done && begun.earlier !== false;
    return mayBeOlder ? stale(begun.earlier === true) : { kind: "failed", name, error };
  }
  return longRunning.keep({ ...work, operation: done }, async () => {
    const within = begun.done ? ENDED_APPEARS_WITHIN_MS : APPEARS_WITHIN_MS;
    const looking = { shown: (found?: Values) => found !== undefined, within, doing: `${doing.read} ${name}` };
    const state = await readUntil(creation.client, looking, call, () => creation.read(name));
    if (state && (ours || isMadeBy(done, state))) return { kind: "made", name, state };
    if (ours) throw missing(creation, name, done);
    return stale(begun.earlier === true);
  });
}

function ownFailure(creation: Creation, { name, begun }: Outcome & { kind: "stale" }): Created {
  const error = operationError(begun, creation.doing.create, name) ?? missing(creation, name, begun);
  return { kind: "failed", name, error };
}

/** An operation succeeded, and what it made is not to be seen. */
function missing({ doing }: Creation, name: string, operation: Operation): ApiError {
  return apiError({
    doing: doing.create,
    resource: name,
    request: `operation ${operation.name}`,
    status: "NOT_FOUND",
    message: "its operation ended without an error, but what it made is not there",
  });
}

function staleRequestId({ doing }: Creation, { name, begun, requestId }: Outcome & { kind: "stale" }): ApiError {
  const failed = begun.error;
  return apiError({
    doing: doing.create,
    resource: name,
    request: `requestId ${requestId}`,
    status: "FAILED_PRECONDITION",
    message:
      "the API answered with the operation of an earlier create that had the same requestId" +
      (failed
        ? `, which failed: ${failed.message}`
        : ", and what it made is not there, is another one, or belongs to another resource"),
    hint: "For at least 60 minutes the API ignores a repeated requestId: give a new one, or none",
  });
}
