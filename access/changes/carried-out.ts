import { getOrCompute } from "../../provider/core/once";
import { meaningOf } from "../meaning/meaning";
import { bindingOf, keyOfGrant, UNKNOWN_POLICY } from "../result/grants";
import { isSameSet, placeKey } from "../result/order";
import type { AccessChanged, ReviewedGrant, ReviewedResource, StackAnswer } from "../result/result";
import { typeIn } from "../result/urn";
import { counted } from "../result/visible";

/**
 * A review names some resources only by the steps on them: those whose name is known after the update, and those whose access
 * it does not read, such as access control lists. The state after the update says whether these steps were carried out.
 */

/** What a resource of the state grants, and where. */
interface Stated {
  grants: readonly ReviewedGrant[];
  /** The resource whose policy an answer reads; undefined if it reads none. */
  place?: Pick<ReviewedResource, "resource" | "kind" | "api" | "endpoint">;
  /** URNs of the resources that the name of the resource comes from. */
  namedFrom: readonly string[];
}

/** By URN, which the deleted part of a replacement shares with its other part. */
export type StatedByStep = ReadonlyMap<string, readonly Stated[]>;

/** Whether a review names a resource by the steps on it. */
export function isNamedByStep({ isAbove, createdBy, otherProvider }: ReviewedResource): boolean {
  return !isAbove && (createdBy !== undefined || otherProvider !== undefined);
}

/** Where the grants of a resource that the update created are; empty if it was not created. */
export function placesOf({ createdBy, changes }: ReviewedResource, stated: StatedByStep) {
  const isOfIt = ({ namedFrom }: Stated) =>
    createdBy !== undefined && isSameSet(new Set(namedFrom), new Set(createdBy));
  const all = changes.flatMap(({ steps }) => steps).flatMap((step) => stated.get(step) ?? []);
  return all.filter(isOfIt).flatMap(({ place }) => place ?? []);
}

/**
 * Compares a review with what the state says about its steps after the update.
 *
 * @returns `named`: the review, with the names of what the update created. `differences`: what it expected of resources that it
 * names by steps, and the state does not have, or still has.
 */
export function carriedOut(
  review: StackAnswer,
  stated: StatedByStep,
): { named: StackAnswer; differences: ReviewedResource[]; notes: string[] } {
  const created = new Map<string, ReviewedResource>();
  const differences: ReviewedResource[] = [];
  let confirmed = 0;
  for (const each of review.resources.filter(isNamedByStep)) {
    const missing: AccessChanged[] = [];
    // The review has unknown facts about hidden values.
    for (const change of each.changes.filter(({ hidden }) => hidden === undefined)) {
      const [place] = placesOf({ ...each, changes: [change] }, stated);
      if (place) {
        const none: ReviewedResource = { ...place, ...UNKNOWN_POLICY, before: [], after: [] };
        const known = getOrCompute(created, placeKey(place), () => none);
        created.set(placeKey(place), { ...known, after: [...(known.after ?? []), bindingOf(change)] });
      } else if (each.createdBy === undefined && isDone(change, stated)) confirmed += 1;
      else missing.push({ ...change, change: change.change === "lost" ? "gained" : "lost", steps: [] });
    }
    if (missing.length > 0) differences.push({ ...each, ...UNKNOWN_POLICY, changes: missing });
  }
  const resources = review.resources.map((each) => {
    const more = created.get(placeKey(each));
    // A policy that was there before the update is not that of a new resource.
    if (!more || each.before?.length !== 0 || each.after === null) return each;
    created.delete(placeKey(each));
    return { ...each, after: [...each.after, ...(more.after ?? [])] };
  });
  const known = new Set(resources.map(placeKey));
  const added = [...created].filter(([key]) => !known.has(key)).map(([, each]) => each);
  return { named: { ...review, resources: [...resources, ...added] }, differences, notes: noteOn(confirmed) };
}

/** Whether the state has what a step was to add, and no longer what it was to remove. */
function isDone(change: AccessChanged, stated: StatedByStep): boolean {
  const has = change.steps
    .flatMap((step) => stated.get(step) ?? [])
    .some(({ grants }) => grants.some((grant) => keyOfGrant(grant) === keyOfGrant(change)));
  const isRemoval = change.steps.some((step) =>
    meaningOf(typeIn(step)).kinds.some(({ isRemoval: removes }) => removes),
  );
  return has === (isRemoval || change.change !== "lost");
}

function noteOn(confirmed: number): string[] {
  if (confirmed === 0) return [];
  const are = confirmed === 1 ? "is" : "are";
  return [
    `${counted(confirmed, "change")} of the review ${are} carried out by the stack's state alone: this command does not read access ` +
      "control lists, and what else the review did not read",
  ];
}
