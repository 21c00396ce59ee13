import { v4 as randomUuid } from "uuid";
import { changedProperties, changesOf, type Diff } from "../../../core/diff";
import { InputError, NotFoundError, NotReadyError, PermissionDeniedError, RefusedError } from "../../../core/errors";
import type { ApiError } from "../../../core/errors";
import type { Current, Prior, ResourceLifecycle } from "../../../core/lifecycle";
import { normalName, sameName } from "../../../core/reference";
import { UNKNOWN, type Values } from "../../../core/unknown";
import { toWire, wireNameOf } from "../../../core/wire";
import { pause, type Call } from "../../../http/call";
import type { ApiClient } from "../../../http/client";
import { operationError, waitForOperation, type Operation } from "../../../http/operations";
import type { Environment } from "../../shared/environment";
import type { Resource } from "../../shared/resource";
import * as api from "./api";
import { associationName, firewallEndpointAssociation as definition } from "./definition";
import { DOING, explainCreate, explainGone, explainUpdate, importCommand } from "./explain";
import { interruptible } from "./interrupt";
import { pendingOf, type Pending } from "./pending";
import { createRequestId } from "./request-id";
import { StaleRequestError } from "./stale-request";
import { collides, emptyOf, inputSchema, inputsOf, nameOf, stateOf } from "./values";

export const firewallEndpointAssociationResource: Resource = {
  definition,
  connect: (environment) => new AssociationLifecycle(environment),
};

/** How long a resource whose operation is done may still be missing before it counts as not there. */
const APPEARS_WITHIN_MS = 5_000;

class AssociationLifecycle implements ResourceLifecycle<Call> {
  constructor(private readonly environment: Environment) {}

  private get client(): ApiClient {
    return this.environment.client(definition.service);
  }

  idOf(state: Values): string | undefined {
    return typeof state.name === "string" ? state.name : nameOf(state);
  }

  diff(prior: Prior, inputs: Values): Diff {
    // States of older providers may not say where the association is; its id always does.
    const state = { ...associationName.parse(normalName(prior.id)), ...prior.state };
    const changes = changesOf(definition, state, inputs);
    if (changes.length === 0) return { action: "none" };
    if (!changes.some((each) => each.replaces)) return { action: "update", changes };
    return { action: "replace", changes, deleteBeforeReplace: collides(state, inputs) };
  }

  plan(inputs: Values, prior?: Prior): Values {
    const name = nameOf(inputs) ?? (prior ? prior.id : UNKNOWN);
    return {
      ...inputs,
      firewallEndpointAssociationId:
        inputs.firewallEndpointAssociationId ?? prior?.state.firewallEndpointAssociationId ?? UNKNOWN,
      name,
      createTime: prior?.state.createTime ?? UNKNOWN,
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
    const requestId = given ?? createRequestId(inputs, call.identity);
    try {
      return await this.createWith(requestId, inputs, call);
    } catch (error) {
      if (!(error instanceof StaleRequestError)) throw error;
      if (given !== undefined) throw error.explained();
    }
    // A request id of our own that answers an older create (made, failed or deleted since) says nothing of this one.
    try {
      return await this.createWith(randomUuid(), inputs, call);
    } catch (error) {
      throw error instanceof StaleRequestError ? error.asOwnFailure() : error;
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
    if (begun.target !== undefined && !sameName(begun.target, name)) throw new StaleRequestError(name, requestId);
    const under = { id: name, state: { ...inputs, name }, verb: "create", operation: begun } as const;
    const done = await interruptible(under, () => waitForOperation(this.client, begun, call, "creating"));
    if (begun.done && done.error) throw new StaleRequestError(name, requestId, done);
    const failed = operationError(done, DOING.create, name);
    if (failed) throw await this.failure(failed, { id: name, state: {} }, inputs, call);
    const live = await interruptible(under, () => this.appeared(name, call));
    if (!live || !sameName(String(live.network), String(inputs.network))) throw new StaleRequestError(name, requestId);
    return { id: name, state: stateOf(name, live, inputs) };
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

  /** The association after its create: reads may lag behind the operation. */
  private async appeared(name: string, call: Call): Promise<Values | undefined> {
    const { clock } = this.client;
    const until = clock.now() + APPEARS_WITHIN_MS;
    for (;;) {
      try {
        return await api.getAssociation(this.client, name, call);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        if (clock.now() >= until) return undefined;
        await pause(call, clock, 500, DOING.read);
      }
    }
  }

  async read(id: string, prior: Omit<Prior, "id"> | undefined, call: Call): Promise<Current | undefined> {
    const name = normalName(id.trim());
    if (!associationName.parse(name)) {
      throw new InputError(`Cannot import ${JSON.stringify(id)}`, [
        { path: "id", reason: `must look like ${definition.importIds.join(" or ")}` },
      ]);
    }
    const known = prior && Object.keys(prior.state).length > 0 ? prior : undefined;
    const pending = known && pendingOf(known.state);
    if (pending) await this.reportPending(name, known.state, pending, call);
    try {
      const live = await api.getAssociation(this.client, name, call);
      const inputs = inputsOf(name, live, known?.inputs ?? known?.state);
      return { id: name, inputs, state: stateOf(name, live, { ...inputs, requestId: known?.state.requestId }) };
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /** A refresh must not make an unfinished resource look finished: engines forget the error otherwise. */
  private async reportPending(name: string, state: Values, pending: Pending, call: Call): Promise<void> {
    const operation = await this.recall(pending, call);
    if (!operation || operation.done) return;
    await interruptible({ id: name, state, verb: pending.verb, operation }, () =>
      waitForOperation(this.client, operation, call, "waiting for the operation that an earlier run began"),
    );
  }

  private async recall(pending: Pending, call: Call): Promise<Operation | undefined> {
    try {
      return await api.getOperation(this.client, pending.operation, call);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  async update(prior: Prior, inputs: Values, call: Call): Promise<Values> {
    const name = prior.id;
    const pending = pendingOf(prior.state);
    if (pending) await this.reportPending(name, prior.state, pending, call);
    // After an interrupted call, what is there decides what is left to do, not what was remembered.
    const state = pending ? await this.currentState(name, inputs, call) : prior.state;
    const changed = changedProperties(changesOf(definition, state, inputs));
    if (changed.length > 0) await this.patch(prior, changed, inputs, call);
    return this.currentState(name, inputs, call);
  }

  private async patch(prior: Prior, changed: string[], inputs: Values, call: Call): Promise<void> {
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
    try {
      const begun = await api.deleteAssociation(this.client, { name, requestId: randomUuid() }, call);
      const failed = operationError(await waitForOperation(this.client, begun, call, "deleting"), DOING.delete, name);
      if (failed) throw failed;
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
}
