import { leftAbove } from "../above/policies-above";
import { checkSameStack, wrongReview } from "../gate/approved";
import { policyOutcome, type GrantChange } from "../rehearsal/outcome";
import { partsAroundHidden } from "../hidden-values";
import type { AccessChanged, ReviewedResource, ReviewResult, Uncertainty } from "../result";
import { counted } from "../visible";

/**
 * The current access, with the changes since an earlier answer.
 *
 * @param now resources with the current access
 * @param earlier a result of any kind. For a review, the predicted access is compared
 */
export function changesSince(earlier: ReviewResult, now: readonly ReviewedResource[]): ReviewedResource[] {
  const then = new Map(earlier.resources.map((each) => [keyOf(each), each]));
  return now.map((resource) => since(then.get(keyOf(resource)), resource));
}

/**
 * The current access of a stack, with the differences from what a review of its update expected.
 *
 * @throws InputError if the review is not about an update of this stack
 */
export function differencesFrom(expected: ReviewResult, now: Pick<ReviewResult, "stack" | "project" | "resources">) {
  if (expected.operation === "access") {
    throw wrongReview("operation", "must be update or destroy: a result of `perimeter access` is compared with --diff");
  }
  checkSameStack(expected, now);
  const doubts = [...expected.unknown, ...expected.resources.flatMap((each) => each.unknown)];
  const refused = expected.refused.map(({ step }) => `${step} was to be refused`);
  const [first, ...others] = [...doubts.map(({ message }) => message), ...refused];
  const more = others.length === 0 ? "" : ` (and ${counted(others.length, "more fact")})`;
  const unknown: Uncertainty[] =
    first === undefined
      ? []
      : [
          {
            code: "incomplete plan",
            message: `The review did not know everything, so not all is compared: ${first}${more}`,
          },
        ];
  const unnamed = (["stack", "project"] as const).filter((path) => expected[path] === undefined);
  const notes = unnamed.length === 0 ? [] : [notChecked(unnamed.join(" and no "))];
  return { resources: changesSince(expected, now.resources), unknown, notes };
}

function notChecked(names: string): string {
  return `The review names no ${names}, so it was not checked that it is about this stack`;
}

function since(then: ReviewedResource | undefined, now: ReviewedResource): ReviewedResource {
  const unknown = (message: string): ReviewedResource => ({
    ...now,
    before: null,
    unknown: [...now.unknown, { code: "unreadable policy", message }],
  });
  if (!then) {
    return unknown(
      "It is unknown what has changed: the earlier answer does not contain this resource. A review has all resources of a " +
        "stack with --all.",
    );
  }
  if (!then.after) return unknown("It is unknown what has changed: the earlier answer does not contain the policy.");
  if (!now.after) return { ...now, before: then.after };
  const hidden = [...then.after, ...now.after].some(({ members }) =>
    members.some((each) => partsAroundHidden(each).length > 1),
  );
  const outcome = policyOutcome({ bindings: then.after }, { bindings: now.after });
  const grants = (now.inherited ?? []).map(({ principal }) => ({ member: principal }));
  const left = leftAbove(outcome.noAccessLeft, { grants, unread: now.unreadAbove ?? [] });
  const compared = {
    ...now,
    before: then.after,
    changes: outcome.changes.map(changeOf),
    unchanged: outcome.unchanged,
    noAccessLeft: left.none,
    ...(left.unknown.length > 0 && { accessLeftUnknown: left.unknown }),
  };
  if (!hidden) return compared;
  const message = "It is unknown whether hidden members have changed: the answers do not show them.";
  return { ...compared, unknown: [...now.unknown, { code: "secret", message }] };
}

function changeOf(change: GrantChange): AccessChanged {
  const { member, role, condition } = change.grant;
  return {
    principal: member,
    role,
    ...(condition ? { condition } : {}),
    change: change.change,
    ...(change.change === "condition" ? { conditionBefore: change.before.condition ?? null } : {}),
    // No step, because another writer changed it since then.
    steps: [],
  };
}

/** The endpoint is not compared: an emulator has another port each time. */
function keyOf({ api, resource }: ReviewedResource): string {
  return `${api} ${resource}`;
}
