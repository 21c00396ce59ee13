import { randomUUID } from "node:crypto";
import { v5 as namedUuid } from "uuid";
import { tokenOf } from "../../../core/definition";
import { changesOf } from "../../../core/diff";
import { AlreadyExistsError, apiError, ApiError, NotReadyError, RefusedError } from "../../../core/errors";
import { sameName } from "../../../core/reference";
import type { Values } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import { readUntil, type Operation, type StartedOperation } from "../../../operations/long-running";
import { DOING, nameFromInputs, type Associations, type Inputs, type State } from "./associations";
import { associationName, firewallEndpointAssociation as definition, looksLikeZone } from "./definition";

/** A created association, as the engine keeps it. */
export interface Created {
  id: string;
  state: State;
}

/** The operation of an older create, which a request id brought back. */
interface Older {
  older: Operation;
  name: string;
}

/**
 * Creates an association, or adopts the association that an interrupted create of the same resource made.
 *
 * @throws NotReadyError when the wait ends early, or the operation failed and left something behind.
 */
export async function createAssociation(associations: Associations, inputs: Inputs, call: Call): Promise<Created> {
  const { claims } = associations;
  const name = nameFromInputs(inputs);
  if (name !== undefined) claims.noteCreateBegun(associations.objectOf(name), call.identity);
  // From now on no delete of this run removes the association, not even the delete of a resource that this one replaces.
  const noteCreated = (id: string) => {
    claims.declare(associations.objectOf(id), call.identity);
    claims.noteCreated(associations.objectOf(id), call.identity);
  };
  try {
    const created = await new Create(associations, inputs, call).run();
    noteCreated(created.id);
    return created;
  } catch (error) {
    if (error instanceof NotReadyError) noteCreated(error.id);
    throw error;
  }
}

/**
 * One create. The API answers a repeated request id with the operation of the first request, for at least 60 minutes
 * (docs/wire.md section 6). So the run after a killed one sends the same id and gets the same operation. But an id can also
 * bring back the operation of an older create, whose association was deleted since or was never made.
 */
class Create {
  constructor(
    private readonly associations: Associations,
    private readonly inputs: Inputs,
    private readonly call: Call,
  ) {}

  /**
   * Sends the create under a request id that follows from what is created, then under an id that follows from the older
   * operation, so that the run after a killed one finds it too, and then under a random id, which is certainly new. The
   * second id also brings back an older operation where an earlier run ended with that one: it failed, or its association was
   * deleted. A request id of the program cannot be exchanged.
   */
  async run(): Promise<Created> {
    const { inputs, call, associations } = this;
    if (inputs.requestId !== undefined) {
      const outcome = await this.createUnder(inputs.requestId);
      if ("older" in outcome) throw staleRequestId(inputs.requestId, outcome.name, outcome.older);
      return outcome;
    }
    const owner = { identity: call.identity, backend: await associations.context.stateBackend() };
    const first = await this.createUnder(createRequestId(inputs, owner));
    if (!("older" in first)) return first;
    const second = await this.createUnder(createRequestId(inputs, owner, first.older.name));
    if (!("older" in second)) return second;
    const work = await this.start(randomUUID());
    return this.finish(work, await associations.operations.wait(work, call));
  }

  private async createUnder(requestId: string): Promise<Created | Older> {
    const { associations, inputs, call } = this;
    const sentAt = associations.client.serverTime?.(call);
    const work = await this.start(requestId);
    const { name, operation: started } = work;
    if (started.target !== undefined && !sameName(started.target, name)) return { older: started, name };
    const ended = await associations.operations.wait(work, call);
    if (ended.wasRunning) return this.finish(work, ended);
    // The operation may have ended before the request was sent: what it made decides whether this create can use it.
    if (this.isHeldByAnother(name)) return { older: ended, name };
    const state = await associations.operations.keep({ ...work, operation: ended }, () => this.read(name));
    if (state && isMadeBy(ended, state, inputs, call.identity)) return this.finish(work, ended, state);
    const failed = associations.operations.errorOf(work, ended);
    // Another request would fail in the same way. Where an association exists, it fails with the advice to import that one.
    if (failed && !state && isNew(ended, sentAt)) throw failed;
    return { older: ended, name };
  }

  private async start(requestId: string): Promise<StartedOperation> {
    const { associations, inputs, call } = this;
    try {
      const operation = await associations.startCreate(inputs, requestId, call);
      const name = createdName(inputs, operation);
      return { verb: "create", name, state: { ...inputs, name }, operation };
    } catch (error) {
      throw explainCreate(error, inputs, associations.context.canImport);
    }
  }

  /** @param found the association, if it was read after the end of its operation. */
  private async finish(work: StartedOperation, ended: Operation, found?: State): Promise<Created> {
    const { associations, inputs, call } = this;
    const { operations } = associations;
    const { name } = work;
    const failed = operations.errorOf(work, ended);
    if (failed) throw await associations.failure(failed, name, {}, inputs, call);
    if (found) return { id: name, state: found };
    return operations.keep({ ...work, operation: ended }, async () => {
      const looking = { read: () => this.read(name), shows: (state?: State) => state !== undefined };
      const state = await readUntil(looking, call, `${DOING.read} ${name}`);
      if (!state) throw notThere(name, ended);
      return { id: name, state };
    });
  }

  private read(name: string): Promise<State | undefined> {
    return undefinedIfNotFound(this.associations.stateOf(name, this.inputs, this.call));
  }

  /** Whether another resource of the run has the association: then this create must not adopt it. */
  private isHeldByAnother(name: string): boolean {
    const { identity } = this.call;
    const others = this.associations.claims.others(this.associations.objectOf(name), identity);
    return others.some((each) => each.holds && (each.identity === undefined || each.identity !== identity));
  }
}

/** The name of what a create makes: from the inputs, or from the operation when the server chooses the id. */
function createdName(inputs: Inputs, operation: Operation): string {
  const name = nameFromInputs(inputs) ?? operation.target;
  if (name !== undefined && associationName.parse(name)) return name;
  throw new RefusedError(`The API began ${operation.name} without naming the association that it creates`);
}

/**
 * Whether an operation that this resource's request id brought back made the association that exists: somebody may have
 * deleted its association and made another one. While the operation ran, nobody else could make one of this name. A request
 * id that the program gives proves nothing about the inputs, and one without an identity comes from every command that asks
 * for the same: then the association must still be what is asked for.
 */
function isMadeBy(operation: Operation, state: State, inputs: Inputs, identity: string | undefined): boolean {
  if (operation.ended === undefined ? operation.error : Date.parse(state.createTime) > operation.ended) return false;
  const isOwn = inputs.requestId === undefined && identity !== undefined;
  return isOwn || changesOf(definition, state, inputs).length === 0;
}

/**
 * Whether an operation certainly began after the request was sent. The times are the server's. For the first request of a
 * process, the server's time is not known: a new operation that has failed then counts as older, and the create is sent again.
 *
 * @param sentAt the server's time before the request.
 */
function isNew({ began }: Operation, sentAt: number | undefined): boolean {
  return sentAt !== undefined && began !== undefined && began >= sentAt;
}

/** Namespace of the provider's request ids, a random UUID. It must never change: a killed run's id would be lost. */
const NAMESPACE = "5d0f2f0e-7d0b-4c3c-9a55-0d1f5ad0c8f4";

/**
 * A request id that follows from what is created: a UUID of version 5, which is a hash of the inputs and the owner. The
 * owner cannot be read from it.
 *
 * @param owner.identity what the engine calls the resource, unique among all stacks of one backend.
 * @param owner.backend where the engine keeps the state: two backends can hold stacks of the same names.
 * @param after the older operation that the first id brought back: for the second id.
 */
export function createRequestId(
  inputs: Values,
  { identity = "", backend }: { identity?: string; backend?: string },
  after?: string,
): string {
  const properties = Object.entries(inputs)
    .filter(([, value]) => value !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return namedUuid(JSON.stringify([identity, properties, after ?? null, backend ?? null]), NAMESPACE);
}

/**
 * How to replace an association by one of the same name. For a replacement that the user requests, the engine does not ask
 * the provider for its order, and creates first unless the program says otherwise. The npm front cannot tell the engine which
 * inputs changed, so `replaceOnChanges` has no effect there.
 */
export const HOW_TO_REPLACE = "set the resource option deleteBeforeReplace to true, and run pulumi up --replace <urn>";

/** How to take over an association that exists already. */
export function howToTakeOver(name: string, canImport: boolean): string {
  if (canImport) return `import it: pulumi import ${tokenOf(definition)} <name> ${name}`;
  return (
    `import it with the plugin: this front does not support pulumi import. To use it without managing it, read it with ` +
    `${definition.name}.get("<name>", "${name}")`
  );
}

/** Adds what the user can do to a refused create. Returns the error to throw. */
function explainCreate(error: unknown, inputs: Inputs, canImport: boolean): unknown {
  if (error instanceof AlreadyExistsError) {
    const name = nameFromInputs(inputs) ?? "{name}";
    return error.withHint(
      `To manage the existing one, ${howToTakeOver(name, canImport)}\n  If pulumi up --replace should replace it, ${HOW_TO_REPLACE}`,
    );
  }
  if (error instanceof ApiError && error.httpStatus === 400 && !looksLikeZone(inputs.location)) {
    return error.withHint(
      `location is "${inputs.location}": an association belongs to the zone of its firewall endpoint, such as us-central1-a`,
    );
  }
  return error;
}

/** The error when the program's request id brings back the operation of another create. */
function staleRequestId(requestId: string, name: string, { error: failed }: Operation): ApiError {
  return apiError({
    doing: DOING.create,
    resource: name,
    request: `requestId ${requestId}`,
    status: "FAILED_PRECONDITION",
    message:
      "the API returned the operation of an earlier create with the same requestId" +
      (failed
        ? `, which failed: ${failed.message}`
        : ", whose association does not exist, is different, or belongs to another resource"),
    hint: "For at least 60 minutes the API ignores a repeated requestId: use a new requestId, or omit it",
  });
}

/** The error when an operation succeeded, and reads do not show what it made. */
function notThere(name: string, operation: Operation): ApiError {
  return apiError({
    doing: DOING.create,
    resource: name,
    request: `operation ${operation.name}`,
    status: "NOT_FOUND",
    message: "its operation ended without an error, but the association does not exist",
  });
}
