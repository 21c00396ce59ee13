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
 * Whether somebody can do less afterwards. Which of two conditions is the wider one cannot be told, so another condition
 * counts as a loss, unless the grant is valid at all times now.
 */
export function isLoss({ change, condition }: AccessChanged): boolean {
  return change === "lost" || (change === "condition" && isConditional(condition));
}

/** Whether somebody may do more afterwards: the same for gains. A grant that had no condition cannot become wider. */
export function isGain({ change, conditionBefore }: AccessChanged): boolean {
  return change === "gained" || (change === "condition" && conditionBefore !== null);
}

/** A condition with an empty expression is none, as in policies. */
export function isConditional(condition: AccessChanged["condition"]): boolean {
  return condition !== undefined && condition.expression !== "";
}
