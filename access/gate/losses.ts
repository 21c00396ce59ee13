import { boundsFrom } from "../condition/bounds";
import type { AccessChanged, Unjudged } from "../result";

/** One change of access, with the resource that it is on. */
export interface ChangeOn {
  /** Relative name of the resource. */
  resource: string;
  change: AccessChanged;
}

export function changesOf(result: Pick<Unjudged, "resources">): ChangeOn[] {
  return result.resources.flatMap(({ resource, changes }) => changes.map((change) => ({ resource, change })));
}

/**
 * Whether somebody may be able to do less afterwards. Conditions are not compared, so a grant with another condition counts
 * as a loss. A grant that has no condition any more does not, and neither does one that gave no access.
 */
export function isLoss({ change, condition, gaveNoAccess }: AccessChanged): boolean {
  if (gaveNoAccess !== undefined) return false;
  return change === "lost" || (change === "condition" && isConditional(condition));
}

/** Whether somebody may be able to do more afterwards. A new condition on a grant that had none gives nobody more. */
export function isGain({ change, conditionBefore }: AccessChanged): boolean {
  return change === "gained" || (change === "condition" && conditionBefore !== null);
}

/** Whether a grant has a condition. As in policies, an empty expression is not a condition. */
export function isConditional(condition: AccessChanged["condition"]): boolean {
  return condition !== undefined && condition.expression !== "";
}

/**
 * Returns a function that says what a role's condition lacks if the role needs one that bounds access: a sentence, or undefined
 * if it lacks nothing. What cannot be decided is lacking. Bounds in the past, before `now`, are none.
 */
export function lackOfBounds(now?: number): (condition: AccessChanged["condition"]) => string | undefined {
  const doubtOf = boundsFrom(now);
  return (condition) => {
    if (!isConditional(condition)) return "This role needs a condition.";
    const doubt = doubtOf(condition?.expression ?? "");
    return doubt && `This role needs a condition that bounds access. ${doubt}`;
  };
}
