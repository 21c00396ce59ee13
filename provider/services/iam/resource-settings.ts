/**
 * What the discovery documents do not say of the kinds of resources with an access policy. An API without a row has the
 * defaults of `parentOf`.
 */
export interface KindSettings {
  /** The prefix of the permissions on it: `pubsub.topics`. Default: the API and the collection. */
  readonly permissionPrefix?: string;
  /** The predefined roles that can change its policy. Default: `roles/{api}.admin`. */
  readonly adminRoles?: readonly string[];
  /** Whether only the host of its location answers for it. */
  readonly isRegional?: boolean;
}

/** By API, or by API and template for one kind. The roles are from https://cloud.google.com/iam/docs/roles-permissions. */
export const KIND_SETTINGS: Readonly<Record<string, KindSettings>> = {
  // https://cloud.google.com/iam/docs/roles-permissions/accesscontextmanager
  accesscontextmanager: { adminRoles: ["roles/accesscontextmanager.policyAdmin"] },
  // https://cloud.google.com/vertex-ai/docs/general/locations: requests go to the host of the region.
  aiplatform: { isRegional: true },
  // https://cloud.google.com/iam/docs/roles-permissions/bigquery
  bigquery: { adminRoles: ["roles/bigquery.admin", "roles/bigquery.dataOwner"] },
  // https://cloud.google.com/iam/docs/roles-permissions/bigtable
  bigtableadmin: { adminRoles: ["roles/bigtable.admin"] },
  // https://cloud.google.com/iam/docs/roles-permissions/billing
  "cloudbilling billingAccounts/{billingAccount}": {
    permissionPrefix: "billing.accounts",
    adminRoles: ["roles/billing.admin"],
  },
  // https://cloud.google.com/iam/docs/roles-permissions/resourcemanager
  "cloudresourcemanager folders/{folder}": {
    permissionPrefix: "resourcemanager.folders",
    adminRoles: ["roles/resourcemanager.folderAdmin", "roles/resourcemanager.folderIamAdmin"],
  },
  "cloudresourcemanager organizations/{organization}": {
    permissionPrefix: "resourcemanager.organizations",
    adminRoles: ["roles/resourcemanager.organizationAdmin"],
  },
  "cloudresourcemanager projects/{project}": {
    permissionPrefix: "resourcemanager.projects",
    adminRoles: ["roles/resourcemanager.projectIamAdmin"],
  },
  "cloudresourcemanager tagKeys/{tagKey}": {
    permissionPrefix: "resourcemanager.tagKeys",
    adminRoles: ["roles/resourcemanager.tagAdmin"],
  },
  "cloudresourcemanager tagValues/{tagValue}": {
    permissionPrefix: "resourcemanager.tagValues",
    adminRoles: ["roles/resourcemanager.tagAdmin"],
  },
  // https://cloud.google.com/iam/docs/roles-permissions/iam
  "iam projects/{project}/serviceAccounts/{serviceAccount}": { adminRoles: ["roles/iam.serviceAccountAdmin"] },
  // https://cloud.google.com/secret-manager/regional-secrets/create-regional-secret: the host of the location.
  "secretmanager projects/{project}/locations/{location}/secrets/{secret}": { isRegional: true },
  // https://cloud.google.com/iam/docs/roles-permissions/spanner
  spanner: { adminRoles: ["roles/spanner.admin", "roles/spanner.databaseAdmin"] },
  // https://cloud.google.com/iam/docs/roles-permissions/storage
  "storage b/{bucket}": {
    permissionPrefix: "storage.buckets",
    adminRoles: ["roles/storage.admin", "roles/storage.legacyBucketOwner"],
  },
  "storage b/{bucket}/managedFolders/{managedFolder}": {
    permissionPrefix: "storage.managedFolders",
    adminRoles: ["roles/storage.admin", "roles/storage.folderAdmin"],
  },
  "storage b/{bucket}/o/{object}": {
    permissionPrefix: "storage.objects",
    adminRoles: ["roles/storage.admin", "roles/storage.objectAdmin", "roles/storage.legacyObjectOwner"],
  },
};
