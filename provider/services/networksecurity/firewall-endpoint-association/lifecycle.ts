import { changesOf, type Diff } from "../../../core/diff";
import { NotFoundError, PermissionDeniedError } from "../../../core/errors";
import type { PriorOf, ResourceLifecycle } from "../../../core/lifecycle";
import type { Problem } from "../../../core/problem";
import { parseReference } from "../../../core/reference";
import type { WithUnknowns } from "../../../core/typed";
import { isUnknown, UNKNOWN } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import type { LifecycleContext } from "../../shared/lifecycle-context";
import { getAssociation } from "./api";
import { Associations } from "./associations";
import { createAssociation } from "./create";
import { firewallEndpoint, firewallEndpointAssociation as definition } from "./definition";
import { deleteAssociation } from "./delete";
import { howToTakeOver } from "./explain";
import { importAssociation, nameInAssociationId, readAssociation } from "./read";
import { doubtsAbout } from "./rules";
import { updateAssociation } from "./update";
import {
  collides,
  comparable,
  nameFromInputs,
  placeOf,
  unchanging,
  type Definition,
  type Inputs,
  type Known,
  type State,
  type Wanted,
} from "./values";

/** What happens to an association. What sends requests is in the files beside this one, a file for each verb. */
export class AssociationLifecycle implements ResourceLifecycle<Definition, Known, Call> {
  private readonly associations: Associations;

  constructor(private readonly context: LifecycleContext) {
    this.associations = new Associations(context);
  }

  idOf(state: Partial<State>): string | undefined {
    return state.name ?? nameFromInputs(state);
  }

  recognize(prior: PriorOf<Definition>): Known {
    const id = nameInAssociationId(prior.id, "Cannot tell which association is meant by");
    return { ...prior, id, state: { ...placeOf(id), ...prior.state } };
  }

  check(inputs: WithUnknowns<Inputs>, identity?: string): Problem[] {
    if (isFarFromEndpoint(inputs)) {
      return [
        {
          path: "location",
          reason: "must be the location in firewallEndpoint: an association lives in the zone of its endpoint",
        },
      ];
    }
    const name = nameFromInputs(inputs);
    if (name !== undefined) this.context.holders.declare(this.associations.objectOf(name), identity);
    return [];
  }

  previewCreate(inputs: WithUnknowns<Inputs>, _secret: readonly string[], call: Call): Promise<void> {
    for (const doubt of doubtsAbout(inputs)) call.reporter.warning(doubt);
    return Promise.resolve();
  }

  diff(prior: Known, inputs: Wanted, identity?: string): Diff {
    const state = comparable(prior, inputs);
    const changes = changesOf(definition, state, inputs);
    // Not held by the resource that gives it up: under an alias, its delete comes under the name that it had before.
    if (changes.some((each) => each.replaces)) {
      return { action: "replace", changes, deleteBeforeReplace: collides(state, inputs) };
    }
    this.hold(prior, identity);
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

  /** Associations have no testIamPermissions; what can be told is whether the name is taken, and whether we may look. */
  async preflight(inputs: Inputs, call: Call): Promise<string[]> {
    const name = nameFromInputs(inputs);
    if (name === undefined) return [];
    try {
      await getAssociation(this.associations.client, name, call);
      return [`${name} exists already: ${howToTakeOver(name, this.context.canImport)}`];
    } catch (error) {
      if (error instanceof NotFoundError) return [];
      if (error instanceof PermissionDeniedError) return [error.message];
      throw error;
    }
  }

  create(inputs: Inputs, call: Call): Promise<{ id: string; state: State }> {
    return createAssociation(this.associations, inputs, call);
  }

  read(prior: Known, call: Call) {
    this.hold(prior, call.identity);
    return readAssociation(this.associations, prior, call);
  }

  async import(id: string, call: Call) {
    return importAssociation(this.associations, nameInAssociationId(id, "Cannot import"), call);
  }

  update(prior: Known, inputs: Inputs, call: Call): Promise<State> {
    this.hold(prior, call.identity);
    return updateAssociation(this.associations, prior, inputs, call);
  }

  delete(prior: Known, call: Call): Promise<void> {
    return deleteAssociation(this.associations, prior, call);
  }

  /** The engine's state has the association as this resource's. */
  private hold({ id }: Known, identity: string | undefined): void {
    this.context.holders.hold(this.associations.objectOf(id), identity);
  }
}

/** An association and its endpoint are in one zone (docs/wire.md section 6). */
function isFarFromEndpoint({ location, firewallEndpoint: endpoint }: WithUnknowns<Inputs>): boolean {
  if (isUnknown(location) || isUnknown(endpoint)) return false;
  return parseReference(firewallEndpoint, endpoint)?.location !== location;
}
