import type { ServiceModule } from "../context";
import { policyMethods } from "../iam/methods";
import {
  choice,
  duration,
  int32,
  labels,
  list,
  message,
  nested,
  oneof,
  output,
  required,
  struct,
  text,
  timestamp,
} from "../messages/schema";
import { getResource } from "./resources";

const path = "projects/{project}/locations/{location}/migrationJobs/{migrationJob}";
const proto = "google.cloud.clouddms.v1beta1";

// The second line of values has those that only v1 documents (wire reference, section 7). A seed may use them, to show a
// client a value that it does not know.
const database = message(`${proto}.DatabaseType`, {
  provider: choice(`${proto}.DatabaseProvider`, [
    ...["DATABASE_PROVIDER_UNSPECIFIED", "CLOUDSQL", "RDS"],
    ...["AURORA", "ALLOYDB", "AZURE_DATABASE"],
  ]),
  engine: choice(`${proto}.DatabaseEngine`, [
    ...["DATABASE_ENGINE_UNSPECIFIED", "MYSQL"],
    ...["POSTGRESQL", "SQLSERVER", "ORACLE"],
  ]),
});

const status = message("google.rpc.Status", { code: int32, message: text, details: list(struct) });

const migrationJob = message(`${proto}.MigrationJob`, {
  name: text,
  createTime: output(timestamp),
  updateTime: output(timestamp),
  endTime: output(timestamp),
  duration: output(duration),
  error: output(nested(status)),
  phase: output(
    choice(`${proto}.MigrationJob.Phase`, [
      ...["PHASE_UNSPECIFIED", "FULL_DUMP", "CDC", "PROMOTE_IN_PROGRESS"],
      ...["WAITING_FOR_SOURCE_WRITES_TO_STOP", "PREPARING_THE_DUMP", "READY_FOR_PROMOTE"],
    ]),
  ),
  labels,
  displayName: text,
  state: choice(`${proto}.MigrationJob.State`, [
    ...["STATE_UNSPECIFIED", "MAINTENANCE", "DRAFT", "CREATING", "NOT_STARTED", "RUNNING", "FAILED", "COMPLETED"],
    ...["DELETING", "STOPPING", "STOPPED", "DELETED", "UPDATING", "STARTING", "RESTARTING", "RESUMING"],
  ]),
  type: required(choice(`${proto}.MigrationJob.Type`, ["TYPE_UNSPECIFIED", "ONE_TIME", "CONTINUOUS"])),
  dumpPath: text,
  source: required(text),
  destination: required(text),
  sourceDatabase: nested(database),
  destinationDatabase: nested(database),
  reverseSshConnectivity: oneof(
    "connectivity",
    nested(
      message(`${proto}.ReverseSshConnectivity`, {
        vmIp: required(text),
        vmPort: required(int32),
        vm: text,
        vpc: text,
      }),
    ),
  ),
  vpcPeeringConnectivity: oneof("connectivity", nested(message(`${proto}.VpcPeeringConnectivity`, { vpc: text }))),
  staticIpConnectivity: oneof("connectivity", nested(message(`${proto}.StaticIpConnectivity`, {}))),
});

/** datamigration v1beta1 (wire reference, section 7). */
export const datamigration: ServiceModule = {
  methods: [
    {
      id: "datamigration.projects.locations.migrationJobs.get",
      service: "datamigration",
      verb: "GET",
      version: "v1beta1",
      path,
      response: migrationJob,
      permission: "datamigration.migrationjobs.get",
      handler: getResource,
    },
    ...policyMethods({
      service: "datamigration",
      version: "v1beta1",
      path,
      methodPrefix: "datamigration.projects.locations.migrationJobs",
      // Lower-case j, unlike the URL.
      permissionPrefix: "datamigration.migrationjobs",
    }),
  ],
  resourceTypes: [
    {
      service: "datamigration",
      path,
      message: migrationJob,
      policy: true,
      defaults: (_name, now) => ({ createTime: now, updateTime: now, state: "DRAFT" }),
    },
  ],
};
