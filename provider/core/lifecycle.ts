import type { InputsOf, PartialStateOf, ResourceDefinition, StateOf } from "./definition";
import type { Diff } from "./diff";
import type { Problem } from "./problem";
import type { WithUnknowns } from "./typed";

/** What the engine remembers of a resource. Whatever is there has the definition's type, and anything may be missing. */
export interface PriorOf<D extends ResourceDefinition> {
  id: string;
  /** The inputs of the last create or update. Absent through fronts whose engine keeps outputs only. */
  inputs?: Partial<InputsOf<D>>;
  state: PartialStateOf<D>;
}

/** A resource as it now is. */
export interface CurrentOf<D extends ResourceDefinition> {
  id: string;
  /** Inputs that would make it so: what an import writes down, and what a refresh compares. */
  inputs: Partial<InputsOf<D>>;
  state: PartialStateOf<D>;
}

/**
 * What happens to one kind of resource.
 *
 * What a lifecycle may rely on:
 *  - Inputs have passed the check: their types and rules hold, the configuration's defaults are filled in, and references
 *    are in normal form.
 *  - Unknown values reach `check`, `diff`, `collides`, `plan` and `previewCreate`, and nothing else.
 *  - A state is what an earlier `create`, `update` or `read` returned, or another provider before this one. It keeps the
 *    properties with two underscores that a lifecycle adds for itself.
 *  - A call ends by its own deadline and signal; `call` carries both to every request.
 *
 * What it must keep:
 *  - `create`, `update` and `delete` can be repeated. A run can be killed after any request, and the next one calls again
 *    with what the engine remembered before. So a repeated create ends with one resource, a repeated update with the
 *    same one, and the delete of what is gone succeeds.
 *  - Where a create, update or read ends while something in the cloud is not as the engine would believe, it throws
 *    NotReadyError with the id and the state to keep. The engine then asks for an update in the next run, though no input
 *    differs: that update looks at what is there and finishes it. After any other error the engine forgets a resource
 *    that was to be created, and keeps the old state of one that was to be changed or deleted.
 *  - Errors are PerimeterError; anything else counts as a bug of this provider.
 *  - `check`, `diff`, `collides`, `plan`, `idOf` and `recognize` send no requests. `read`, `import`, `preflight` and
 *    `previewCreate` change nothing in the cloud.
 *  - Messages show no secret: a call's `secret` names the inputs that hold one.
 *
 * `P` is what this lifecycle knows of a resource that the engine remembers, told apart once in `recognize`. `C` is the
 * call that a method runs under, which also says what the engine calls the resource, as `identity` does where there is no
 * call: its URN, or undefined where the front is not told.
 */
export interface ResourceLifecycle<D extends ResourceDefinition, P extends { id: string }, C> {
  /** Problems that only the whole program or the configuration shows; the definition's own rules hold already. */
  check?(inputs: WithUnknowns<InputsOf<D>>, identity?: string): Problem[];
  /** The id of a resource with this state; undefined where the state does not tell. */
  idOf(state: PartialStateOf<D>): string | undefined;
  /**
   * What the engine remembers, with the id in this provider's form, and in the state what the id alone tells: another
   * provider may have written both. All other methods get what this one returns.
   *
   * @throws InputError where nobody can tell which resource is meant.
   */
  recognize(remembered: PriorOf<D>): P;
  /**
   * @param inputs what the program asks for. A refresh gives those of the state instead, which another provider may have
   *   written: any may be missing.
   */
  diff(prior: P, inputs: WithUnknowns<Partial<InputsOf<D>>>, identity?: string): Diff;
  /**
   * True where old and new cannot exist side by side: for a replacement that is the user's wish and not the diff's
   * (`replaceOnChanges`, `pulumi up --replace`). Absent: they always can.
   *
   * @param inputs as for `diff`.
   */
  collides?(prior: P, inputs: WithUnknowns<Partial<InputsOf<D>>>): boolean;
  /** The outputs of a create or update as far as they are known before it, with `UNKNOWN` for the rest. */
  plan(inputs: WithUnknowns<InputsOf<D>>, prior?: P): WithUnknowns<PartialStateOf<D>>;
  /**
   * Tells the user, at preview, what a create or replacement would do to others, through the call's reporter.
   *
   * @param secret top-level inputs that must not be shown.
   * @throws RefusedError where the create itself would.
   */
  previewCreate?(inputs: WithUnknowns<InputsOf<D>>, secret: readonly string[], call: C): Promise<void>;
  /** Everything that would keep a create from succeeding, as far as the APIs tell beforehand: a line for each. */
  preflight?(inputs: InputsOf<D>, call: C): Promise<string[]>;
  create(inputs: InputsOf<D>, call: C): Promise<{ id: string; state: StateOf<D> }>;
  /** The resource as it now is; undefined where it is gone. */
  read(prior: P, call: C): Promise<CurrentOf<D> | undefined>;
  /**
   * The resource that the user asks for by an id, which nothing is remembered of; undefined where there is none.
   *
   * @param id as the user types it: one of the definition's `importIds`, with blanks around it or a host before it.
   * @throws InputError where it is none of these.
   */
  import(id: string, call: C): Promise<CurrentOf<D> | undefined>;
  update(prior: P, inputs: InputsOf<D>, call: C): Promise<StateOf<D>>;
  delete(prior: P, call: C): Promise<void>;
}

/** One lookup: arguments that hold all rules, to a result that holds all its fields. Sends reads only. */
export type LookupFunction<Args, Result, C> = (args: Args, call: C) => Promise<Result>;
