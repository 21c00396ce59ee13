import type { InputsOf, PartialStateOf, StateOf } from "../../../core/definition";
import { BugError } from "../../../core/errors";
import type { PriorOf } from "../../../core/lifecycle";
import { isProjectNumber, sameName, sameProject } from "../../../core/reference";
import type { WithUnknowns } from "../../../core/typed";
import { isUnknown, textOf, UNKNOWN, type Values } from "../../../core/unknown";
import { fromWire } from "../../../core/wire";
import { parseAnswer } from "../../../http/parse-answer";
import { DOING } from "./api";
import { associationName, firewallEndpointAssociation as definition } from "./definition";

export type Definition = typeof definition;
export type Inputs = InputsOf<Definition>;
export type State = StateOf<Definition>;

/** What an association's name tells. */
export type Place = NonNullable<ReturnType<typeof associationName.parse>>;

/** What an association is compared with: the inputs that a program asks for, or those of some state. */
export type Wanted = WithUnknowns<Partial<Inputs>>;

/** An association that the engine remembers. Its id tells where it is, also where the state does not. */
export interface Known extends PriorOf<Definition> {
  state: PartialStateOf<Definition> & Place;
}

/** The inputs that an answer's body shows; the others are in the request's path and query. */
const bodyInputs = definition.inputs.omit({
  firewallEndpointAssociationId: true,
  location: true,
  project: true,
  requestId: true,
});

/** The association's name where its inputs decide it. */
export function nameFromInputs({
  project,
  location,
  firewallEndpointAssociationId,
}: Partial<WithUnknowns<Place>>): string | undefined {
  if (typeof project !== "string" || typeof location !== "string") return undefined;
  if (typeof firewallEndpointAssociationId !== "string") return undefined;
  return associationName.format({ project, location, firewallEndpointAssociationId });
}

/** @param name one that `recognize` or `createdName` has looked at. */
export function placeOf(name: string): Place {
  const place = associationName.parse(name);
  if (!place) throw new BugError(`${name} is not the name of an association`);
  return place;
}

/**
 * What the association is now, as outputs: what the program gave, and what the server says of it.
 *
 * @param given the program's inputs: their spelling and their request id, which no answer shows, stay.
 * @throws BadAnswerError where the answer has not the API's shape.
 */
export function stateOf(name: string, live: Values, given: Partial<Inputs>): State {
  const { inputs, outputs } = parseAnswer(DOING.read, name, () => ({
    inputs: fromWire(bodyInputs, live),
    outputs: fromWire(definition.outputs, live),
  }));
  const { requestId } = given;
  const state = { ...inputs, ...placeOf(name), ...outputs, name, ...(requestId === undefined ? {} : { requestId }) };
  return keepSpelling(state, given);
}

/**
 * Inputs that would make what is there. With earlier inputs, only what they give or what has come to differ.
 *
 * @throws BadAnswerError as `stateOf`.
 */
export function inputsOf(name: string, live: Values, before: Partial<Inputs> | undefined): Partial<Inputs> {
  const inputs: Partial<Inputs> = {
    ...parseAnswer(DOING.read, name, () => fromWire(bodyInputs, live)),
    ...placeOf(name),
  };
  if (!before) return inputs;
  if (before.firewallEndpointAssociationId === undefined) delete inputs.firewallEndpointAssociationId;
  if (before.requestId !== undefined) inputs.requestId = before.requestId;
  if (isEmptyMap(before.labels) && inputs.labels === undefined) inputs.labels = before.labels;
  if (before.project !== undefined && sameProject(textOf(inputs.project), before.project)) {
    inputs.project = before.project;
  }
  return keepSpelling(inputs, before);
}

type References = Pick<Inputs, "firewallEndpoint" | "network" | "tlsInspectionPolicy">;

/** The API may answer a project's number where its id was given: the same resource keeps the program's spelling. */
function keepSpelling<T extends Partial<References>>(values: T, given: Partial<References>): T {
  const kept = { ...values };
  keep(kept, given, "firewallEndpoint");
  keep(kept, given, "network");
  keep(kept, given, "tlsInspectionPolicy");
  return kept;
}

function keep<P extends keyof References>(values: Partial<References>, given: Partial<References>, property: P): void {
  const [mine, theirs] = [given[property], values[property]];
  if (mine !== undefined && theirs !== undefined && sameName(mine, theirs)) values[property] = mine;
}

function isEmptyMap(labels: Inputs["labels"]): boolean {
  return labels !== undefined && Object.keys(labels).length === 0;
}

/** The outputs that no update changes: where the association is, and when it was made. */
export function unchanging({ id, state }: Known): WithUnknowns<Place & Pick<State, "createTime" | "name">> {
  const { project, location, firewallEndpointAssociationId, createTime = UNKNOWN } = state;
  return { project, location, firewallEndpointAssociationId, createTime, name: id };
}

/**
 * What the inputs are compared with. The state's project is the one of the name, which never changes. Where the program
 * has spelled it otherwise since (the number for the id), its own last spelling tells whether a number became another.
 */
export function comparable({ inputs: old, state }: Known, inputs: Wanted): Known["state"] {
  const before = old?.project;
  const wanted = inputs.project;
  if (before === undefined || wanted === undefined || isUnknown(wanted)) return state;
  return isProjectNumber(before) === isProjectNumber(wanted) ? { ...state, project: before } : state;
}

/**
 * True where old and new cannot exist side by side: the same name, or the same network in the same zone, of which the
 * API accepts one association. Whatever is unknown might collide.
 */
export function collides(state: Known["state"], inputs: Wanted): boolean {
  const { location, network = "", project = "", firewallEndpointAssociationId: id } = inputs;
  if (!isUnknown(location) && location !== state.location) return false;
  if (isUnknown(network) || sameName(state.network ?? "", network)) return true;
  const isSameProject = isUnknown(project) || sameProject(state.project, project);
  return isSameProject && (isUnknown(id) || id === state.firewallEndpointAssociationId);
}
