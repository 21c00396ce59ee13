import { accessChange, bindingKey, grantKey, type Grant } from "../../provider/iam/policy";
import { sameName, withProject } from "../../provider/core/reference";
import { getOrCompute } from "../../provider/core/once";
import type { AccessPolicies } from "../live/access-policies";
import type { AccessPolicy } from "../live/access-policy";
import { shownPlace } from "../live/reviewed-resource";
import { ownershipOf } from "../plan/grant-steps";
import type { HiddenValues } from "../plan/hidden-values";
import { keyOfGrant, reviewedGrant, UNKNOWN_POLICY } from "../result/grants";
import { groupedBy, placeKey } from "../result/order";
import { GCP } from "../result/packages";
import type { AccessChanged, ReviewedResource, Uncertainty } from "../result/result";
import { mayBeOne, type Declaration } from "./owners";
import type { Tasks } from "./tasks";

/** What a step of a stack takes out of an access policy. */
export interface Taking {
  urn: string;
  /** The policy, as in a declaration. */
  anyProject: string;
  anyCloud: string;
  name: string;
  place: Pick<ReviewedResource, "resource" | "kind" | "api" | "endpoint" | "otherProvider">;
  /** The grants that are lost by the update of this stack alone, by their keys. */
  lost: ReadonlyMap<string, Grant>;
  /** The keys of all grants that it removes, and of the roles of which it removes all members. */
  removes: ReadonlySet<string>;
  roles: ReadonlySet<string>;
  /** Whether it removes the whole policy, as the delete of its resource does. */
  isWhole: boolean;
  /** Where the policy or the list is not read, so that it is unknown what else it removes: the keys of the grants that it keeps. */
  keeps?: ReadonlySet<string>;
  /** What it does, as an unknown fact has it. */
  digest?: Uncertainty["digest"];
  /** Whether it deletes what contains other resources. */
  isContainer?: boolean;
}

/** A step of one stack that takes what another stack declares. */
export interface Taken<By = Taking, From = Declaration> {
  by: By;
  from: From;
  /** Those that are lost, whatever the order of the updates is. */
  lost: Grant[];
  /**
   * What is unknown: the other stack writes what this one removes, so that the order decides; or whether this one removes it, perhaps with
   * what contains it.
   */
  doubt?: "order" | "unread" | "container";
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
      anyCloud: policy.anyCloudKey,
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
  const byPolicy = groupedBy(declarations, ({ anyCloud }) => anyCloud);
  const ofContainers = takings.some(({ isContainer }) => isContainer)
    ? withinOf(declarations)
    : new Map<string, From[]>();
  return takings.flatMap((by) => {
    if (by.isContainer) {
      const within = (ofContainers.get(withProject(by.name, "")) ?? []).filter((from) => isOfOther(by, from));
      return within
        .filter((from) => sameName(by.name, from.name.split("/").slice(0, by.name.split("/").length).join("/")))
        .map((from): Taken<By, From> => ({ by, from, lost: [], doubt: "container" }));
    }
    return (byPolicy.get(by.anyCloud) ?? []).flatMap((from): Taken<By, From>[] => {
      if (!isOfOther(by, from) || !mayBeOne(by, from)) return [];
      const grants = [...from.grants];
      const isOwned = by.isWhole ? grants.length > 0 : [...from.roles.keys()].some((key) => by.roles.has(key));
      if (from.isWritten) {
        const isRace = isOwned || grants.some((key) => by.removes.has(key));
        return isRace ? [{ by, from, lost: [], doubt: "order" }] : [];
      }
      const lost = grants.flatMap((key) => by.lost.get(key) ?? []);
      if (lost.length > 0) return [{ by, from, lost }];
      const { keeps } = by;
      const mayGo = keeps && isOwned && !grants.every((key) => keeps.has(key));
      return mayGo ? [{ by, from, lost, doubt: "unread" }] : [];
    });
  });
}

/** What is declared in each container, by its name with any project. */
function withinOf<From extends Declaration>(declarations: readonly From[]): Map<string, From[]> {
  const all = declarations.flatMap((from) => {
    const parts = from.name.split("/");
    return parts.slice(1, -1).map((_part, at) => ({ from, container: parts.slice(0, at + 2).join("/") }));
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
