import { isConditional, type AccessChanged, type Violation } from "./result";

/** Sentences about what a review found, as violations and the forms show them. */

/** Who has which role on which resource. */
export interface NamedGrant {
  principal: string;
  role: string;
  resource: string;
}

export function changeSentence({ principal, role, resource }: NamedGrant, change: AccessChanged): string {
  if (change.change === "lost") return `${principal} loses ${role} on ${resource}.`;
  if (change.change === "gained") return `${principal} gains ${role} on ${resource}.`;
  return `${principal} keeps ${role} on ${resource} ${newConditionOf(change)}.`;
}

function newConditionOf({ condition, conditionBefore }: AccessChanged): string {
  if (!isConditional(condition)) return "without a condition";
  return conditionBefore ? "under another condition" : "under a new condition";
}

/** The sentence with the reason for a rule; none without one. */
export function reasonOf({ reason }: Violation): string[] {
  return reason === undefined ? [] : [`Reason: ${reason}`];
}

/** @param reason the provider's message */
export function refusalSentence(reason: string): string {
  return `The provider would refuse a step: ${reason}`;
}
