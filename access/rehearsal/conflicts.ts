import type { Grant } from "../../provider/iam/policy";
import { sameName, withProject } from "../../provider/core/reference";
import { keyOfGrant, reviewedGrant, UNKNOWN_POLICY } from "../result/grants";
import { groupedBy, placeKey } from "../result/order";
import type { AccessChanged, ReviewedResource, Uncertainty } from "../result/result";
import { shortNameOf, typeIn } from "../result/urn";
import type { Claim, Declaration, Taking } from "./claims";

/** Claims that exclude each other: of resources of one stack, and of several stacks. */

/** An owner, which removes from a policy all grants that it does not declare, and the declarations of grants that it removes. */
interface Conflict {
  owner: Declaration;
  others: readonly Declaration[];
}

/**
 * Warnings about roles that two resources declare, one of which owns the role and belongs to another provider: each update of
 * the owner takes the role from all that it does not name. (This provider refuses two owners among its own resources.)
 */
export function ownerNotes(declarations: readonly Declaration[]): string[] {
  return conflictsAmong(declarations, (one, other) => one.isOther || other.isOther).map(
    (conflict) => `${ownerSentence(conflict)}. Declare it in one place`,
  );
}

/**
 * The conflicts between declarations in the same policy. Two owners of one role are one conflict.
 *
 * @param counts whether a conflict of these two is wanted
 */
export function conflictsAmong(
  declarations: readonly Declaration[],
  counts: (owner: Declaration, other: Declaration) => boolean,
): Conflict[] {
  return [...groupedBy(declarations, ({ anyCloud }) => anyCloud).values()].flatMap((all) =>
    all.flatMap((owner) => {
      const others = all.filter((other) => isConflict(owner, other) && counts(owner, other));
      return others.length === 0 ? [] : [{ owner, others }];
    }),
  );
}

/** Whether two policies or lists may be one. */
function mayBeOne(one: Claim, other: Claim): boolean {
  // Two of one list meet there.
  if (one.list === "in policy" && other.list === "in policy") return false;
  const isOfAnyCloud = [one, other].some(({ anyProject, anyCloud }) => anyProject === anyCloud);
  const isOne = isOfAnyCloud ? one.anyCloud === other.anyCloud : one.anyProject === other.anyProject;
  return isOne && sameName(one.name, other.name);
}

function isConflict(owner: Declaration, other: Declaration): boolean {
  if (owner === other || owner.owns === "nothing" || !mayBeOne(owner, other)) return false;
  // A pair of owners is named once.
  if (owner.owns === other.owns && owner.urn > other.urn) return false;
  return owner.owns === "policy" || sharedRoles(owner, other).length > 0;
}

function sharedRoles(owner: Declaration, other: Declaration): string[] {
  return [...owner.roles].filter(([key]) => other.roles.has(key)).map(([, role]) => role);
}

function ownerSentence({ owner, others }: Conflict): string {
  const roles = [...new Set(others.flatMap((other) => sharedRoles(owner, other)))];
  const what = owner.owns === "policy" ? "the whole access policy" : roles.join(", ");
  return (
    `${nameOf(owner)} owns ${what} of ${owner.resource}, and ${others.map(nameOf).join(", ")} also ${others.length === 1 ? "writes" : "write"} it: ` +
    `each update of ${shortNameOf(owner.urn)} removes what it does not name`
  );
}

/** The name of a resource, with its stack among several. */
function nameOf({ urn, label }: Claim): string {
  return label === undefined ? `${shortNameOf(urn)} (${typeIn(urn)})` : `${shortNameOf(urn)} of ${label}`;
}

/**
 * What the updates of several stacks do to one policy or one access list.
 *
 * @returns by stack: what depends on the order of the updates or is not read, and what another stack takes from it
 */
export function acrossStacks(
  all: ReadonlyArray<{ label: string; declared: readonly Declaration[]; takes: readonly Taking[] }>,
): { notes: string[]; unknown: Map<string, Uncertainty[]>; taken: Map<string, Taken[]> } {
  const declared = all.flatMap(({ label, declared }) => declared.map((each) => ({ ...each, label })));
  const takings = all.flatMap(({ label, takes }) => takes.map((each) => ({ ...each, label })));
  const areOfTwo = (one: Claim, other: Claim) => one.label !== other.label;
  const conflicts = conflictsAmong(declared, areOfTwo);
  const takes = takenAmong(takings, declared, areOfTwo);
  const unknown = [
    ...conflicts.flatMap(({ owner, others }) => {
      const racing = others.filter(({ isWritten }) => isWritten);
      if (!owner.isWritten || racing.length === 0) return [];
      const what = `${nameOf(owner)} removes all that it does not name, ${racing.map(nameOf).join(", ")} writes there, too`;
      return [doubtOn(owner, "no order", `${what}, and the last update decides`)];
    }),
    ...takes.flatMap(({ by, from, doubt }) => {
      if (doubt === undefined) return [];
      if (doubt === "order") {
        const what = `${nameOf(by)} removes what ${nameOf(from)} writes, and the last update decides`;
        return [doubtOn(from, "no order", what)];
      }
      if (doubt === "container") {
        return [doubtOn(from, "deleted resource", `${nameOf(by)} deletes ${by.name}, which contains it`)];
      }
      const { label, fact } = doubtOn(
        from,
        "other provider",
        `${nameOf(by)} changes or deletes all of which ${nameOf(from)} declares a part`,
      );
      return [
        { label, fact: { ...fact, type: typeIn(from.urn), ...(by.digest !== undefined && { digest: by.digest }) } },
      ];
    }),
  ];
  const notes = [
    ...takes
      .filter(({ doubt }) => doubt === undefined)
      .map(
        ({ by, from }) =>
          `${nameOf(by)} removes from ${from.resource} what ${nameOf(from)} declares: the grant is lost until the other stack is refreshed`,
      ),
    ...conflicts.map((conflict) => `${ownerSentence(conflict)}. Declare it in one stack`),
    ...sharedGrants(declared),
  ];
  const byStack = groupedBy(unknown, ({ label }) => label);
  return {
    notes,
    unknown: new Map([...byStack].map(([label, each]) => [label, each.map(({ fact }) => fact)])),
    taken: groupedBy(takes, ({ from: { label = "" } }) => label),
  };
}

function doubtOn(
  { urn, label = "", resource }: Declaration,
  code: "no order" | "other provider" | "deleted resource",
  what: string,
): { label: string; fact: Uncertainty } {
  const message = `It is unknown who has access to ${resource} after the updates of both stacks: ${what}`;
  return { label, fact: { code, message, step: urn } };
}

/** Two stacks that declare the same grant: what one of them removes, the other one has in its state. */
function sharedGrants(declared: readonly Declaration[]): string[] {
  const grants = declared.flatMap((by) => [...by.grants].map((grant) => ({ by, key: `${by.policy} ${grant}` })));
  const byGrant = [...groupedBy(grants, ({ key }) => key).values()].map((each) => each.map(({ by }) => by));
  const shared = byGrant.filter((each) => new Set(each.map(({ label }) => label)).size > 1);
  const sentences = shared.map((each) => {
    const who = each.map(nameOf).join(" and ");
    return `${who} declare the same grant on ${each[0]?.resource ?? ""}: when one stack removes it, the other loses it, too`;
  });
  return [...new Set(sentences)];
}

/** A step of one stack that takes what another stack declares. */
interface Taken {
  by: Taking;
  from: Declaration;
  /** Those that are lost, whatever the order of the updates is. */
  lost: Grant[];
  /**
   * What is unknown: the other stack writes what this one removes, so that the order decides; or whether this one removes it, perhaps with
   * what contains it.
   */
  doubt?: "order" | "unread" | "container";
}

/** @param isOfOther whether they are of two stacks */
export function takenAmong(
  takings: readonly Taking[],
  declarations: readonly Declaration[],
  isOfOther: (taking: Taking, declaration: Declaration) => boolean,
): Taken[] {
  const byPolicy = groupedBy(declarations, ({ anyCloud }) => anyCloud);
  const ofContainers = takings.some(({ isContainer }) => isContainer)
    ? withinOf(declarations)
    : new Map<string, Declaration[]>();
  return takings.flatMap((by) => {
    if (by.isContainer) {
      const within = (ofContainers.get(withProject(by.name, "")) ?? []).filter((from) => isOfOther(by, from));
      const { keeps } = by;
      return within
        .filter((from) => (keeps ? from.list === by.list && losesAny(from, keeps) : from.list !== "in policy"))
        .filter((from) => sameName(by.name, from.name.split("/").slice(0, by.name.split("/").length).join("/")))
        .map((from): Taken => ({ by, from, lost: [], doubt: keeps ? "unread" : "container" }));
    }
    return (byPolicy.get(by.anyCloud) ?? []).flatMap((from): Taken[] => {
      if (!isOfOther(by, from) || !mayBeOne(by, from)) return [];
      const grants = [...from.grants];
      const isOwned = by.isWhole ? grants.length > 0 : [...from.roles.keys()].some((key) => by.roles.has(key));
      const mayGo = isOwned && (by.keeps === undefined || losesAny(from, by.keeps));
      if (from.isWritten) {
        const isRace = mayGo || grants.some((key) => by.removes.has(key));
        return isRace ? [{ by, from, lost: [], doubt: "order" }] : [];
      }
      const lost = grants.flatMap((key) => by.lost.get(key) ?? []);
      if (lost.length > 0) return [{ by, from, lost }];
      return mayGo && by.keeps ? [{ by, from, lost, doubt: "unread" }] : [];
    });
  });
}

function losesAny({ grants }: Declaration, keeps: NonNullable<Taking["keeps"]>): boolean {
  return [...grants].some((key) => !keeps.has(key));
}

/** What is declared in each container, by its name with any project; of a project also on itself, because its own policy is not read. */
function withinOf(declarations: readonly Declaration[]): Map<string, Declaration[]> {
  const all = declarations.flatMap((from) => {
    const parts = from.name.split("/");
    const isProject = parts.length === 2 && parts[0] === "projects";
    return parts
      .slice(1, isProject ? undefined : -1)
      .map((_part, at) => ({ from, container: parts.slice(0, at + 2).join("/") }));
  });
  const found = groupedBy(all, ({ container }) => withProject(container, ""));
  return new Map([...found].map(([container, each]) => [container, each.map(({ from }) => from)]));
}

/** The resources of a stack with the losses that the updates of other stacks bring. */
export function withTaken(resources: readonly ReviewedResource[], taken: readonly Taken[]): ReviewedResource[] {
  const found = new Map(resources.map((each) => [placeKey(each), each]));
  for (const { by, lost } of taken.filter((each) => each.lost.length > 0)) {
    const key = placeKey(by.place);
    const known = found.get(key) ?? { ...by.place, ...UNKNOWN_POLICY };
    const isKnown = (grant: AccessChanged) =>
      known.changes.some((each) => each.change === "lost" && keyOfGrant(each) === keyOfGrant(grant));
    const changes = lost
      .map((grant): AccessChanged => ({
        ...reviewedGrant(grant),
        change: "lost",
        steps: [by.urn],
        wasManaged: true,
      }))
      .filter((each) => !isKnown(each));
    found.set(key, { ...known, changes: [...known.changes, ...changes] });
  }
  return [...found.values()];
}
