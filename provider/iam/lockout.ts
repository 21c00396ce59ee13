import { RefusedError } from "../core/errors";
import { sameMember } from "./member";
import { grantsOf, type Grant, type Policy } from "./policy";

/** Roles of every service that can change a policy; each kind of resource adds its own. */
const ALWAYS = ["roles/owner", "roles/iam.securityAdmin"];

/** Who can change the policy of one kind of resource, and what a change of it may not take from them. */
export interface PolicyAdmins {
  /** Predefined roles with the permission to set the policy. Custom roles cannot be told from outside. */
  roles: readonly string[];
  /** The caller as a member, where the credentials say who that is. */
  caller?: string;
  /** Set for a change that replaces the whole policy, and so may take from others. */
  replaces?: {
    /** Whether the stack itself made a grant: what is its own, it may take away. */
    isOwn(grant: Grant): boolean;
  };
}

/**
 * Why a change is refused; undefined where it is not. Refused is what takes away
 *  1. the provider's own way in: its identity is known and holds a role on the resource that can change the policy;
 *  2. the last administrator on the resource from others, which only a change that replaces the policy can.
 *
 * Access inherited from the project is not seen from here.
 */
export function lockOut(
  resource: string,
  before: Policy,
  after: Policy,
  admins: PolicyAdmins,
): RefusedError | undefined {
  const [had, has] = [administratorsOf(before, admins), administratorsOf(after, admins)];
  const { caller, replaces } = admins;
  const refused = `Refused to change the access policy of ${resource}`;
  const allow = "perimeter:allowLockout to true if that is meant";
  const advice = replaces ? `Set perimeter:grantMode to merge to keep what is there, or ${allow}` : `Set ${allow}`;
  const holdsIt = (grants: Grant[]) => caller !== undefined && grants.some((grant) => sameMember(grant.member, caller));
  if (holdsIt(had) && !holdsIt(has)) {
    return new RefusedError(
      `${refused}: the provider's own identity would lose its role on it that can change the policy. ${advice}`,
    );
  }
  const ofOthers = replaces ? had.filter((grant) => !replaces.isOwn(grant)) : [];
  if (ofOthers.length > 0 && has.length === 0) {
    const roles = [...new Set(ofOthers.map((grant) => grant.role))].join(", ");
    return new RefusedError(
      `${refused}: nobody would be left with a role on it that can change the policy again (${roles}, now held ` +
        `${ofOthers.length === 1 ? "once" : `${ofOthers.length} times`}). ${advice}`,
    );
  }
  return undefined;
}

/** True where a change takes away the last administrator on the resource, whoever made that grant. */
export function leavesNoAdministrator(before: Policy, after: Policy, admins: PolicyAdmins): boolean {
  return administratorsOf(before, admins).length > 0 && administratorsOf(after, admins).length === 0;
}

/** Who can change the policy at any time: no deleted identity can, and nobody whose role depends on a condition. */
function administratorsOf({ bindings = [] }: Policy, { roles }: PolicyAdmins): Grant[] {
  const ofAdmins = bindings.filter(
    ({ role = "", condition }) => condition === undefined && (ALWAYS.includes(role) || roles.includes(role)),
  );
  return grantsOf({ bindings: ofAdmins }).filter(({ member }) => !member.startsWith("deleted:"));
}

/** A service without support for policy version 3 answers conditions as part of the role's name. */
const HIDDEN_CONDITION = /_withcond_[0-9a-f]{20}$/;

/** Why a policy that was read must not be written back: its conditions would be lost. */
export function hiddenConditions(resource: string, read: Policy): RefusedError | undefined {
  const hidden = (read.bindings ?? []).filter((binding) => HIDDEN_CONDITION.test(binding.role ?? ""));
  if (hidden.length === 0) return undefined;
  return new RefusedError(
    `Refused to change the access policy of ${resource}: the API answered it without the conditions of ${hidden.length} ` +
      "binding(s), and writing it back would drop them for good",
  );
}
