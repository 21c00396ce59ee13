import type { ResourceType } from "../resource-type";
import { gkehub } from "./api";
import { readyDefaults, STATES } from "./scopes";

export const namespaces: ResourceType = {
  apis: gkehub,
  collection: "projects.locations.scopes.namespaces",
  schema: "Namespace",
  permissions: "gkehub.namespaces",
  defaults: (name, now) => ({ ...readyDefaults(name, now), scope: name.split("/").slice(0, 6).join("/") }),
  states: STATES,
};
