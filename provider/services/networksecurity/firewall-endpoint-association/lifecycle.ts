import { v4 as randomUuid } from "uuid";
import { changedProperties, changesOf, type Diff } from "../../../core/diff";
import { AlreadyExistsError, ApiError, apiError, InputError, NotFoundError, RefusedError } from "../../../core/errors";
import { metaOf } from "../../../core/field";
import type { Current, Prior, ResourceLifecycle } from "../../../core/lifecycle";
import { normalName, sameName } from "../../../core/reference";
import { isUnknown, UNKNOWN, type Values } from "../../../core/unknown";
import { fromWire, toWire, wireNameOf } from "../../../core/wire";
import { pause, type Call } from "../../../http/call";
import { understood, type ApiClient } from "../../../http/client";
import { throwOperationError, waitForOperation, type Operation } from "../../../http/operations";
import type { Environment } from "../../shared/environment";
import type { Resource } from "../../shared/resource";
import * as api from "./api";
import { associationName, firewallEndpointAssociation as definition } from "./definition";
import { interruptible } from "./interrupt";
import { pendingOf, withoutPending, type Pending } from "./pending";
import { createRequestId } from "./request-id";

export const firewallEndpointAssociationResource: Resource = {
  definition,
  connect: (environment) => new AssociationLifecycle(environment),
};

/** Inputs that some clients of the API hold immutable (wire reference section 6, "Mutability"). */
const PERHAPS_IMMUTABLE = ["network", "firewallEndpoint"];
/** How long a resource whose operation is done may still be missing before it counts as not there. */
const APPEARS_WITHIN_MS = 5_000;

class AssociationLifecycle implements ResourceLifecycle<Call> {
  constructor(private readonly environment: Environment) {}

  private get client(): ApiClient {
    return this.environment.client(definition.service);
  }

  diff(prior: Prior, inputs: Values): Diff {
    const changes = changesOf(definition, prior.state, inputs);
    if (changes.length === 0) return { action: "none" };
    if (!changes.some((each) => each.replaces)) return { action: "update", changes };
    return { action: "replace", changes, deleteBeforeReplace: collides(prior.state, inputs) };
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
      throw this.explainCreate(error, inputs);
    });
    const name = nameOf(inputs) ?? begun.target;
    if (name === undefined) {
      throw new RefusedError(`The API began ${begun.name} without naming the association that it creates`);
    }
    if (begun.target !== undefined && !sameName(begun.target, name)) throw new StaleRequestError(name, requestId);
    const done = await interruptible({ id: name, state: { ...inputs, name }, verb: "create", operation: begun }, () =>
      waitForOperation(this.client, begun, call, "creating"),
    );
    if (begun.done && done.error) throw new StaleRequestError(name, requestId, done);
    throwOperationError(done, "create the firewall endpoint association", name);
    const live = await this.appeared(name, call);
    if (!live || !sameName(String(live.network), String(inputs.network))) throw new StaleRequestError(name, requestId);
    return { id: name, state: stateOf(name, live, inputs) };
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
        await pause(call, clock, 500, "read the firewall endpoint association");
      }
    }
  }

  private explainCreate(error: unknown, inputs: Values): unknown {
    if (error instanceof AlreadyExistsError) {
      const name = nameOf(inputs) ?? "{name}";
      return error.withHint(
        `To manage the existing one, import it: pulumi import perimeter:${definition.service.module}:${definition.name} <name> ${name}`,
      );
    }
    if (error instanceof ApiError && error.httpStatus === 400 && !looksLikeZone(String(inputs.location))) {
      return error.withHint(
        `location is "${String(inputs.location)}": an association lives in a zone, the one of its firewall endpoint, such as us-central1-a`,
      );
    }
    return error;
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
    const doing = "update the firewall endpoint association";
    const cleared = Object.fromEntries(changed.map((property) => [property, inputs[property] ?? emptyOf(property)]));
    const updateMask = changed.map((property) => wireNameOf(property, inputSchema(property)));
    const request = { name, updateMask, requestId: randomUuid(), body: toWire(definition.inputs, cleared) };
    try {
      const begun = await api.patchAssociation(this.client, request, call);
      const done = await interruptible({ id: name, state: prior.state, verb: "update", operation: begun }, () =>
        waitForOperation(this.client, begun, call, "updating"),
      );
      throwOperationError(done, doing, name);
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
    const doing = "delete the firewall endpoint association";
    const pending = pendingOf(prior.state);
    if (pending) await this.reportPending(name, prior.state, pending, call);
    try {
      const begun = await api.deleteAssociation(this.client, { name, requestId: randomUuid() }, call);
      throwOperationError(await waitForOperation(this.client, begun, call, "deleting"), doing, name);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
}

/** A request id brought back an operation that is not this create's: its resource is another, failed, or gone. */
class StaleRequestError extends Error {
  constructor(
    readonly association: string,
    readonly requestId: string,
    readonly operation?: Operation,
  ) {
    super("stale request id");
  }

  explained(): ApiError {
    const failed = this.operation?.error;
    return apiError({
      doing: "create the firewall endpoint association",
      resource: this.association,
      request: `requestId ${this.requestId}`,
      status: "FAILED_PRECONDITION",
      message:
        "the API answered with the operation of an earlier create that had the same requestId" +
        (failed ? `, which failed: ${failed.message}` : ", and its association is not there or is another one"),
      hint: "For at least 60 minutes the API ignores a repeated requestId: give a new one, or none",
    });
  }

  /** What the same answer means where the request id was new: no older create can be behind it. */
  asOwnFailure(): ApiError {
    const doing = "create the firewall endpoint association";
    if (this.operation) throwOperationError(this.operation, doing, this.association);
    return apiError({
      doing,
      resource: this.association,
      request: `requestId ${this.requestId}`,
      status: "NOT_FOUND",
      message: "its operation ended without an error, but the association is not there",
    });
  }
}

/** The association's name where its inputs decide it. */
function nameOf(inputs: Values): string | undefined {
  const { project, location, firewallEndpointAssociationId } = inputs;
  const parts = { project, location, firewallEndpointAssociationId };
  if (Object.values(parts).some((part) => part === undefined || isUnknown(part))) return undefined;
  return associationName.format(parts as Record<string, string>);
}

/** What the association is now, as outputs: what the program gave, and what the server says of it. */
function stateOf(name: string, live: Values, inputs: Values): Values {
  const place = associationName.parse(name) as Record<string, string>;
  const doing = "read the firewall endpoint association";
  const { inputs: mine, outputs } = understood(doing, name, () => ({
    inputs: fromWire(definition.inputs, live),
    outputs: fromWire(definition.outputs, live),
  }));
  const state: Values = { ...mine, ...place, ...outputs, name };
  if (inputs.requestId !== undefined) state.requestId = inputs.requestId;
  return withoutPending(keepSpelling(state, inputs));
}

/** Inputs that would make what is there. With earlier inputs, only what they give or what has come to differ. */
function inputsOf(name: string, live: Values, before: Values | undefined): Values {
  const place = associationName.parse(name) as Record<string, string>;
  const wire = understood("read the firewall endpoint association", name, () => fromWire(definition.inputs, live));
  const inputs: Values = { ...wire, ...place };
  if (!before) return inputs;
  if (before.firewallEndpointAssociationId === undefined) delete inputs.firewallEndpointAssociationId;
  if (before.requestId !== undefined) inputs.requestId = before.requestId;
  if (isEmptyMap(before.labels) && inputs.labels === undefined) inputs.labels = before.labels;
  return keepSpelling(inputs, before);
}

/** The API may answer a project's number where its id was given: the same resource keeps the program's spelling. */
function keepSpelling(values: Values, inputs: Values): Values {
  const kept = { ...values };
  for (const property of Object.keys(definition.inputs.shape)) {
    const [mine, theirs] = [inputs[property], values[property]];
    if (typeof mine === "string" && typeof theirs === "string" && metaOf(inputSchema(property)).reference) {
      if (sameName(mine, theirs)) kept[property] = mine;
    }
  }
  return kept;
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The API clears an optional property whose mask is sent with its empty value. */
function emptyOf(property: string): unknown {
  return property === "labels" ? {} : "";
}

function inputSchema(property: string) {
  return definition.inputs.shape[property as keyof typeof definition.inputs.shape];
}

/**
 * True where old and new cannot exist side by side: the same name, or the same network in the same zone, of which the
 * API accepts one association. Whatever is unknown might collide.
 */
function collides(state: Values, inputs: Values): boolean {
  const same = (property: string) => isUnknown(inputs[property]) || state[property] === inputs[property];
  if (!same("location")) return false;
  const sameNetwork = isUnknown(inputs.network) || sameName(String(state.network), String(inputs.network));
  const givenId = inputs.firewallEndpointAssociationId;
  return sameNetwork || (givenId !== undefined && same("project") && same("firewallEndpointAssociationId"));
}

/** Deleted behind the engine's back, or never made: an update cannot know that, a refresh can. */
function explainGone(error: unknown): never {
  if (!(error instanceof NotFoundError)) throw error;
  throw error.withHint("If the association is gone, pulumi refresh notices it, and the next pulumi up creates it anew");
}

function looksLikeZone(location: string): boolean {
  return /^[a-z]+-[a-z0-9]+-[a-z]$/.test(location);
}

function explainUpdate(error: unknown, changed: readonly string[]): unknown {
  if (!(error instanceof ApiError) || !["INVALID_ARGUMENT", "FAILED_PRECONDITION"].includes(error.status)) return error;
  const suspects = changed.filter((property) => PERHAPS_IMMUTABLE.includes(property));
  if (suspects.length === 0) return error;
  return error.withHint(
    `If the API does not let ${suspects.join(" and ")} be changed in place, have the association replaced: ` +
      `set the resource option replaceOnChanges to [${suspects.map((each) => JSON.stringify(each)).join(", ")}], or run ` +
      "pulumi up --replace <urn>",
  );
}
