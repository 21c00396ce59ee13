import type { ResourceType } from "../resource-type";
import { gkehub } from "./api";
import { readyDefaults, STATES } from "./scopes";

export const roleBindings: ResourceType = {
  apis: gkehub,
  collection: "projects.locations.scopes.rbacrolebindings",
  schema: "RBACRoleBinding",
  permissions: "gkehub.rbacrolebindings",
  defaults: readyDefaults,
  states: STATES,
};
