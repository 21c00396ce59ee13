import { isConditional, type AccessChanged, type Judgement } from "./result";

/** Sentences about what a review found, as judgements and the forms show them. */

/** Who has which role on which resource. */
export interface NamedGrant {
  principal: string;
  role: string;
  resource: string;
}

/** The principals that are no single one: https://cloud.google.com/iam/docs/principals-overview#types. */
const PUBLIC: ReadonlyMap<string, string> = new Map([
  ["allUsers", "everyone on the internet"],
  ["allAuthenticatedUsers", "everyone with a Google account"],
]);

/** Who a principal is that stands for everyone; undefined for all others. */
export function everyoneBy(principal: string): string | undefined {
  return PUBLIC.get(principal);
}

/** A principal for people: `user:ada@example.com`, `allUsers (everyone on the internet)`. */
export function principalText(principal: string): string {
  const everyone = everyoneBy(principal);
  return everyone === undefined ? principal : `${principal} (${everyone})`;
}

export function changeSentence({ principal, role, resource }: NamedGrant, change: AccessChanged): string {
  const who = principalText(principal);
  if (change.change === "lost") return `${who} loses ${role} on ${resource}.`;
  if (change.change === "gained") return `${who} gains ${role} on ${resource}.`;
  return `${who} keeps ${role} on ${resource} ${newConditionOf(change)}.`;
}

function newConditionOf({ condition, conditionBefore }: AccessChanged): string {
  if (!isConditional(condition)) return "without a condition";
  return conditionBefore ? "under another condition" : "under a new condition";
}

/** The sentence with the reason for a rule; none without one. */
export function reasonOf({ reason }: Judgement): string[] {
  return reason === undefined ? [] : [`Reason: ${reason}`];
}

/** The sentence about what a rule allows: `… Allowed by mayGain[0] of rules.yaml: on call` */
export function allowedSentence({ message, rule, file, reason }: Judgement): string {
  if (reason === undefined) return `${message} Allowed by ${rule}.`;
  return `${message} Allowed by ${rule}${file === undefined ? "" : ` of ${file}`}: ${reason}`;
}

/** @param reason the provider's message */
export function refusalSentence(reason: string): string {
  return `The provider would refuse a step: ${reason}`;
}
