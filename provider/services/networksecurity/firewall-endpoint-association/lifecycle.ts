import { randomUUID } from "node:crypto";
import { forgetAdvice, whoDeclaresItIsUnknown, type Claimant } from "../../../core/claims";
import { changedProperties, changesOf, type Diff, type PropertyChange } from "../../../core/diff";
import { ApiError, NotFoundError, NotReadyError, PermissionDeniedError, RefusedError } from "../../../core/errors";
import type { CurrentOf, PriorOf, ResourceLifecycle } from "../../../core/lifecycle";
import type { ListPage, Listing } from "../../../core/listing";
import type { Problem } from "../../../core/problem";
import type { WithUnknowns } from "../../../core/typed";
import { withProject } from "../../../core/reference";
import { textOf, UNKNOWN, type Values } from "../../../core/unknown";
import { pause, type Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import { pollInterval, readUntil, withoutPending, type Operation } from "../../../operations/long-running";
import { withLifecycle, type LifecycleContext } from "../../shared/resource";
import {
  Associations,
  collides,
  comparable,
  DOING,
  inputsOf,
  listAssociations,
  nameFromInputs,
  nameInAssociationId,
  placeOf,
  stateOf,
  unchanging,
  type Definition,
  type Inputs,
  type Known,
  type LiveAssociation,
  type State,
  type Wanted,
} from "./associations";
import { createAssociation, HOW_TO_REPLACE, howToTakeOver, type Created } from "./create";
import { doubtsAbout, firewallEndpointAssociation as definition, isFarFromEndpoint } from "./definition";

/** The lifecycle of an association. */
export class AssociationLifecycle implements ResourceLifecycle<Definition, Known, Call> {
  private readonly associations: Associations;

  constructor(private readonly context: LifecycleContext) {
    this.associations = new Associations(context);
  }

  idOf(state: Partial<State>): string | undefined {
    return state.name ?? nameFromInputs(state);
  }

  recognize(prior: PriorOf<Definition>): Known {
    const id = nameInAssociationId(prior.id, "It is unknown which association is meant by");
    return { ...prior, id, state: { ...placeOf(id), ...prior.state } };
  }

  async check(inputs: WithUnknowns<Inputs>, call: Call): Promise<Problem[]> {
    if (isFarFromEndpoint(inputs)) {
      return [
        {
          path: "location",
          reason: "must be the location in firewallEndpoint: an association belongs to the zone of its endpoint",
        },
      ];
    }
    const name = nameFromInputs(inputs);
    if (name === undefined) return [];
    const { claims } = this.context;
    await this.associations.learnProject(name, call);
    const object = this.associations.objectOf(name);
    const other = claims.otherSpelling(object, call.identity);
    if (other) {
      return [{ path: "project", reason: `must not be spelled in another way: ${this.whyUnclear(name, other)}` }];
    }
    claims.declare(object, call.identity);
    return [];
  }

  private whyUnclear(name: string, other: Claimant): string {
    return this.context.projectIds.whyUnclear(this.associations.objectOf(name), other);
  }

  previewCreate(inputs: WithUnknowns<Inputs>, call: Call): Promise<void> {
    for (const doubt of doubtsAbout(inputs)) call.reporter.warning(doubt);
    return Promise.resolve();
  }

  changes(prior: Known, inputs: Wanted): PropertyChange[] {
    return changesOf(definition, comparable(prior, inputs), inputs);
  }

  diff(prior: Known, inputs: Wanted, identity?: string): Diff {
    const changes = this.changes(prior, inputs);
    // Under an alias, the delete of a replacement has the resource's earlier name.
    if (changes.some((each) => each.replaces)) {
      return { action: "replace", changes, deleteBeforeReplace: this.collides(prior, inputs) };
    }
    // Without a replacement, both names are of one association, and the check has learned the id of the program's project.
    if (!this.noteHeld(withProject(prior.id, textOf(inputs.project) || prior.state.project), identity)) {
      // There is nothing left to update. The delete that comes first finds nothing.
      const gone: PropertyChange = { path: ["createTime"], kind: "update", replaces: true };
      const reason =
        "The delete of another resource removed this association from the cloud in this run: it is created again";
      return { action: "replace", changes: [...changes, gone], deleteBeforeReplace: true, reason };
    }
    return changes.length === 0 ? { action: "none" } : { action: "update", changes };
  }

  collides(prior: Known, inputs: Wanted): boolean {
    return collides(prior.state, inputs);
  }

  plan(inputs: WithUnknowns<Inputs>, prior?: Known): WithUnknowns<State> {
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

  /** Associations have no testIamPermissions: a read shows whether the name is taken, and whether the caller may read. */
  async preflight(inputs: Inputs, call: Call): Promise<string[]> {
    const name = nameFromInputs(inputs);
    if (name === undefined) return [];
    try {
      await this.associations.get(name, call);
      // A preview does not show whether the run deletes this resource's own association first.
      const unless = "if this run replaces it, use pulumi up --skip-preview";
      return [`${name} exists already (${unless}): ${howToTakeOver(name, this.context.canImport)}`];
    } catch (error) {
      if (error instanceof NotFoundError) return [];
      if (error instanceof PermissionDeniedError) return [error.message];
      throw error;
    }
  }

  create(inputs: Inputs, call: Call): Promise<Created> {
    return createAssociation(this.associations, inputs, call);
  }

  list(query: Values, page: ListPage, call: Call): Promise<Listing> {
    return listAssociations(this.associations.client, query, page, call);
  }

  async import(id: string, call: Call): Promise<CurrentOf<Definition> | undefined> {
    const name = nameInAssociationId(id, "Cannot import");
    const live = await undefinedIfNotFound(this.associations.get(name, call));
    if (!live) return undefined;
    await this.associations.learnProject(name, call);
    this.context.claims.noteFound(this.associations.objectOf(name), call.identity);
    const inputs = inputsOf(name, live, undefined);
    return { id: name, inputs, state: stateOf(name, live, inputs) };
  }

  async read(prior: Known, call: Call): Promise<CurrentOf<Definition> | undefined> {
    const { id: name, inputs: old, state: before } = prior;
    await this.associations.learnProject(name, call);
    this.noteHeld(name, call.identity);
    const resumed = await this.associations.operations.resume(name, before, call);
    const live = await undefinedIfNotFound(this.getUnlessDeleting(name, call));
    if (!live) return undefined;
    const inputs = inputsOf(name, live, old ?? before);
    const state = stateOf(name, live, { ...inputs, requestId: before.requestId });
    // A refresh must not make a failed create look finished: engines forget the error otherwise.
    if (resumed?.failed && isHalfMade(live)) throw halfMade(name, state, resumed.failed);
    return { id: name, inputs, state };
  }

  /** Reads the association, after waiting for the end of a delete that an earlier run began. */
  private async getUnlessDeleting(name: string, call: Call): Promise<LiveAssociation> {
    const { clock } = call;
    const start = clock.now();
    for (;;) {
      const live = await this.associations.get(name, call);
      if (live.outputs.state !== "DELETING") return live;
      call.reporter.status("waiting for the delete that an earlier run began");
      const interval = pollInterval(clock.now() - start, () => clock.random());
      await pause(call, interval, `wait until ${name} is deleted`);
    }
  }

  async update(prior: Known, inputs: Inputs, call: Call): Promise<State> {
    const { associations } = this;
    const { operations } = associations;
    const { id: name, state: before } = prior;
    await this.associations.learnProject(name, call);
    this.noteHeld(name, call.identity);
    const differences = (state: Partial<State>) => changedProperties(changesOf(definition, state, inputs));
    const read = (failed?: ApiError) =>
      associations.stateOf(name, inputs, call).catch((error: unknown) => {
        throw explainGone(error, failed);
      });
    const resumed = await operations.resume(name, before, call);
    // After an interrupted run, the association itself decides what is left to do, not the state.
    const changed = differences(resumed ? await read(resumed.failed) : before);
    if (changed.length === 0) return this.updateNothing(name, inputs, resumed, call);
    const operation = await this.changeInputs(prior, inputs, changed, call);
    // What the operation did not change may differ for good: somebody else may have changed it since the last refresh.
    const shows = (state: State) => !differences(state).some((each) => changed.includes(each));
    const looking = { read, shows };
    return operations.keep({ verb: "update", name, state: withoutPending(before), operation }, () =>
      readUntil(looking, call, `${DOING.read} ${name}`),
    );
  }

  /** Patches these inputs, and returns the operation after its end. */
  private async changeInputs(
    { id: name, state: before }: Known,
    inputs: Inputs,
    changed: readonly string[],
    call: Call,
  ): Promise<Operation> {
    const { associations } = this;
    const { operations } = associations;
    const work = { verb: "update", name, state: withoutPending(before) } as const;
    try {
      const operation = await associations.startUpdate(name, inputs, changed, randomUUID(), call);
      const ended = await operations.wait({ ...work, operation }, call);
      const failed = operations.errorOf(work, ended);
      if (!failed) return ended;
      throw await associations.failure(explainUpdate(failed, changed), name, work.state, inputs, call);
    } catch (error) {
      throw explainUpdate(explainGone(error), changed);
    }
  }

  /** Engines ask for an update without a change when the run before reported the association as not ready. */
  private async updateNothing(
    name: string,
    inputs: Inputs,
    resumed: { failed: ApiError | undefined } | undefined,
    call: Call,
  ): Promise<State> {
    if (!resumed) {
      call.reporter.info(
        "The resource was not ready at the end of an earlier run. This run checks it again; nothing changes",
      );
    }
    const live = await this.associations.get(name, call).catch((error: unknown) => {
      throw explainGone(error);
    });
    const state = stateOf(name, live, inputs);
    if (isHalfMade(live)) throw halfMade(name, state, resumed?.failed);
    if (live.isDisabled) {
      call.reporter.info(`${name} is disabled, so it inspects no traffic. This provider does not change that`);
    }
    return state;
  }

  /**
   * Deletes an association, unless another resource of the run has the same association, or this resource itself: after an
   * import or a read by a different spelling of its id, the engine deletes its older record.
   *
   * @throws RefusedError when another resource declares the association and could not take it over, or when it is unknown
   *   whether another resource does.
   */
  async delete(prior: Known, call: Call): Promise<void> {
    const { id: name } = prior;
    await this.associations.learnProject(name, call);
    const decision = await this.context.claims.remove(this.associations.objectOf(name), call.identity, {
      whyUnclear: (other) => this.whyUnclear(name, other),
      remove: () => this.deleteAndWait(prior, call),
    });
    if (decision.kind === "remove") return;
    if (decision.kind === "unknown") {
      const why = whoDeclaresItIsUnknown("association", decision.why);
      throw new RefusedError(`Refused to delete ${name}: ${why}. ${forgetAdvice(call.identity)}`);
    }
    if (decision.kind === "own") {
      call.reporter.info(
        `${name} stays in the cloud: this resource still has it. Only its older record leaves the state`,
      );
      return;
    }
    const by = decision.by.identity;
    if (decision.kind === "declared") throw new RefusedError(declaredByAnother(name, by));
    // The API answered the create of an equal replacement, within an hour, with the old association.
    const isKept = by !== undefined && by === call.identity;
    call.reporter.warning(
      isKept
        ? `${name} was not replaced: the create that should replace it got the existing association. To replace it, ${HOW_TO_REPLACE}`
        : `${name} stays in the cloud: ${by ?? "another resource of this stack"} declares the same association`,
    );
  }

  private async deleteAndWait({ id: name, state }: Known, call: Call): Promise<void> {
    const { operations } = this.associations;
    await operations.resume(name, state, call);
    const operation = await undefinedIfNotFound(this.associations.startDelete(name, randomUUID(), call));
    if (!operation) return;
    const work = { verb: "delete", name, state, operation } as const;
    const failed = operations.errorOf(work, await operations.wait(work, call));
    if (failed) throw failed;
  }

  /**
   * Notes that the engine's state has the association as this resource's.
   *
   * @returns false if another resource's delete removed it in this run.
   */
  private noteHeld(name: string, identity: string | undefined): boolean {
    return this.context.claims.noteHeld(this.associations.objectOf(name), identity);
  }
}

export const firewallEndpointAssociation = withLifecycle(definition, (context) => new AssociationLifecycle(context));

/** Inputs that some clients of the API never change in place (docs/wire.md section 6, "Mutability"). */
const PERHAPS_IMMUTABLE = ["network", "firewallEndpoint"];

/**
 * Explains the "not found" of an update: somebody else deleted the association, or it was never created. Only a refresh solves
 * that.
 *
 * @param failed why the operation failed that should have made it.
 * @returns the error to throw.
 */
function explainGone(error: unknown, failed?: ApiError): unknown {
  if (!(error instanceof NotFoundError)) return error;
  const next = "pulumi refresh notices it, and the next pulumi up creates it again";
  return failed
    ? failed.withHint(`It does not exist:  ${next}`)
    : error.withHint(`If the association is gone, ${next}`);
}

/** The state in which a failed create leaves an association. A disabled one is in it too (docs/wire.md section 6). */
const HALF_MADE = "INACTIVE";

function isHalfMade({ outputs, isDisabled }: LiveAssociation): boolean {
  return outputs.state === HALF_MADE && !isDisabled;
}

/** The error that keeps a half-made association in the state. @param failed the error of its create, if it is known. */
function halfMade(name: string, state: State, failed: ApiError | undefined): NotReadyError {
  const advice =
    `The association ${name} is in state ${HALF_MADE}: its create did not complete, and an update cannot repair it. ` +
    "Remove it with pulumi destroy --target <urn>, and the next pulumi up creates it again";
  return new NotReadyError(name, state, [...(failed ? [failed.message] : []), advice], { cause: failed });
}

/** Explains a refused update. Returns the error to throw. */
function explainUpdate<E>(error: E, changed: readonly string[]): E | ApiError {
  if (!(error instanceof ApiError) || !["INVALID_ARGUMENT", "FAILED_PRECONDITION"].includes(error.status)) return error;
  const suspects = changed.filter((property) => PERHAPS_IMMUTABLE.includes(property));
  if (suspects.length === 0) return error;
  return error.withHint(
    `If the API does not allow changing ${suspects.join(" and ")} in place, replace the association: ${HOW_TO_REPLACE}`,
  );
}

/** Says why an association is not deleted. @param by the identity of the other resource, if it is known. */
function declaredByAnother(name: string, by: string | undefined): string {
  return (
    `Refused to delete ${name}: ${by ?? "another resource of the program"} declares the same association, but could not ` +
    "create it. If that resource is this one under a new name, give it an alias of this one (the resource option " +
    "aliases), and run pulumi up without --replace"
  );
}
