import type { Values } from "../../provider/core/unknown";

/**
 * Where the inputs of a resource name those who have access by it. The rows of other providers' types refer to these. In a path, `*` is
 * each entry of a map, as an object with its `key` and its `value`.
 */

export interface Members {
  /** The path of the objects that name both a member and a role, such as the entries of a list. @default the inputs themselves */
  in?: string;
  /** The paths of members in such an object, and what is before the name there: nothing where it is a member as policies have it. */
  who: Readonly<Record<string, string>>;
  /** The paths of roles. */
  roles?: readonly string[];
  /** What they have where no input says a role. */
  as?: string;
  /** An object with one of these values names those whom it refuses. */
  unless?: Readonly<Values>;
}

/** In the place of what is before a name: an email address, whose kind its end or the input `type` says. Otherwise it is a user's. */
export const ACCOUNT = "account";

/** What names somebody in an entry of an access list. */
const ENTITIES: Members["who"] = {
  userByEmail: "user:",
  groupByEmail: "group:",
  domain: "domain:",
  specialGroup: "",
  iamMember: "",
  entity: "",
};

const inList = (list: string): Members => ({ in: list, who: ENTITIES, roles: ["role"] });

/** A grant of a member, of all members of a role, or of a whole policy, which can be a text. An entry of a list is one of its own. */
export const OF_GRANT: readonly Members[] = [
  { who: { member: "", members: "", ...ENTITIES }, roles: ["role"] },
  { in: "bindings", who: { member: "", members: "" }, roles: ["role"] },
  { in: "policyData.bindings", who: { member: "", members: "" }, roles: ["role"] },
];

/** In lists of Cloud Storage, also as texts: `READER:user-ada@example.com`. */
export const OF_STORAGE_LIST: readonly Members[] = ["roleEntities", "roleEntity", "acl", "defaultObjectAcl"].map(
  inList,
);
/** The inputs with the name of a predefined list: those of its lists that everyone is in, as texts of entries. */
export const PREDEFINED: { inputs: readonly string[]; lists: Readonly<Record<string, string>> } = {
  inputs: ["predefinedAcl", "predefinedDefaultObjectAcl", "defaultAcl"],
  // https://cloud.google.com/storage/docs/access-control/lists#predefined-acl
  lists: {
    authenticatedRead: "READER:allAuthenticatedUsers",
    publicRead: "READER:allUsers",
    publicReadWrite: "WRITER:allUsers",
  },
};
export const OF_DATASET: readonly Members[] = ["accesses", "access"].map(inList);

/** https://cloud.google.com/identity/docs/reference/rest/v1/groups.memberships */
export const OF_MEMBERSHIP: readonly Members[] = [
  { who: { "preferredMemberKey.id": ACCOUNT, "memberKey.id": ACCOUNT }, roles: ["roles.name"], as: "MEMBER" },
];
/** https://developers.google.com/admin-sdk/directory/reference/rest/v1/members */
export const OF_WORKSPACE: readonly Members[] = [
  { who: { email: ACCOUNT }, roles: ["role"], as: "MEMBER" },
  { in: "members", who: { email: ACCOUNT }, roles: ["role"], as: "MEMBER" },
];

/** BigQuery gives this role to the grantees: https://cloud.google.com/bigquery/docs/using-row-level-security-with-features */
export const OF_ROWS: readonly Members[] = [{ who: { grantees: "" }, as: "roles/bigquery.filteredDataViewer" }];
/** https://cloud.google.com/bigquery/docs/reference/bigquerydatapolicy/rest/v2/projects.locations.dataPolicies */
export const OF_DATA_POLICY: readonly Members[] = [{ who: { grantees: "" }, as: "fine-grained access" }];

/** https://cloud.google.com/iam/docs/reference/privilegedaccessmanager/rest/v1/projects.locations.entitlements */
export const OF_ENTITLEMENT: readonly Members[] = [
  {
    who: { "eligibleUsers.principals": "" },
    roles: ["privilegedAccess.gcpIamAccess.roleBindings.role"],
    as: "an entitlement",
  },
  { in: "approvalWorkflow.manualApprovals.steps", who: { "approvers.principals": "" }, as: "approvals" },
];

/** https://cloud.google.com/sql/docs/postgres/add-manage-iam-users */
export const OF_DATABASE_USER: readonly Members[] = [
  { who: { name: ACCOUNT, userId: ACCOUNT, resourceID: ACCOUNT }, roles: ["databaseRoles"], as: "database user" },
];
/** https://cloud.google.com/kubernetes-engine/fleet-management/docs/rbac-rolebindings */
export const OF_CLUSTER_ROLE: readonly Members[] = [
  { who: { user: ACCOUNT, group: "group:" }, roles: ["role.predefinedRole", "role.customRole"] },
];
/** https://cloud.google.com/kubernetes-engine/multi-cloud/docs/reference/rest/v1/projects.locations.attachedClusters */
export const OF_CLUSTER: readonly Members[] = ["authorization", "securityConfig.authorization"].map((path) => ({
  in: path,
  who: {
    adminUsers: ACCOUNT,
    "adminUsers.username": ACCOUNT,
    adminGroups: "group:",
    "adminGroups.group": "group:",
  },
  as: "cluster-admin",
}));

/** In the mode `mail`, the proxy of an instance lets in one user. */
export const OF_INSTANCE: readonly Members[] = [
  {
    who: {
      instanceOwners: ACCOUNT,
      "gceSetup.metadata.proxy-user-mail": ACCOUNT,
      "metadata.proxy-user-mail": ACCOUNT,
    },
    as: "instance owner",
  },
];
export const OF_RUNTIME: readonly Members[] = [{ who: { runtimeUser: ACCOUNT }, as: "runtime user" }];
export const OF_NOTEBOOK: readonly Members[] = [{ who: { "accessConfig.runtimeOwner": ACCOUNT }, as: "runtime owner" }];
export const OF_LOGIN: readonly Members[] = [{ who: { user: ACCOUNT }, as: "SSH login" }];
export const OF_APIGEE: readonly Members[] = [
  { who: { identities: "", synchronizerIdentities: "" }, as: "synchronizer" },
  { who: { analyticsPublisherIdentities: "" }, as: "analytics publisher" },
];
export const OF_DATA_PRODUCT: readonly Members[] = [
  { in: "accessGroups", who: { "principal.googleGroup": "group:" }, as: "access group" },
];

/** https://cloud.google.com/managed-service-for-apache-kafka/docs/reference/rest/v1/projects.locations.clusters.acls#AclEntry */
export const OF_KAFKA: readonly Members[] = [
  { in: "aclEntries", who: { principal: "" }, roles: ["operation"], unless: { permissionType: "DENY" } },
];
/** https://developers.google.com/admin-sdk/directory/reference/rest/v1/roleAssignments */
export const OF_WORKSPACE_ROLE: readonly Members[] = [{ who: { assignedTo: ACCOUNT }, roles: ["roleId"] }];
/** The account of a user acts as a service account: https://cloud.google.com/dataproc/docs/concepts/iam/sa-multi-tenancy */
export const OF_DATAPROC: readonly Members[] = ["clusterConfig", "config"].map((config) => ({
  in: `${config}.securityConfig.identityConfig.userServiceAccountMapping.*`,
  who: { key: ACCOUNT },
  roles: ["value"],
}));
/** https://cloud.google.com/access-context-manager/docs/reference/rest/v1/accessPolicies.accessLevels#Condition */
export const OF_ACCESS_LEVEL: readonly Members[] = ["basic.conditions", "accessLevels.basic.conditions", ""].map(
  (path) => ({ in: path, who: { members: "" }, as: "access level", unless: { negate: true } }),
);
/** Without those of a dry run: https://cloud.google.com/vpc-service-controls/docs/ingress-egress-rules */
export const OF_PERIMETER: readonly Members[] = ["", "status.", "servicePerimeters.status."].flatMap((path) =>
  ["ingress", "egress"].map((way) => ({
    in: path === "" ? `${way}From` : `${path}${way}Policies.${way}From`,
    who: { identities: "", identityType: "" },
    as: way,
  })),
);

/** The objects of Kubernetes have all that they say in `spec`. */
export const OF_CONFIG_CONNECTOR: readonly Members[] = [
  { in: "spec", who: { member: "", ...ENTITIES }, roles: ["role"] },
  { in: "spec.bindings", who: { members: "", "members.member": "" }, roles: ["role"] },
  { in: "spec", who: { "preferredMemberKey.id": ACCOUNT }, roles: ["roles.name"], as: "MEMBER" },
];

/** What the inputs of any type may say. */
export const OF_ANY: readonly Members[] = [
  ...[...OF_GRANT, ...OF_STORAGE_LIST, ...OF_DATASET],
  { who: { grantees: "", principals: "", identities: "" }, roles: ["role"], as: "access" },
];
