import { IAM, inModule, type ForeignKind } from "../foreign-kind";
import { OF_CLUSTER, OF_DATAPROC, OF_INSTANCE, OF_NOTEBOOK, OF_RUNTIME } from "../members";

/** The annotation of a service of Cloud Run that lets everyone call it. */
const INVOKER_CHECK = "run.googleapis.com/invoker-iam-disabled";
/** Of an instance for notebooks: whom its proxy lets in. */
const INSTANCE_METADATA = ["ssh-keys", "proxy-mode", "proxy-user-mail"];
const SSH_METADATA = ["ssh-keys", "sshKeys", "block-project-ssh-keys", "enable-oslogin", "serial-port-enable"];

/** Settings of resources that open or close access to them, and their moves to other places. */
export const SETTINGS: readonly ForeignKind[] = [
  {
    what: "an instance with metadata, in which SSH keys can be",
    source: "https://cloud.google.com/compute/docs/connect/add-ssh-keys#metadata",
    types: inModule("google-native:compute", "Instance InstanceTemplate"),
    inputs: [["metadata", "items"]],
    isSetting: true,
  },
  {
    what: "an instance with owners",
    source:
      "https://docs.cloud.google.com/gemini-enterprise-agent-platform/notebooks/workbench/instances/manage-access-jupyterlab",
    types: ["gcp:workbench/Instance", "gcp:notebooks/Instance", "google-native:notebooks/Instance"],
    inputs: [
      "instanceOwners",
      ...[["gceSetup", "metadata"], ["metadata"]].flatMap((path) => INSTANCE_METADATA.map((name) => [...path, name])),
    ],
    isSetting: true,
    members: OF_INSTANCE,
  },
  {
    what: "a runtime of a user",
    source: "https://cloud.google.com/colab/docs/create-runtime",
    types: ["gcp:colab/Runtime"],
    inputs: ["runtimeUser"],
    isSetting: true,
    members: OF_RUNTIME,
  },
  {
    what: "a notebook of one user",
    source: "https://cloud.google.com/vertex-ai/docs/workbench/reference/rest/v1/projects.locations.runtimes",
    types: ["gcp:notebooks/Runtime", "google-native:notebooks/Runtime"],
    inputs: ["accessConfig"],
    isSetting: true,
    members: OF_NOTEBOOK,
  },
  {
    what: "a search widget",
    source: "https://cloud.google.com/generative-ai-app-builder/docs/add-widget",
    types: ["gcp:discoveryengine/WidgetConfig"],
    inputs: ["accessSettings"],
    isSetting: true,
  },
  {
    what: "an agent with a widget for web pages, which can be public",
    source: "https://www.pulumi.com/registry/packages/gcp/api-docs/ces/deployment",
    types: ["gcp:ces/Deployment"],
    inputs: [["channelProfile", "webWidgetConfig", "securitySettings"]],
    isSetting: true,
  },
  {
    what: "a service with a setting of who may call it",
    source: "https://cloud.google.com/run/docs/authenticating/public#invoker_check",
    types: [...["gcp:cloudrunv2/Service", "gcp:cloudrun/Service", "google-native:run/Service"]],
    inputs: [
      "invokerIamDisabled",
      "iapEnabled",
      ["annotations", INVOKER_CHECK],
      ["metadata", "annotations", INVOKER_CHECK],
    ],
    isSetting: true,
  },
  {
    what: "a backend or an application with Identity-Aware Proxy",
    source: "https://cloud.google.com/iap/docs/concepts-overview",
    types: [
      ...inModule("gcp:compute", "BackendService RegionBackendService"),
      ...inModule("google-native:compute", "BackendService RegionBackendService"),
      ...["gcp:appengine/Application", "google-native:appengine/App"],
    ],
    inputs: ["iap"],
    onlyUpdates: true,
  },
  {
    what: "the settings of Identity-Aware Proxy",
    source: "https://cloud.google.com/iap/docs/managing-access",
    types: ["gcp:iap/Settings", "gcp:iap/Client"],
  },
  {
    what: "a bucket",
    source: "https://cloud.google.com/storage/docs/access-control#choose_between_uniform_and_fine-grained_access",
    types: ["gcp:storage/Bucket", "google-native:storage/Bucket"],
    inputs: ["publicAccessPrevention", "uniformBucketLevelAccess", "iamConfiguration"],
    onlyUpdates: true,
    hasAccessList: true,
    ends: [
      { path: ["uniformBucketLevelAccess"], value: true, of: "lists" },
      { path: ["iamConfiguration", "uniformBucketLevelAccess", "enabled"], value: true, of: "lists" },
      // https://cloud.google.com/storage/docs/public-access-prevention
      { path: ["publicAccessPrevention"], value: "enforced", of: "everyone" },
      { path: ["iamConfiguration", "publicAccessPrevention"], value: "enforced", of: "everyone" },
    ],
    // https://cloud.google.com/storage/docs/deleting-buckets
    isEmptyWithout: "forceDestroy",
  },
  {
    what: "a taxonomy that restricts columns",
    source: "https://cloud.google.com/bigquery/docs/column-level-security-intro",
    types: ["gcp:datacatalog/Taxonomy", "google-native:datacatalog/Taxonomy"],
    inputs: ["activatedPolicyTypes"],
    isSetting: true,
  },
  {
    what: "a policy tag that restricts columns",
    // Its delete removes it from the columns, which all readers of their tables can then read.
    source:
      "https://cloud.google.com/data-catalog/docs/reference/rest/v1/projects.locations.taxonomies.policyTags/delete",
    types: ["gcp:datacatalog/PolicyTag", "google-native:datacatalog/PolicyTag"],
    inputs: ["parentPolicyTag"],
    isOfNobody: true,
    isIdentity: true,
  },
  {
    what: "a resource with tags, which conditions can name",
    source: `${IAM}/tags-access-control`,
    types: ["gcp:bigquery/Dataset", "gcp:bigquery/Table", "gcp:compute/Instance"],
    inputs: ["resourceTags", ["params", "resourceManagerTags"]],
    onlyUpdates: true,
  },
  {
    what: "a table with policies on its columns",
    source: "https://cloud.google.com/bigquery/docs/column-level-security-intro",
    types: ["gcp:bigquery/Table", "google-native:bigquery/Table"],
    inputs: ["schema"],
    parts: ["policyTags", "dataPolicies"],
    onlyUpdates: true,
  },
  {
    what: "an instance with an access control list",
    source: "https://docs.cloud.google.com/memorystore/docs/valkey/use-acl-policies",
    types: ["gcp:memorystore/Instance", "gcp:redis/Cluster"],
    inputs: ["aclPolicy", "authorizationMode"],
    onlyUpdates: true,
  },
  {
    what: "an instance that may ask for a password",
    source: "https://cloud.google.com/memorystore/docs/redis/auth-overview",
    types: ["gcp:redis/Instance", "google-native:redis/Instance"],
    inputs: ["authEnabled"],
    onlyUpdates: true,
  },
  {
    what: "an instance with a flag for the authentication with IAM",
    source: "https://cloud.google.com/sql/docs/postgres/create-edit-iam-instances",
    types: ["gcp:sql/DatabaseInstance", "google-native:sqladmin/Instance"],
    inputs: [["settings", "databaseFlags"]],
    onlyUpdates: true,
  },
  {
    what: "an instance with a flag for the authentication with IAM",
    source: "https://cloud.google.com/alloydb/docs/database-users/manage-iam-auth",
    types: ["gcp:alloydb/Instance", "google-native:alloydb/Instance"],
    inputs: ["databaseFlags"],
    onlyUpdates: true,
  },
  {
    what: "a FHIR store with consents",
    source: "https://cloud.google.com/healthcare-api/docs/fhir-consent",
    types: ["gcp:healthcare/FhirStore", "google-native:healthcare/FhirStore"],
    inputs: [["consentConfig", "accessEnforced"]],
    onlyUpdates: true,
  },
  {
    what: "a cluster that lets users act as service accounts",
    source: "https://cloud.google.com/dataproc/docs/concepts/iam/sa-multi-tenancy",
    types: ["gcp:dataproc/Cluster", "google-native:dataproc/Cluster"],
    inputs: [
      ["clusterConfig", "securityConfig", "identityConfig"],
      ["config", "securityConfig", "identityConfig"],
    ],
    isSetting: true,
    members: OF_DATAPROC,
  },
  {
    what: "a deployment, whose configuration can grant access",
    source: "https://www.pulumi.com/registry/packages/gcp/api-docs/deploymentmanager/deployment",
    types: ["gcp:deploymentmanager/Deployment", "google-native:deploymentmanager/Deployment"],
    inputs: ["target"],
    isSetting: true,
  },
  {
    what: "the custom roles that a fleet allows",
    source:
      "https://docs.cloud.google.com/kubernetes-engine/fleet-management/docs/reference/rpc/google.cloud.gkehub.rbacrolebindingactuation.v1",
    types: ["gcp:gkehub/Feature", "google-native:gkehub/Feature"],
    inputs: [["spec", "rbacrolebindingactuation"]],
  },
  {
    what: "a binding of a cluster to a scope",
    source: "https://cloud.google.com/kubernetes-engine/fleet-management/docs/setup-teams",
    types: ["gcp:gkehub/MembershipBinding"],
  },
  {
    what: "a cluster",
    source: "https://cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster",
    types: ["gcp:container/Cluster", "google-native:container/Cluster"],
    inputs: [
      "masterAuth",
      "authenticatorGroupsConfig",
      "enableLegacyAbac",
      "legacyAbac",
      "anonymousAuthenticationConfig",
      "rbacBindingConfig",
      // https://cloud.google.com/kubernetes-engine/docs/how-to/oidc
      "identityServiceConfig",
    ],
    onlyUpdates: true,
  },
  {
    what: "a cluster with administrators",
    source: "https://cloud.google.com/kubernetes-engine/multi-cloud/docs/attached/generic/how-to/attach-cluster",
    types: [
      ...inModule("gcp:container", "AttachedCluster AwsCluster AzureCluster"),
      ...inModule("gcp:gkeonprem", "VMwareCluster BareMetalCluster BareMetalAdminCluster"),
      ...inModule("google-native:gkemulticloud", "AttachedCluster AwsCluster AzureCluster"),
      "gcp:edgecontainer/Cluster",
    ],
    inputs: ["authorization", ["securityConfig", "authorization"]],
    isSetting: true,
    members: OF_CLUSTER,
  },
  {
    what: "metadata with SSH keys",
    source: "https://cloud.google.com/compute/docs/connect/add-ssh-keys#metadata",
    types: [
      ...inModule("gcp:compute", "ProjectMetadata Instance InstanceFromTemplate InstanceFromMachineImage"),
      ...inModule("gcp:compute", "InstanceTemplate RegionInstanceTemplate"),
    ],
    inputs: SSH_METADATA.map((name) => ["metadata", name]),
    isSetting: true,
  },
  {
    what: "an entry of the metadata of a project",
    source: "https://cloud.google.com/compute/docs/connect/add-ssh-keys#metadata",
    types: ["gcp:compute/ProjectMetadataItem"],
  },
  {
    what: "the access settings of a document warehouse",
    source: "https://cloud.google.com/document-warehouse/docs/manage-access-control",
    types: ["gcp:essentialcontacts/DocumentAiWarehouseLocation"],
  },
  {
    what: "a move to another folder or organization",
    source: "https://cloud.google.com/resource-manager/docs/cloud-platform-resource-hierarchy#inheritance",
    types: [
      ...["gcp:organizations/Project", "google-native:cloudresourcemanager/Project"],
      ...["gcp:organizations/Folder", "google-native:cloudresourcemanager/Folder"],
    ],
    // The last two are those of Config Connector.
    inputs: ["folderId", "orgId", "parent", "folderRef", "organizationRef"],
    onlyUpdates: true,
  },
];
