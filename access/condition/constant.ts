import { partsAroundHidden } from "../result/texts";
import { canBeFalse } from "./expiry";
import {
  booleanLiteral,
  children,
  DEEPEST,
  readExpression,
  textOf,
  usesAttribute,
  type Expression,
} from "./expression";

/**
 * Whether a condition is constant: it is, if it holds for every request on every resource. A condition that is not constant may still
 * refuse nothing, because this module considers neither the names that a resource can have nor the requests that come.
 */

/**
 * Says why a condition is constant, or why that cannot be decided, in a sentence. Returns undefined for a condition that is not
 * constant.
 *
 * @param now milliseconds; a condition that only excludes the past is constant
 */
export function whyConstant(text: string, now: number): string | undefined {
  // The parser would take `[secret]` as a list.
  if (partsAroundHidden(text).length > 1) return `${UNDECIDED}: the plan does not show all of it.`;
  const expression = readExpression(text);
  if (expression === "too large") return `${UNDECIDED}: it is nested more than ${DEEPEST} deep, or too long.`;
  if (expression === "invalid") return `${UNDECIDED}: it cannot be read.`;
  const constant = partsOf(expression).find((each) => booleanLiteral(each) === undefined && !usesAttribute(each));
  if (constant) return `In this one, ${textOf(constant)} does not depend on the request or the resource.`;
  return canBeFalse(expression, now) ? undefined : "This one always holds.";
}

const UNDECIDED = "It cannot be decided whether this one is";

/** The parts that are joined by `&&`, `||`, `!` and `? :`. */
function partsOf(expression: Expression): Expression[] {
  const isJoin = ["&&", "||", "!_", "?:"].includes(expression.op);
  return isJoin ? children(expression).flatMap(partsOf) : [expression];
}
