import { FLEET, inModule, type ForeignKind } from "../foreign-kind";
import {
  OF_APIGEE,
  OF_CLUSTER_ROLE,
  OF_DATASET,
  OF_DATA_POLICY,
  OF_DATA_PRODUCT,
  OF_GRANT,
  OF_KAFKA,
  OF_ROWS,
  OF_STORAGE_LIST,
} from "../members";

/** Access lists, their entries, and what else names members of its own beside the policies of IAM. */
export const LISTS: readonly ForeignKind[] = [
  {
    what: "a removed grant",
    source:
      "https://registry.terraform.io/providers/hashicorp/google/latest/docs/resources/google_project_iam_member_remove",
    types: ["gcp:projects/IamMemberRemove"],
    isRemoval: true,
    isEntry: true,
    members: OF_GRANT,
  },
  {
    what: "an entry of an access control list of Cloud Storage",
    source: "https://cloud.google.com/storage/docs/access-control/lists",
    types: [
      ...inModule("gcp:storage", "BucketAccessControl DefaultObjectAccessControl ObjectAccessControl"),
      ...inModule("google-native:storage", "BucketAccessControl DefaultObjectAccessControl ObjectAccessControl"),
    ],
    isEntry: true,
    // https://github.com/googleapis/google-cloud-cpp/pull/9077
    ifThere: "replaced",
    members: OF_GRANT,
  },
  {
    what: "an access control list of Cloud Storage",
    source: "https://cloud.google.com/storage/docs/access-control/lists",
    types: inModule("gcp:storage", "BucketACL DefaultObjectACL ObjectACL"),
    isList: true,
    members: OF_STORAGE_LIST,
  },
  {
    what: "an object or a bucket with an access control list",
    source: "https://cloud.google.com/storage/docs/access-control/lists#predefined-acl",
    types: ["gcp:storage/BucketObject", ...inModule("google-native:storage", "BucketObject Bucket")],
    inputs: ["predefinedAcl", "predefinedDefaultObjectAcl", "acl", "defaultObjectAcl"],
    isList: true,
    members: OF_STORAGE_LIST,
  },
  {
    what: "an entry of the access list of a BigQuery dataset",
    source: "https://cloud.google.com/bigquery/docs/control-access-to-resources-iam#grant_access_to_a_dataset",
    types: ["gcp:bigquery/DatasetAccess"],
    isEntry: true,
    // https://github.com/hashicorp/terraform-provider-google/issues/7659
    ifThere: "refused",
    members: OF_GRANT,
  },
  {
    what: "a BigQuery dataset with an access list",
    source: "https://cloud.google.com/bigquery/docs/control-access-to-resources-iam#grant_access_to_a_dataset",
    types: ["gcp:bigquery/Dataset", "google-native:bigquery/Dataset"],
    inputs: ["accesses", "access"],
    isList: true,
    hasAccessList: true,
    members: OF_DATASET,
  },
  {
    what: "a row access policy of BigQuery",
    source: "https://cloud.google.com/bigquery/docs/managing-row-level-security",
    types: ["gcp:bigquery/RowAccessPolicy"],
    members: OF_ROWS,
  },
  {
    what: "a role in clusters",
    source: FLEET,
    types: inModule("gcp:gkehub", "MembershipRbacRoleBinding ScopeRbacRoleBinding"),
    members: OF_CLUSTER_ROLE,
  },
  {
    what: "a data policy of BigQuery",
    source: "https://cloud.google.com/bigquery/docs/column-data-masking",
    types: [
      "gcp:bigquery/Datapolicyv2DataPolicy",
      "gcp:bigquerydatapolicy/DataPolicy",
      "google-native:bigquerydatapolicy/DataPolicy",
    ],
    members: OF_DATA_POLICY,
  },
  {
    what: "an access control list of a data service",
    source: "https://cloud.google.com/managed-service-for-apache-kafka/docs/kafka-acls/list-kafka-acls",
    types: [
      ...["gcp:managedkafka/Acl", "gcp:redis/ClusterAclPolicy", "gcp:memorystore/AclPolicy"],
      ...["gcp:discoveryengine/AclConfig", "google-native:discoveryengine/AclConfig"],
    ],
    members: OF_KAFKA,
  },
  {
    what: "the identities that Apigee trusts",
    source: "https://cloud.google.com/apigee/docs/hybrid/latest/synchronizer-access",
    types: inModule("gcp:apigee", "SyncAuthorization ControlPlaneAccess"),
    members: OF_APIGEE,
  },
  {
    what: "a data product with access groups",
    source: "https://cloud.google.com/dataplex/docs/data-products-overview",
    types: inModule("gcp:dataplex", "DataProduct DataAsset DataProductDataAsset"),
    inputs: ["accessGroups", "accessGroupConfigs"],
    isSetting: true,
    members: OF_DATA_PRODUCT,
  },
];
