import { RefusedError } from "../../../core/errors";
import type { PriorOf } from "../../../core/lifecycle";
import { isPolicyPath, nameInId, sameName, type NameTemplate } from "../../../core/reference";
import type { WithUnknowns } from "../../../core/typed";
import { isUnknown } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import { grantId, resourceOfGrantId } from "../../../iam/grant-id";
import { grantOf, tellsGrant, type Definition, type GrantValues, type Inputs, type PartialState } from "./definition";

/**
 * Grants with an incomplete state. A refresh by google-native drops `name`, `role` and `member` from the state of its grants,
 * and keeps an id that contains only the resource. For such a grant, the provider uses the program's values, and removes no
 * grant that may belong to others.
 */

/** A grant in the engine's state, and whether the state identifies it. */
export type KnownGrant = CompleteGrant | IncompleteGrant;

export interface CompleteGrant extends PriorOf<Definition> {
  kind: "complete";
  state: PartialState & GrantValues;
}

export interface IncompleteGrant extends PriorOf<Definition> {
  kind: "incomplete";
}

/**
 * Decides once whether a state identifies its grant, and adds the resource's name and our form of the id if they are known.
 */
export function recognizeGrant(prior: PriorOf<Definition>, template: NameTemplate): KnownGrant {
  const state = withResourceOfId(prior, template);
  if (!tellsGrant(state)) return { ...prior, kind: "incomplete", state };
  const id = isPolicyPath(prior.id) ? grantId(state.name, grantOf(state)) : prior.id;
  return { ...prior, kind: "complete", id, state };
}

/** Returns the state with the resource name from the id. The id of google-native is the path of its request. */
function withResourceOfId({ id, state }: PriorOf<Definition>, template: NameTemplate): PartialState {
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
export function refuseOtherResource({ state }: IncompleteGrant, { name: wanted }: WithUnknowns<Partial<Inputs>>): void {
  const before = state.name;
  if (before === undefined || wanted === undefined || isUnknown(wanted) || sameName(before, wanted)) return;
  throw new RefusedError(
    `The state does not say which member and role were granted on ${before}, so replacing that grant by one on ${wanted} ` +
      "could not remove it. First run `pulumi up` with the grant as it was, which completes the state",
  );
}

/** Says why a grant is not deleted when the state does not identify it, and what to do. */
export function notDeletable({ state }: IncompleteGrant, call: Call): RefusedError {
  const urn = call.identity === undefined ? "<urn>" : `'${call.identity}'`;
  return new RefusedError(
    `The state does not say which member and role were granted on ${resourceIn(state)}, so nothing was removed: a refresh ` +
      "by google-native drops them from its states. Declare the grant in the program and run `pulumi up`, which " +
      "completes the state, then delete it; or remove the member from the policy by hand, and then run " +
      `\`pulumi state delete ${urn}\``,
  );
}

/** The warning at the refresh of such a grant. */
export function completionAdvice({ state }: IncompleteGrant): string {
  return (
    `The state does not say which member and role were granted on ${resourceIn(state)}, so it cannot be refreshed: ` +
    "run `pulumi up` with the grant in the program, which completes the state, and refresh again"
  );
}

function resourceIn(state: PartialState): string {
  return state.name ?? "its resource";
}
