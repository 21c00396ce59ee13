import { apiError, type ApiError } from "../core/errors";
import { sameName } from "../core/reference";
import type { Values } from "../core/unknown";
import type { Call } from "../http/call";
import type { Begun } from "./begin";
import type { LongRunning } from "./long-running";
import type { Operation } from "./operation";
import { APPEARS_WITHIN_MS, readUntil } from "./wait";

/**
 * What a create under request ids came to.
 *  - `made`: the resource is there. This create made it, or an interrupted one of the same resource did.
 *  - `stale`: the program gave a request id, and the API answered it with the operation of another create.
 *  - `failed`: the create's own operation failed, and may have left something behind: `LongRunning.failure` looks.
 */
export type Created<S> =
  | { kind: "made"; name: string; state: S }
  | { kind: "stale"; name: string; error: ApiError }
  | { kind: "failed"; name: string; error: ApiError };

/** One resource that is to be created, and what `createOnce` has to know of its kind. `S` is its state. */
export interface Creation<S> {
  longRunning: LongRunning;
  /** The request id that the program gives, which cannot be exchanged for another. Default: those of `requestId`. */
  given?: string;
  /**
   * A request id of the provider's own, the same in every run (request-id.ts).
   *
   * @param after the operation that the id before brought back, where that is not this create's: the next id.
   */
  requestId(after?: string): string;
  /** Sends the request, with `begin` of begin.ts. */
  begin(requestId: string): Promise<Begun>;
  /** Full name of what the operation creates. Throws where nothing tells it. */
  nameOfCreated(begun: Begun): string;
  /** What the engine is to remember while the operation is under way. */
  provisional: Values;
  /** The state of the resource as it is; undefined while there is none of this name. */
  read(name: string): Promise<S | undefined>;
  /** Whether another resource of the run holds what has this name: then this create must not adopt it. */
  belongsToAnother(name: string): boolean;
  /** Whether what is there can only have been made by the operation, and not by somebody else after a delete. */
  isMadeBy(operation: Operation, state: S): boolean;
}

/** What one request came to. */
type Outcome<S> = Exclude<Created<S>, { kind: "stale" }> | Stale;

/** `proved`: the operation is certainly another create's. Else it may be this one's, and have nothing to show. */
type Stale = { kind: "stale"; name: string; begun: Begun; requestId: string; proved: boolean };

/**
 * The API remembers a request id for at least 60 minutes (docs/wire.md section 6). So many creates of one resource, each
 * of them failed or deleted again since, are looked through for an id that is not used yet.
 */
const MOST_CREATES_REMEMBERED = 20;
/** For how long to look for what an operation made that was over when it was answered: it is long visible, or long gone. */
const ENDED_APPEARS_WITHIN_MS = 1_000;
/** How exactly two operations must begin as far apart as two requests of this create, to be taken for theirs. */
const SAME_PACE_MS = 500;

/**
 * Creates a resource once. A run after one that was killed arrives at the same request id, and so at the operation that
 * goes on already, in place of a second resource. But an id can also bring back the operation of an older create whose
 * resource failed or was deleted since. An id of the provider's own is then exchanged for the next one; an id that the
 * program gave cannot be. After an operation that began with this request, no other request is sent.
 *
 * @throws NotReadyError when the wait for the operation ends early. What `begin` and `nameOfCreated` throw.
 */
export async function createOnce<S>(creation: Creation<S>, call: Call): Promise<Created<S>> {
  let requestId = creation.given ?? creation.requestId();
  let last: { began?: number; sent: number } | undefined;
  let unproved = 0;
  for (let requests = 1; ; requests++) {
    const sent = creation.longRunning.client.clock.now();
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
 * Whether two operations were begun by two requests of this create: both failed at once, and they began as far apart as the
 * requests were sent. The operations of older creates were begun by different runs. Needed where the clocks of the server
 * differ so much that `earlier` proves nothing.
 */
function atOnePace(last: { began?: number; sent: number } | undefined, now: { began?: number; sent: number }): boolean {
  if (last?.began === undefined || now.began === undefined) return false;
  return Math.abs(now.began - last.began - (now.sent - last.sent)) <= SAME_PACE_MS;
}

async function createUnder<S>(requestId: string, creation: Creation<S>, call: Call): Promise<Outcome<S>> {
  const { longRunning, provisional, isMadeBy } = creation;
  const begun = await creation.begin(requestId);
  const name = creation.nameOfCreated(begun);
  const stale = (proved: boolean): Stale => ({ kind: "stale", name, begun, requestId, proved });
  if (begun.target !== undefined && !sameName(begun.target, name)) return stale(true);
  // An operation that is under way and did not begin before the request can only be this create's.
  const ours = !begun.done && !begun.earlier;
  if (!ours && creation.belongsToAnother(name)) return stale(true);
  const work = { verb: "create", name, state: { ...provisional, name } } as const;
  const done = await longRunning.wait({ ...work, operation: begun }, call);
  const error = longRunning.errorOf(done, "create", name);
  if (error) {
    const mayBeOlder = begun.done && begun.earlier !== false;
    return mayBeOlder ? stale(begun.earlier === true) : { kind: "failed", name, error };
  }
  return longRunning.keep({ ...work, operation: done }, async () => {
    const within = begun.done ? ENDED_APPEARS_WITHIN_MS : APPEARS_WITHIN_MS;
    const looking = {
      shown: (found?: S) => found !== undefined,
      within,
      doing: `${longRunning.doing.read} ${name}`,
    };
    const state = await readUntil(longRunning.client, looking, call, () => creation.read(name));
    if (state && (ours || isMadeBy(done, state))) return { kind: "made", name, state };
    if (ours) throw missing(creation, name, done);
    return stale(begun.earlier === true);
  });
}

function ownFailure<S>(creation: Creation<S>, { name, begun }: Stale): Created<S> {
  const error = creation.longRunning.errorOf(begun, "create", name) ?? missing(creation, name, begun);
  return { kind: "failed", name, error };
}

/** The error where an operation succeeded, and reads do not show what it made. */
function missing<S>({ longRunning }: Creation<S>, name: string, operation: Operation): ApiError {
  return apiError({
    doing: longRunning.doing.create,
    resource: name,
    request: `operation ${operation.name}`,
    status: "NOT_FOUND",
    message: "its operation ended without an error, but what it made is not there",
  });
}

function staleRequestId<S>({ longRunning }: Creation<S>, { name, begun, requestId }: Stale): ApiError {
  const failed = begun.error;
  return apiError({
    doing: longRunning.doing.create,
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
