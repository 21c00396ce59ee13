import type { ResourceDefinition } from "../../core/definition";
import type { Diff } from "../../core/diff";
import { requiredProperties } from "../../core/field";
import { RefusedError } from "../../core/errors";
import type { Prior } from "../../core/lifecycle";
import { isPolicyPath, nameInId, sameName, type NameTemplate } from "../../core/reference";
import { textOf, type Values } from "../../core/unknown";
import type { Call } from "../../http/call";
import { resourceOfGrantId } from "../../iam/grant-id";

/**
 * Grants whose state does not say what they grant. A refresh by google-native drops `name`, `role` and `member` from
 * the state of its grants, and the id it keeps says the resource only. The rule for such a state: the program's values
 * count as what is there, and nothing is removed that is not known to be ours.
 */

/** Whether the state lacks a part of the grant. */
export function isIncomplete(definition: ResourceDefinition, state: Values): boolean {
  return requiredProperties(definition.inputs).some((name) => typeof state[name] !== "string");
}

/** The state with the name of the resource that the id tells; google-native's id is the path that it really called. */
export function withResourceOfId({ id, state }: Prior, template: NameTemplate): Values {
  const name = isPolicyPath(id) ? nameInId(id) : (state.name ?? resourceOfGrantId(template, id));
  return typeof name === "string" && template.parse(name) ? { ...state, name } : state;
}

/**
 * No change: `pulumi up` then writes the program's values into the state. An update in place is not to be had, since
 * engines replace a resource whose role or member differs, whatever the provider answers.
 *
 * @throws RefusedError where the program names another resource: the old grant could not be removed.
 */
export function diffOfIncomplete(state: Values, inputs: Values): Diff {
  const [before, wanted] = [textOf(state.name), textOf(inputs.name)];
  if (before === "" || wanted === "" || sameName(before, wanted)) return { action: "none" };
  throw new RefusedError(
    `The state does not say which member and role were granted on ${before}, so replacing that grant by one on ${wanted} ` +
      "could not remove it. First run `pulumi up` with the grant as it was, which completes the state",
  );
}

/** Why a grant that the state does not tell is not deleted, and what to do. */
export function notDeletable(state: Values, call: Call): RefusedError {
  const urn = call.identity === undefined ? "<urn>" : `'${call.identity}'`;
  return new RefusedError(
    `The state does not say which member and role were granted on ${resourceIn(state)}, so nothing was removed: a refresh ` +
      "by google-native drops them from its states. Declare the grant in the program and run `pulumi up`, which " +
      "completes the state, then delete it; or remove the member from the policy by hand, and then run " +
      `\`pulumi state delete ${urn}\``,
  );
}

/** What a refresh of such a grant says. */
export function completionAdvice(state: Values): string {
  return (
    `The state does not say which member and role were granted on ${resourceIn(state)}, so it cannot be refreshed: ` +
    "run `pulumi up` with the grant in the program, which completes the state, and refresh again"
  );
}

function resourceIn(state: Values): string {
  return typeof state.name === "string" ? state.name : "its resource";
}
