import type { InputsOf, PartialStateOf, ResourceDefinition, ServiceDefinition, StateOf } from "./definition";
import type { Diff, PropertyChange } from "./diff";
import type { ListPage, Listing } from "./listing";
import type { Problem } from "./problem";
import type { WithUnknowns } from "./typed";
import type { Values } from "./unknown";

/** The engine's record of a resource. Values have the types of the definition; any value may be missing. */
export interface PriorOf<D extends ResourceDefinition> {
  id: string;
  /** The inputs of the last create or update. Absent through fronts whose engine keeps outputs only. */
  inputs?: Partial<InputsOf<D>>;
  state: PartialStateOf<D>;
}

/** The current resource. */
export interface CurrentOf<D extends ResourceDefinition> {
  id: string;
  /** Inputs that match the resource: an import writes them, and a refresh compares them. */
  inputs: Partial<InputsOf<D>>;
  state: PartialStateOf<D>;
}

/**
 * The operations of one type of resource.
 *
 * What a lifecycle can rely on:
 *  - Inputs have passed the check: their types and rules hold, the configuration's defaults are filled in, and references are in
 *    normal form.
 *  - Only `check`, `changes`, `diff`, `collides`, `plan`, `previewCreate` and `previewUpdate` get unknown values.
 *  - A state was returned by an earlier `create`, `update` or `read`, or written by another provider. It keeps internal
 *    properties of the lifecycle, which begin with two underscores.
 *  - A call ends by its own deadline and signal; `call` carries both to every request.
 *
 * What a lifecycle must do:
 *  - `create`, `update` and `delete` can be repeated. A run can be killed after any request, and the next run calls again with
 *    the old state. So a repeated create ends with one resource, a repeated update with the same resource, and the delete of a
 *    deleted resource succeeds.
 *  - When a create, update or read ends and the cloud does not match the expected state, it throws NotReadyError with the id and
 *    the state to keep. The engine then requests an update in the next run, even if no input differs: this update reads the
 *    resource and finishes it. After any other error, the engine drops a resource that was being created, and keeps the old
 *    state of a resource that was being changed or deleted.
 *  - Errors are PerimeterError; anything else counts as a bug of this provider.
 *  - `changes`, `diff`, `collides`, `plan`, `idOf` and `recognize` send no requests. `check` reads only to recognize a resource that the
 *    program names in two ways. `read`, `import`, `list`, `preflight`, `previewCreate` and `previewUpdate` change nothing in the cloud.
 *  - Messages show no secret: a call's `secret` names the inputs that hold one.
 *
 * `P` is the lifecycle's form of the engine's record, which `recognize` computes once. `C` is the call of a method. The call,
 * or `identity` for methods without a call, has the engine's name of the resource: its URN, or undefined if the front does not
 * know it.
 */
export interface ResourceLifecycle<D extends ResourceDefinition, P extends { id: string }, C> {
  /** Problems that depend on the whole program or the configuration; the rules of the definition are already checked. */
  check?(inputs: WithUnknowns<InputsOf<D>>, call: C): Problem[] | Promise<Problem[]>;
  /** The id of a resource with this state; undefined if the state does not contain it. */
  idOf(state: PartialStateOf<D>): string | undefined;
  /**
   * Normalizes the engine's record: the id in this provider's form, and a state completed from the id; another provider may
   * have written both. All other methods get this result.
   *
   * @throws InputError if the record does not identify a resource.
   */
  recognize(remembered: PriorOf<D>): P;
  /**
   * The inputs that differ from the resource, and for each whether its change replaces the resource. `diff` adds the changes
   * of the resource without a changed input. An update with a change that replaces is refused: it never gets to `update`.
   *
   * @param inputs as for `diff`.
   */
  changes(prior: P, inputs: WithUnknowns<Partial<InputsOf<D>>>): PropertyChange[];
  /**
   * @param inputs of the program. A refresh passes the inputs of the state, which another provider may have written: any may
   * be missing.
   */
  diff(prior: P, inputs: WithUnknowns<Partial<InputsOf<D>>>, identity?: string): Diff;
  /**
   * True if the old and the new resource cannot exist at the same time: for a replacement that the user requests, not the
   * diff (`replaceOnChanges`, `pulumi up --replace`). Absent: they always can.
   *
   * @param inputs as for `diff`.
   */
  collides?(prior: P, inputs: WithUnknowns<Partial<InputsOf<D>>>): boolean;
  /**
   * The API of the resource that these inputs name, for grants: their policies may be in any API. Absent for other resources;
   * undefined if the inputs name none.
   */
  serviceOf?(inputs: WithUnknowns<InputsOf<D>>): ServiceDefinition | undefined;
  /** The expected outputs of a create or update, with `UNKNOWN` for unknown values. */
  plan(inputs: WithUnknowns<InputsOf<D>>, prior?: P): WithUnknowns<PartialStateOf<D>>;
  /**
   * At preview, reports the effect of a create or replacement on others, through the call's reporter.
   *
   * @throws RefusedError if the create would.
   */
  previewCreate?(inputs: WithUnknowns<InputsOf<D>>, call: C): Promise<void>;
  /**
   * At preview, reports the effect of an update on others, as `previewCreate` does. Absent: an update has none.
   *
   * @param prior undefined if the front does not know the state.
   */
  previewUpdate?(prior: P | undefined, inputs: WithUnknowns<InputsOf<D>>, call: C): Promise<void>;
  /** All obstacles of a create that the APIs can show in advance, one line each. */
  preflight?(inputs: InputsOf<D>, call: C): Promise<string[]>;
  create(inputs: InputsOf<D>, call: C): Promise<{ id: string; state: StateOf<D> }>;
  /** The current resource; undefined if it is gone. */
  read(prior: P, call: C): Promise<CurrentOf<D> | undefined>;
  /**
   * The resource with an id from the user, without a record of the engine; undefined if it does not exist.
   *
   * @param id from the user: one of the definition's `importIds`, possibly with spaces around it or a host before it.
   * @throws InputError for any other form.
   */
  import(id: string, call: C): Promise<CurrentOf<D> | undefined>;
  /**
   * A page of the resources in the cloud, each with an id that `import` takes. What the page lacks, it says in a warning. Absent, as the definition's `listInputs`: they cannot be listed.
   *
   * @param query the values of the definition's `listInputs`, after their check.
   */
  list?(query: Values, page: ListPage, call: C): Promise<Listing>;
  update(prior: P, inputs: InputsOf<D>, call: C): Promise<StateOf<D>>;
  delete(prior: P, call: C): Promise<void>;
}

/** A lifecycle of any definition: plain values that have the definition's types, in and out. */
export type AnyLifecycle<C> = ResourceLifecycle<ResourceDefinition, { id: string }, C>;

/** The engine's record of any resource, from a front: the types are not checked yet. */
export interface Prior {
  id: string;
  /** Absent when the engine keeps only the outputs. */
  inputs?: Values;
  state: Values;
}

/** Any current resource. */
export interface Current {
  id: string;
  inputs: Values;
  state: Values;
}
