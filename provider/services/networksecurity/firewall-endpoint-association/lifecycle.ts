import { randomUUID } from "node:crypto";
import { changedProperties, changesOf, type Diff } from "../../../core/diff";
import { InputError, NotFoundError, NotReadyError, PermissionDeniedError, RefusedError } from "../../../core/errors";
import type { ApiError } from "../../../core/errors";
import type { CloudObject } from "../../../core/cloud-object";
import type { Holders } from "../../../core/holders";
import type { Current, Prior, ResourceLifecycle } from "../../../core/lifecycle";
import type { Problem } from "../../../core/problem";
import { nameInId, parseReference, sameName } from "../../../core/reference";
import { isUnknown, textOf, UNKNOWN, type Values } from "../../../core/unknown";
import { toWire, wireNameOf } from "../../../core/wire";
import { pause, type Call } from "../../../http/call";
import type { DatedApiClient } from "../../../http/client";
import { undefinedIfNotFound } from "../../../http/parse-answer";
import { createOnce } from "../../../operations/create";
import { LongRunning, type Resumed } from "../../../operations/long-running";
import type { Operation } from "../../../operations/operation";
import { withoutPending } from "../../../operations/pending";
import { createRequestId } from "../../../operations/request-id";
import { APPEARS_WITHIN_MS, pollInterval, readUntil } from "../../../operations/wait";
import type { LifecycleContext } from "../../shared/lifecycle-context";
import type { Resource } from "../../shared/resource";
import * as api from "./api";
import { associationName, firewallEndpoint, firewallEndpointAssociation as definition } from "./definition";
import {
  declaredByAnother,
  explainCreate,
  explainGone,
  explainUpdate,
  halfMade,
  howToTakeOver,
  isHalfMade,
} from "./explain";
import { doubtsAbout } from "./rules";
import {
  collides,
  comparable,
  emptyOf,
  inputSchema,
  inputsOf,
  nameFromInputs,
  stateOf,
  stateWithPlace,
  unchanging,
} from "./values";

export const firewallEndpointAssociationResource: Resource = {
  definition,
  connect: (environment) => new AssociationLifecycle(environment),
};

class AssociationLifecycle implements ResourceLifecycle<Call> {
  private readonly longRunning = new LongRunning(() => this.client, api.DOING);

  constructor(private readonly environment: LifecycleContext) {}

  private get client(): DatedApiClient {
    return this.environment.client(definition.service);
  }

  idOf(state: Values): string | undefined {
    return typeof state.name === "string" ? state.name : nameFromInputs(state);
  }

  recognize(prior: Prior): Prior {
    const id = nameInId(prior.id);
    // A request to anything else would be answered "not found", which a delete would take for done.
    if (!associationName.parse(id)) throw unrecognizable(prior.id, "Cannot tell which association is meant by");
    return { ...prior, id, state: stateWithPlace({ ...prior, id }) };
  }

  check(inputs: Values, identity?: string): Problem[] {
    if (isFarFromEndpoint(inputs)) {
      return [
        {
          path: "location",
          reason: "must be the location in firewallEndpoint: an association lives in the zone of its endpoint",
        },
      ];
    }
    const name = nameFromInputs(inputs);
    if (name !== undefined) this.holders.declare(this.objectOf(name), identity);
    return [];
  }

  previewCreate(inputs: Values, _secret: readonly string[], call: Call): Promise<void> {
    for (const doubt of doubtsAbout(inputs)) call.reporter.warning(doubt);
    return Promise.resolve();
  }

  diff(prior: Prior, inputs: Values, identity?: string): Diff {
    this.holders.hold(this.objectOf(prior.id), identity);
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
      name: nameFromInputs(inputs) ?? UNKNOWN,
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
    const name = nameFromInputs(inputs);
    if (name === undefined) return [];
    try {
      await api.getAssociation(this.client, name, call);
      return [`${name} exists already: ${howToTakeOver(name, this.environment.canImport)}`];
    } catch (error) {
      if (error instanceof NotFoundError) return [];
      if (error instanceof PermissionDeniedError) return [error.message];
      throw error;
    }
  }

  async create(inputs: Values, call: Call): Promise<{ id: string; state: Values }> {
    try {
      const made = await this.make(inputs, call);
      this.markMade(made.id, call);
      return made;
    } catch (error) {
      if (error instanceof NotReadyError) this.markMade(error.id, call);
      throw error;
    }
  }

  /** From now on no delete of this run takes the association away: not even one of the resource that this replaces. */
  private markMade(name: string, { identity }: Call): void {
    this.holders.declare(this.objectOf(name), identity);
    this.holders.made(this.objectOf(name), identity);
  }

  private async make(inputs: Values, call: Call): Promise<{ id: string; state: Values }> {
    const parent = `projects/${inputs.project as string}/locations/${inputs.location as string}`;
    const id = inputs.firewallEndpointAssociationId as string | undefined;
    const body = toWire(definition.inputs, inputs);
    const given = inputs.requestId as string | undefined;
    const owner = { identity: call.identity, backend: await this.environment.stateBackend() };
    const created = await createOnce(
      {
        longRunning: this.longRunning,
        given,
        requestId: (after) => createRequestId(inputs, owner, after),
        begin: (requestId) =>
          api.createAssociation(this.client, { parent, id, requestId, body }, call).catch((error: unknown) => {
            throw explainCreate(error, inputs, this.environment.canImport);
          }),
        nameOfCreated: (begun) => createdName(inputs, begun),
        provisional: inputs,
        read: async (name) => {
          const live = await undefinedIfNotFound(api.getAssociation(this.client, name, call));
          return live && stateOf(name, live, inputs);
        },
        belongsToAnother: (name) => this.isHeldByAnother(name, call.identity),
        isMadeBy: (operation, state) => isMadeBy(operation, state, inputs, given !== undefined),
      },
      call,
    );
    if (created.kind === "stale") throw created.error;
    if (created.kind === "failed")
      throw await this.failure(created.error, { id: created.name, state: {} }, inputs, call);
    return { id: created.name, state: created.state };
  }

  private get holders(): Holders {
    return this.environment.holders;
  }

  /** What other resources of the run may hold, too. */
  private objectOf(name: string): CloudObject {
    return { url: this.client.baseUrl, name };
  }

  private isHeldByAnother(name: string, identity: string | undefined): boolean {
    const others = this.holders.others(this.objectOf(name), identity);
    return others.some((each) => each.holds && (each.identity === undefined || each.identity !== identity));
  }

  /** The error of an operation that failed after it began; where it left something, the engine keeps the association. */
  private failure(failed: ApiError, prior: Prior, inputs: Values, call: Call): Promise<Error> {
    const name = prior.id;
    const read = async () => stateOf(name, await api.getAssociation(this.client, name, call), inputs);
    const isAsBefore = (state: Values) => changesOf(definition, prior.state, state).length === 0;
    return this.longRunning.failure(failed, name, { ...inputs, ...prior.state, name }, read, isAsBefore);
  }

  async read(id: string, prior: Omit<Prior, "id"> | undefined, call: Call): Promise<Current | undefined> {
    const name = nameInId(id);
    if (!associationName.parse(name)) throw unrecognizable(id, "Cannot import");
    const known = prior && Object.keys(prior.state).length > 0 ? prior : undefined;
    if (known) this.holders.hold(this.objectOf(name), call.identity);
    const resumed = known && (await this.longRunning.resume(name, known.state, call));
    const live = await undefinedIfNotFound(this.unlessGoing(name, known !== undefined, call));
    if (!live) return undefined;
    const inputs = inputsOf(name, live, known?.inputs ?? known?.state);
    const state = stateOf(name, live, { ...inputs, requestId: known?.state.requestId });
    // A refresh must not make a failed create look finished: engines forget the error otherwise.
    if (resumed?.failed && isHalfMade(live)) throw halfMade(name, state, resumed.failed);
    return { id: name, inputs, state };
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

  async update(prior: Prior, inputs: Values, call: Call): Promise<Values> {
    const name = prior.id;
    this.holders.hold(this.objectOf(name), call.identity);
    const resumed = await this.longRunning.resume(name, prior.state, call);
    const failed = resumed?.failed;
    // After an interrupted call, what is there decides what is left to do, not what was remembered.
    const state = resumed ? await this.currentState(name, inputs, call, failed) : prior.state;
    const changed = changedProperties(changesOf(definition, state, inputs));
    if (changed.length === 0) return this.unchanged(name, inputs, call, resumed);
    const operation = await this.patch({ ...prior, state: withoutPending(prior.state) }, changed, inputs, call);
    return this.longRunning.keep({ verb: "update", name, state: prior.state, operation }, () =>
      this.changedState(name, inputs, call),
    );
  }

  /** The association after its update. */
  private changedState(name: string, inputs: Values, call: Call): Promise<Values> {
    const shown = (state: Values) => changesOf(definition, state, inputs).length === 0;
    const looking = { shown, within: APPEARS_WITHIN_MS, doing: `${api.DOING.read} ${name}` };
    return readUntil(this.client, looking, call, () => this.currentState(name, inputs, call));
  }

  /** Nothing to change, and yet an update: engines ask for one where the run before reported a resource as not ready. */
  private async unchanged(name: string, inputs: Values, call: Call, resumed: Resumed | undefined): Promise<Values> {
    if (!resumed) {
      call.reporter.info("This run looks again at what an earlier run left as not ready: there is nothing to change");
    }
    const live = await api.getAssociation(this.client, name, call).catch(explainGone);
    const state = stateOf(name, live, inputs);
    if (isHalfMade(live)) throw halfMade(name, state, resumed?.failed);
    if (live.disabled === true) {
      call.reporter.info(`${name} is disabled, which this provider does not set: no traffic is inspected through it`);
    }
    return state;
  }

  /** Returns the finished operation, so that its end can be told where the result cannot be read. */
  private async patch(prior: Prior, changed: string[], inputs: Values, call: Call): Promise<Operation> {
    const name = prior.id;
    const cleared = Object.fromEntries(changed.map((property) => [property, inputs[property] ?? emptyOf(property)]));
    const updateMask = changed.map((property) => wireNameOf(property, inputSchema(property)));
    const request = { name, updateMask, requestId: randomUUID(), body: toWire(definition.inputs, cleared) };
    try {
      const operation = await api.patchAssociation(this.client, request, call);
      const done = await this.longRunning.wait({ verb: "update", name, state: prior.state, operation }, call);
      const failed = this.longRunning.errorOf(done, "update", name);
      if (failed) throw await this.failure(explainUpdate(failed, changed) as ApiError, prior, inputs, call);
      return done;
    } catch (error) {
      if (error instanceof NotFoundError) explainGone(error);
      throw explainUpdate(error, changed);
    }
  }

  /** @param failed why the operation failed that should have made it what it is to be. */
  private async currentState(name: string, inputs: Values, call: Call, failed?: ApiError): Promise<Values> {
    const live = await api
      .getAssociation(this.client, name, call)
      .catch((error: unknown) => explainGone(error, failed));
    return stateOf(name, live, inputs);
  }

  /** @throws RefusedError where another resource declares the association and could not take it over. */
  async delete(prior: Prior, call: Call): Promise<void> {
    const name = prior.id;
    const fate = await this.holders.remove(this.objectOf(name), call.identity, {
      isSame: (other) => this.isSame(name, other, call),
      remove: () => this.remove(prior, call),
    });
    if (fate.kind === "remove") return;
    const by = fate.by.identity;
    if (fate.kind === "declared") throw new RefusedError(declaredByAnother(name, by));
    // The replacement of an association by an equal one, within the hour, was answered with that very association.
    if (by !== undefined && by === call.identity) return;
    call.reporter.warning(
      `${name} stays in the cloud: ${by ?? "another resource of this stack"} is the same association`,
    );
  }

  /** Whether two names, which differ in the spelling of the project, mean one association. */
  private async isSame(name: string, other: string, call: Call): Promise<boolean> {
    const [left, right] = await Promise.all(
      [name, other].map((each) => undefinedIfNotFound(api.getAssociation(this.client, each, call))),
    );
    return left !== undefined && right !== undefined && left.createTime === right.createTime;
  }

  private async remove(prior: Prior, call: Call): Promise<void> {
    const name = prior.id;
    await this.longRunning.resume(name, prior.state, call);
    const request = { name, requestId: randomUUID() };
    const operation = await undefinedIfNotFound(api.deleteAssociation(this.client, request, call));
    if (!operation) return;
    const done = await this.longRunning.wait({ verb: "delete", name, state: prior.state, operation }, call);
    const failed = this.longRunning.errorOf(done, "delete", name);
    if (failed) throw failed;
  }
}

function unrecognizable(id: string, doing: string): InputError {
  const reason = `must look like ${definition.importIds.join(" or ")}`;
  return new InputError(`${doing} ${JSON.stringify(id)}`, [{ path: "id", reason }]);
}

/** An association and its endpoint are in one zone (wire reference section 6). */
function isFarFromEndpoint({ location, firewallEndpoint: endpoint }: Values): boolean {
  if (isUnknown(location) || isUnknown(endpoint)) return false;
  return parseReference(firewallEndpoint, textOf(endpoint))?.location !== location;
}

/** Name of what a create makes: the inputs tell it, or only the operation where the server chooses the id. */
function createdName(inputs: Values, begun: Operation): string {
  const name = nameFromInputs(inputs) ?? begun.target;
  if (name !== undefined) return name;
  throw new RefusedError(`The API began ${begun.name} without naming the association that it creates`);
}

/**
 * What is there was made by this create, and not by somebody else after it had been deleted.
 *
 * @param exactly whether it has to be as the inputs say: a request id that the program gives does not stand for them.
 */
function isMadeBy(operation: Operation, state: Values, inputs: Values, exactly: boolean): boolean {
  const made = Date.parse(textOf(state.createTime));
  if (operation.ended !== undefined && made > operation.ended) return false;
  if (exactly) return changesOf(definition, state, inputs).length === 0;
  return sameName(textOf(state.network), textOf(inputs.network));
}
