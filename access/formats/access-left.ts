import { sameMember } from "../../provider/iam/member";
import { hasNoAccessLeft, type AccessChanged, type ReviewedResource } from "../result/result";
import { visible } from "../result/visible";
import { conditionText } from "./condition";
import type { Tone } from "./sections";

/** The access that a principal keeps after a loss, or that it has none left. */
export interface Left {
  text: string;
  tone: Tone;
}

const NO_ACCESS_LEFT = "no access left";
/**
 * The APIs whose resources also give access by lists that are not policies, and what has the list. A table has the access of its
 * dataset. https://cloud.google.com/storage/docs/access-control/lists, https://cloud.google.com/bigquery/docs/dataset-access-controls
 */
const WITH_LISTS: ReadonlyMap<string, string> = new Map([
  ["storage", "bucket"],
  ["bigquery", "dataset"],
]);
const GAVE_NO_ACCESS = {
  expired: "it had expired and gave no access",
  deleted: "its principal was deleted, so it gave no access",
} as const;
const LEFT_UNKNOWN = "no direct access left; unknown whether it keeps access from above";

/** What a principal has after a loss; undefined where there is nothing to say. */
export function leftOf(resource: ReviewedResource, change: AccessChanged): Left | undefined {
  const { principal, hidden, gaveNoAccess } = change;
  if (gaveNoAccess !== undefined) return { text: GAVE_NO_ACCESS[gaveNoAccess], tone: "soft" };
  if (hasNoAccessLeft(resource, change)) return { text: noAccessLeftOn(resource), tone: "bad" };
  if (change.change !== "lost" || hidden !== undefined) return undefined;
  const isUnknown = resource.accessLeftUnknown?.includes(principal) === true;
  const above = (resource.inherited ?? []).filter((each) => sameMember(each.principal, principal));
  const kept = above.filter(({ condition }) => isUnknown || !condition?.expression);
  if (kept.length === 0) return isUnknown ? { text: LEFT_UNKNOWN, tone: "warn" } : undefined;
  const roles = kept.map(({ role, from, condition }) => {
    const under = condition?.expression ? ` if ${conditionText(condition)}` : "";
    return `${visible(role)} from ${visible(from)}${under}`;
  });
  const text = [...new Set(roles)].join(", ");
  if (isUnknown) return { text: `no direct access left; unknown whether it keeps ${text}`, tone: "warn" };
  return { text: `keeps ${text}`, tone: "soft" };
}

/** `no access left`, with what the review did not read. */
export function noAccessLeftOn({ api }: ReviewedResource): string {
  const owner = WITH_LISTS.get(api);
  return owner === undefined ? NO_ACCESS_LEFT : `${NO_ACCESS_LEFT} (the access list of the ${owner} was not read)`;
}
