import type { ResourceType } from "../resource-type";
import { datamigration } from "./api";

export const connectionProfiles: ResourceType = {
  apis: datamigration,
  collection: "projects.locations.connectionProfiles",
  schema: "ConnectionProfile",
  permissions: "datamigration.connectionprofiles",
  defaults: (_name, now) => ({ createTime: now, updateTime: now, state: "READY" }),
  states: {
    creating: { state: "CREATING" },
    updating: { state: "UPDATING" },
    deleting: { state: "DELETING" },
    failed: { state: "FAILED" },
  },
};
