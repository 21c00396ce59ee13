import { RefusedError } from "../core/errors";
import { sameMember } from "./member";
import { grantsOf, type Grant, type Policy } from "./policy";

/**
 * Roles that can change the policy of a resource of any service. Each kind of resource adds its own roles. Sources:
 * https://cloud.google.com/iam/docs/roles-overview#basic ("owner" manages roles and permissions) and
 * https://cloud.google.com/iam/docs/roles-permissions/iam#iam.securityAdmin ("to get and set any IAM policy").
 */
export const ADMIN_ROLES_OF_ALL_SERVICES = ["roles/owner", "roles/iam.securityAdmin"];

/** The administrators of one kind of resource, whose access a change of the policy must not remove. */
export interface PolicyAdmins {
  /** Predefined roles with the permission to set the policy. A policy does not show the permissions of a custom role. */
  roles: readonly string[];
  /** The provider's own identity as a member, if the credentials contain it. */
  caller?: string;
  /** Set for a change that replaces the whole policy, and so may remove access of others. */
  replaces?: {
    /** Whether a grant belongs to the stack. The stack may remove its own grants. */
    isOwn(grant: Grant): boolean;
    /** How to keep the grants that the change removes. Default: another grant mode. */
    advice?: string;
  };
}

/**
 * Refuses a change that would lock somebody out, and returns undefined for other changes. It refuses changes that remove
 *  1. the provider's own access: its identity is known, and has a role on the resource that can change the policy;
 *  2. the last administrator on the resource that others granted. Only a change that replaces the policy can do that.
 *
 * Access that is inherited from the project does not count, because it is not in this policy.
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
  const allow = "perimeter:allowLockout to true to allow this change";
  const keep = replaces?.advice ?? "Set perimeter:grantMode to merge to keep the other grants";
  const explicit = "An explicit provider takes these settings as its arguments";
  const advice = `${replaces ? `${keep}, or ${allow}` : `Set ${allow}`}. ${explicit}`;
  const includesCaller = (grants: Grant[]) =>
    caller !== undefined && grants.some((grant) => sameMember(grant.member, caller));
  if (includesCaller(had) && !includesCaller(has)) {
    return new RefusedError(
      `${refused}: the provider's own identity would lose its last role that can change the policy. ${advice}`,
    );
  }
  const ofOthers = replaces ? had.filter((grant) => !replaces.isOwn(grant)) : [];
  if (ofOthers.length > 0 && has.length === 0) {
    const roles = [...new Set(ofOthers.map((grant) => grant.role))].join(", ");
    return new RefusedError(
      `${refused}: no identity would keep a role that can change the policy again (${roles}, now held ` +
        `${ofOthers.length === 1 ? "once" : `${ofOthers.length} times`}). ${advice}`,
    );
  }
  return undefined;
}

/**
 * The warning about a change that `lockOutRefusal` allows: it removes the last administrator on the resource, regardless of who made
 * that grant. Undefined for other changes.
 */
export function lockOutWarning(
  resource: string,
  before: Policy,
  after: Policy,
  admins: PolicyAdmins,
): string | undefined {
  const isLast = administratorsOf(before, admins).length > 0 && administratorsOf(after, admins).length === 0;
  if (!isLast) return undefined;
  return (
    `This change leaves no identity with a role on ${resource} that can change its access policy. Administrators of the ` +
    "project, the folder or the organization above it can still change it"
  );
}

/** Whether a project or an organization defines the role. */
export function isCustomRole(role: string): boolean {
  return /^(projects|organizations)\/[^/]+\/roles\//.test(role);
}

/**
 * The grants whose members can change the policy at any time. Grants with a condition do not count, because the condition may be
 * false later. Deleted identities do not count either.
 */
function administratorsOf({ bindings = [] }: Policy, { roles }: PolicyAdmins): Grant[] {
  const adminRoles = [...ADMIN_ROLES_OF_ALL_SERVICES, ...roles];
  const counted = bindings.filter(({ role = "", condition }) => condition === undefined && adminRoles.includes(role));
  return grantsOf({ bindings: counted }).filter(({ member }) => !member.startsWith("deleted:"));
}
