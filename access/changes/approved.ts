import { InputError } from "../../provider/core/errors";
import { grantBefore, keyOfGrant } from "../result/grants";
import { placeKey } from "../result/order";
import { isHidden } from "../result/texts";
import { partOf } from "../result/stacks";
import { stackLabel } from "../result/urn";
import {
  hasNoAccessLeft,
  judgementsWith,
  type AccessChanged,
  type Answer,
  type Found,
  type ReviewedResource,
  type StackAnswer,
  type StackNames,
  type Uncertainty,
} from "../result/result";
import type { NamedGrant } from "../result/sentences";
import { counted } from "../result/visible";

/**
 * Compares a review of a plan with an approved one. A change that only the approved review has does not count: an update carried
 * it out already, or the program does not make it any more.
 */

/** Adds to a review what the comparison does not know, and a note about changes that only the approved review has. */
export function comparedWithApproved(approved: StackAnswer, result: Found): Found {
  const keys = new Set(result.resources.flatMap((each) => each.changes.map((change) => keyOf(each, change))));
  const gone = approved.resources.flatMap((each) => each.changes.filter((change) => !keys.has(keyOf(each, change))));
  const note = `${counted(gone.length, "change")} of the approved review ${gone.length === 1 ? "is" : "are"} not in this one`;
  return {
    ...result,
    unknown: [...result.unknown, ...result.resources.flatMap(notComparable)],
    notes: [...(gone.length === 0 ? [] : [note]), ...result.notes],
  };
}

/**
 * The part of an answer that is about a stack.
 *
 * @throws InputError if the answer is about several other stacks
 */
export function ofStack(answer: Answer, names: StackNames): StackAnswer {
  const part = partOf(answer, names);
  const has = answer.stacks.map(stackLabel).join(", ");
  if (!part) throw wrongReview("stacks", `must have ${stackLabel(names)}, and has ${has}`);
  return part;
}

/**
 * The part of an approved review that is about a stack.
 *
 * @throws InputError if the approved review is not about the same operation of this stack
 */
export function approvedOf(approved: Answer, found: Found): StackAnswer {
  const part = ofStack(approved, found);
  checkSameStack(part, found);
  if (approved.operation === found.operation) return part;
  throw wrongReview("operation", `must be ${found.operation}, as in this review, and is ${approved.operation}`);
}

/** @throws InputError if a review names another stack or project than the answer that is compared with it */
export function checkSameStack(review: StackNames, now: StackNames): void {
  for (const path of ["stack", "project"] as const) {
    const [theirs, ours] = [review[path], now[path]];
    if (theirs !== undefined && ours !== undefined && theirs !== ours) {
      throw wrongReview(path, `must be ${ours}, as in the stack that it is compared with, and is ${theirs}`);
    }
  }
}

export function wrongReview(path: string, reason: string): InputError {
  return new InputError("The expected review", [{ path, reason }]);
}

/** Returns a function that says whether an approved review has a change. Without an approved review, no change is approved. */
export function approvalBy(
  approved: StackAnswer | undefined,
): (resource: ReviewedResource, change: AccessChanged) => boolean {
  const known = new Map(
    approved?.resources.flatMap((each) =>
      each.changes.map((change) => [keyOf(each, change), hasNoAccessLeft(each, change)]),
    ),
  );
  return (resource, change) => {
    const left = known.get(keyOf(resource, change));
    // A loss that leaves no access is more than the same loss of somebody who keeps access from above.
    return left !== undefined && (left || !hasNoAccessLeft(resource, change));
  };
}

/** Returns a function that says whether an approved review has an unknown fact: the fact itself, and not one like it. */
export function factsOf({ resources, unknown }: StackAnswer): (fact: Uncertainty) => boolean {
  const keyOfFact = ({ code, step, type, message, digest }: Uncertainty) =>
    JSON.stringify([code, step, type, message, digest]);
  const known = new Set([...unknown, ...resources.flatMap((each) => each.unknown)].map(keyOfFact));
  // What is hidden can be another value than the approved one.
  return (fact) => fact.digest !== null && known.has(keyOfFact(fact));
}

/**
 * Whether the approved review has this judgement of a rule about the same grant. Two hidden values can differ although they are shown
 * alike.
 */
export function wasShown(
  { verdict }: StackAnswer,
  { subject }: { subject?: NamedGrant },
  { rule, isUnsure = false }: { rule: string; isUnsure?: boolean },
  file: string | undefined,
): boolean {
  if (!subject) return false;
  const { principal, role, resource } = subject;
  return (
    ![principal, role, resource].some(isHidden) &&
    judgementsWith(verdict, "refuses").some(
      (each) =>
        each.rule === rule &&
        (each.file === undefined || each.file === file) &&
        each.principal === principal &&
        each.role === role &&
        each.resource === resource &&
        // A violation is more than the doubt about one.
        (isUnsure || !each.unsure),
    )
  );
}

function keyOf(resource: ReviewedResource, change: AccessChanged): string {
  const before = grantBefore(change);
  return JSON.stringify([placeKey(resource), change.change, keyOfGrant(change), before && keyOfGrant(before)]);
}

/** Two hidden values can differ although they are shown alike. */
function notComparable(resource: ReviewedResource): Uncertainty[] {
  const isKnown = resource.createdBy !== undefined || !isHidden(resource.resource);
  if (isKnown && !resource.changes.some((change) => hasHidden(resource, change))) return [];
  const message = `It is unknown whether the approved review has the same changes on ${resource.resource}: a value is hidden.`;
  return [{ code: "secret", message }];
}

/** Whether a value of a change is hidden, so that the same texts can mean another change. */
export function hasHidden({ resource, createdBy }: ReviewedResource, { hidden }: AccessChanged): boolean {
  return hidden !== undefined || (createdBy === undefined && isHidden(resource));
}
