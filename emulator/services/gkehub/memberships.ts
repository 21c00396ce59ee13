import { newUid } from "../ids";
import type { ResourceType } from "../resource-type";
import { gkehub } from "./api";
import { readyDefaults, STATES } from "./scopes";

/** Clusters of a fleet, as records: nothing is connected to. */
export const memberships: ResourceType = {
  apis: gkehub,
  collection: "projects.locations.memberships",
  schema: "Membership",
  permissions: "gkehub.memberships",
  defaults: (_name, now) => ({ uniqueId: newUid(), createTime: now, updateTime: now, state: { code: "READY" } }),
  states: STATES,
};

/** Which scopes a membership belongs to. */
export const membershipBindings: ResourceType = {
  apis: gkehub,
  collection: "projects.locations.memberships.bindings",
  schema: "MembershipBinding",
  permissions: "gkehub.membershipbindings",
  defaults: readyDefaults,
  states: STATES,
};
