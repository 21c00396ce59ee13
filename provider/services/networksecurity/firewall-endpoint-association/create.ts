import { changesOf } from "../../../core/diff";
import { NotReadyError, RefusedError } from "../../../core/errors";
import { sameName } from "../../../core/reference";
import { toWire } from "../../../core/wire";
import type { Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/parse-answer";
import { createOnce } from "../../../operations/create";
import type { Operation } from "../../../operations/operation";
import { createRequestId } from "../../../operations/request-id";
import * as api from "./api";
import type { Associations } from "./associations";
import { associationName, firewallEndpointAssociation as definition } from "./definition";
import { explainCreate } from "./explain";
import { nameFromInputs, type Inputs, type State } from "./values";

/**
 * Creates an association, or adopts the one that an interrupted create of the same resource made.
 *
 * @throws NotReadyError when the wait ends early, or the operation failed and left something behind.
 */
export async function createAssociation(
  associations: Associations,
  inputs: Inputs,
  call: Call,
): Promise<{ id: string; state: State }> {
  try {
    const made = await create(associations, inputs, call);
    noteMade(associations, made.id, call);
    return made;
  } catch (error) {
    if (error instanceof NotReadyError) noteMade(associations, error.id, call);
    throw error;
  }
}

/** From now on no delete of this run takes the association away: not even one of the resource that this replaces. */
function noteMade(associations: Associations, name: string, { identity }: Call): void {
  const object = associations.objectOf(name);
  associations.holders.declare(object, identity);
  associations.holders.made(object, identity);
}

async function create(associations: Associations, inputs: Inputs, call: Call): Promise<{ id: string; state: State }> {
  const { client, longRunning, context } = associations;
  const { project, location, firewallEndpointAssociationId: id, requestId: given } = inputs;
  const parent = `projects/${project}/locations/${location}`;
  const body = toWire(definition.inputs, inputs);
  const owner = { identity: call.identity, backend: await context.stateBackend() };
  const created = await createOnce<State>(
    {
      longRunning,
      given,
      requestId: (after) => createRequestId(inputs, owner, after),
      begin: (requestId) =>
        api.createAssociation(client, { parent, id, requestId, body }, call).catch((error: unknown) => {
          throw explainCreate(error, inputs, context.canImport);
        }),
      nameOfCreated: (begun) => createdName(inputs, begun),
      provisional: inputs,
      read: (name) => undefinedIfNotFound(associations.stateOf(name, inputs, call)),
      belongsToAnother: (name) => isHeldByAnother(associations, name, call.identity),
      isMadeBy: (operation, state) => isMadeBy(operation, state, inputs, given !== undefined),
    },
    call,
  );
  if (created.kind === "stale") throw created.error;
  if (created.kind === "failed") throw await associations.failure(created.error, created.name, {}, inputs, call);
  return { id: created.name, state: created.state };
}

function isHeldByAnother(associations: Associations, name: string, identity: string | undefined): boolean {
  const others = associations.holders.others(associations.objectOf(name), identity);
  return others.some((each) => each.holds && (each.identity === undefined || each.identity !== identity));
}

/** The name of what a create makes: from the inputs, or, where the server chooses the id, from the operation. */
function createdName(inputs: Inputs, begun: Operation): string {
  const name = nameFromInputs(inputs) ?? begun.target;
  if (name !== undefined && associationName.parse(name)) return name;
  throw new RefusedError(`The API began ${begun.name} without naming the association that it creates`);
}

/**
 * Whether the operation of this create made what is there. Somebody may have deleted that since, and made another.
 *
 * @param exactly whether all of it has to be as the inputs say. A request id of the provider's own is a hash of the inputs;
 *   one that the program gives says nothing of them.
 */
function isMadeBy(operation: Operation, state: State, inputs: Inputs, exactly: boolean): boolean {
  const made = Date.parse(state.createTime);
  if (operation.ended !== undefined && made > operation.ended) return false;
  if (exactly) return changesOf(definition, state, inputs).length === 0;
  return sameName(state.network, inputs.network);
}
