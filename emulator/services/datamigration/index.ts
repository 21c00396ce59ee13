import { Api, type ApiNotes } from "../../base/api";
import { isObject, type Json } from "../../base/json";
import { datamigrationV1 } from "../../base/generated/datamigration.v1";
import { datamigrationV1beta1 } from "../../base/generated/datamigration.v1beta1";
import { idOf, serve, type ResourceDeclaration } from "../resource-type";

const notes: ApiNotes = {
  title: "Database Migration API",
  package: "clouddms",
  messageName: (schema) => schema.replace(/^GoogleCloudClouddmsV1(beta1)?/, ""),
  anyRequestId: true,
  // The service changes the state of a resource; requests cannot set it.
  output: ["MigrationJob.state", "ConnectionProfile.state"],
  // gcloud sends an empty object if a profile has no certificates.
  optional: ["SslConfig.caCertificate"],
  oneof: {
    "MigrationJob.connectivity": ["reverseSshConnectivity", "vpcPeeringConnectivity", "staticIpConnectivity"],
    "ConnectionProfile.connectionProfile": ["mysql", "postgresql", "sqlserver", "oracle", "cloudsql", "alloydb"],
  },
};

const states = {
  creating: { state: "CREATING" },
  updating: { state: "UPDATING" },
  deleting: { state: "DELETING" },
  failed: { state: "FAILED" },
} as const;

const migrationJobs: ResourceDeclaration = {
  collection: "projects.locations.migrationJobs",
  schema: "MigrationJob",
  // The j is lower-case, unlike in the URL.
  permissions: "datamigration.migrationjobs",
  defaults: (_name, now) => ({ createTime: now, updateTime: now, state: "DRAFT" }),
  creating: () => ({ state: "NOT_STARTED" }),
  states,
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

const ENGINES = ["mysql", "postgresql", "sqlserver", "oracle", "alloydb"];

/** Responses have no password, but they say whether it is set. */
function withPasswordSet(engine: string, made: Json | undefined, sent: Json | undefined): Array<[string, Json]> {
  const isSet = isObject(sent) && sent.password !== undefined;
  return isObject(made) && isSet ? [[engine, { ...made, passwordSet: true }]] : [];
}

const connectionProfiles: ResourceDeclaration = {
  collection: "projects.locations.connectionProfiles",
  schema: "ConnectionProfile",
  permissions: "datamigration.connectionprofiles",
  defaults: (_name, now) => ({
    createTime: now,
    updateTime: now,
    state: "READY",
    satisfiesPzi: false,
    satisfiesPzs: false,
  }),
  creating: (body, { name, call }) => ({
    displayName: body.displayName ?? idOf(name),
    ...Object.fromEntries(ENGINES.flatMap((engine) => withPasswordSet(engine, body[engine], call.body[engine]))),
  }),
  states,
};

/** docs/wire.md section 7 */
export const datamigration = serve(
  [
    new Api(datamigrationV1beta1, notes),
    new Api(datamigrationV1, notes),
    // Its discovery document is not published. The messages of gcloud alpha are similar to v1beta1.
    new Api(datamigrationV1beta1, notes, "v1alpha2"),
  ],
  [migrationJobs, connectionProfiles],
);
