import { newUid } from "../ids";
import type { ResourceType } from "../resource-type";
import { gkehub } from "./api";
import { listMemberships } from "./bound-memberships";

/** The life of everything in gkehub that has a `state` with a `code`. */
export const STATES = {
  creating: { state: { code: "CREATING" } },
  updating: { state: { code: "UPDATING" } },
  deleting: { state: { code: "DELETING" } },
} as const;

export const readyDefaults: ResourceType["defaults"] = (_name, now) => ({
  uid: newUid(),
  createTime: now,
  updateTime: now,
  state: { code: "READY" },
});

export const scopes: ResourceType = {
  apis: gkehub,
  collection: "projects.locations.scopes",
  schema: "Scope",
  permissions: "gkehub.scopes",
  defaults: readyDefaults,
  states: STATES,
  methods: { listMemberships: { handler: listMemberships, permission: "listBoundMemberships" } },
};
