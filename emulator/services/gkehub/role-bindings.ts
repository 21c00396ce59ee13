import type { ResourceKind } from "../kind";
import { gkehub } from "./api";
import { readyDefaults, STATES } from "./scopes";

export const roleBindings: ResourceKind = {
  apis: gkehub,
  collection: "projects.locations.scopes.rbacrolebindings",
  schema: "RBACRoleBinding",
  permissions: "gkehub.rbacrolebindings",
  defaults: readyDefaults,
  states: STATES,
};
