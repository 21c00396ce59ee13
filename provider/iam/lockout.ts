import { RefusedError } from "../core/errors";
import { sameMember } from "./member";
import { grantsOf, type Grant, type Policy } from "./policy";

/**
 * Roles that can change the policy of a resource of any service; each kind of resource adds its own. Sources:
 * https://cloud.google.com/iam/docs/roles-overview#basic ("owner" manages roles and permissions) and
 * https://cloud.google.com/iam/docs/roles-permissions/iam#iam.securityAdmin ("to get and set any IAM policy").
 */
const ADMIN_ROLES_OF_ALL_SERVICES = ["roles/owner", "roles/iam.securityAdmin"];

/** Who can change the policy of one kind of resource, and what a change of it may not take from them. */
export interface PolicyAdmins {
  /** Predefined roles with the permission to set the policy. What a custom role permits, a policy does not tell. */
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
 * Refuses a change that would lock somebody out; undefined where it may be made. Refused is what takes away
 *  1. the provider's own way in: its identity is known and holds a role on the resource that can change the policy;
 *  2. the last administrator on the resource from others, which only a change that replaces the policy can.
 *
 * Access that is inherited from the project is not in this policy, and does not count.
 */
export function lockOutRefusal(
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
  const includesCaller = (grants: Grant[]) =>
    caller !== undefined && grants.some((grant) => sameMember(grant.member, caller));
  if (includesCaller(had) && !includesCaller(has)) {
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

/**
 * The grants whose members can change the policy at any time. Grants under a condition are left out, since it may not
 * hold when it matters, and so are deleted identities.
 */
function administratorsOf({ bindings = [] }: Policy, { roles }: PolicyAdmins): Grant[] {
  const adminRoles = [...ADMIN_ROLES_OF_ALL_SERVICES, ...roles];
  const ofAdmins = bindings.filter(({ role = "", condition }) => condition === undefined && adminRoles.includes(role));
  return grantsOf({ bindings: ofAdmins }).filter(({ member }) => !member.startsWith("deleted:"));
}
