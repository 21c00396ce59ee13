import type { ResourceType } from "../resource-type";
import { datamigration } from "./api";

export const migrationJobs: ResourceType = {
  apis: datamigration,
  collection: "projects.locations.migrationJobs",
  schema: "MigrationJob",
  // Lower-case j, unlike the URL.
  permissions: "datamigration.migrationjobs",
  defaults: (_name, now) => ({ createTime: now, updateTime: now, state: "DRAFT" }),
  creating: () => ({ state: "NOT_STARTED" }),
  states: {
    creating: { state: "CREATING" },
    updating: { state: "UPDATING" },
    deleting: { state: "DELETING" },
    failed: { state: "FAILED" },
  },
  actions: {
    verify: {},
    demoteDestination: {},
    start: {
      from: ["NOT_STARTED", "DRAFT", "FAILED"],
      during: { state: "STARTING" },
      after: { state: "RUNNING", phase: "CDC" },
    },
    stop: { from: ["RUNNING"], during: { state: "STOPPING" }, after: { state: "STOPPED" } },
    resume: { from: ["STOPPED"], during: { state: "RESUMING" }, after: { state: "RUNNING" } },
    restart: {
      from: ["STOPPED", "FAILED", "COMPLETED", "NOT_STARTED"],
      during: { state: "RESTARTING" },
      after: { state: "RUNNING", phase: "FULL_DUMP" },
    },
    promote: {
      from: ["RUNNING"],
      during: { phase: "PROMOTE_IN_PROGRESS" },
      after: { state: "COMPLETED", phase: null },
    },
  },
};
