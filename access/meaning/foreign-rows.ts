import {
  OF_APIGEE,
  OF_CLUSTER,
  OF_CLUSTER_ROLE,
  OF_DATABASE_USER,
  OF_DATA_POLICY,
  OF_DATA_PRODUCT,
  OF_DATASET,
  OF_ENTITLEMENT,
  OF_GRANT,
  OF_INSTANCE,
  OF_LOGIN,
  OF_MEMBERSHIP,
  OF_ROWS,
  OF_RUNTIME,
  OF_STORAGE_LIST,
  OF_WORKSPACE,
  type Members,
} from "./members";

/** The types of other providers that change who has access in Google Cloud: grants, and what moves access without being one. */

/** What a type of another provider is. */
export interface ForeignKind {
  /** With its article: "a custom role". */
  what: string;
  /** Where the documentation says that it decides about access. */
  source: string;
  /** Short forms of types (`shortTypeOf`). Absent for grants, which are recognized by the end of their names. */
  types?: readonly string[];
  /** Only a step in which one of these inputs changes counts. A list names a property of an object: `["metadata", "ssh-keys"]`. */
  inputs?: ReadonlyArray<string | readonly string[]>;
  /** Only an update counts: nobody has access to a new resource, and nobody is in it. */
  onlyUpdates?: boolean;
  /** A create does not count: a new one gives nobody access. */
  isOfNobody?: boolean;
  /**
   * Each replacement counts, also one under the same name: the new one may be another one, which has nothing of what the old one had. A
   * service account is: https://cloud.google.com/iam/docs/service-accounts-delete-undelete. The name of a deleted role or pool is not
   * free for weeks, so a create can fail, or bring the old one back: https://cloud.google.com/iam/docs/reference/rest/v1/projects.roles/delete
   */
  isIdentity?: boolean;
  /** A delete does not count: it ends the access to this resource alone. */
  isSetting?: boolean;
  /** Only a resource with such a text in its input `type` or `userType` counts. */
  ofType?: RegExp;
  /** Where its inputs name those who have access. Absent if they name nobody. */
  members?: readonly Members[];
  /** It decides which access is logged, and nobody's access. */
  isOfLogs?: boolean;
  /** Its create takes away what its inputs name. Its delete changes nothing. */
  isRemoval?: boolean;
  /** It has an access list, which is deleted with it. */
  hasAccessList?: boolean;
  /** Where one of these properties is true, the list has no effect. */
  listEndsWith?: ReadonlyArray<readonly string[]>;
  /** The API deletes it only when nothing is in it, unless its provider empties it before, which this input says. */
  isEmptyWithout?: string;
  /** It adds or removes only what its inputs name. */
  isEntry?: boolean;
  /** It sets an access list as a whole, with the entries that others declare. */
  isList?: boolean;
  /** What the create of an entry does if it is there already: it takes the place of the one of the same entity, or it fails. */
  ifThere?: "replaced" | "refused";
}

const IAM = "https://cloud.google.com/iam/docs";
/** The annotation of a service of Cloud Run that lets everyone call it. */
const INVOKER_CHECK = "run.googleapis.com/invoker-iam-disabled";
/** The roles in clusters that are in a scope or a membership of a fleet. */
const FLEET =
  "https://cloud.google.com/kubernetes-engine/fleet-management/docs/reference/rest/v1/projects.locations.scopes.rbacrolebindings/delete";
const SSH_METADATA = ["ssh-keys", "sshKeys", "block-project-ssh-keys", "enable-oslogin"];

/** The grants of every service, such as `gcp:pubsub/topicIAMMember:TopicIAMMember`. */
export const GRANT: ForeignKind = {
  what: "a grant",
  source: `${IAM}/granting-changing-revoking-access`,
  members: OF_GRANT,
};
export const AUDIT_CONFIG: ForeignKind = {
  what: "a configuration of audit logs",
  source: "https://cloud.google.com/logging/docs/audit/configure-data-access",
  isOfLogs: true,
};

/** Google's Terraform provider has the same types as `@pulumi/gcp` (`bridgedType`): here are only those with other names. */
export const FOREIGN_KINDS: readonly ForeignKind[] = [
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
    what: "a custom role",
    source: `${IAM}/creating-custom-roles`,
    types: [
      ...["gcp:projects/IAMCustomRole", "gcp:organizations/IAMCustomRole"],
      ...inModule("google-native:iam", "Role OrganizationRole"),
    ],
    inputs: ["permissions", "includedPermissions", "stage", "roleId"],
    isOfNobody: true,
    isIdentity: true,
  },
  {
    what: "a deny policy",
    source: `${IAM}/deny-overview`,
    types: ["gcp:iam/DenyPolicy", "google-native:iam/Policy"],
  },
  {
    what: "an access boundary",
    source: `${IAM}/principal-access-boundary-policies`,
    types: inModule("gcp:iam", "PrincipalAccessBoundaryPolicy AccessBoundaryPolicy"),
  },
  {
    what: "an access policy",
    source: "https://cloud.google.com/iam/docs/reference/rest/v3beta/projects.locations.accessPolicies",
    types: inModule("gcp:iam", "ProjectAccessPolicy FolderAccessPolicy OrganizationAccessPolicy"),
  },
  {
    what: "a policy binding",
    source: "https://cloud.google.com/iam/docs/reference/rest/v3/projects.locations.policyBindings",
    types: inModule("gcp:iam", "ProjectsPolicyBinding FoldersPolicyBinding OrganizationsPolicyBinding"),
  },
  {
    what: "a membership of a group",
    source: "https://cloud.google.com/identity/docs/reference/rest/v1/groups.memberships",
    types: ["gcp:cloudidentity/GroupMembership", "google-native:cloudidentity/Membership"],
    members: OF_MEMBERSHIP,
  },
  {
    what: "a group",
    source: "https://cloud.google.com/identity/docs/reference/rest/v1/groups",
    types: ["gcp:cloudidentity/Group", "gcp:cloudidentity/Policy", "google-native:cloudidentity/Group"],
  },
  {
    what: "single sign-on for an organization",
    source: "https://cloud.google.com/identity/docs/reference/rest/v1/inboundSsoAssignments",
    types: inModule("google-native:cloudidentity", "InboundSamlSsoProfile InboundSsoAssignment"),
  },
  {
    what: "a service account",
    source: `${IAM}/service-accounts-delete-undelete`,
    types: ["gcp:serviceaccount/Account", "google-native:iam/ServiceAccount"],
    inputs: ["accountId", "disabled"],
    isOfNobody: true,
    isIdentity: true,
  },
  {
    what: "the default service accounts of a project",
    source: `${IAM}/service-account-types#default`,
    types: ["gcp:projects/DefaultServiceAccounts"],
  },
  {
    what: "a key",
    source: `${IAM}/keys-create-delete`,
    types: [
      ...["gcp:serviceaccount/Key", "google-native:iam/Key"],
      ...["gcp:storage/HmacKey", "google-native:storage/HmacKey"],
      ...["gcp:projects/ApiKey", "google-native:apikeys/Key"],
    ],
  },
  {
    what: "an organization policy",
    source: "https://cloud.google.com/resource-manager/docs/organization-policy/overview",
    types: [
      ...inModule("gcp:orgpolicy", "Policy CustomConstraint"),
      ...["gcp:projects/OrganizationPolicy", "gcp:folder/OrganizationPolicy", "gcp:organizations/Policy"],
      ...inModule("google-native:orgpolicy", "Policy FolderPolicy OrganizationPolicy CustomConstraint"),
    ],
  },
  {
    what: "an identity pool",
    source: `${IAM}/workload-identity-federation`,
    types: [
      ...inModule("gcp:iam", "WorkloadIdentityPool WorkforcePool"),
      ...inModule("google-native:iam", "WorkloadIdentityPool WorkforcePool"),
    ],
    inputs: ["disabled", "workloadIdentityPoolId", "workforcePoolId"],
    isOfNobody: true,
    isIdentity: true,
  },
  {
    what: "the credentials of a user of a database",
    source: "https://cloud.google.com/firestore/mongodb-compatibility/docs/connect",
    types: ["gcp:firestore/UserCreds"],
  },
  {
    what: "an instance with metadata, in which SSH keys can be",
    source: "https://cloud.google.com/compute/docs/connect/add-ssh-keys#metadata",
    types: inModule("google-native:compute", "Instance InstanceTemplate"),
    inputs: [["metadata", "items"]],
    isSetting: true,
  },
  {
    what: "an instance with owners",
    source: "https://cloud.google.com/vertex-ai/docs/workbench/instances/manage-access-jupyterlab",
    types: ["gcp:workbench/Instance", "gcp:notebooks/Instance"],
    inputs: ["instanceOwners", ["gceSetup", "metadata", "ssh-keys"]],
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
    what: "a search widget",
    source: "https://cloud.google.com/generative-ai-app-builder/docs/add-widget",
    types: ["gcp:discoveryengine/WidgetConfig"],
    inputs: ["accessSettings"],
    isSetting: true,
  },
  {
    what: "a provider or a client of an identity pool",
    source: `${IAM}/workload-identity-federation`,
    types: [
      ...inModule("gcp:iam", "WorkloadIdentityPoolProvider WorkloadIdentityPoolNamespace"),
      ...inModule("gcp:iam", "WorkloadIdentityPoolManagedIdentity WorkloadIdentityServiceAgent"),
      ...inModule("gcp:iam", "OauthClient OauthClientCredential WorkforcePoolProvider"),
      ...inModule("gcp:iam", "WorkforcePoolProviderKey WorkforcePoolProviderScimTenant WorkforcePoolProviderScimToken"),
      ...inModule("google-native:iam", "WorkloadIdentityPoolKey Provider"),
      ...inModule("google-native:iam", "WorkforcePoolKey WorkforcePoolProvider"),
    ],
  },
  {
    what: "an entitlement of Privileged Access Manager",
    source: "https://cloud.google.com/iam/docs/pam-overview",
    types: ["gcp:privilegedaccessmanager/entitlement"],
    members: OF_ENTITLEMENT,
  },
  {
    what: "the settings of Privileged Access Manager",
    source: "https://cloud.google.com/iam/docs/pam-overview",
    types: ["gcp:privilegedaccessmanager/Settings"],
  },
  {
    what: "a part of a service perimeter",
    source: "https://cloud.google.com/vpc-service-controls/docs/overview",
    types: [
      ...inModule("gcp:accesscontextmanager", "AccessLevel AccessLevelCondition AccessLevels AccessPolicy"),
      ...inModule("gcp:accesscontextmanager", "AuthorizedOrgsDesc EgressPolicy GcpUserAccessBinding IngressPolicy"),
      ...inModule("gcp:accesscontextmanager", "ServicePerimeter ServicePerimeterEgressPolicy ServicePerimeters"),
      ...inModule("gcp:accesscontextmanager", "ServicePerimeterIngressPolicy ServicePerimeterResource"),
      ...inModule("gcp:accesscontextmanager", "ServicePerimeterDryRunEgressPolicy ServicePerimeterDryRunIngressPolicy"),
      "gcp:accesscontextmanager/ServicePerimeterDryRunResource",
      ...inModule("google-native:accesscontextmanager", "AccessLevel AccessPolicy AuthorizedOrgsDesc"),
      ...inModule("google-native:accesscontextmanager", "GcpUserAccessBinding ServicePerimeter"),
    ],
  },
  {
    what: "a role in clusters",
    source: FLEET,
    types: inModule("gcp:gkehub", "MembershipRbacRoleBinding ScopeRbacRoleBinding"),
    members: OF_CLUSTER_ROLE,
  },
  {
    what: "a tag, which conditions can name",
    source: `${IAM}/tags-access-control`,
    types: inModule("gcp:tags", "TagBinding LocationTagBinding TagBindingCollection"),
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
    listEndsWith: [["uniformBucketLevelAccess"], ["iamConfiguration", "uniformBucketLevelAccess", "enabled"]],
    // https://cloud.google.com/storage/docs/deleting-buckets
    isEmptyWithout: "forceDestroy",
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
    what: "a taxonomy that restricts columns",
    source: "https://cloud.google.com/bigquery/docs/column-level-security-intro",
    types: ["gcp:datacatalog/Taxonomy", "google-native:datacatalog/Taxonomy"],
    inputs: ["activatedPolicyTypes"],
    isSetting: true,
  },
  {
    what: "a user of a database",
    source: "https://cloud.google.com/sql/docs/postgres/iam-authentication",
    types: [...["gcp:sql/User", "gcp:alloydb/User"], ...["google-native:sqladmin/User", "google-native:alloydb/User"]],
    ofType: /IAM/,
    members: OF_DATABASE_USER,
  },
  {
    what: "an access control list of a data service",
    source: "https://cloud.google.com/managed-service-for-apache-kafka/docs/kafka-acls/list-kafka-acls",
    types: [
      ...["gcp:managedkafka/Acl", "gcp:redis/ClusterAclPolicy", "gcp:memorystore/AclPolicy"],
      ...["gcp:discoveryengine/AclConfig", "google-native:discoveryengine/AclConfig"],
    ],
  },
  {
    what: "an instance with an access control list",
    source: "https://cloud.google.com/memorystore/docs/valkey/about-acl",
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
  },
  {
    what: "the identities that Apigee trusts",
    source: "https://cloud.google.com/apigee/docs/hybrid/latest/synchronizer-access",
    types: inModule("gcp:apigee", "SyncAuthorization ControlPlaneAccess"),
    members: OF_APIGEE,
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
    what: "a data product with access groups",
    source: "https://cloud.google.com/dataplex/docs/data-products-overview",
    types: inModule("gcp:dataplex", "DataProduct DataAsset DataProductDataAsset"),
    inputs: ["accessGroups", "accessGroupConfigs"],
    isSetting: true,
    members: OF_DATA_PRODUCT,
  },
  {
    what: "a scope of data access",
    source: "https://cloud.google.com/chronicle/docs/administration/datarbac-overview",
    types: inModule("gcp:chronicle", "DataAccessLabel DataAccessScope"),
  },
  {
    what: "a key that signs URLs",
    source: "https://cloud.google.com/cdn/docs/using-signed-urls",
    types: [
      ...inModule("gcp:compute", "BackendBucketSignedUrlKey BackendServiceSignedUrlKey"),
      "gcp:networkservices/EdgeCacheKeyset",
    ],
  },
  {
    what: "an SSH key",
    source: "https://cloud.google.com/compute/docs/connect/add-ssh-keys",
    types: ["gcp:oslogin/SshPublicKey", "google-native:oslogin/SshPublicKey"],
    members: OF_LOGIN,
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
    what: "rules of Firebase",
    source: "https://firebase.google.com/docs/rules",
    types: [
      ...inModule("gcp:firebaserules", "Release Ruleset"),
      ...inModule("google-native:firebaserules", "Release Ruleset"),
    ],
  },
  {
    what: "an authorization policy of services",
    source: "https://cloud.google.com/service-mesh/docs/security/authorization-policy-overview",
    types: [
      ...inModule("gcp:networksecurity", "AuthorizationPolicy AuthzPolicy"),
      ...["gcp:networkservices/AuthzExtension", "google-native:networksecurity/AuthorizationPolicy"],
    ],
  },
  {
    what: "the access settings of a document warehouse",
    source: "https://cloud.google.com/document-warehouse/docs/manage-access-controls",
    types: ["gcp:essentialcontacts/DocumentAiWarehouseLocation"],
  },
  {
    what: "a service agent",
    source: `${IAM}/service-agents`,
    types: ["gcp:projects/ServiceIdentity", "gcp:folder/ServiceIdentity", "gcp:organizations/ServiceIdentity"],
  },
  {
    what: "a membership of a group of Google Workspace",
    source: "https://developers.google.com/admin-sdk/directory/reference/rest/v1/members",
    types: inModule("googleworkspace:index", "GroupMember GroupMembers"),
    members: OF_WORKSPACE,
  },
  {
    what: "a setting or a role of Google Workspace",
    source: "https://developers.google.com/admin-sdk/directory/v1/guides/manage-roles",
    types: inModule("googleworkspace:index", "GroupSettings RoleAssignment Role DomainAlias"),
  },
  {
    what: "a move to another folder or organization",
    source: "https://cloud.google.com/resource-manager/docs/cloud-platform-resource-hierarchy#inheritance",
    types: [
      ...["gcp:organizations/Project", "google-native:cloudresourcemanager/Project"],
      ...["gcp:organizations/Folder", "google-native:cloudresourcemanager/Folder"],
    ],
    inputs: ["folderId", "orgId", "parent"],
    onlyUpdates: true,
  },
];

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
];

/** Names of types that sound like a decision about access and are none. */
export const QUIET_KINDS: ReadonlyArray<{ why: string; types: readonly string[] }> = [
  { why: "settings of approvals of access by Google's staff", types: ["AccessApprovalSettings"] },
  { why: "users of an application, without access to Google Cloud", types: ["UserStore"] },
  { why: "files of an environment's workloads", types: ["UserWorkloadsConfigMap", "UserWorkloadsSecret"] },
  { why: "members of a group of machines", types: ["InstanceGroupMembership"] },
  { why: "a cluster of a fleet, without roles", types: ["Membership", "FeatureMembership"] },
  { why: "the consent screen of an application", types: ["Brand"] },
  { why: "a resource with an access policy of its own", types: ["TunnelDestGroup", "AuthorizedView"] },
  { why: "a device of a user", types: ["Device"] },
  { why: "a border of applications, for their list", types: ["Boundary"] },
  { why: "a proof for a certificate", types: ["DnsAuthorization"] },
  {
    why: "connections and addresses of a network",
    types: ["ClusterUserCreatedConnections", "InstanceDesiredUserCreatedEndpoints", "ExternalAccessRule"],
  },
];

/** @param names separated by blanks */
function inModule(module: string, names: string): string[] {
  return names.split(" ").map((name) => `${module}/${name}`);
}
