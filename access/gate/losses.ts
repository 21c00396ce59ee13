import { joinedBy, parsedExpression, usesAttribute } from "../condition/expression";
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
 * Whether a condition restricts when or where a grant is valid. An expression that uses no attribute of the request or the
 * resource, such as `true`, does not restrict anything, and neither does `… || true`. Expressions are not evaluated further.
 */
export function isRestricted(condition: AccessChanged["condition"]): boolean {
  const parsed = parsedExpression(condition?.expression ?? "");
  return parsed !== undefined && joinedBy("||", parsed).every(usesAttribute);
}
