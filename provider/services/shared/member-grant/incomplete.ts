import { RefusedError } from "../../../core/errors";
import type { PriorOf } from "../../../core/lifecycle";
import { isPolicyPath, nameInId, sameName, type NameTemplate } from "../../../core/reference";
import type { WithUnknowns } from "../../../core/typed";
import { isUnknown } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import { grantId, resourceOfGrantId } from "../../../iam/grant-id";
import { grantOf, tellsGrant, type Definition, type GrantValues, type Inputs, type PartialState } from "./definition";

/**
 * Grants whose state does not say what they grant. A refresh by google-native drops `name`, `role` and `member` from
 * the state of its grants, and the id that it keeps names the resource only. For such a grant the program's values count
 * as what is there, and nothing is removed that is not known to be ours.
 */

/** A grant that the engine remembers, and whether its state says what it grants. */
export type KnownGrant = CompleteGrant | IncompleteGrant;

export interface CompleteGrant extends PriorOf<Definition> {
  kind: "complete";
  state: PartialState & GrantValues;
}

export interface IncompleteGrant extends PriorOf<Definition> {
  kind: "incomplete";
}

/** Decides once whether a state tells its grant; adds the resource's name and our own form of the id, where these are known. */
export function recognizeGrant(prior: PriorOf<Definition>, template: NameTemplate): KnownGrant {
  const state = withResourceOfId(prior, template);
  if (!tellsGrant(state)) return { ...prior, kind: "incomplete", state };
  const id = isPolicyPath(prior.id) ? grantId(state.name, grantOf(state)) : prior.id;
  return { ...prior, kind: "complete", id, state };
}

/** The state with the name of the resource that the id tells; google-native's id is the path that it really called. */
function withResourceOfId({ id, state }: PriorOf<Definition>, template: NameTemplate): PartialState {
  const name = isPolicyPath(id) ? nameInId(id) : (state.name ?? resourceOfGrantId(template, id));
  return name !== undefined && template.parse(name) ? { ...state, name } : state;
}

/**
 * Refuses a change of the resource. Anything else counts as no change: `pulumi up` then writes the program's values into
 * the state. An update in place is not to be had, since engines replace a resource whose role or member differs, whatever
 * the provider answers.
 *
 * @throws RefusedError where the program names another resource: the old grant could not be removed.
 */
export function refuseOtherResource({ state }: IncompleteGrant, { name: wanted }: WithUnknowns<Partial<Inputs>>): void {
  const before = state.name;
  if (before === undefined || wanted === undefined || isUnknown(wanted) || sameName(before, wanted)) return;
  throw new RefusedError(
    `The state does not say which member and role were granted on ${before}, so replacing that grant by one on ${wanted} ` +
      "could not remove it. First run `pulumi up` with the grant as it was, which completes the state",
  );
}

/** Why a grant that the state does not tell is not deleted, and what to do. */
export function notDeletable({ state }: IncompleteGrant, call: Call): RefusedError {
  const urn = call.identity === undefined ? "<urn>" : `'${call.identity}'`;
  return new RefusedError(
    `The state does not say which member and role were granted on ${resourceIn(state)}, so nothing was removed: a refresh ` +
      "by google-native drops them from its states. Declare the grant in the program and run `pulumi up`, which " +
      "completes the state, then delete it; or remove the member from the policy by hand, and then run " +
      `\`pulumi state delete ${urn}\``,
  );
}

/** What a refresh of such a grant says. */
export function completionAdvice({ state }: IncompleteGrant): string {
  return (
    `The state does not say which member and role were granted on ${resourceIn(state)}, so it cannot be refreshed: ` +
    "run `pulumi up` with the grant in the program, which completes the state, and refresh again"
  );
}

function resourceIn(state: PartialState): string {
  return state.name ?? "its resource";
}
