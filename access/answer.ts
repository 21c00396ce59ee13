import { InputError } from "../provider/core/errors";
import { quote } from "../provider/core/problem";
import { partAbout } from "./changes/earlier";
import type { StatedByStep } from "./changes/carried-out";
import { comparedWith, expectedOf } from "./changes/compare";
import { expiryOf } from "./condition/expiry";
import { DEFAULT_EXPIRES_WITHIN, period, PERIOD_FORM } from "./condition/period";
import { judged } from "./gate/judge";
import type { Rules } from "./gate/rules";
import { DIRECT_ONLY, NOT_READ } from "./result/notes";
import { byResource } from "./result/order";
import { answerOf, resourcesBeside } from "./result/stacks";
import type { Answer, Found, ReviewedGrant, ReviewedResource } from "./result/result";

/** The options of an answer about the current access, of named resources or of a stack. */
export interface AnswerOptions {
  /** An earlier answer. The result has the changes since then. For a review, the predicted access is compared. */
  earlier?: Answer;
  /**
   * Whether resources are also compared that `earlier` has at another endpoint, such as those of an emulator. Two clouds may have
   * the same names. @default false: such resources are unknown
   */
  anyEndpoint?: boolean;
  /** The rules for the verdict. @default no loss since `earlier` is expected, and nothing may be unknown */
  rules?: Rules;
  /** The time within which an end of a grant counts as soon: hours, days or weeks. @default 30d, and what never expires is not listed */
  expiresWithin?: string;
  /** Whether the policies above the resources are read, too: of the dataset, the project, folders, the organization. @default true */
  inherited?: boolean;
}

export interface ExpectingOptions extends AnswerOptions {
  /**
   * A review of the update that was carried out since then, best with `all`. The result has what is not as it expected, and
   * each difference gives exit code 2. It excludes `earlier`.
   */
  expected?: Answer;
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
  options: ExpectingOptions,
  stated?: StatedByStep,
): Answer {
  const { expected, rules = {}, inherited = true, anyEndpoint = false, expiresWithin } = options;
  const then = options.earlier ?? expected;
  const earlier = expected ? expectedOf(expected, found) : then && partAbout(then, found);
  const now = { ...found, resources: found.resources.map(endsBy(options)) };
  const beside = then ? resourcesBeside(then, found) : [];
  const isExpected = expected !== undefined;
  const since = earlier && comparedWith(earlier, now, { isExpected, inherited, anyEndpoint, beside, stated });
  const { resources, unknown, notes } = since ?? { resources: now.resources, unknown: [], notes: [] };
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
  const ending = <T extends { condition?: ReviewedGrant["condition"] }>(grant: T) =>
    grant.condition ? { ...grant, expires: expiryOf(grant.condition, now, soon) } : grant;
  return (resource: ReviewedResource): ReviewedResource => ({
    ...resource,
    after: resource.after && resource.after.map(ending),
    ...(resource.inherited && { inherited: resource.inherited.map(ending) }),
  });
}
