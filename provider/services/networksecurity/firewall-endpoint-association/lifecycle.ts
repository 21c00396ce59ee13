import { v4 as randomUuid } from "uuid";
import { changedProperties, changesOf, type Diff } from "../../../core/diff";
import { InputError, NotFoundError, NotReadyError, PermissionDeniedError, RefusedError } from "../../../core/errors";
import type { ApiError } from "../../../core/errors";
import type { Current, Prior, ResourceLifecycle } from "../../../core/lifecycle";
import { nameInId, sameName } from "../../../core/reference";
import { textOf, UNKNOWN, type Values } from "../../../core/unknown";
import { toWire, wireNameOf } from "../../../core/wire";
import { pause, type Call } from "../../../http/call";
import { orGone, type ApiClient } from "../../../http/client";
import { operationError, pollInterval, waitForOperation, type Operation } from "../../../http/operations";
import type { Environment } from "../../shared/environment";
import type { Resource } from "../../shared/resource";
import * as api from "./api";
import { associationName, firewallEndpointAssociation as definition } from "./definition";
import { DOING, explainCreate, explainGone, explainUpdate, importCommand } from "./explain";
import { interruptible } from "./interrupt";
import { pendingOf, withoutPending, type Pending } from "./pending";
import { createRequestId } from "./request-id";
import { missing, StaleRequestError } from "./stale-request";
import {
  collides,
  comparable,
  emptyOf,
  inputSchema,
  inputsOf,
  nameOf,
  stateOf,
  stateWithPlace,
  unchanging,
} from "./values";

export const firewallEndpointAssociationResource: Resource = {
  definition,
  connect: (environment) => new AssociationLifecycle(environment),
};

/** How long what an operation did may still be missing from reads before it counts as not done. */
const APPEARS_WITHIN_MS = 5_000;
/** The same for an operation that had ended when it was answered: most likely an older create's, long visible or gone. */
const STALE_APPEARS_WITHIN_MS = 1_000;
const BETWEEN_READS_MS = 500;

/** The state of an association that its create left behind when it failed. */
const HALF_MADE = "INACTIVE";

/** So many creates, each deleted again, can be behind the request ids of one resource within the hour. */
const MOST_CREATES_REMEMBERED = 20;

class AssociationLifecycle implements ResourceLifecycle<Call> {
  /** Associations that an earlier create had made, and that a create of this run was answered with. */
  private readonly taken = new Set<string>();

  constructor(private readonly environment: Environment) {}

  private get client(): ApiClient {
    return this.environment.client(definition.service);
  }

  idOf(state: Values): string | undefined {
    return typeof state.name === "string" ? state.name : nameOf(state);
  }

  recognize(prior: Prior): Prior {
    const id = nameInId(prior.id);
    // A request to anything else would be answered "not found", which a delete would take for done.
    if (!associationName.parse(id)) throw unrecognizable(prior.id, "Cannot tell which association is meant by");
    return { ...prior, id, state: stateWithPlace({ ...prior, id }) };
  }

  diff(prior: Prior, inputs: Values): Diff {
    const state = comparable(prior, inputs);
    const changes = changesOf(definition, state, inputs);
    if (changes.length === 0) return { action: "none" };
    if (!changes.some((each) => each.replaces)) return { action: "update", changes };
    return { action: "replace", changes, deleteBeforeReplace: collides(state, inputs) };
  }

  collides(prior: Prior, inputs: Values): boolean {
    return collides(prior.state, inputs);
  }

  plan(inputs: Values, prior?: Prior): Values {
    return {
      firewallEndpointAssociationId: UNKNOWN,
      name: nameOf(inputs) ?? UNKNOWN,
      createTime: UNKNOWN,
      ...inputs,
      ...(prior ? unchanging(prior) : {}),
      updateTime: UNKNOWN,
      state: UNKNOWN,
      reconciling: UNKNOWN,
    };
  }

  /** Associations have no testIamPermissions; what can be told is whether the name is taken, and whether we may look. */
  async preflight(inputs: Values, call: Call): Promise<string[]> {
    const name = nameOf(inputs);
    if (name === undefined) return [];
    try {
      await api.getAssociation(this.client, name, call);
      return [`${name} exists already: ${importCommand(name)}`];
    } catch (error) {
      if (error instanceof NotFoundError) return [];
      if (error instanceof PermissionDeniedError) return [error.message];
      throw error;
    }
  }

  async create(inputs: Values, call: Call): Promise<{ id: string; state: Values }> {
    const given = inputs.requestId as string | undefined;
    let requestId = given ?? createRequestId(inputs, call.identity);
    for (let creates = 1; ; creates++) {
      try {
        return await this.createWith(requestId, inputs, call);
      } catch (error) {
        if (!(error instanceof StaleRequestError)) throw error;
        if (given !== undefined) throw error.explained();
        if (creates >= MOST_CREATES_REMEMBERED) throw error.asOwnFailure();
        // A request id of our own that answers an older create (failed, or deleted since) says nothing of this one.
        requestId = createRequestId(inputs, call.identity, error.operation.name);
      }
    }
  }

  private async createWith(requestId: string, inputs: Values, call: Call): Promise<{ id: string; state: Values }> {
    const parent = `projects/${inputs.project as string}/locations/${inputs.location as string}`;
    const id = inputs.firewallEndpointAssociationId as string | undefined;
    const body = toWire(definition.inputs, inputs);
    const begun = await api.createAssociation(this.client, { parent, id, requestId, body }, call).catch((error) => {
      throw explainCreate(error, inputs);
    });
    const name = nameOf(inputs) ?? begun.target;
    if (name === undefined) {
      throw new RefusedError(`The API began ${begun.name} without naming the association that it creates`);
    }
    if (begun.target !== undefined && !sameName(begun.target, name)) {
      throw new StaleRequestError(name, requestId, begun);
    }
    const under = { id: name, state: { ...inputs, name }, verb: "create" } as const;
    const done = await interruptible({ ...under, operation: begun }, () =>
      waitForOperation(this.client, begun, call, "creating"),
    );
    // An operation that had ended before may be an older create's; one that was under way can only be this one's.
    if (begun.done && done.error) throw new StaleRequestError(name, requestId, begun);
    const failed = operationError(done, DOING.create, name);
    if (failed) throw await this.failure(failed, { id: name, state: {} }, inputs, call);
    return interruptible({ ...under, operation: done }, async () => {
      const live = await this.appeared(name, begun.done ? STALE_APPEARS_WITHIN_MS : APPEARS_WITHIN_MS, call);
      const state = live && stateOf(name, live, inputs);
      if (begun.done && !(state && isMadeBy(begun, state, inputs))) throw new StaleRequestError(name, requestId, begun);
      if (!state) throw missing(name, done);
      if (begun.done) this.taken.add(name);
      return { id: name, state };
    });
  }

  /**
   * The error of an operation that failed after it began. Where it left something behind, or nobody can tell, the engine
   * has to keep the resource: a plain error would have it forget what is in the cloud.
   */
  private async failure(failed: ApiError, prior: Prior, inputs: Values, call: Call): Promise<Error> {
    const name = prior.id;
    try {
      const state = stateOf(name, await api.getAssociation(this.client, name, call), inputs);
      if (changesOf(definition, prior.state, state).length === 0) return failed;
      const there = `The association is there, in state ${String(state.state)}, and not as it should be`;
      return new NotReadyError(name, state, [failed.message, there], { cause: failed });
    } catch (error) {
      if (error instanceof NotFoundError) return failed;
      const unknown = `What is there now could not be read: ${(error as Error).message}`;
      return new NotReadyError(name, { ...inputs, ...prior.state, name }, [failed.message, unknown], { cause: failed });
    }
  }

  /** What a read answers once it shows what an operation did, or after so long: reads may lag behind the operation. */
  private async readUntil<T>(
    shown: (answer: T) => boolean,
    within: number,
    name: string,
    call: Call,
    read: () => Promise<T>,
  ): Promise<T> {
    const { clock } = this.client;
    const until = clock.now() + within;
    for (;;) {
      const answer = await read();
      if (shown(answer) || clock.now() >= until) return answer;
      await pause(call, clock, BETWEEN_READS_MS, `${DOING.read} ${name}`);
    }
  }

  /** The association after its create, if it is there. */
  private appeared(name: string, within: number, call: Call): Promise<Values | undefined> {
    const isThere = (live: Values | undefined) => live !== undefined;
    return this.readUntil(isThere, within, name, call, () => orGone(api.getAssociation(this.client, name, call)));
  }

  async read(id: string, prior: Omit<Prior, "id"> | undefined, call: Call): Promise<Current | undefined> {
    const name = nameInId(id);
    if (!associationName.parse(name)) throw unrecognizable(id, "Cannot import");
    const known = prior && Object.keys(prior.state).length > 0 ? prior : undefined;
    const pending = known && pendingOf(known.state);
    if (pending) await this.reportPending(name, known.state, pending, call);
    const live = await orGone(this.unlessGoing(name, known !== undefined, call));
    if (!live) return undefined;
    const inputs = inputsOf(name, live, known?.inputs ?? known?.state);
    return { id: name, inputs, state: stateOf(name, live, { ...inputs, requestId: known?.state.requestId }) };
  }

  /** What is there; one of ours that a run before began to delete is waited for, until it is gone or stays. */
  private async unlessGoing(name: string, ours: boolean, call: Call): Promise<Values> {
    const { clock } = this.client;
    const begun = clock.now();
    for (;;) {
      const live = await api.getAssociation(this.client, name, call);
      if (!ours || live.state !== "DELETING") return live;
      call.reporter.status("waiting for the delete that an earlier run began");
      const interval = pollInterval(clock.now() - begun, () => clock.random());
      await pause(call, clock, interval, `wait until ${name} is deleted`);
    }
  }

  /** A refresh must not make an unfinished resource look finished: engines forget the error otherwise. */
  private async reportPending(name: string, state: Values, pending: Pending, call: Call): Promise<void> {
    const operation = await orGone(api.getOperation(this.client, pending.operation, call));
    if (!operation || operation.done) return;
    await interruptible({ id: name, state, verb: pending.verb, operation }, () =>
      waitForOperation(this.client, operation, call, "waiting for the operation that an earlier run began"),
    );
  }

  async update(prior: Prior, inputs: Values, call: Call): Promise<Values> {
    const name = prior.id;
    const pending = pendingOf(prior.state);
    if (pending) await this.reportPending(name, prior.state, pending, call);
    // After an interrupted call, what is there decides what is left to do, not what was remembered.
    const state = pending ? await this.currentState(name, inputs, call) : prior.state;
    const changed = changedProperties(changesOf(definition, state, inputs));
    if (changed.length === 0) return this.unchanged(name, inputs, call);
    const operation = await this.patch({ ...prior, state: withoutPending(prior.state) }, changed, inputs, call);
    return interruptible({ id: name, state: prior.state, verb: "update", operation }, () =>
      this.changedState(name, inputs, call),
    );
  }

  /** The association after its update. */
  private changedState(name: string, inputs: Values, call: Call): Promise<Values> {
    const isChanged = (state: Values) => changesOf(definition, state, inputs).length === 0;
    return this.readUntil(isChanged, APPEARS_WITHIN_MS, name, call, () => this.currentState(name, inputs, call));
  }

  /** Nothing to change, and yet an update: engines ask for one where the create before was reported as not ready. */
  private async unchanged(name: string, inputs: Values, call: Call): Promise<Values> {
    const state = await this.currentState(name, inputs, call);
    if (state.state !== HALF_MADE) return state;
    const reason =
      `The association ${name} is in state ${HALF_MADE}: its create failed half way, and no update makes up for that. ` +
      "Remove it with pulumi destroy --target <urn>, and the next pulumi up creates it anew";
    throw new NotReadyError(name, state, [reason]);
  }

  /** The operation that did it. */
  private async patch(prior: Prior, changed: string[], inputs: Values, call: Call): Promise<Operation> {
    const name = prior.id;
    const cleared = Object.fromEntries(changed.map((property) => [property, inputs[property] ?? emptyOf(property)]));
    const updateMask = changed.map((property) => wireNameOf(property, inputSchema(property)));
    const request = { name, updateMask, requestId: randomUuid(), body: toWire(definition.inputs, cleared) };
    try {
      const begun = await api.patchAssociation(this.client, request, call);
      const done = await interruptible({ id: name, state: prior.state, verb: "update", operation: begun }, () =>
        waitForOperation(this.client, begun, call, "updating"),
      );
      const failed = operationError(done, DOING.update, name);
      if (failed) throw await this.failure(explainUpdate(failed, changed) as ApiError, prior, inputs, call);
      return done;
    } catch (error) {
      if (error instanceof NotFoundError) explainGone(error);
      throw explainUpdate(error, changed);
    }
  }

  private async currentState(name: string, inputs: Values, call: Call): Promise<Values> {
    return stateOf(name, await api.getAssociation(this.client, name, call).catch(explainGone), inputs);
  }

  async delete(prior: Prior, call: Call): Promise<void> {
    const name = prior.id;
    const pending = pendingOf(prior.state);
    if (pending) await this.reportPending(name, prior.state, pending, call);
    // The replacement of an association by an equal one, within the hour, was answered with that very association.
    if (this.taken.delete(name)) return;
    const begun = await orGone(api.deleteAssociation(this.client, { name, requestId: randomUuid() }, call));
    if (!begun) return;
    const done = await interruptible({ id: name, state: prior.state, verb: "delete", operation: begun }, () =>
      waitForOperation(this.client, begun, call, "deleting"),
    );
    const failed = operationError(done, DOING.delete, name);
    if (failed) throw failed;
  }
}

function unrecognizable(id: string, doing: string): InputError {
  const reason = `must look like ${definition.importIds.join(" or ")}`;
  return new InputError(`${doing} ${JSON.stringify(id)}`, [{ path: "id", reason }]);
}

/** What is there was made by this create, and not by somebody else after it had been deleted. */
function isMadeBy(operation: Operation, state: Values, inputs: Values): boolean {
  const made = Date.parse(textOf(state.createTime));
  if (operation.ended !== undefined && made > operation.ended) return false;
  return sameName(textOf(state.network), textOf(inputs.network));
}
