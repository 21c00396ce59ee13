import { bindingKey, grantKey } from "../../provider/iam/policy";
import { sameName } from "../../provider/core/reference";
import { grantKindOf } from "../meaning/grant-kinds";
import { hasGrantMode, ownershipOf } from "../plan/grant-steps";
import type { StackClouds } from "../live/clouds";
import type { PlannedGrant } from "../plan/planned-grant";
import { shortNameOf, typeIn } from "../result/urn";
import type { AccessPolicies } from "../live/access-policies";
import { compareBy, groupedBy } from "../result/order";
import type { Tasks } from "./tasks";

/** What a resource of a stack declares in an access policy after the update. */
export interface Declaration {
  urn: string;
  /** Identifies the policy. */
  policy: string;
  /** The same without the project, and the name of the resource with it: an id and a number may be one project. */
  anyProject: string;
  /** The same without the cloud. Both are equal where nothing says which cloud it is in. */
  anyCloud: string;
  name: string;
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

/** A declaration that removes from the policy what it does not name, and the declarations of what it removes. */
interface Conflict<Each = Declaration> {
  owner: Each;
  others: readonly Each[];
}

/** What a resource takes from everybody whom it does not name; in the grant mode `replace`, the whole policy. */
export function ownedBy({ step }: PlannedGrant, clouds: StackClouds): Declaration["owns"] {
  if (!hasGrantMode(step)) return ownershipOf(step);
  const { service } = grantKindOf(step.token).definition;
  const { grantMode } = clouds.of(step.step).grantSettings(service);
  return grantMode.value === "replace" ? "policy" : ownershipOf(step);
}

export function declarationsOf({ inOrder }: Tasks, policies: AccessPolicies): Declaration[] {
  const all = inOrder.flatMap(({ op, step, wanted }): Declaration[] => {
    const policy = wanted && policies.of(wanted);
    if (!wanted || !policy) return [];
    return [
      {
        urn: step.step.urn,
        policy: policy.key,
        anyProject: policy.anyProjectKey,
        anyCloud: policy.anyCloudKey,
        name: policy.name,
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

/**
 * Warnings about roles that two resources declare, one of which owns the role and belongs to another provider: each update of
 * the owner takes the role from all that it does not name. (This provider refuses two owners among its own resources.)
 */
export function ownerNotes(declarations: readonly Declaration[]): string[] {
  return conflictsAmong(declarations, (one, other) => one.isOther || other.isOther).map((conflict) => {
    return `${ownerSentence(conflict, nameOf)}. Declare it in one place`;
  });
}

/**
 * The conflicts between declarations in the same policy. Two owners of one role are one conflict.
 *
 * @param counts whether a conflict of these two is wanted
 */
export function conflictsAmong<Each extends Declaration>(
  declarations: readonly Each[],
  counts: (owner: Each, other: Each) => boolean,
): Conflict<Each>[] {
  return [...groupedBy(declarations, ({ anyCloud }) => anyCloud).values()].flatMap((all) =>
    all.flatMap((owner) => {
      const others = all.filter((other) => isConflict(owner, other) && counts(owner, other));
      return others.length === 0 ? [] : [{ owner, others }];
    }),
  );
}

/** Whether two policies or lists may be one. */
export function mayBeOne(
  one: Pick<Declaration, "anyProject" | "anyCloud" | "name">,
  other: Pick<Declaration, "anyProject" | "anyCloud" | "name">,
): boolean {
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

/** @param named how a declaration is called */
export function ownerSentence<Each extends Declaration>(
  { owner, others }: Conflict<Each>,
  named: (declaration: Each) => string,
): string {
  const roles = [...new Set(others.flatMap((other) => sharedRoles(owner, other)))];
  const what = owner.owns === "policy" ? "the whole access policy" : roles.join(", ");
  return (
    `${named(owner)} owns ${what} of ${owner.resource}, and ${others.map(named).join(", ")} also ${others.length === 1 ? "writes" : "write"} it: ` +
    `each update of ${shortNameOf(owner.urn)} removes what it does not name`
  );
}

function nameOf({ urn }: Declaration): string {
  return `${shortNameOf(urn)} (${typeIn(urn)})`;
}
