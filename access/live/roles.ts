import type { AccessFromAbove } from "../../provider/core/reference";
import { ADMIN_ROLES_OF_ALL_SERVICES, isCustomRole } from "../../provider/iam/lockout";

/**
 * Roles with permissions on the resources of every service (https://cloud.google.com/iam/docs/roles-overview#basic): the basic
 * roles with their older and their newer names; and those that can grant themselves a role on any resource.
 */
const ROLES_OF_ALL_SERVICES = new Set([
  ...["roles/owner", "roles/editor", "roles/viewer", "roles/admin", "roles/writer", "roles/reader"],
  ...ADMIN_ROLES_OF_ALL_SERVICES,
]);

/** Whether a role that is granted above a resource gives access to it. `unknown`: see `permissionsGiveAccess`. */
export function roleGivesAccess(role: string, above: AccessFromAbove): boolean | "unknown" {
  if (isCustomRole(role)) return "unknown";
  if (ROLES_OF_ALL_SERVICES.has(role)) return true;
  const { otherRoles, otherPermissions = [] } = above;
  // The roles of a service begin as its permissions do.
  if (!role.startsWith(`roles/${serviceIn(above)}.`) || otherRoles.some((each) => role.startsWith(each))) return false;
  return otherPermissions.length > 0 ? "unknown" : true;
}

/** Whether a role with these permissions gives access to the resource or to something in it. */
export function permissionsGiveAccess(held: readonly string[], above: AccessFromAbove): boolean {
  const { permissions, otherPermissions } = above;
  const isIn = (prefixes: readonly string[]) => (each: string) => prefixes.some((prefix) => each.startsWith(prefix));
  if (otherPermissions === undefined) return held.some(isIn(permissions));
  return held.filter(isIn([`${serviceIn(above)}.`])).some((each) => !isIn(otherPermissions)(each));
}

/** The first word of the permissions of a service. */
function serviceIn({ permissions: [first = ""] }: AccessFromAbove): string {
  return first.slice(0, first.indexOf("."));
}
