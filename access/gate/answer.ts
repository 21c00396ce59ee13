import { InputError } from "../../provider/core/errors";
import { quote } from "../../provider/core/problem";
import type { StatedByStep } from "../changes/carried-out";
import { compared, type Comparison } from "../changes/compare";
import { expiryOf } from "../condition/expiry";
import { DEFAULT_EXPIRES_WITHIN, period, PERIOD_FORM } from "../condition/period";
import { DIRECT_ONLY, NOT_READ } from "../result/notes";
import { byResource } from "../result/order";
import { answerOf } from "../result/stacks";
import type { Answer, Condition, Found, ReviewedResource } from "../result/result";
import { judged } from "./judge";
import type { Rules } from "./rules";

/** The options of an answer about the current access, of named resources or of a stack. */
export interface AnswerOptions extends Comparison {
  /** The rules for the verdict. @default no loss since `earlier` is expected, and nothing may be unknown */
  rules?: Rules;
  /** The time within which an end of a grant counts as soon: hours, days or weeks. @default 30d, and what never expires is not listed */
  expiresWithin?: string;
}

const AS_EXPECTED = "The access is as the review expected";

/**
 * The answer about the current access: with the ends of grants, the changes since an earlier answer or a review, and the verdict.
 *
 * @param found what was read, without changes
 * @param stated what the stack's state says about the steps of a review
 * @throws InputError if `expected` is not a review of an update of this stack
 */
export function answered(
  found: Pick<Found, "stack" | "project" | "resources" | "unknown" | "notes">,
  options: AnswerOptions,
  stated?: StatedByStep,
): Answer {
  const { expected, rules = {}, inherited = true, expiresWithin } = options;
  const now = { ...found, resources: found.resources.map(endsBy(options)) };
  const { resources, unknown, notes } = compared(now, options, stated);
  const all = [...found.unknown, ...unknown];
  const isAsExpected =
    expected && all.length + resources.flatMap((each) => [...each.changes, ...each.unknown]).length === 0;
  const operation = "access" as const;
  const answer = judged(
    {
      ...now,
      operation,
      resources: resources.toSorted(byResource),
      refused: [],
      unknown: all,
      notes: [
        ...(isAsExpected ? [AS_EXPECTED] : []),
        ...(inherited || found.resources.length === 0 ? [] : [DIRECT_ONLY]),
        ...found.notes,
        ...notes,
        NOT_READ,
      ],
    },
    expected ? { ...rules, noChange: true } : rules,
  );
  return answerOf({ operation, expiresWithin }, [answer]);
}

/**
 * Returns a function that adds to a resource when its grants end, counted from now.
 *
 * @throws InputError if `expiresWithin` is not a period.
 */
export function endsBy({ expiresWithin = DEFAULT_EXPIRES_WITHIN }: AnswerOptions) {
  const soon = period(expiresWithin);
  if (soon === undefined) {
    const reason = `${PERIOD_FORM}, got ${quote(expiresWithin)}`;
    throw new InputError("perimeter access", [{ path: "expiresWithin", reason }]);
  }
  const now = Date.now();
  const ending = <T extends { condition?: Condition | undefined }>(grant: T) =>
    grant.condition ? { ...grant, expires: expiryOf(grant.condition, now, soon) } : grant;
  return (resource: ReviewedResource): ReviewedResource => ({
    ...resource,
    after: resource.after && resource.after.map(ending),
    ...(resource.inherited && { inherited: resource.inherited.map(ending) }),
  });
}
