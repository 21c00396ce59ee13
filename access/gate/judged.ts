import { comparedWithApproved } from "../changes/approved";
import { summaryOf, type ReviewResult, type Unjudged } from "../result/result";
import { judge } from "./judge";
import type { Rules } from "./rules";

/**
 * The result of what was found: with its counts and the verdict of the rules.
 *
 * @throws InputError if the approved review of the rules is not about the same operation of the same stack
 */
export function judged(found: Unjudged, rules: Rules): ReviewResult {
  const compared = rules.approved ? comparedWithApproved(rules.approved, found) : found;
  return { ...compared, summary: summaryOf(compared), verdict: judge(compared, rules) };
}
