import { Api } from "../../messages/api";
import { datamigrationV1 } from "../../messages/generated/datamigration.v1";
import { datamigrationV1beta1 } from "../../messages/generated/datamigration.v1beta1";

const corrections = {
  // The service moves a resource through its states, whatever a request says.
  output: ["MigrationJob.state", "ConnectionProfile.state"],
  // gcloud sends an empty one where a profile has no certificates.
  optional: ["SslConfig.caCertificate"],
  oneof: {
    "MigrationJob.connectivity": ["reverseSshConnectivity", "vpcPeeringConnectivity", "staticIpConnectivity"],
    "ConnectionProfile.connectionProfile": ["mysql", "postgresql", "sqlserver", "oracle", "cloudsql", "alloydb"],
  },
};

/** datamigration; v1beta1 is the one that Perimeter uses (docs/wire.md section 7). */
export const datamigration = [
  ...[datamigrationV1beta1, datamigrationV1].map((each) => new Api(each, corrections)),
  // No document of it is published; gcloud alpha calls it with messages much like those of v1beta1.
  new Api(datamigrationV1beta1, corrections, "v1alpha2"),
];
