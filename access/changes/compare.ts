import { addGrants, hasGrant, removeGrants, type Grant } from "../../provider/iam/policy";
import { carriedOut, type StatedByStep } from "./carried-out";
import { changesAbove } from "./inherited";
import { answeredDifferences, leftAbove, notComparable } from "./differences";
import { partAbout, reviewAbout } from "./earlier";
import { grantBefore, policyGrant, UNKNOWN_POLICY } from "../result/grants";
import { isHidden, partsAroundHidden } from "../result/texts";
import { DIRECT_ONLY, ONLY_DIRECT_GRANTS } from "../result/notes";
import type {
  AccessChanged,
  Answer,
  Binding,
  Found,
  ReviewedResource,
  StackAnswer,
  StackNames,
  Uncertainty,
} from "../result/result";
import { counted } from "../result/visible";
import { nameKey, placeKey } from "../result/order";
import { joined, type Joined } from "./join";
import { resourcesBeside } from "../result/stacks";

/** What an answer about the current access is compared with. */
export interface Comparison {
  /** An earlier answer. The result has the changes since then. For a review, the predicted access is compared. */
  earlier?: Answer | undefined;
  /**
   * A review of the update that was carried out since then, best with `all`. The result has what is not as it expected, and
   * each difference gives exit code 2. It excludes `earlier`.
   */
  expected?: Answer | undefined;
  /**
   * Whether resources are also compared that `earlier` has at another endpoint, such as those of an emulator. Two clouds may have
   * the same names. @default false: such resources are unknown
   */
  anyEndpoint?: boolean;
  /** Whether the policies above the resources are read, too: of the dataset, the project, folders, the organization. @default true */
  inherited?: boolean;
}

const ABOVE_NOT_COMPARED = "Access from above is not compared: one of the answers has only direct grants";

/**
 * The resources of an earlier answer whose policies can be compared: without what has changed above them, without other
 * providers', and without those whose name was not known yet.
 */
export function comparableResources(earlier: Pick<StackAnswer, "resources">): ReviewedResource[] {
  return earlier.resources.filter(
    (each) => !each.isAbove && each.otherProvider === undefined && !isHidden(each.resource),
  );
}

/**
 * The current access, with the changes since an earlier answer, or with the differences from what a review expected.
 *
 * @param stated what the state says about the steps of a review
 * @throws InputError if `expected` is not a review of an update of this stack
 */
export function compared(
  now: StackNames & Pick<Found, "resources">,
  comparison: Comparison,
  stated?: StatedByStep,
): Pick<Found, "resources" | "unknown" | "notes"> {
  const { expected, inherited = true, anyEndpoint = false } = comparison;
  const then = earlierOf(now, comparison, stated);
  if (!then) return { resources: now.resources, unknown: [], notes: [] };
  const both = joined(comparableResources(then.named), now.resources, anyEndpoint);
  const isDirectOnly = then.named.notes.some((note) => note === DIRECT_ONLY || note === ONLY_DIRECT_GRANTS);
  const above = inherited && !isDirectOnly ? changesAbove(both.pairs) : [];
  const notes = inherited && isDirectOnly ? [ABOVE_NOT_COMPARED] : [];
  return {
    resources: [...changesSince(now.resources, both, then.beside), ...above, ...then.differences],
    unknown: expected ? doubtsOf(then.named) : [],
    notes: [...(expected ? notCheckedOf(then.named) : []), ...then.notes, ...notes],
  };
}

/**
 * The part of an earlier answer that the access of a stack is compared with; undefined without one.
 *
 * @param stated what the state says about the steps of a review
 * @returns also the resources of its other stacks, whose updates may have been carried out, too
 * @throws InputError if `expected` is not a review of an update of this stack
 */
export function earlierOf(names: StackNames, { earlier, expected }: Comparison, stated?: StatedByStep) {
  const answer = earlier ?? expected;
  if (!answer) return undefined;
  const isReview = (operation: Answer["operation"]) => (operation === "access" ? NO_REVIEW : undefined);
  const part = expected ? reviewAbout(expected, names, isReview) : partAbout(answer, names);
  const then = stated ? carriedOut(part, stated) : { named: part, differences: [], notes: [] };
  return { ...then, beside: resourcesBeside(answer, names) };
}

const NO_REVIEW = "must be update or destroy: a result of `perimeter access` is compared with --diff";

/** What the review did not know, so that nothing can be compared with it. */
function doubtsOf(expected: StackAnswer): Uncertainty[] {
  const doubts = [...expected.unknown, ...expected.resources.flatMap((each) => each.unknown)];
  const refused = expected.refused.map(({ step }) => `${step} was to be refused`);
  const [first, ...others] = [...doubts.map(({ message }) => message), ...refused];
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` (and ${counted(others.length, "more fact")})`;
  const message = `The review did not know everything, so not all is compared: ${first}${more}`;
  return [{ code: "incomplete plan", message }];
}

function notCheckedOf(expected: StackAnswer): string[] {
  const unnamed = (["stack", "project"] as const).filter((path) => expected[path] === undefined);
  if (unnamed.length === 0) return [];
  return [`The review names no ${unnamed.join(" and no ")}, so it was not checked that it is about this stack`];
}

/**
 * The resources with their changes. What has changed on a resource that only one answer has is unknown.
 *
 * @param now resources with the current access
 * @param both these and the resources of an earlier result of any kind. For a review, the predicted access is compared
 */
function changesSince(
  now: readonly ReviewedResource[],
  { pairs, onlyEarlier, onlyNow }: Joined,
  beside: readonly ReviewedResource[],
): ReviewedResource[] {
  const othersOn = (then: ReviewedResource) =>
    beside.filter((each) => placeKey(each) === placeKey(then)).flatMap(({ changes }) => changes);
  const elsewhere = (one: ReviewedResource, others: readonly ReviewedResource[]) =>
    others.filter((each) => nameKey(each) === nameKey(one));
  const compared = now.map((each) => {
    const then = pairs.get(each);
    return then
      ? since(then, each, othersOn(then))
      : unknownSince(each, notInEarlier(each, elsewhere(each, onlyEarlier)));
  });
  // The entry of a current resource with the same name says at which other endpoints the earlier answer has it.
  const missing = onlyEarlier.filter((each) => elsewhere(each, onlyNow).length === 0);
  return [...compared, ...missing.map(notRead)];
}

const REVIEW_ALL = "A review has all resources of a stack with --all.";
const ANY_ENDPOINT = "Two clouds may have the same names; --any-endpoint compares them anyway.";

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
    ...(endpoint !== undefined && { endpoint }),
    ...UNKNOWN_POLICY,
    before: after,
    unknown: [{ code: "unreadable policy", message }],
  };
}

/** @param others what the earlier review says about the updates of other stacks */
function since(
  { after: predicted }: ReviewedResource,
  now: ReviewedResource,
  others: readonly AccessChanged[],
): ReviewedResource {
  if (!predicted) {
    return unknownSince(now, "It is unknown what has changed: the earlier answer does not contain the policy.");
  }
  if (!now.after) return { ...now, before: predicted };
  const before = afterOthers(predicted, now.after, others);
  const hidden = [...before, ...now.after].some(({ members }) =>
    members.some((each) => partsAroundHidden(each).length > 1),
  );
  const found = answeredDifferences(before, now.after);
  const grants = (now.inherited ?? []).map(policyGrant);
  const left = leftAbove(found.noAccessLeft, { grants, unread: now.unreadAbove ?? [] });
  const doubt = notComparable("It is unknown whether hidden members have changed: the answers do not show them.");
  return {
    ...now,
    before,
    ...found,
    noAccessLeft: left.none,
    ...(left.unknown.length > 0 && { accessLeftUnknown: left.unknown }),
    unknown: [...now.unknown, ...(hidden ? [doubt] : [])],
  };
}

/** A predicted policy with those changes by updates of other stacks that the current policy has. */
function afterOthers(predicted: Binding[], now: Binding[], others: readonly AccessChanged[]): Binding[] {
  const isNow = (grant: Grant) => hasGrant({ bindings: now }, grant);
  const lost = others.flatMap((each) => grantBefore(each) ?? []);
  const gained = others.filter(({ change }) => change !== "lost");
  const removed = lost.map(policyGrant).filter((grant) => !isNow(grant));
  const added = gained.map(policyGrant).filter(isNow);
  const { bindings = [] } = addGrants(removeGrants({ bindings: predicted }, removed), added);
  return bindings as Binding[];
}
