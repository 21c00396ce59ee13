import { keyOfChange } from "../result/grants";
import { isHidden } from "../result/texts";
import {
  hasNoAccessLeft,
  judgementsWith,
  type AccessChanged,
  type Found,
  type ReviewedResource,
  type StackAnswer,
  type Uncertainty,
} from "../result/result";
import type { NamedGrant } from "../result/sentences";
import { counted } from "../result/visible";
import { notComparable } from "./differences";

/**
 * Compares a review of a plan with an approved one. A change that only the approved review has does not count: an update carried
 * it out already, or the program does not make it any more.
 */

/** Adds to a review what the comparison does not know, and a note about changes that only the approved review has. */
export function comparedWithApproved(approved: StackAnswer, result: Found): Found {
  const keysIn = ({ resources }: Pick<Found, "resources">) =>
    resources.flatMap((each) => each.changes.map((change) => keyOfChange(each, change)));
  const keys = new Set(keysIn(result));
  const gone = keysIn(approved).filter((key) => !keys.has(key));
  const hidden = result.resources.filter(
    (each) => isUnnamed(each) || each.changes.some((change) => change.hidden !== undefined),
  );
  const doubts = hidden.map(({ resource }) =>
    notComparable(`It is unknown whether the approved review has the same changes on ${resource}: a value is hidden.`),
  );
  const note = `${counted(gone.length, "change")} of the approved review ${gone.length === 1 ? "is" : "are"} not in this one`;
  return {
    ...result,
    unknown: [...result.unknown, ...doubts],
    notes: [...(gone.length === 0 ? [] : [note]), ...result.notes],
  };
}

/** Whether an approved review has a change. With a hidden value, it cannot be compared, and the rules decide about it as about any other. */
export type Approval = "approved" | "new" | "not comparable";

/** Returns a function that compares a change with an approved review. Without one, no change is approved. */
export function approvalBy(
  approved: StackAnswer | undefined,
): (resource: ReviewedResource, change: AccessChanged) => Approval {
  const known = new Map(
    approved?.resources.flatMap((each) =>
      each.changes.map((change) => [keyOfChange(each, change), hasNoAccessLeft(each, change)]),
    ),
  );
  return (resource, change) => {
    if (isUnnamed(resource) || change.hidden !== undefined) return "not comparable";
    const left = known.get(keyOfChange(resource, change));
    // A loss that leaves no access is more than the same loss of somebody who keeps access from above.
    return left !== undefined && (left || !hasNoAccessLeft(resource, change)) ? "approved" : "new";
  };
}

/** Returns a function that says whether an approved review has an unknown fact: the fact itself, and not one like it. */
export function factsOf({ resources, unknown }: StackAnswer): (fact: Uncertainty) => boolean {
  const keyOfFact = ({ code, step, type, message, digest }: Uncertainty) =>
    JSON.stringify([code, step, type, message, digest]);
  const known = new Set([...unknown, ...resources.flatMap((each) => each.unknown)].map(keyOfFact));
  // A hidden value can differ from the approved one.
  return (fact) => fact.digest !== null && known.has(keyOfFact(fact));
}

/** Whether the approved review has this judgement of a rule about the same grant. One with a hidden value cannot be compared. */
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

/** Whether its name is hidden, and nothing else tells it from others. */
function isUnnamed({ resource, createdBy }: ReviewedResource): boolean {
  return createdBy === undefined && isHidden(resource);
}
