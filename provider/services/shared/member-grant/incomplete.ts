import type { ResourceDefinition } from "../../../core/definition";
import { importError, RefusedError, type InputError } from "../../../core/errors";
import type { Current, PriorOf } from "../../../core/lifecycle";
import { isPolicyPath, nameInId, sameName } from "../../../core/reference";
import type { Values } from "../../../core/unknown";
import type { Call } from "../../../http/call";
import { undefinedIfNotFound } from "../../../http/client";
import type { GrantTargets } from "../parent";
import { setIn, type GrantForm, type GrantSet } from "./forms";
import { declaredIn } from "./others";
import type { GrantPolicies } from "./policies";

/**
 * Grants and bindings with an incomplete state. A refresh by google-native drops `name`, `role`, `member` and `members` from its
 * states, and keeps an id that contains only the resource. For such a resource, the provider uses the program's values, and
 * removes no grant that may belong to others.
 */

/** A resource in the engine's state. */
type Prior = PriorOf<ResourceDefinition>;

/** A resource in the engine's state, with its set if the state identifies it: without members that others added. */
export type KnownSet = (Prior & { kind: "complete"; set: GrantSet }) | IncompleteSet;
export type IncompleteSet = Prior & { kind: "incomplete" };

/**
 * Decides once whether a state identifies its grants, and adds the resource's name and our form of the id if they are known.
 */
export function recognizeSet(prior: Prior, targets: GrantTargets, form: GrantForm): KnownSet {
  const state = withResourceOfId(prior, targets);
  const set = setIn(state, form, targets);
  if (!set) return { ...prior, kind: "incomplete", state };
  const id = isPolicyPath(prior.id) ? form.idOf(set) : prior.id;
  return { ...prior, kind: "complete", id, state, set: declaredIn(state, set) };
}

/** Returns the state with the resource name from the id. The id of google-native is the path of its request. */
function withResourceOfId({ id, state }: Prior, targets: GrantTargets): Prior["state"] {
  const name = isPolicyPath(id) ? nameInId(id) : (nameIn(state, targets) ?? targets.inId(id)?.name);
  return name !== undefined && targets.find(name) ? { ...state, [targets.input]: name } : state;
}

/** The name of the resource in a state or in inputs, if it is known. */
function nameIn(values: Values, { input }: GrantTargets): string | undefined {
  const name = values[input];
  return typeof name === "string" ? name : undefined;
}

/**
 * Refuses a change of the resource. Other differences count as no change, and `pulumi up` writes the program's values into the
 * state. An update in place is impossible, because engines replace a resource with a different role or member regardless of
 * the provider's answer.
 *
 * @throws RefusedError when the program names another resource, because the old grant could not be removed.
 */
export function refuseOtherResource({ state }: IncompleteSet, inputs: Values, targets: GrantTargets): void {
  const [before, wanted] = [nameIn(state, targets), nameIn(inputs, targets)];
  if (before === undefined || wanted === undefined || sameName(before, wanted)) return;
  throw new RefusedError(
    `The state does not say which member and role were granted on ${before}, so replacing that grant by one on ${wanted} ` +
      "could not remove it. First run `pulumi up` with the grant as it was, which completes the state",
  );
}

/** Says why a grant is not deleted when the state does not identify it, and what to do. */
export function notDeletable({ state }: IncompleteSet, targets: GrantTargets, call: Call): RefusedError {
  const urn = call.identity === undefined ? "<urn>" : `'${call.identity}'`;
  return new RefusedError(
    `The state does not say which member and role were granted on ${resourceIn(state, targets)}, so nothing was removed: a refresh ` +
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
export async function readIncomplete(
  prior: IncompleteSet,
  policies: GrantPolicies,
  call: Call,
  read: (id: string) => Promise<Current | undefined>,
): Promise<Current | undefined> {
  const { id, inputs, state } = prior;
  if (!isPolicyPath(id)) return read(id);
  const { targets } = policies;
  const name = nameIn(state, targets);
  if (name === undefined) throw badId(id, targets.forms);
  const policy = await undefinedIfNotFound(policies.readRecent(name, call));
  if (!policy) return undefined;
  call.reporter.warning(completionAdvice(prior, targets));
  return { id, inputs: inputs ?? {}, state };
}

/**
 * @param forms the forms of a valid id.
 * @param input `member` if the id names a member.
 */
export function badId(id: string, forms: readonly string[], input?: "member" | "members"): InputError {
  const member = input === "member" ? "; a member has its kind in front, as in user:name@example.com" : "";
  return importError(id, `must look like ${forms.join(" or ")}${member}`);
}

/** The warning at the refresh. */
function completionAdvice({ state }: Prior, targets: GrantTargets): string {
  return (
    `The state does not say which member and role were granted on ${resourceIn(state, targets)}, so it cannot be refreshed: ` +
    "run `pulumi up` with the grant in the program, which completes the state, and refresh again"
  );
}

function resourceIn(state: Prior["state"], targets: GrantTargets): string {
  return nameIn(state, targets) ?? "its resource";
}
