import { accessChange, bindingKey, grantKey, type Grant } from "../../provider/iam/policy";
import { sameName, withProject } from "../../provider/core/reference";
import { getOrCompute } from "../../provider/core/once";
import type { AccessPolicies } from "../live/access-policies";
import type { AccessPolicy } from "../live/access-policy";
import { shownPlace } from "../live/reviewed-resource";
import { placeOfForeign, type DeclaredEntry, type ForeignStep } from "../plan/foreign-steps";
import { ownershipOf } from "../plan/grant-steps";
import type { HiddenValues } from "../plan/hidden-values";
import { keyOfEntry, listOfEntry } from "../plan/repeated-entries";
import { keyOfGrant, reviewedGrant, UNKNOWN_POLICY } from "../result/grants";
import { groupedBy, placeKey } from "../result/order";
import { GCP } from "../result/packages";
import type { AccessChanged, ReviewedResource } from "../result/result";
import { apiOfType } from "../meaning/api-names";
import type { DeletedResources } from "./deleted-resources";
import type { Declaration } from "./owners";
import type { Tasks } from "./tasks";

/** What a step of a stack takes out of an access policy. */
export interface Taking {
  urn: string;
  /** The policy, as in a declaration. */
  anyProject: string;
  name: string;
  place: Pick<ReviewedResource, "resource" | "kind" | "api" | "endpoint" | "otherProvider">;
  /** The grants that are lost by the update of this stack alone, by their keys. */
  lost: ReadonlyMap<string, Grant>;
  /** The keys of all grants that it removes, and of the roles of which it removes all members. */
  removes: ReadonlySet<string>;
  roles: ReadonlySet<string>;
  /** Whether it removes the whole policy, as the delete of its resource does. */
  isWhole: boolean;
  /** Whether it is unknown what it removes: it changes an access list, which is not read. */
  isUnread?: boolean;
}

/** A step of one stack that takes what another stack declares. */
export interface Taken<By = Taking, From = Declaration> {
  by: By;
  from: From;
  /** Those that are lost, whatever the order of the updates is. */
  lost: Grant[];
  /** What is unknown: the other stack writes what this one removes, so that the order decides; or whether this one removes it. */
  doubt?: "order" | "unread";
}

/** Of the steps that delete, and of those by which a grant is lost, such as the update of a binding. */
export function takingsOf({ inOrder }: Tasks, policies: AccessPolicies, hidden: HiddenValues): Taking[] {
  const goes = inOrder.flatMap(({ old, step, removal }) => {
    const policy = removal === "never" ? undefined : old && policies.of(old);
    return old && policy ? [{ policy, old, urn: step.step.urn }] : [];
  });
  const removing = groupedBy(goes, ({ policy, urn }) => keyOf(policy, urn));
  const tasks = new Set(inOrder.map(({ step }) => step.step.urn));
  const found = new Map<string, { policy: AccessPolicy; urn: string; lost: Map<string, Grant> }>();
  for (const { policy, urn } of goes) found.set(keyOf(policy, urn), { policy, urn, lost: new Map() });
  for (const policy of policies.all()) {
    for (const grant of lostIn(policy)) {
      for (const urn of policy.about(grant).removers) {
        const taking = getOrCompute(found, keyOf(policy, urn), () => ({ policy, urn, lost: new Map<string, Grant>() }));
        taking.lost.set(grantKey(grant), grant);
      }
    }
  }
  return [...found].map(([key, { policy, urn, lost }]) => {
    const gone = (removing.get(key) ?? []).map(({ old }) => old);
    const owners = gone.filter(({ step }) => step.form !== undefined);
    const goneGrants = gone.flatMap(({ grants }) => grants).filter((grant) => !policy.about(grant).isDeclared);
    return {
      urn,
      anyProject: policy.anyProjectKey,
      name: policy.name,
      place: shownPlace(policy.place, hidden),
      lost,
      removes: new Set([...lost.keys(), ...goneGrants.map(grantKey)]),
      roles: new Set(
        owners.flatMap(({ step, grants }) => (ownershipOf(step) === "role" ? grants.map(bindingKey) : [])),
      ),
      // google-native leaves a policy when it deletes it.
      isWhole: !tasks.has(urn) || owners.some(({ step }) => ownershipOf(step) === "policy" && step.front === GCP),
    };
  });
}

/** Those that declare entries of access lists, in the form of grants in a policy. */
export function declaredInLists(entries: readonly DeclaredEntry[]): Declaration[] {
  return entries.map(({ step, isWritten, grant, ...of }) => ({
    ...listKeys(listOfEntry({ ...of, step }), of.resource),
    urn: step.urn,
    resource: of.resource,
    owns: "nothing",
    isOther: true,
    roles: new Map(),
    grants: new Set([keyOfEntry(of, grant)]),
    isWritten,
  }));
}

/** Those that remove entries from access lists, or change a whole list. */
export function takenFromLists(foreign: readonly ForeignStep[]): Taking[] {
  return foreign
    .filter(({ kind, step }) => (kind.isEntry && !kind.isRemoval) || (kind.isList && step.op !== "create"))
    .flatMap((each): Taking[] => {
      const gone = each.changes.filter(({ change, hidden }) => change === "lost" && hidden === undefined);
      const isEntry = each.kind.isEntry === true;
      if (isEntry && gone.length === 0) return [];
      const lost = new Map(isEntry ? gone.map((change) => [keyOfEntry(each, change), grantOf(change)]) : []);
      return [listTaking(each.step.urn, listOfEntry(each), placeOfForeign(each), lost)];
    });
}

/** The deletes of resources with access lists, which go with them. */
export function takenWithResources(deleted: DeletedResources): Taking[] {
  return deleted.withLists.flatMap(({ urn, provider: { type }, names }) =>
    names.flatMap((name) =>
      ["bucket", "defaultobject", "dataset"].map((list) => {
        const resource = name.replace(/^\/\/storage\.[^/]+\/projects\/_\/buckets\//, "b/");
        const place = { resource, kind: `a ${list.replace("defaultobject", "bucket")}`, api: apiOfType(type) };
        return listTaking(urn, list, place, new Map());
      }),
    ),
  );
}

/** @param lost empty for a whole list */
function listTaking(urn: string, list: string, place: Taking["place"], lost: ReadonlyMap<string, Grant>): Taking {
  const { policy: _, ...keys } = listKeys(list, place.resource);
  const isWhole = lost.size === 0;
  const removes = new Set(lost.keys());
  return { ...keys, urn, place, lost, removes, roles: new Set(), isWhole, ...(isWhole && { isUnread: true }) };
}

function listKeys(list: string, name: string): Pick<Declaration, "policy" | "anyProject" | "name"> {
  const key = (of: string) => JSON.stringify(["list", list, of]);
  return { policy: key(name), anyProject: key(withProject(name, "")), name };
}

function grantOf({ principal, role, condition }: AccessChanged): Grant {
  return { member: principal, role, ...(condition && { condition }) };
}

/** The grants that are lost, as a whole: `outcome` takes a grant with another condition for one that is kept. */
function lostIn({ before, after, outcome }: AccessPolicy): Grant[] {
  if (before && after) return accessChange(before, after).lost;
  return outcome.changes.flatMap(({ change, grant }) => (change === "lost" ? [grant] : []));
}

function keyOf({ key }: AccessPolicy, urn: string): string {
  return JSON.stringify([key, urn]);
}

/** @param isOfOther whether they are of two stacks */
export function takenAmong<By extends Taking, From extends Declaration>(
  takings: readonly By[],
  declarations: readonly From[],
  isOfOther: (taking: By, declaration: From) => boolean,
): Taken<By, From>[] {
  const byPolicy = groupedBy(declarations, ({ anyProject }) => anyProject);
  return takings.flatMap((by) =>
    (byPolicy.get(by.anyProject) ?? []).flatMap((from): Taken<By, From>[] => {
      if (!isOfOther(by, from) || !sameName(by.name, from.name)) return [];
      if (!from.isWritten) {
        const lost = [...from.grants].flatMap((key) => by.lost.get(key) ?? []);
        return lost.length > 0 ? [{ by, from, lost }] : by.isUnread ? [{ by, from, lost, doubt: "unread" }] : [];
      }
      const isRace =
        (by.isWhole && from.grants.size > 0) ||
        [...from.grants].some((key) => by.removes.has(key)) ||
        [...from.roles.keys()].some((key) => by.roles.has(key));
      return isRace ? [{ by, from, lost: [], doubt: "order" }] : [];
    }),
  );
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
