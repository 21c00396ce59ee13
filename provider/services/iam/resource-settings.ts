/**
 * What the discovery documents do not say of the kinds of resources with an access policy. An API without a row has the
 * defaults of `parentOf`.
 */
export interface KindSettings {
  /**
   * The prefix of the permissions on it: `pubsub.topics`; null if Google's documents have no permission to change its policy: then
   * the provider tests none. Default: the API and the collection.
   */
  readonly permissionPrefix?: string | null;
  /** The predefined roles that can change its policy. Default: `roles/{api}.admin`. */
  readonly adminRoles?: readonly string[];
  /** Whether only the host of its location answers for it. */
  readonly isRegional?: boolean;
}

/**
 * Kinds whose policy an API can set, though Google's documents name no permission for it. The role Security Admin, which can "get
 * and set any IAM policy", has none: https://cloud.google.com/iam/docs/roles-permissions/iam#iam.securityAdmin
 */
const WITHOUT_KNOWN_PERMISSION = `
agentidentity projects/{project}/locations/{location}/authProviders/{authProvider}/authorizations/{authorization}
agentregistry projects/{project}/locations/{location}/aiApplications/{aiApplication}
aiplatform projects/{project}/locations/{location}/agents/{agent}
aiplatform projects/{project}/locations/{location}/datasets/{dataset}
aiplatform projects/{project}/locations/{location}/models/{model}
apigeeregistry projects/{project}/locations/{location}/apis/{api}/deployments/{deployment}
apigeeregistry projects/{project}/locations/{location}/documents
apigeeregistry projects/{project}/locations/{location}/instances/{instance}
apigeeregistry projects/{project}/locations/{location}/runtime
beyondcorp projects/{project}/locations/{location}/applicationDomains/{applicationDomain}
beyondcorp projects/{project}/locations/{location}/applications/{application}
biglake projects/{project}/catalogs/{catalog}/namespaces/{namespace}/views/{view}
bigqueryreservation projects/{project}/locations/{location}/reservations/{reservation}/assignments/{assignment}
cloudiot projects/{project}/locations/{location}/registries/{registry}/groups/{group}
compute projects/{project}/global/interconnectAttachmentGroups/{interconnectAttachmentGroup}
compute projects/{project}/global/interconnectGroups/{interconnectGroup}
compute projects/{project}/global/interconnects/{interconnect}
compute projects/{project}/regions/{region}/interconnectAttachments/{interconnectAttachment}
compute projects/{project}/zones/{zone}/reservations/{reservation}
compute projects/{project}/zones/{zone}/reservations/{reservation}/reservationBlocks/{reservationBlock}
compute projects/{project}/zones/{zone}/reservations/{reservation}/reservationBlocks/{reservationBlock}/reservationSubBlocks/{reservationSubBlock}
connectors projects/{project}/locations/{location}/providers/{provider}
datacatalog projects/{project}/locations/{location}/taxonomies/{taxonomy}/policyTags/{policyTag}
datamigration projects/{project}/locations/{location}/migrationJobs/{migrationJob}/objects/{object}
dataplex organizations/{organization}/locations/{location}/encryptionConfigs/{encryptionConfig}
dataplex projects/{project}/locations/{location}/agentTasks/{agentTask}
dataplex projects/{project}/locations/{location}/glossaries/{glossary}/categories/{category}
dataplex projects/{project}/locations/{location}/glossaries/{glossary}/terms/{term}
dataplex projects/{project}/locations/{location}/governanceRules/{governanceRule}
gameservices projects/{project}/locations/{location}/gameServerDeployments/{gameServerDeployment}
gkebackup projects/{project}/locations/{location}/backupPlans/{backupPlan}/backups/{backup}
gkebackup projects/{project}/locations/{location}/backupPlans/{backupPlan}/backups/{backup}/volumeBackups/{volumeBackup}
gkebackup projects/{project}/locations/{location}/restorePlans/{restorePlan}/restores/{restore}
gkebackup projects/{project}/locations/{location}/restorePlans/{restorePlan}/restores/{restore}/volumeRestores/{volumeRestore}
healthcare projects/{project}/locations/{location}/datasets/{dataset}/dataMapperWorkspaces/{dataMapperWorkspace}
iam locations/{location}/workforcePools/{workforcePool}/providers/{provider}/scimTenants/{scimTenant}
networkservices projects/{project}/locations/{location}/edgeCacheKeysets/{edgeCacheKeyset}
networkservices projects/{project}/locations/{location}/edgeCacheOrigins/{edgeCacheOrigin}
networkservices projects/{project}/locations/{location}/edgeCacheServices/{edgeCacheService}
servicedirectory projects/{project}/locations/{location}/namespaces/{namespace}/workloads/{workload}
servicemanagement services/{service}/consumers/{consumer}
`;

/**
 * By API, or by API and template for one kind. The roles and the permissions are from
 * https://cloud.google.com/iam/docs/roles-permissions; the role Security Admin there has the permissions of all APIs.
 */
export const KIND_SETTINGS: Readonly<Record<string, KindSettings>> = {
  ...Object.fromEntries(
    WITHOUT_KNOWN_PERMISSION.trim()
      .split("\n")
      .map((kind) => [kind, { permissionPrefix: null }]),
  ),
  // https://cloud.google.com/iam/docs/roles-permissions/accesscontextmanager
  accesscontextmanager: {
    permissionPrefix: "accesscontextmanager.policies",
    adminRoles: ["roles/accesscontextmanager.policyAdmin"],
  },
  // https://cloud.google.com/vertex-ai/docs/general/locations: requests go to the host of the region.
  aiplatform: { isRegional: true },
  // https://cloud.google.com/iam/docs/roles-permissions/apigateway
  "apigateway projects/{project}/locations/{location}/apis/{api}/configs/{config}": {
    permissionPrefix: "apigateway.apiconfigs",
  },
  // https://cloud.google.com/iam/docs/roles-permissions/beyondcorp
  "beyondcorp projects/{project}/locations/{location}/securityGateways/{securityGateway}/applications/{application}": {
    permissionPrefix: "beyondcorp.sgApplications",
  },
  // https://cloud.google.com/iam/docs/roles-permissions/bigquery
  bigquery: { adminRoles: ["roles/bigquery.admin", "roles/bigquery.dataOwner"] },
  bigqueryconnection: {
    permissionPrefix: "bigquery.connections",
    adminRoles: ["roles/bigquery.admin", "roles/bigquery.connectionAdmin"],
  },
  bigquerydatapolicy: { permissionPrefix: "bigquery.dataPolicies" },
  "bigqueryreservation projects/{project}/locations/{location}/reservations/{reservation}": {
    permissionPrefix: "bigquery.reservations",
  },
  // https://cloud.google.com/iam/docs/roles-permissions/bigtable
  bigtableadmin: { adminRoles: ["roles/bigtable.admin"] },
  // https://cloud.google.com/iam/docs/roles-permissions/billing
  "cloudbilling billingAccounts/{billingAccount}": {
    permissionPrefix: "billing.accounts",
    adminRoles: ["roles/billing.admin"],
  },
  // https://cloud.google.com/iam/docs/roles-permissions/cloudkms
  "cloudkms projects/{project}/locations/{location}/ekmConfig": { permissionPrefix: "cloudkms.ekmConfigs" },
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
  // https://cloud.google.com/iam/docs/roles-permissions/compute
  "compute projects/{project}/regions/{region}/backendBuckets/{backendBucket}": {
    permissionPrefix: "compute.regionBackendBuckets",
  },
  "compute projects/{project}/regions/{region}/backendServices/{backendService}": {
    permissionPrefix: "compute.regionBackendServices",
  },
  "compute projects/{project}/regions/{region}/firewallPolicies/{firewallPolicy}": {
    permissionPrefix: "compute.regionFirewallPolicies",
  },
  "compute projects/{project}/regions/{region}/sslPolicies/{sslPolicy}": {
    permissionPrefix: "compute.regionSslPolicies",
  },
  // https://cloud.google.com/iam/docs/roles-permissions/datamigration
  "datamigration projects/{project}/locations/{location}/connectionProfiles/{connectionProfile}": {
    permissionPrefix: "datamigration.connectionprofiles",
  },
  "datamigration projects/{project}/locations/{location}/conversionWorkspaces/{conversionWorkspace}": {
    permissionPrefix: "datamigration.conversionworkspaces",
  },
  "datamigration projects/{project}/locations/{location}/privateConnections/{privateConnection}": {
    permissionPrefix: "datamigration.privateconnections",
  },
  // https://cloud.google.com/iam/docs/roles-permissions/dataplex
  "dataplex projects/{project}/locations/{location}/dataScans/{dataScan}": { permissionPrefix: "dataplex.datascans" },
  "dataplex projects/{project}/locations/{location}/dataTaxonomies/{dataTaxonomy}/attributes/{attribute}": {
    permissionPrefix: "dataplex.dataAttributes",
  },
  // https://cloud.google.com/iam/docs/roles-permissions/iam
  "iam projects/{project}/serviceAccounts/{serviceAccount}": { adminRoles: ["roles/iam.serviceAccountAdmin"] },
  "iam locations/{location}/workforcePools/{workforcePool}": { permissionPrefix: "iam.googleapis.com/workforcePools" },
  "iam projects/{project}/locations/{location}/workloadIdentityPools/{workloadIdentityPool}": {
    permissionPrefix: "iam.googleapis.com/workloadIdentityPools",
  },
  // https://cloud.google.com/iap/docs/managing-access: the permissions on each form of a name. Other forms are not there.
  iap: { permissionPrefix: null },
  "iap projects/{project}/iap_web": { permissionPrefix: "iap.web" },
  "iap projects/{project}/iap_web/{type}": { permissionPrefix: "iap.webTypes" },
  "iap projects/{project}/iap_web/{type}/services/{service}": { permissionPrefix: "iap.webServices" },
  "iap projects/{project}/iap_web/{type}/services/{service}/versions/{version}": {
    permissionPrefix: "iap.webServiceVersions",
  },
  "iap projects/{project}/iap_tunnel": { permissionPrefix: "iap.tunnel" },
  "iap projects/{project}/iap_tunnel/zones/{zone}": { permissionPrefix: "iap.tunnelZones" },
  "iap projects/{project}/iap_tunnel/zones/{zone}/instances/{instance}": { permissionPrefix: "iap.tunnelInstances" },
  "iap projects/{project}/iap_tunnel/locations/{location}": { permissionPrefix: "iap.tunnelLocations" },
  "iap projects/{project}/iap_tunnel/locations/{location}/destGroups/{destGroup}": {
    permissionPrefix: "iap.tunnelDestGroups",
  },
  // https://cloud.google.com/iam/docs/roles-permissions/networkmanagement
  "networkmanagement projects/{project}/locations/global/connectivityTests/{connectivityTest}": {
    permissionPrefix: "networkmanagement.connectivitytests",
  },
  // https://cloud.google.com/iam/docs/roles-permissions/run
  "run projects/{project}/locations/{location}/workerPools/{workerPool}": { permissionPrefix: "run.workerpools" },
  // https://cloud.google.com/secret-manager/regional-secrets/create-regional-secret: the host of the location.
  "secretmanager projects/{project}/locations/{location}/secrets/{secret}": { isRegional: true },
  // https://cloud.google.com/iam/docs/roles-permissions/source
  sourcerepo: { permissionPrefix: "source.repos", adminRoles: ["roles/source.admin"] },
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
