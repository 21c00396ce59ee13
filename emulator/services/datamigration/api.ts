import { Api } from "../../messages/api";
import { datamigrationV1 } from "../../messages/generated/datamigration.v1";
import { datamigrationV1beta1 } from "../../messages/generated/datamigration.v1beta1";

const corrections = {
  oneof: {
    "MigrationJob.connectivity": ["reverseSshConnectivity", "vpcPeeringConnectivity", "staticIpConnectivity"],
    "ConnectionProfile.connectionProfile": ["mysql", "postgresql", "sqlserver", "oracle", "cloudsql", "alloydb"],
  },
};

/** datamigration; v1beta1 is the one that Perimeter uses (wire reference, section 7). */
export const datamigration = [datamigrationV1beta1, datamigrationV1].map((each) => new Api(each, corrections));
