import { boundsFrom } from "../condition/bounds";
import { isConditional, type AccessChanged, type Unjudged } from "../result/result";

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
