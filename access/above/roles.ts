import type { AccessFromAbove } from "../../provider/core/reference";
import { ADMIN_ROLES_OF_ALL_SERVICES } from "../../provider/iam/lockout";

/**
 * Roles with permissions on the resources of every service (https://cloud.google.com/iam/docs/roles-overview#basic): the basic
 * roles with their older and their newer names; and those that can grant themselves a role on any resource.
 */
const ROLES_OF_ALL_SERVICES = new Set([
  ...["roles/owner", "roles/editor", "roles/viewer", "roles/admin", "roles/writer", "roles/reader"],
  ...ADMIN_ROLES_OF_ALL_SERVICES,
]);

const CUSTOM = /^(projects|organizations)\/[^/]+\/roles\//;

/**
 * Whether a role that is granted above a resource gives access to it. `custom`: its permissions decide
 * (`permissionsGiveAccess`).
 */
export function roleGivesAccess(role: string, api: string, { otherRoles }: AccessFromAbove): boolean | "custom" {
  if (CUSTOM.test(role)) return "custom";
  if (ROLES_OF_ALL_SERVICES.has(role)) return true;
  return role.startsWith(`roles/${api}.`) && !otherRoles.some((each) => role.startsWith(each));
}

/** Whether one of the permissions is on the resource itself or on what it contains. */
export function permissionsGiveAccess(held: readonly string[], { permissions }: AccessFromAbove): boolean {
  return held.some((each) => permissions.some((prefix) => each.startsWith(prefix)));
}
