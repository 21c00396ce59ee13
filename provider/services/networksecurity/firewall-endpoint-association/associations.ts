import type { Claims } from "../../../core/claims";
import {
  isProjectNumber,
  nameInId,
  sameName,
  sameProject,
  withProject,
  type CloudObject,
} from "../../../core/reference";
import type { InputsOf, PartialStateOf, StateOf } from "../../../core/definition";
import { changesOf } from "../../../core/diff";
import { BugError, InputError, messageOf, NotFoundError, NotReadyError, type ApiError } from "../../../core/errors";
import { propertyOf } from "../../../core/field";
import type { PriorOf } from "../../../core/lifecycle";
import { leftOutOfList, type ListPage, type Listing } from "../../../core/listing";
import { withLetterFirst } from "../../../core/program-name";
import type { WithUnknowns } from "../../../core/typed";
import { isRecord, isUnknown, listOf, textOf, UNKNOWN, type Values } from "../../../core/unknown";
import { problemsOf } from "../../../core/validate";
import { fromWire, toWire, wireNameOf, WireShapeError, zeroOf } from "../../../core/wire";
import type { Call } from "../../../http/call";
import { named, type ApiClient } from "../../../http/client";
import { doingTo, LongRunning, startOperation, type Operation } from "../../../operations/long-running";
import type { LifecycleContext } from "../../shared/resource";
import { ALL_ZONES, associationName, firewallEndpointAssociation as definition } from "./definition";

export type Definition = typeof definition;
export type Inputs = InputsOf<Definition>;
export type State = StateOf<Definition>;

export const DOING = doingTo("the firewall endpoint association");
const LIST = "list the firewall endpoint associations in";

/** The API's largest page. */
const LARGEST_PAGE = 1000;

/** The parts of an association's name. */
export type Place = NonNullable<ReturnType<typeof associationName.parse>>;

/** The inputs that an association is compared with: the program's, or those of a state. */
export type Wanted = WithUnknowns<Partial<Inputs>>;

/** An association that the engine remembers. Its id has the parts of its name, which the state may lack. */
export interface Known extends PriorOf<Definition> {
  state: PartialStateOf<Definition> & Place;
}

/** The inputs in an answer's body; the others are in the request's path and query. */
const bodyInputs = definition.inputs.omit({
  firewallEndpointAssociationId: true,
  location: true,
  project: true,
  requestId: true,
});

/** The association's name, if its inputs decide it. */
export function nameFromInputs({
  project,
  location,
  firewallEndpointAssociationId,
}: Partial<WithUnknowns<Place>>): string | undefined {
  if (typeof project !== "string" || typeof location !== "string") return undefined;
  if (typeof firewallEndpointAssociationId !== "string") return undefined;
  return associationName.format({ project, location, firewallEndpointAssociationId });
}

/**
 * The name in an id, which may be a full name, a URL, or another provider's id.
 *
 * @param doing for the message: "Cannot import".
 * @throws InputError for the id of anything else: a request to it would be answered "not found", and a delete would count
 *   as done.
 */
export function nameInAssociationId(id: string, doing: string): string {
  const name = nameInId(id);
  if (associationName.parse(name)) return name;
  const reason = `must look like ${definition.importIds.join(" or ")}`;
  throw new InputError(`${doing} ${JSON.stringify(id)}`, [{ path: "id", reason }]);
}

/** @param name a name that `recognize` or `createdName` has checked. */
export function placeOf(name: string): Place {
  const place = associationName.parse(name);
  if (!place) throw new BugError(`${name} is not the name of an association`);
  return place;
}

/** The name of an association on a page of a list. @throws WireShapeError for anything else */
function nameIn(association: unknown): string {
  const name = nameInId(textOf(isRecord(association) ? association.name : undefined));
  if (!associationName.parse(name)) throw new WireShapeError("name", `like ${associationName.template}`);
  return name;
}

/** An association in an answer of the API. @throws WireShapeError for an answer that does not match the definition */
function associationIn(answer: Values) {
  const association = named(answer);
  return {
    inputs: fromWire(bodyInputs, association),
    outputs: fromWire(definition.outputs, association),
    isDisabled: association.disabled === true,
  };
}

export type LiveAssociation = ReturnType<typeof associationIn>;

/**
 * The state of an association.
 *
 * @param given the program's inputs: the state keeps their spelling and their request id, which no answer has.
 */
export function stateOf(name: string, { inputs, outputs }: LiveAssociation, given: Partial<Inputs>): State {
  const { requestId } = given;
  const state = { ...inputs, ...placeOf(name), ...outputs, name, ...(requestId === undefined ? {} : { requestId }) };
  return keepSpelling(state, given);
}

/**
 * The inputs that would make the same association.
 *
 * @param before earlier inputs: what they leave out stays out, and their spelling stays, unless the association differs.
 */
export function inputsOf(name: string, live: LiveAssociation, before: Partial<Inputs> | undefined): Partial<Inputs> {
  const inputs: Partial<Inputs> = { ...live.inputs, ...placeOf(name) };
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

/** The API may answer a project's number where its id was given: a reference to the same resource keeps its spelling. */
function keepSpelling<T extends Partial<References>>(values: T, given: Partial<References>): T {
  const kept = { ...values };
  for (const property of ["firewallEndpoint", "network", "tlsInspectionPolicy"] as const) {
    const [mine, theirs] = [given[property], kept[property]];
    if (mine !== undefined && theirs !== undefined && sameName(mine, theirs)) kept[property] = mine;
  }
  return kept;
}

function isEmptyMap(labels: Inputs["labels"]): boolean {
  return labels !== undefined && Object.keys(labels).length === 0;
}

/** The outputs that no update changes. */
export function unchanging({ id, state }: Known): WithUnknowns<Place & Pick<State, "createTime" | "name">> {
  const { project, location, firewallEndpointAssociationId, createTime = UNKNOWN } = state;
  return { project, location, firewallEndpointAssociationId, createTime, name: id };
}

/**
 * The state to compare the inputs with. Its project is the one in the name, which never changes. When the program now has
 * the project's number instead of its id, only its last inputs show whether one number became another.
 */
export function comparable({ inputs: old, state }: Known, inputs: Wanted): Known["state"] {
  const before = old?.project;
  const wanted = inputs.project;
  if (before === undefined || wanted === undefined || isUnknown(wanted)) return state;
  return isProjectNumber(before) === isProjectNumber(wanted) ? { ...state, project: before } : state;
}

/**
 * Whether old and new cannot exist side by side: they have the same name, or the same network in the same zone, for which
 * the API accepts one association. An unknown value may collide.
 */
export function collides(state: Known["state"], inputs: Wanted): boolean {
  const { location, network = "", project = "", firewallEndpointAssociationId: id } = inputs;
  if (!isUnknown(location) && location !== state.location) return false;
  if (isUnknown(network) || sameName(state.network ?? "", network)) return true;
  const isSameProject = isUnknown(project) || sameProject(state.project, project);
  return isSameProject && (isUnknown(id) || id === state.firewallEndpointAssociationId);
}

/**
 * A page of the associations in a zone or in all zones. Their names have the project as the query has it, because the API may
 * answer its number.
 */
export async function listAssociations(
  client: ApiClient,
  { project, location = ALL_ZONES }: Values,
  { size = LARGEST_PAGE, token }: ListPage,
  call: Call,
): Promise<Listing> {
  const parent = `projects/${textOf(project)}/locations/${textOf(location)}`;
  const path = `${parent}/firewallEndpointAssociations`;
  const query = { pageSize: Math.min(size, LARGEST_PAGE), pageToken: token || undefined };
  const page = await client.request(
    { kind: "read", method: "GET", path, query, doing: LIST, resource: parent },
    call,
    ({ firewallEndpointAssociations: all, nextPageToken, unreachable }) => ({
      names: listOf(all).map(nameIn),
      next: textOf(nextPageToken),
      lacking: listOf(unreachable).map(textOf),
    }),
  );
  if (page.lacking.length > 0) {
    call.reporter.warning(
      `The list lacks the associations in ${page.lacking.join(", ")}: the API cannot reach them now`,
    );
  }
  const refused: string[] = [];
  const found = page.names.flatMap((name) => {
    const problem = problemOf(name);
    if (problem !== undefined) {
      refused.push(problem);
      return [];
    }
    const { location: zone, firewallEndpointAssociationId: id } = placeOf(name);
    // The same id may exist in several zones.
    const short = withLetterFirst(name, location === ALL_ZONES ? `${id}-${zone}` : id);
    return { id: withProject(name, textOf(project)), name: short };
  });
  const [first] = refused;
  if (first !== undefined) {
    call.reporter.warning(leftOutOfList(refused.length, "association", `in ${parent}`, definition.name, first));
  }
  return { found, next: page.next };
}

/** Why a program cannot declare an association of this name; undefined if it can. */
function problemOf(name: string): string | undefined {
  const place = placeOf(name);
  const problem = problemsOf(definition.inputs, place).find(({ path }) => path in place);
  return problem && `${name}: ${problem.path} ${problem.reason}`;
}

/**
 * The methods of `networksecurity.projects.locations.firewallEndpointAssociations` (docs/wire.md section 6). Each throws
 * ApiError and the transport's other errors.
 */
export class Associations {
  constructor(readonly context: LifecycleContext) {}

  get client(): ApiClient {
    return this.context.api(definition.service).client;
  }

  get operations(): LongRunning {
    return new LongRunning(this.client, DOING);
  }

  /** Which resources of this run hold or declare which associations. */
  get claims(): Claims {
    return this.context.claims;
  }

  /** An association as `claims` identifies it. */
  objectOf(name: string): CloudObject {
    return this.context.projectIds.canonical({ url: this.client.baseUrl, name });
  }

  /** Learns the project's id for a name that has its number: then `objectOf` is one object in both spellings. */
  learnProject(name: string, call: Call): Promise<void> {
    return this.context.projectIds.learn({ url: this.client.baseUrl, name }, definition.service, call);
  }

  startCreate(inputs: Inputs, requestId: string, call: Call): Promise<Operation> {
    const { project, location, firewallEndpointAssociationId: id } = inputs;
    const parent = `projects/${project}/locations/${location}`;
    const path = `${parent}/firewallEndpointAssociations`;
    const query = { firewallEndpointAssociationId: id, requestId };
    const body = toWire(definition.inputs, inputs);
    const resource = id === undefined ? `in ${parent}` : `${path}/${id}`;
    return startOperation(
      this.client,
      { kind: "change", method: "POST", path, query, body, doing: DOING.create, resource },
      call,
    );
  }

  /** @throws BadAnswerError for an answer that does not match the definition, or has no name. */
  get(name: string, call: Call): Promise<LiveAssociation> {
    return this.client.request({ kind: "read", method: "GET", path: name, doing: DOING.read }, call, associationIn);
  }

  /** Patches exactly these inputs. The API clears a property that is in the mask with the zero value of its type. */
  startUpdate(
    name: string,
    inputs: Values,
    changed: readonly string[],
    requestId: string,
    call: Call,
  ): Promise<Operation> {
    const properties = changed.flatMap((property) => {
      const schema = propertyOf(definition.inputs, property);
      return schema ? [{ property, schema }] : [];
    });
    const updateMask = properties.map(({ property, schema }) => wireNameOf(property, schema)).join(",");
    const values = properties.map(({ property, schema }) => [property, inputs[property] ?? zeroOf(schema)] as const);
    const body = toWire(definition.inputs, Object.fromEntries(values));
    return startOperation(
      this.client,
      { kind: "change", method: "PATCH", path: name, query: { updateMask, requestId }, body, doing: DOING.update },
      call,
    );
  }

  startDelete(name: string, requestId: string, call: Call): Promise<Operation> {
    return startOperation(
      this.client,
      { kind: "change", method: "DELETE", path: name, query: { requestId }, doing: DOING.delete },
      call,
    );
  }

  /**
   * Reads the state of an association.
   *
   * @param given the inputs whose spelling the state keeps.
   * @throws NotFoundError when it does not exist.
   */
  async stateOf(name: string, given: Partial<Inputs>, call: Call): Promise<State> {
    return stateOf(name, await this.get(name, call), given);
  }

  /**
   * The error for a create or update whose operation failed. When the operation changed something, or that cannot be read,
   * it is a NotReadyError, so that the engine keeps the association.
   *
   * @param before what the engine remembers; empty before a create.
   */
  async failure(failed: ApiError, name: string, before: Values, inputs: Inputs, call: Call): Promise<Error> {
    try {
      const state = await this.stateOf(name, inputs, call);
      if (changesOf(definition, before, state).length === 0) return failed;
      const there = `The association exists in state ${state.state}, but the operation did not complete`;
      return new NotReadyError(name, state, [failed.message, there], { cause: failed });
    } catch (error) {
      if (error instanceof NotFoundError) return failed;
      const unknown = `The association could not be read: ${messageOf(error)}`;
      return new NotReadyError(name, { ...inputs, ...before, name }, [failed.message, unknown], { cause: failed });
    }
  }
}
