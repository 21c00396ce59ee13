import { InputError, RefusedError } from "../../../core/errors";
import type { PriorOf } from "../../../core/lifecycle";
import { isPolicyPath, nameInId, sameName, type NameTemplate } from "../../../core/reference";
import type { WithUnknowns } from "../../../core/typed";
import { isUnknown } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import { resourceOfGrantId } from "../../../iam/grant-id";
import type { LifecycleContext } from "../resource";
import type { BindingDefinition, BindingValues, Definition, GrantValues } from "./definition";
import type { GrantPolicies } from "./policies";

/**
 * Grants and bindings with an incomplete state. A refresh by google-native drops `name`, `role`, `member` and `members` from its
 * states, and keeps an id that contains only the resource. For such a resource, the provider uses the program's values, and
 * removes no grant that may belong to others.
 */

/** What the engine's state has of a grant or a binding. */
interface Prior {
  id: string;
  state: { name?: string };
}

/** A resource in the engine's state, and whether the state identifies its grants by the values V. */
export type Known<P extends Prior, V> = Complete<P, V> | Incomplete<P>;
export type Complete<P extends Prior, V> = P & { kind: "complete"; state: P["state"] & V };
export type Incomplete<P extends Prior> = P & { kind: "incomplete" };

export type KnownGrant = Known<PriorOf<Definition>, GrantValues>;
export type CompleteGrant = Complete<PriorOf<Definition>, GrantValues>;
export type KnownBinding = Known<PriorOf<BindingDefinition>, BindingValues>;

/** How a state identifies the grants of one resource. */
export interface Identification<S, V> {
  identifies(state: S): state is S & V;
  idOf(values: V): string;
}

/**
 * Decides once whether a state identifies its grants, and adds the resource's name and our form of the id if they are known.
 */
export function recognizeGrants<P extends Prior, V>(
  prior: P,
  template: NameTemplate,
  { identifies, idOf }: Identification<P["state"], V>,
): Known<P, V> {
  const state = withResourceOfId(prior, template);
  if (!identifies(state)) return { ...prior, kind: "incomplete", state };
  return { ...prior, kind: "complete", id: isPolicyPath(prior.id) ? idOf(state) : prior.id, state };
}

/** Returns the state with the resource name from the id. The id of google-native is the path of its request. */
function withResourceOfId<P extends Prior>({ id, state }: P, template: NameTemplate): P["state"] {
  const name = isPolicyPath(id) ? nameInId(id) : (state.name ?? resourceOfGrantId(template, id));
  return name !== undefined && template.parse(name) ? { ...state, name } : state;
}

/**
 * Refuses a change of the resource. Other differences count as no change, and `pulumi up` writes the program's values into the
 * state. An update in place is impossible, because engines replace a resource with a different role or member regardless of
 * the provider's answer.
 *
 * @throws RefusedError when the program names another resource, because the old grant could not be removed.
 */
export function refuseOtherResource({ state }: Prior, { name: wanted }: WithUnknowns<{ name?: string }>): void {
  const before = state.name;
  if (before === undefined || wanted === undefined || isUnknown(wanted) || sameName(before, wanted)) return;
  throw new RefusedError(
    `The state does not say which member and role were granted on ${before}, so replacing that grant by one on ${wanted} ` +
      "could not remove it. First run `pulumi up` with the grant as it was, which completes the state",
  );
}

/** Says why a grant is not deleted when the state does not identify it, and what to do. */
export function notDeletable({ state }: Prior, call: Call): RefusedError {
  const urn = call.identity === undefined ? "<urn>" : `'${call.identity}'`;
  return new RefusedError(
    `The state does not say which member and role were granted on ${resourceIn(state)}, so nothing was removed: a refresh ` +
      "by google-native drops them from its states. Declare the grant in the program and run `pulumi up`, which " +
      "completes the state, then delete it; or remove the member from the policy by hand, and then run " +
      `\`pulumi state delete ${urn}\``,
  );
}

/**
 * Refreshes such a resource. If its id is from google-native, it returns the state unchanged, because neither the state nor the id
 * identifies a grant of the policy; or undefined when the cloud's resource does not exist.
 *
 * @param read reads by any other id.
 */
export async function readIncomplete<P extends Prior & { inputs?: object }, C>(
  prior: P,
  policies: GrantPolicies,
  { stackGrants }: LifecycleContext,
  call: Call,
  read: (id: string) => Promise<C | undefined>,
): Promise<C | { id: string; inputs: NonNullable<P["inputs"]>; state: P["state"] } | undefined> {
  const { id, inputs, state } = prior;
  if (!isPolicyPath(id)) return read(id);
  if (state.name === undefined) throw badId(id, [policies.parent.name.template]);
  const policy = await undefinedIfNotFound(policies.readRecent(state.name, call));
  if (!policy) return undefined;
  call.reporter.warning(completionAdvice(prior));
  stackGrants.missed();
  return { id, inputs: inputs ?? {}, state };
}

/** @param forms the forms of a valid id. */
export function badId(id: string, forms: readonly string[]): InputError {
  return new InputError(`Cannot import ${JSON.stringify(id)}`, [
    { path: "id", reason: `must look like ${forms.join(" or ")}` },
  ]);
}

/** The warning at the refresh. */
function completionAdvice({ state }: Prior): string {
  return (
    `The state does not say which member and role were granted on ${resourceIn(state)}, so it cannot be refreshed: ` +
    "run `pulumi up` with the grant in the program, which completes the state, and refresh again"
  );
}

function resourceIn(state: Prior["state"]): string {
  return state.name ?? "its resource";
}
