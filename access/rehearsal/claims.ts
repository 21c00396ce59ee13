import { accessChange, bindingKey, grantKey, type Grant } from "../../provider/iam/policy";
import { getOrCompute } from "../../provider/core/once";
import type { AccessPolicies } from "../live/access-policies";
import type { AccessPolicy } from "../live/access-policy";
import type { StackClouds } from "../live/clouds";
import { shownPlace } from "../live/reviewed-resource";
import { grantKindOf } from "../meaning/grant-kinds";
import { hasGrantMode, ownershipOf } from "../plan/steps";
import type { HiddenValues } from "../plan/hidden-values";
import type { PlannedGrant } from "../plan/planned-grant";
import { compareBy, groupedBy } from "../result/order";
import { GCP } from "../result/packages";
import type { ReviewedResource, Uncertainty } from "../result/result";
import type { Tasks } from "./tasks";

/** What one stack claims of policies and access lists: what its resources declare, and what its steps take out of them. */

/** What a resource of a stack claims of an access policy. */
export interface Claim {
  urn: string;
  /** The policy without the project, and the name of the resource with it: an id and a number may be one project. */
  anyProject: string;
  /** The same without the cloud. Both are equal where nothing says which cloud it is in. */
  anyCloud: string;
  name: string;
  /** Of an access list: as such, or as the part of an access policy that shows it. */
  list?: "itself" | "in policy";
  /** The stack, in a review of several. */
  label?: string;
}

/** What a resource declares in a policy after the update. */
export interface Declaration extends Claim {
  /** Identifies the policy. */
  policy: string;
  /** The name of the resource with the policy, in answers. */
  resource: string;
  owns: ReturnType<typeof ownershipOf>;
  /** Whether it belongs to another provider. */
  isOther: boolean;
  /** The roles with their conditions. */
  roles: ReadonlyMap<string, string>;
  grants: ReadonlySet<string>;
  /** Whether the update writes it. */
  isWritten: boolean;
}

/** What a step takes out of a policy. */
export interface Taking extends Claim {
  place: Pick<ReviewedResource, "resource" | "kind" | "api" | "endpoint" | "otherProvider">;
  /** The grants that are lost by the update of this stack alone, by their keys. */
  lost: ReadonlyMap<string, Grant>;
  /** The keys of all grants that it removes, and of the roles of which it removes all members. */
  removes: ReadonlySet<string>;
  roles: ReadonlySet<string>;
  /** Whether it removes the whole policy, as the delete of its resource does. */
  isWhole: boolean;
  /** Where the policy or the list is not read, so that it is unknown what else it removes: the keys of the grants that it keeps. */
  keeps?: Pick<ReadonlySet<string>, "has">;
  /** What it does, as an unknown fact has it. */
  digest?: Uncertainty["digest"];
  /** Whether it takes from all that is in the resource: it deletes that, or it takes what it does not keep. */
  isContainer?: boolean;
}

/** What a resource takes from everybody whom it does not name; in the grant mode `replace`, the whole policy. */
export function ownedBy({ step }: PlannedGrant, clouds: StackClouds): Declaration["owns"] {
  if (!hasGrantMode(step)) return ownershipOf(step);
  const { service } = grantKindOf(step.token).definition;
  const { grantMode } = clouds.of(step).grantSettings(service);
  return grantMode.value === "replace" ? "policy" : ownershipOf(step);
}

export function declarationsOf({ inOrder }: Tasks, policies: AccessPolicies): Declaration[] {
  const all = inOrder.flatMap(({ op, step, wanted }): Declaration[] => {
    const policy = wanted && policies.of(wanted);
    if (!wanted || !policy) return [];
    return [
      {
        ...claimOn(policy, step.urn),
        policy: policy.key,
        resource: policy.resource,
        owns: ownedBy(wanted, policies.clouds),
        isOther: wanted.step.form !== undefined,
        roles: new Map(wanted.grants.map((grant) => [bindingKey(grant), grant.role])),
        grants: new Set(wanted.grants.map(grantKey)),
        isWritten: op !== "same" && op !== "left out",
      },
    ];
  });
  // The engine lists steps of independent resources in any order.
  return all.sort(compareBy(({ urn }) => [urn]));
}

/** Of the steps that delete, and of those by which a grant is lost, such as the update of a binding. */
export function takingsOf({ inOrder }: Tasks, policies: AccessPolicies, hidden: HiddenValues): Taking[] {
  const goes = inOrder.flatMap(({ old, step, removal }) => {
    const policy = removal === "never" ? undefined : old && policies.of(old);
    return old && policy ? [{ policy, old, urn: step.urn }] : [];
  });
  const removing = groupedBy(goes, ({ policy, urn }) => keyOf(policy, urn));
  const tasks = new Set(inOrder.map(({ step }) => step.urn));
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
      ...claimOn(policy, urn),
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

function claimOn({ anyProjectKey: anyProject, anyCloudKey: anyCloud, name }: AccessPolicy, urn: string): Claim {
  return { urn, anyProject, anyCloud, name };
}

function keyOf({ key }: AccessPolicy, urn: string): string {
  return JSON.stringify([key, urn]);
}
