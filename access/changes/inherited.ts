import type { Policy } from "../../provider/iam/policy";
import { RESOURCE_MANAGER } from "../../provider/core/services";
import { accessAt } from "../condition/expiry";
import { containersOf, resourceNamed } from "../plan/grant-kinds";
import { changeOf, policyOutcome } from "./outcome";
import { reviewedGrant, UNKNOWN_POLICY } from "../result/grants";
import { placeKey } from "../result/order";
import type { ReviewedResource } from "../result/result";
import { withArticle } from "../result/visible";
import type { Joined } from "./join";

/**
 * What has changed in the policies above resources: of a dataset, the project, folders, the organization. A policy is above
 * many resources, so each change is in an entry of its own for that policy, once, and not in each resource below. The policy
 * itself is unknown: an answer has only its grants that give access to the resources.
 */
export function changesAbove(pairs: Joined["pairs"]): ReviewedResource[] {
  const found = new Map<string, ReviewedResource>();
  for (const [now, then] of pairs) {
    for (const from of new Set([...originsOf(then), ...originsOf(now)])) {
      const place = placeAbove(now, from);
      const key = placeKey(place);
      const entry = found.get(key) ?? { ...place, isAbove: true, ...UNKNOWN_POLICY };
      found.set(key, withChanges(entry, from, then, now));
    }
  }
  return [...found.values()].filter(({ changes, unknown }) => changes.length + unknown.length > 0);
}

function originsOf({ inherited = [] }: ReviewedResource): string[] {
  return inherited.map(({ from }) => from);
}

/** @param from as `inherited` names it: `project demo-project`, `dataset clinic` */
function placeAbove(
  { resource, api, endpoint }: ReviewedResource,
  from: string,
): Pick<ReviewedResource, "resource" | "kind" | "api" | "endpoint"> {
  const [word = "", id = ""] = from.split(" ");
  const kind = withArticle(word);
  const at = (place: string | undefined) => (place === undefined ? {} : { endpoint: place });
  if (HIERARCHY.has(word)) {
    return { resource: `${word}s/${id}`, kind, api: RESOURCE_MANAGER.api, ...at(cloudOf(endpoint)) };
  }
  const container = containersOf(resourceNamed(resource)).find(({ label }) => label === from);
  return { resource: container?.resource ?? from, kind: container?.kind.kind ?? kind, api, ...at(endpoint) };
}

const HIERARCHY = new Set(["project", "folder", "organization"]);

/** The origin of another cloud's address: its APIs have one, with different paths. */
function cloudOf(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined || new URL(endpoint).hostname.endsWith(".googleapis.com")) return undefined;
  return `${new URL(endpoint).origin}/`;
}

/** Adds the changes that a resource shows. Several resources below one policy show the same change. */
function withChanges(
  entry: ReviewedResource,
  from: string,
  then: ReviewedResource,
  now: ReviewedResource,
): ReviewedResource {
  const before = shownBy(then, from);
  const after = shownBy(now, from);
  const isActive = accessAt();
  const outcome = policyOutcome(
    // A grant that has expired is still there, and answers do not show it.
    policyOf(before.filter((each) => isActive({ ...each, member: each.principal }) && !isUnread(now, each))),
    policyOf(after.filter((each) => !isUnread(then, each))),
  );
  const changes = [...entry.changes];
  for (const change of outcome.changes.map((change) => changeOf(change, reviewedGrant))) {
    if (!changes.some((each) => JSON.stringify(each) === JSON.stringify(change))) changes.push(change);
  }
  const messages = [
    ...(before.some((each) => isUnread(now, each)) ? [unknownSince("this answer")] : []),
    ...(after.some((each) => isUnread(then, each)) ? [unknownSince("the earlier answer")] : []),
  ];
  const unknown = [...new Set([...entry.unknown.map(({ message }) => message), ...messages])].map((message) => {
    return { code: "unreadable policy", message } as const;
  });
  return { ...entry, changes, unknown };
}

function unknownSince(answer: string): string {
  return `It is unknown whether access from here has changed: ${answer} could not read all of it.`;
}

type Inherited = NonNullable<ReviewedResource["inherited"]>[number];

function shownBy({ inherited = [] }: ReviewedResource, from: string): Inherited[] {
  return inherited.filter((each) => each.from === from);
}

/** Whether an answer could not read the policy that a grant is in, or whether the role gives access. */
function isUnread({ unreadAbove = [] }: ReviewedResource, { from, role }: Inherited): boolean {
  const [word = ""] = from.split(" ");
  return unreadAbove.some(
    (each) =>
      each === from ||
      each === `role ${role}` ||
      // Nothing above was read.
      (each === "project" && HIERARCHY.has(word)) ||
      (each.startsWith("what is above ") && HIERARCHY.has(word) && word !== "project"),
  );
}

function policyOf(grants: readonly Inherited[]): Policy {
  return {
    bindings: grants.map(({ principal, role, condition }) => ({
      role,
      members: [principal],
      ...(condition ? { condition } : {}),
    })),
  };
}
