import { FLEET, inModule } from "../foreign-kind";

/** What the delete of a resource does beside deleting its own access policy. */

/** Types whose delete only removes the resource from the state: in the cloud, it stays with its access policy. */
export interface StayingType {
  /** Short forms. */
  types: readonly string[];
  /** The documentation of the type that says so. */
  source: string;
  /** Only the resources whose input has one of these values. */
  only?: { input: string; values: readonly string[] };
}

const GCP_DOCS = "https://www.pulumi.com/registry/packages/gcp/api-docs";
const NATIVE_DOCS = "https://www.pulumi.com/registry/packages/google-native/api-docs";

export const STAYING: readonly StayingType[] = [
  // Cloud KMS has methods that delete key rings and keys (https://cloud.google.com/kms/docs/delete-kms-resources). @pulumi/gcp 9.37.0,
  // the Terraform provider behind it and google-native 0.32.0 do not call them, as their documentation says.
  { types: ["gcp:kms/KeyRing"], source: `${GCP_DOCS}/kms/keyring` },
  { types: ["gcp:kms/CryptoKey"], source: `${GCP_DOCS}/kms/cryptokey` },
  { types: ["gcp:kms/KeyRingImportJob"], source: `${GCP_DOCS}/kms/keyringimportjob` },
  { types: ["gcp:kms/EkmConnection"], source: `${GCP_DOCS}/kms/ekmconnection` },
  { types: ["google-native:cloudkms/KeyRing"], source: `${NATIVE_DOCS}/cloudkms/v1/keyring` },
  { types: ["google-native:cloudkms/CryptoKey"], source: `${NATIVE_DOCS}/cloudkms/v1/cryptokey` },
  { types: ["google-native:cloudkms/ImportJob"], source: `${NATIVE_DOCS}/cloudkms/v1/importjob` },
  { types: ["google-native:cloudkms/EkmConnection"], source: `${NATIVE_DOCS}/cloudkms/v1/ekmconnection` },
  { types: ["gcp:billing/SubAccount"], source: `${GCP_DOCS}/billing/subaccount` },
  { types: ["google-native:cloudbilling/BillingAccount"], source: `${NATIVE_DOCS}/cloudbilling/v1/billingaccount` },
  {
    types: [
      ...inModule("gcp:logging", "ProjectBucketConfig FolderBucketConfig OrganizationBucketConfig"),
      "gcp:logging/BillingAccountBucketConfig",
    ],
    source: `${GCP_DOCS}/logging/projectbucketconfig`,
    only: { input: "bucketId", values: ["_Default", "_Required"] },
  },
];

/** A type whose resources are deleted with others in them that decide who has access. */
export interface ContainingType {
  /** Short forms. */
  types: readonly string[];
  /** Where the documentation says what is in them. */
  source: string;
  /** What is in the resources whose input has one of these values stays. */
  unless?: StayingType["only"];
}

/** Containers whose type alone says it: their name may be in no state, or what is in them has no access policy. */
export const CONTAINERS: readonly ContainingType[] = [
  {
    types: [
      ...inModule("gcp:logging", "ProjectBucketConfig FolderBucketConfig OrganizationBucketConfig"),
      "gcp:logging/BillingAccountBucketConfig",
      ...inModule("google-native:logging", "Bucket FolderBucket OrganizationBucket BillingAccountBucket"),
    ],
    source: "https://cloud.google.com/logging/docs/logs-views",
  },
  {
    types: ["gcp:workstations/WorkstationCluster", "google-native:workstations/WorkstationCluster"],
    // With `force`. Without it, the API refuses to delete a cluster that is not empty.
    source:
      "https://cloud.google.com/workstations/docs/reference/rest/v1/projects.locations.workstationClusters/delete",
  },
  {
    types: ["gcp:datafusion/Instance", "google-native:datafusion/Instance"],
    source: "https://cloud.google.com/data-fusion/docs/concepts/rbac-roles-and-permissions",
  },
  {
    types: ["gcp:apigee/Organization", "google-native:apigee/Organization"],
    source: "https://cloud.google.com/apigee/docs/reference/apis/apigee/rest/v1/organizations",
  },
  {
    types: ["gcp:managedkafka/Cluster"],
    source: "https://cloud.google.com/managed-service-for-apache-kafka/docs/kafka-acls/list-kafka-acls",
  },
  {
    types: ["gcp:sql/DatabaseInstance", "google-native:sqladmin/Instance"],
    source: "https://cloud.google.com/sql/docs/postgres/iam-authentication",
  },
  {
    types: ["gcp:alloydb/Cluster", "google-native:alloydb/Cluster"],
    source: "https://cloud.google.com/alloydb/docs/database-users/overview",
  },
  {
    types: ["gcp:firestore/Database", "google-native:firestore/Database"],
    source: "https://cloud.google.com/firestore/mongodb-compatibility/docs/connect",
  },
  {
    types: ["gcp:gkehub/Scope", "gcp:gkehub/Membership", ...inModule("google-native:gkehub", "Scope Membership")],
    source: FLEET,
  },
  {
    types: ["gcp:deploymentmanager/Deployment", "google-native:deploymentmanager/Deployment"],
    source: `${GCP_DOCS}/deploymentmanager/deployment`,
    unless: { input: "deletePolicy", values: ["ABANDON"] },
  },
];
