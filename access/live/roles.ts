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

/**
 * Whether a role that is granted above a resource gives access to it. `custom`: its permissions decide
 * (`permissionsGiveAccess`).
 */
export function roleGivesAccess(role: string, { otherRoles, permissions }: AccessFromAbove): boolean | "custom" {
  if (isCustomRole(role)) return "custom";
  if (ROLES_OF_ALL_SERVICES.has(role)) return true;
  // The roles of a service begin as its permissions do.
  const isOfService = permissions.some((prefix) => role.startsWith(`roles/${prefix.split(".")[0]}.`));
  return isOfService && !otherRoles.some((each) => role.startsWith(each));
}

/** Whether a custom role with these permissions gives access to the resource or to something in it. */
export function permissionsGiveAccess(held: readonly string[], { permissions }: AccessFromAbove): boolean {
  return held.some((each) => permissions.some((prefix) => each.startsWith(prefix)));
}
