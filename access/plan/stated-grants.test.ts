import { foreignStepsOf, planOf } from "../../tests/support/foreign-plans";
import { FOREIGN_KINDS, GRANT } from "../meaning/foreign-rows";
import { meaningOf } from "../meaning/meaning";
import { foreignResources } from "./foreign-steps";

const EVE = "eve@example.com";
const ROBOT = "robot@demo.iam.gserviceaccount.com";

/** The members of a type's inputs: `user:eve@example.com ROLE`. */
type Case = [type: string, inputs: object, ...members: string[]];

const list = (role: string) => [{ role, userByEmail: EVE }];
const snakeList = (role: string) => [{ role, user_by_email: EVE }];
const acl = (role: string) => [{ role, entity: `user-${EVE}` }];
const admins = { authorization: { adminUsers: [{ username: EVE }], adminGroups: [{ group: "g@example.com" }] } };
const PERMISSIONS = { gcpIamAccess: { roleBindings: [{ role: "roles/a" }, { role: "roles/b" }] } };
const KAFKA = [
  { principal: `User:${EVE}`, permissionType: "ALLOW", operation: "READ" },
  { principal: `User:${ROBOT}`, operation: "ALL" },
];
const mapped = (user: string) => ({
  securityConfig: { identityConfig: { userServiceAccountMapping: { [user]: ROBOT } } },
});
const CROSSED = {
  ingressPolicies: [{ ingressFrom: { identities: [`user:${EVE}`] } }],
  egressPolicies: [{ egressFrom: { identities: [`serviceAccount:${ROBOT}`] } }],
};
const CROSSING = [`user:${EVE} ingress`, `serviceAccount:${ROBOT} egress`];

const CASES: Case[] = [
  // Grants that no rehearsal carries out.
  ["google:index/projectIamMember:ProjectIamMember", { role: "r", member: `user:${EVE}` }, `user:${EVE} r`],
  ["mod:tf:google_project_iam_binding", { role: "r", members: [`user:${EVE}`] }, `user:${EVE} r`],
  [
    "mod:tf:google_project_iam_policy",
    { policy_data: JSON.stringify({ bindings: [{ role: "r", members: [`user:${EVE}`] }] }) },
    `user:${EVE} r`,
  ],
  // Lists of Cloud Storage.
  ["gcp:storage/bucketACL:BucketACL", { roleEntities: [`OWNER:user-${EVE}`] }, `user:${EVE} OWNER`],
  ["google:index/storageBucketAcl:StorageBucketAcl", { roleEntities: ["OWNER:allUsers"] }, "allUsers OWNER"],
  ["mod:tf:google_storage_bucket_acl", { bucket: "b", role_entity: [`OWNER:user-${EVE}`] }, `user:${EVE} OWNER`],
  ["mod:tf:google_storage_object_acl", { role_entity: [`READER:user-${EVE}`] }, `user:${EVE} READER`],
  ["google-native:storage/v1:Bucket", { acl: acl("OWNER") }, `user:${EVE} OWNER`],
  ["google-native:storage/v1:Bucket", { defaultObjectAcl: acl("READER") }, `user:${EVE} READER`],
  ["google-native:storage/v1:BucketObject", { acl: acl("OWNER") }, `user:${EVE} OWNER`],
  [
    "gcp:storage/bucketAccessControl:BucketAccessControl",
    { role: "OWNER", entity: `user-${EVE}` },
    `user:${EVE} OWNER`,
  ],
  [
    "google-native:storage/v1:BucketAccessControl",
    { role: "OWNER", entity: `user-${ROBOT}` },
    `serviceAccount:${ROBOT} OWNER`,
  ],
  ["gcp:storage/bucketACL:BucketACL", { roleEntities: [`OWNER:user-${ROBOT}`] }, `serviceAccount:${ROBOT} OWNER`],
  // Datasets.
  ["gcp:bigquery/datasetAccess:DatasetAccess", { role: "r", userByEmail: ROBOT }, `serviceAccount:${ROBOT} r`],
  ["gcp:bigquery/dataset:Dataset", { accesses: list("OWNER") }, `user:${EVE} OWNER`],
  ["google:index/bigqueryDataset:BigqueryDataset", { accesses: list("OWNER") }, `user:${EVE} OWNER`],
  ["google-native:bigquery/v2:Dataset", { access: list("OWNER") }, `user:${EVE} OWNER`],
  ["mod:tf:google_bigquery_dataset", { access: snakeList("OWNER") }, `user:${EVE} OWNER`],
  ["mod:tf:google_bigquery_dataset_access", { role: "READER", user_by_email: EVE }, `user:${EVE} READER`],
  // Notebooks.
  ["gcp:notebooks/runtime:Runtime", { accessConfig: { runtimeOwner: EVE } }, `user:${EVE} runtime owner`],
  ["google-native:notebooks/v2:Instance", { instanceOwners: [EVE] }, `user:${EVE} instance owner`],
  // Groups.
  [
    "gcp:cloudidentity/groupMembership:GroupMembership",
    { preferredMemberKey: { id: EVE }, roles: [{ name: "MEMBER" }, { name: "OWNER" }] },
    `user:${EVE} MEMBER`,
    `user:${EVE} OWNER`,
  ],
  [
    "mod:tf:google_cloud_identity_group_membership",
    { preferred_member_key: [{ id: ROBOT }], roles: [{ name: "MEMBER" }] },
    `serviceAccount:${ROBOT} MEMBER`,
  ],
  ["google-native:cloudidentity/v1:Membership", { preferredMemberKey: { id: EVE } }, `user:${EVE} MEMBER`],
  ["googleworkspace:index/groupMember:GroupMember", { email: EVE, role: "OWNER" }, `user:${EVE} OWNER`],
  ["googleworkspace:index/groupMember:GroupMember", { email: EVE, type: "GROUP" }, `group:${EVE} MEMBER`],
  [
    "googleworkspace:index/groupMembers:GroupMembers",
    { members: [{ email: EVE, role: "MANAGER" }, { email: ROBOT }] },
    `user:${EVE} MANAGER`,
    `serviceAccount:${ROBOT} MEMBER`,
  ],
  // Rows and columns of tables.
  [
    "gcp:bigquery/rowAccessPolicy:RowAccessPolicy",
    { grantees: [`user:${EVE}`] },
    `user:${EVE} roles/bigquery.filteredDataViewer`,
  ],
  [
    "gcp:bigquery/datapolicyv2DataPolicy:Datapolicyv2DataPolicy",
    {
      grantees: [
        `principal://goog/subject/${EVE}`,
        "principalSet://goog/group/g@example.com",
        "principalSet://goog/public:all",
        `principal://iam.googleapis.com/projects/-/serviceAccounts/${ROBOT}`,
      ],
    },
    `user:${EVE} fine-grained access`,
    "group:g@example.com fine-grained access",
    "allUsers fine-grained access",
    `serviceAccount:${ROBOT} fine-grained access`,
  ],
  // Entitlements: each user may have each role.
  [
    "gcp:privilegedaccessmanager/entitlement:entitlement",
    {
      eligibleUsers: [{ principals: [`user:${EVE}`] }],
      privilegedAccess: PERMISSIONS,
      approvalWorkflow: { manualApprovals: { steps: [{ approvers: { principals: ["group:g@example.com"] } }] } },
    },
    `user:${EVE} roles/a`,
    `user:${EVE} roles/b`,
    "group:g@example.com approvals",
  ],
  [
    "mod:tf:google_privileged_access_manager_entitlement",
    { eligible_users: [{ principals: [`user:${EVE}`] }], privileged_access: [] },
    `user:${EVE} an entitlement`,
  ],
  // Users of databases.
  ["gcp:sql/user:User", { name: EVE, type: "CLOUD_IAM_USER" }, `user:${EVE} database user`],
  ["gcp:sql/user:User", { name: "g@example.com", type: "CLOUD_IAM_GROUP" }, "group:g@example.com database user"],
  [
    "google:index/sqlUser:SqlUser",
    { name: "robot@demo.iam", type: "CLOUD_IAM_SERVICE_ACCOUNT" },
    `serviceAccount:${ROBOT} database user`,
  ],
  [
    "gcp:alloydb/user:User",
    { userId: EVE, userType: "ALLOYDB_IAM_USER", databaseRoles: ["alloydbiamuser"] },
    `user:${EVE} alloydbiamuser`,
  ],
  // Clusters.
  [
    "gcp:gkehub/scopeRbacRoleBinding:ScopeRbacRoleBinding",
    { user: EVE, role: { predefinedRole: "ADMIN" } },
    `user:${EVE} ADMIN`,
  ],
  [
    "mod:tf:google_gke_hub_scope_rbac_role_binding",
    { group: "g@example.com", role: [{ predefined_role: "VIEW" }] },
    "group:g@example.com VIEW",
  ],
  [
    "gcp:container/attachedCluster:AttachedCluster",
    { authorization: { adminUsers: [EVE] } },
    `user:${EVE} cluster-admin`,
  ],
  [
    "mod:tf:google_container_attached_cluster",
    { authorization: [{ admin_users: [EVE] }] },
    `user:${EVE} cluster-admin`,
  ],
  ["gcp:container/awsCluster:AwsCluster", admins, `user:${EVE} cluster-admin`, "group:g@example.com cluster-admin"],
  [
    "gcp:gkeonprem/bareMetalCluster:BareMetalCluster",
    { securityConfig: admins },
    `user:${EVE} cluster-admin`,
    "group:g@example.com cluster-admin",
  ],
  // Instances and others.
  ["gcp:workbench/instance:Instance", { instanceOwners: [EVE] }, `user:${EVE} instance owner`],
  ["gcp:colab/runtime:Runtime", { runtimeUser: EVE }, `user:${EVE} runtime user`],
  ["gcp:oslogin/sshPublicKey:SshPublicKey", { user: EVE, key: "k" }, `user:${EVE} SSH login`],
  [
    "gcp:apigee/syncAuthorization:SyncAuthorization",
    { identities: [`serviceAccount:${ROBOT}`] },
    `serviceAccount:${ROBOT} synchronizer`,
  ],
  [
    "gcp:dataplex/dataProduct:DataProduct",
    { accessGroups: [{ id: "a", principal: { googleGroup: "g@example.com" } }] },
    "group:g@example.com access group",
  ],
  [
    "gcp:notebooks/instance:Instance",
    { metadata: { "proxy-mode": "mail", "proxy-user-mail": EVE } },
    `user:${EVE} instance owner`,
  ],
  [
    "google-native:notebooks/v2:Instance",
    { gceSetup: { metadata: { "proxy-user-mail": ROBOT } } },
    `serviceAccount:${ROBOT} instance owner`,
  ],
  [
    "mod:tf:google_workbench_instance",
    { gce_setup: [{ metadata: { "proxy-user-mail": EVE } }] },
    `user:${EVE} instance owner`,
  ],
  ["gcp:managedkafka/acl:Acl", { aclEntries: KAFKA }, `user:${EVE} READ`, `serviceAccount:${ROBOT} ALL`],
  [
    "mod:tf:google_managed_kafka_acl",
    { acl_entries: [{ principal: `User:${EVE}`, permission_type: "ALLOW", operation: "READ" }] },
    `user:${EVE} READ`,
  ],
  ["googleworkspace:index/roleAssignment:RoleAssignment", { assignedTo: EVE, roleId: "1" }, `user:${EVE} 1`],
  ["gcp:dataproc/cluster:Cluster", { clusterConfig: mapped(EVE) }, `user:${EVE} ${ROBOT}`],
  [
    "mod:tf:google_dataproc_cluster",
    {
      cluster_config: [
        { security_config: [{ identity_config: [{ user_service_account_mapping: { "a_b@example.com": ROBOT } }] }] },
      ],
    },
    `user:a_b@example.com ${ROBOT}`,
  ],
  ["google-native:dataproc/v1:Cluster", { config: mapped(EVE) }, `user:${EVE} ${ROBOT}`],
  // Access levels and service perimeters.
  [
    "gcp:accesscontextmanager/accessLevel:AccessLevel",
    { basic: { conditions: [{ members: [`user:${EVE}`] }] } },
    `user:${EVE} access level`,
  ],
  [
    "gcp:accesscontextmanager/accessLevels:AccessLevels",
    { accessLevels: [{ name: "n", basic: { conditions: [{ members: [`user:${EVE}`] }] } }] },
    `user:${EVE} access level`,
  ],
  [
    "gcp:accesscontextmanager/accessLevelCondition:AccessLevelCondition",
    { members: [`user:${EVE}`] },
    `user:${EVE} access level`,
  ],
  [
    "mod:tf:google_access_context_manager_access_level",
    { basic: [{ conditions: [{ members: [`user:${EVE}`] }] }] },
    `user:${EVE} access level`,
  ],
  [
    "google-native:accesscontextmanager/v1:AccessLevel",
    { basic: { conditions: [{ members: [`user:${EVE}`] }] } },
    `user:${EVE} access level`,
  ],
  ["gcp:accesscontextmanager/servicePerimeter:ServicePerimeter", { status: CROSSED }, ...CROSSING],
  [
    "gcp:accesscontextmanager/servicePerimeters:ServicePerimeters",
    { servicePerimeters: [{ name: "n", status: CROSSED }] },
    ...CROSSING,
  ],
  ["google-native:accesscontextmanager/v1:ServicePerimeter", { status: CROSSED }, ...CROSSING],
  [
    "gcp:accesscontextmanager/servicePerimeterIngressPolicy:ServicePerimeterIngressPolicy",
    { ingressFrom: { identities: [`user:${EVE}`] } },
    `user:${EVE} ingress`,
  ],
  [
    "mod:tf:google_access_context_manager_service_perimeter_egress_policy",
    { egress_from: [{ identities: [`serviceAccount:${ROBOT}`] }] },
    `serviceAccount:${ROBOT} egress`,
  ],
  // Config Connector.
  [
    "kubernetes:iam.cnrm.cloud.google.com/v1beta1:IAMPolicyMember",
    { spec: { member: `user:${EVE}`, role: "r" } },
    `user:${EVE} r`,
  ],
  [
    "kubernetes:iam.cnrm.cloud.google.com/v1beta1:IAMPolicy",
    { spec: { bindings: [{ role: "r", members: [`user:${EVE}`] }] } },
    `user:${EVE} r`,
  ],
  [
    "kubernetes:iam.cnrm.cloud.google.com/v1beta1:IAMPartialPolicy",
    { spec: { bindings: [{ role: "r", members: [{ member: `user:${EVE}` }] }] } },
    `user:${EVE} r`,
  ],
  [
    "kubernetes:storage.cnrm.cloud.google.com/v1beta1:StorageBucketAccessControl",
    { spec: { entity: "allUsers", role: "READER" } },
    "allUsers READER",
  ],
  [
    "kubernetes:bigquery.cnrm.cloud.google.com/v1beta1:BigQueryDataset",
    { spec: { access: list("OWNER") } },
    `user:${EVE} OWNER`,
  ],
  [
    "kubernetes:sql.cnrm.cloud.google.com/v1beta1:SQLUser",
    { spec: { resourceID: EVE, type: "CLOUD_IAM_USER", instanceRef: { name: "i" } } },
    `user:${EVE} database user`,
  ],
  [
    "kubernetes:alloydb.cnrm.cloud.google.com/v1beta1:AlloyDBUser",
    { spec: { resourceID: "robot@demo.iam", userType: "ALLOYDB_IAM_USER", databaseRoles: ["alloydbiamuser"] } },
    `serviceAccount:${ROBOT} alloydbiamuser`,
  ],
  [
    "kubernetes:cloudidentity.cnrm.cloud.google.com/v1beta1:CloudIdentityMembership",
    { spec: { preferredMemberKey: { id: EVE }, roles: [{ name: "MEMBER" }] } },
    `user:${EVE} MEMBER`,
  ],
  // What no row has.
  ["gcp:newservice/topicAccess:TopicAccess", { grantees: [`user:${EVE}`] }, `user:${EVE} access`],
];

function changesOf(op: string, type: string, old: object | undefined, next: object | undefined): string[] {
  const urn = `urn:pulumi:dev::shop::${type}::it`;
  const state = (inputs?: object) => inputs && { urn, type, custom: true, id: "it", inputs, outputs: {} };
  const steps = foreignStepsOf(planOf({ op, urn, oldState: state(old), newState: state(next) }));
  return foreignResources(steps).flatMap(({ changes }) =>
    changes.map(({ change, principal, role }) => `${change} ${principal} ${role}`),
  );
}

test.each(CASES)("a review names the members in the inputs of %s", (type, inputs, ...members) => {
  expect(changesOf("create", type, undefined, inputs)).toEqual(members.map((each) => `gained ${each}`));
  expect(changesOf("update", type, {}, inputs)).toEqual(
    expect.arrayContaining(members.map((each) => `gained ${each}`)),
  );
  const lost = changesOf("delete", type, inputs, undefined);
  const isSetting = meaningOf(type).kinds.some((kind) => kind.isSetting);
  // The delete of a setting ends the access to its own resource alone.
  expect(lost).toEqual(isSetting ? [] : members.map((each) => `lost ${each}`));
});

test.each(CASES)("a review shows no member that is secret in the inputs of %s", (type, inputs) => {
  const namesSomebody = (text: string) => /example\.com|gserviceaccount|demo\.iam|allUsers|public:all/.test(text);
  // The keys of a map are secret with the whole map.
  const isSecret = (value: unknown) =>
    typeof value === "string" ? namesSomebody(value) : Object.keys(value ?? {}).some(namesSomebody);
  const hidden = JSON.parse(JSON.stringify(inputs), (_name, value: unknown) =>
    isSecret(value) ? "[secret]" : value,
  ) as object;
  const changes = changesOf("create", type, undefined, hidden);
  expect(changes.length).toBeGreaterThan(0);
  for (const each of changes) expect(each).toMatch(/^gained \[secret\] /);
});

test.each<Case>([
  ["gcp:storage/bucketACL:BucketACL", { predefinedAcl: "publicRead" }, "allUsers READER"],
  ["gcp:storage/bucketACL:BucketACL", { defaultAcl: "publicReadWrite" }, "allUsers WRITER"],
  ["mine:tf:google_storage_bucket_object", { predefined_acl: "authenticatedRead" }, "allAuthenticatedUsers READER"],
  ["google-native:storage/v1:Bucket", { predefinedDefaultObjectAcl: "publicRead" }, "allUsers READER"],
  ["gcp:storage/bucketObject:BucketObject", { predefinedAcl: "private" }],
  ["gcp:storage/bucketObject:BucketObject", { predefinedAcl: "[secret]" }, "[secret] [secret]"],
])("a review names everyone whom the predefined list of %s has", (type, inputs, ...members) => {
  expect(changesOf("create", type, undefined, inputs)).toEqual(members.map((each) => `gained ${each}`));
  expect(changesOf("update", type, inputs, {})).toEqual(members.map((each) => `lost ${each}`));
});

test.each<Case>([
  ["gcp:managedkafka/acl:Acl", { aclEntries: [{ ...KAFKA[0], principal: "User:*" }] }, "allAuthenticatedUsers READ"],
  [
    "gcp:accesscontextmanager/servicePerimeterIngressPolicy:ServicePerimeterIngressPolicy",
    { ingressFrom: { identityType: "ANY_IDENTITY" } },
    "allUsers ingress",
  ],
  [
    "gcp:accesscontextmanager/servicePerimeter:ServicePerimeter",
    { status: { egressPolicies: [{ egressFrom: { identityType: "ANY_USER_ACCOUNT" } }] } },
    "allAuthenticatedUsers egress",
  ],
])("a review says that the inputs of %s name everyone", (type, inputs, ...members) => {
  expect(changesOf("create", type, undefined, inputs)).toEqual(members.map((each) => `gained ${each}`));
});

test("each row that says where its members are has a case", () => {
  const tested = new Set(CASES.flatMap(([type]) => meaningOf(type).kinds));
  const rows = [GRANT, ...FOREIGN_KINDS].filter(({ members, isRemoval }) => members && !isRemoval);
  expect(rows.filter((row) => !tested.has(row)).map(({ what }) => what)).toEqual([]);
});

test.each<[string, object]>([
  ["gcp:bigquery/datasetAccess:DatasetAccess", { view: { tableId: "t" } }],
  ["google-native:cloudresourcemanager/v3:Project", { domain: "example.com" }],
  ["gcp:privilegedaccessmanager/entitlement:entitlement", { eligibleUsers: [], privilegedAccess: PERMISSIONS }],
  ["gcp:managedkafka/acl:Acl", { aclEntries: [{ ...KAFKA[0], permissionType: "DENY" }] }],
  ["gcp:accesscontextmanager/accessLevelCondition:AccessLevelCondition", { members: [`user:${EVE}`], negate: true }],
  ["gcp:accesscontextmanager/servicePerimeter:ServicePerimeter", { spec: CROSSED }],
  [
    "gcp:accesscontextmanager/servicePerimeterIngressPolicy:ServicePerimeterIngressPolicy",
    { ingressFrom: { identityType: "IDENTITY_TYPE_UNSPECIFIED" } },
  ],
])("%s names nobody where it has no member", (type, inputs) => {
  expect(changesOf("create", type, undefined, inputs)).toEqual([]);
});
