import type { Diff } from "./diff";
import type { Problem } from "./problem";
import type { Values } from "./unknown";

/** What the engine remembers of a resource. */
export interface Prior {
  id: string;
  /** Absent through fronts whose engine keeps outputs only. */
  inputs?: Values;
  state: Values;
}

/** A resource as it now is. */
export interface Current {
  id: string;
  /** Inputs that would make it so: what an import writes down, and what a refresh compares. */
  inputs: Values;
  state: Values;
}

/**
 * What happens to one kind of resource. `C` is the call it runs under, which says what the engine calls the resource, as
 * `identity` does where there is no call; undefined where the front is not told.
 */
export interface ResourceLifecycle<C> {
  /** Problems that only the whole program or the configuration shows; the definition's own rules hold already. */
  check?(inputs: Values, identity?: string): Problem[];
  /** The id of a resource with this state; undefined where the state does not tell. */
  idOf(state: Values): string | undefined;
  /**
   * What the engine remembers, with the id in this provider's form, and in the state what the id alone tells: another
   * provider may have written it. All other methods get what this one answers.
   */
  recognize(prior: Prior): Prior;
  diff(prior: Prior, inputs: Values, identity?: string): Diff;
  /**
   * True where old and new cannot exist side by side: for a replacement that is the user's wish and not the diff's
   * (`replaceOnChanges`, `pulumi up --replace`). Absent: they always can.
   */
  collides?(prior: Prior, inputs: Values): boolean;
  /** The outputs of a create or update as far as they are known before it, with `UNKNOWN` for the rest. No requests. */
  plan(inputs: Values, prior?: Prior): Values;
  /**
   * Tells the user, at preview, what a create or replacement would do to others, through the call's reporter. Reads
   * only. Throws what the create itself would refuse.
   *
   * @param secret top-level inputs that must not be shown.
   */
  previewCreate?(inputs: Values, secret: readonly string[], call: C): Promise<void>;
  /** Everything that would keep a create from succeeding, as far as the APIs tell beforehand. Reads only. */
  preflight?(inputs: Values, call: C): Promise<string[]>;
  create(inputs: Values, call: C): Promise<{ id: string; state: Values }>;
  /** Undefined when it is gone. Without `prior` this is an import, and `id` is what the user typed. */
  read(id: string, prior: Omit<Prior, "id"> | undefined, call: C): Promise<Current | undefined>;
  update(prior: Prior, inputs: Values, call: C): Promise<Values>;
  delete(prior: Prior, call: C): Promise<void>;
}

/** One lookup: arguments that hold all rules, to a result that holds all its fields. */
export type LookupFunction<C> = (args: Values, call: C) => Promise<Values>;
