import { withArticle } from "../../provider/core/nouns";
import { getOrCompute } from "../../provider/core/once";
import { RESOURCE_MANAGER } from "../../provider/core/services";
import { accessAt } from "../condition/expiry";
import { containersOf, labelOf, resourceNamed } from "../meaning/grant-kinds";
import { answeredDifferences } from "./differences";
import { bindingOf, keyOfChange, UNKNOWN_POLICY } from "../result/grants";
import { groupedBy, placeKey } from "../result/order";
import type { AccessChanged, ReviewedResource } from "../result/result";
import type { Joined } from "./join";

/**
 * What has changed in the policies above resources: of a dataset, the project, folders, the organization. A policy is above
 * many resources, so each change is in an entry of its own for that policy, once, and not in each resource below. The policy
 * itself is unknown: an answer has only its grants that give access to the resources.
 */
export function changesAbove(pairs: Joined["pairs"]): ReviewedResource[] {
  const found = new Map<string, Found>();
  for (const [now, then] of pairs) {
    const [before, after] = [then, now].map(({ inherited = [] }) => groupedBy(inherited, ({ from }) => from));
    for (const from of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
      const place = placeAbove(now, from);
      const none = (): Found => ({ place, seen: new Set(), changes: new Map(), messages: new Set() });
      const shown = { then: before?.get(from) ?? [], now: after?.get(from) ?? [] };
      addChanges(getOrCompute(found, placeKey(place), none), shown, { then, now });
    }
  }
  return [...found.values()].flatMap(({ place, changes, messages }): ReviewedResource[] => {
    if (changes.size + messages.size === 0) return [];
    const unknown = [...messages].map((message) => ({ code: "unreadable policy", message }) as const);
    return [{ ...place, isAbove: true, ...UNKNOWN_POLICY, changes: [...changes.values()], unknown }];
  });
}

/** What several resources below one policy show of it. Most show the same. */
interface Found {
  place: ReturnType<typeof placeAbove>;
  /** What was compared already. */
  seen: Set<string>;
  changes: Map<string, AccessChanged>;
  messages: Set<string>;
}

/** Two answers about one resource. */
interface Both<T> {
  then: T;
  now: T;
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
  const container = containersOf(resourceNamed(resource)).find((each) => labelOf(each) === from);
  return { resource: container?.resource ?? from, kind: container?.kind.kind ?? kind, api, ...at(endpoint) };
}

const HIERARCHY = new Set(["project", "folder", "organization"]);

/** The origin of another cloud's address: its APIs have one, with different paths. */
function cloudOf(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined || new URL(endpoint).hostname.endsWith(".googleapis.com")) return undefined;
  return `${new URL(endpoint).origin}/`;
}

/** Adds the changes of a policy that a resource shows. */
function addChanges(
  { place, seen, changes, messages }: Found,
  shown: Both<Inherited[]>,
  answers: Both<ReviewedResource>,
): void {
  const unread = new Set(shown.then.filter((each) => isUnread(answers.now, each)));
  const unreadThen = new Set(shown.now.filter((each) => isUnread(answers.then, each)));
  if (unread.size > 0) messages.add(unknownSince("this answer"));
  if (unreadThen.size > 0) messages.add(unknownSince("the earlier answer"));
  const isActive = accessAt();
  // The policy still has grants that have expired, and answers leave them out.
  const before = shown.then.filter((each) => isActive({ ...each, member: each.principal }) && !unread.has(each));
  const after = shown.now.filter((each) => !unreadThen.has(each));
  const key = JSON.stringify([before, after]);
  if (seen.has(key)) return;
  seen.add(key);
  const found = answeredDifferences(before.map(bindingOf), after.map(bindingOf));
  for (const each of found.changes) changes.set(keyOfChange(place, each), each);
}

function unknownSince(answer: string): string {
  return `It is unknown whether access from here has changed: ${answer} could not read all of it.`;
}

type Inherited = NonNullable<ReviewedResource["inherited"]>[number];

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
