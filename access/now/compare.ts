import { leftAbove } from "../above/policies-above";
import { checkSameStack, wrongReview } from "../gate/approved";
import { policyOutcome, type GrantChange } from "../rehearsal/outcome";
import { partsAroundHidden } from "../hidden-values";
import type { AccessChanged, ReviewedResource, ReviewResult, Uncertainty } from "../result";
import { counted } from "../visible";
import { joined, nameOf, type Joined } from "./join";

export interface CompareOptions {
  /** Whether resources are also compared that the answers have at different endpoints. @default false */
  anyEndpoint?: boolean;
}

/**
 * The current access, with the changes since an earlier answer. What has changed on a resource that only one answer has is unknown.
 *
 * @param now resources with the current access
 * @param both these and the resources of an earlier result of any kind. For a review, the predicted access is compared
 */
export function changesSince(
  now: readonly ReviewedResource[],
  { pairs, onlyEarlier, onlyNow }: Joined,
): ReviewedResource[] {
  const elsewhere = (one: ReviewedResource, others: readonly ReviewedResource[]) =>
    others.filter((each) => nameOf(each) === nameOf(one));
  const compared = now.map((each) => {
    const then = pairs.get(each);
    return then ? since(then, each) : unknownSince(each, notInEarlier(each, elsewhere(each, onlyEarlier)));
  });
  // The others are named by the current resource at another endpoint.
  const missing = onlyEarlier.filter((each) => elsewhere(each, onlyNow).length === 0);
  return [...compared, ...missing.map(notRead)];
}

/**
 * The current access of a stack, with the differences from what a review of its update expected.
 *
 * @throws InputError if the review is not about an update of this stack
 */
export function differencesFrom(
  expected: ReviewResult,
  now: Pick<ReviewResult, "stack" | "project" | "resources">,
  { anyEndpoint = false }: CompareOptions = {},
) {
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
  const both = joined(expected.resources, now.resources, anyEndpoint);
  return { resources: changesSince(now.resources, both), unknown, notes };
}

function notChecked(names: string): string {
  return `The review names no ${names}, so it was not checked that it is about this stack`;
}

const REVIEW_ALL = "A review has all resources of a stack with --all.";
const ANY_ENDPOINT = "Two clouds may have the same names; --any-endpoint compares them all the same.";

/** @param elsewhere resources of the same name that the earlier answer has at other endpoints */
function notInEarlier({ endpoint }: ReviewedResource, elsewhere: readonly ReviewedResource[]): string {
  if (elsewhere.length === 0) {
    return `It is unknown what has changed: the earlier answer does not contain this resource. ${REVIEW_ALL}`;
  }
  const places = elsewhere.map((each) => placeName(each.endpoint)).join(" and ");
  return (
    `It is unknown what has changed: the earlier answer has this resource at ${places}, and this one has it at ` +
    `${placeName(endpoint)}. ${ANY_ENDPOINT}`
  );
}

function placeName(endpoint: string | undefined): string {
  return endpoint ?? "Google's own endpoint";
}

function unknownSince(now: ReviewedResource, message: string): ReviewedResource {
  return { ...now, before: null, unknown: [...now.unknown, { code: "unreadable policy", message }] };
}

/** A resource that only the earlier answer has. */
function notRead({ resource, kind, api, endpoint, after }: ReviewedResource): ReviewedResource {
  const message =
    `It is unknown who has access now: the earlier answer has this resource at ${placeName(endpoint)}, and nothing was read ` +
    "there, because no settings name this endpoint.";
  return {
    resource,
    kind,
    api,
    ...(endpoint === undefined ? {} : { endpoint }),
    changes: [],
    unchanged: 0,
    noAccessLeft: [],
    unmanaged: [],
    before: after,
    after: null,
    unknown: [{ code: "unreadable policy", message }],
  };
}

function since(then: ReviewedResource, now: ReviewedResource): ReviewedResource {
  if (!then.after) {
    return unknownSince(now, "It is unknown what has changed: the earlier answer does not contain the policy.");
  }
  if (!now.after) return { ...now, before: then.after };
  const hidden = [...then.after, ...now.after].some(({ members }) =>
    members.some((each) => partsAroundHidden(each).length > 1),
  );
  const outcome = policyOutcome({ bindings: then.after }, { bindings: now.after });
  const grants = (now.inherited ?? []).map(({ principal, condition }) => ({
    member: principal,
    ...(condition ? { condition } : {}),
  }));
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

/** A change as a result has it. */
export function changeOf(change: GrantChange): AccessChanged {
  const { member, role, condition } = change.grant;
  return {
    principal: member,
    role,
    ...(condition ? { condition } : {}),
    change: change.change,
    ...(change.gaveNoAccess === undefined ? {} : { gaveNoAccess: change.gaveNoAccess }),
    ...(change.change === "condition" ? { conditionBefore: change.before.condition ?? null } : {}),
    // No step, because another writer changed it since then.
    steps: [],
  };
}
