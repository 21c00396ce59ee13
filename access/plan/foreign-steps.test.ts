import { foreignStepsOf, planOf as readPlanOf } from "../../tests/support/foreign-plans";
import { foreignResources } from "./foreign-steps";
import { grantStepOf } from "./steps";

const found = (...steps: object[]) => foreignResources(foreignStepsOf(readPlanOf(...steps)));
const step = (op: string, type: string, old?: object, next?: object, more: object = {}) => {
  const urn = `urn:pulumi:dev::shop::${type}::it`;
  const state = (inputs: object | undefined) => inputs && { urn, type, custom: true, inputs, outputs: {}, ...more };
  return { op, urn, oldState: state(old), newState: state(next) };
};
const shown = (...steps: object[]) =>
  found(...steps).map(({ resource, kind, changes, unknown }) => [
    `${kind} ${resource}`,
    changes.map(({ change, principal, role }) => `${change} ${principal} ${role}`),
    unknown.length,
  ]);

const MEMBER = "gcp:pubsub/topicIAMMember:TopicIAMMember";
const BINDING = "gcp:projects/iAMBinding:IAMBinding";
const [ADA, ADMINS] = ["user:ada@example.com", "group:admins@example.com"];

const [SERVICE, BUCKET, INSTANCE] = [
  "gcp:cloudrunv2/service:Service",
  "gcp:storage/bucket:Bucket",
  "gcp:compute/instance:Instance",
];
const CHECK = "run.googleapis.com/invoker-iam-disabled";
const HIDDEN = "[secret]";
/** The engine's placeholder for a value that a preview does not know. */
const UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

test("a deleted binding of a project loses its members, and the rest is unknown", () => {
  const binding = { project: "demo-project", role: "roles/owner", members: [ADA, ADMINS] };
  const [project] = found(step("delete", BINDING, binding, undefined, { id: "demo-project/roles/owner" }));
  expect(project).toMatchObject({
    resource: "projects/demo-project",
    kind: "a project",
    otherProvider: "gcp",
    before: null,
    after: null,
    changes: [
      { change: "lost", principal: ADA, role: "roles/owner" },
      { change: "lost", principal: ADMINS, role: "roles/owner" },
    ],
    unknown: [{ code: "unsupported", message: expect.stringMatching(/deletes it .* does not evaluate/) }],
  });
});

test.each<[string, object, string, string[], number?]>([
  [
    "a topic",
    step("create", MEMBER, undefined, { topic: "orders", role: "r", member: "allUsers" }),
    "a topic projects/demo-project/topics/orders",
    ["gained allUsers r"],
  ],
  [
    "an id of the state",
    step("delete", MEMBER, { topic: "orders", role: "roles/r", member: ADA }, undefined, {
      id: `projects/p/topics/orders/roles/r/${ADA}`,
    }),
    "a topic projects/p/topics/orders",
    [`lost ${ADA} roles/r`],
  ],
  [
    "a bucket",
    step("create", "gcp:storage/bucketIAMMember:BucketIAMMember", undefined, { bucket: "b", role: "r", member: ADA }),
    "a bucket b/b",
    [`gained ${ADA} r`],
  ],
  [
    "a folder",
    step("create", "gcp:folder/iAMMember:IAMMember", undefined, { folder: "folders/12", role: "r", member: ADA }),
    "a folder folders/12",
    [`gained ${ADA} r`],
  ],
  [
    "a policy",
    step("create", "gcp:projects/iAMPolicy:IAMPolicy", undefined, {
      project: "p",
      policyData: JSON.stringify({ bindings: [{ role: "r", members: [ADA, ADMINS] }] }),
    }),
    "a project projects/p",
    [`gained ${ADA} r`, `gained ${ADMINS} r`],
  ],
  [
    "an update",
    step(
      "update",
      BINDING,
      { project: "p", role: "r", members: [ADA] },
      { project: "p", role: "r", members: [ADMINS] },
    ),
    "a project projects/p",
    [`lost ${ADA} r`, `gained ${ADMINS} r`],
  ],
  [
    "an access control",
    step("create", "gcp:storage/bucketAccessControl:BucketAccessControl", undefined, {
      bucket: "b",
      role: "READER",
      entity: "user-ada@example.com",
    }),
    "a bucket access control b/b",
    [`gained ${ADA} READER`],
    0,
  ],
  [
    "an access control list",
    step("create", "gcp:storage/bucketACL:BucketACL", undefined, { bucket: "b", roleEntities: ["READER:allUsers"] }),
    "a bucket ACL b/b",
    ["gained allUsers READER"],
  ],
  [
    "an access entry of a dataset",
    step("delete", "gcp:bigquery/datasetAccess:DatasetAccess", {
      datasetId: "d",
      role: "READER",
      groupByEmail: "g@example.com",
    }),
    "dataset access projects/demo-project/datasets/d",
    ["lost group:g@example.com READER"],
    0,
  ],
  [
    "a dataset of google-native",
    step("create", "google-native:bigquery/v2:Dataset", undefined, {
      access: [{ role: "READER", userByEmail: "ada@example.com" }],
      datasetReference: { datasetId: "sales", projectId: "p" },
    }),
    "a dataset projects/p/datasets/sales",
    [`gained ${ADA} READER`],
  ],
  [
    "a dataset of google-native in the project of the stack",
    step("create", "google-native:bigquery/v2:Dataset", undefined, {
      access: [{ role: "READER", userByEmail: "ada@example.com" }],
      datasetReference: { datasetId: "sales" },
    }),
    "a dataset projects/demo-project/datasets/sales",
    [`gained ${ADA} READER`],
  ],
  ...["projects/p/datasets/sales", "p:sales"].map((id): [string, object, string, string[]] => [
    `a dataset of google-native with the id ${id}`,
    step(
      "update",
      "google-native:bigquery/v2:Dataset",
      { access: [], datasetReference: { datasetId: "sales", projectId: "p" } },
      {
        access: [{ role: "READER", userByEmail: "ada@example.com" }],
        datasetReference: { datasetId: "sales", projectId: "p" },
      },
      { id },
    ),
    "a dataset projects/p/datasets/sales",
    [`gained ${ADA} READER`],
  ]),
  [
    "an authorized view of a dataset",
    step("create", "gcp:bigquery/datasetAccess:DatasetAccess", undefined, { datasetId: "d", view: { tableId: "t" } }),
    "dataset access projects/demo-project/datasets/d",
    [],
  ],
  [
    "a removed member",
    step("create", "gcp:projects/iamMemberRemove:IamMemberRemove", undefined, { project: "p", role: "r", member: ADA }),
    "a project projects/p",
    [`lost ${ADA} r`],
    0,
  ],
  [
    "a hidden member",
    step("create", BINDING, undefined, { project: "p", role: "r", members: ["[secret]"] }),
    "a project projects/p",
    ["gained [secret] r"],
  ],
])("the inputs say who gains and who loses: %s", (_what, each, resource, changes, unknown = 1) => {
  expect(shown(each)).toEqual([[resource, changes, unknown]]);
});

test.each([
  ["gcp:serviceaccount/key:Key", { serviceAccountId: "projects/p/serviceAccounts/a@p.iam.gserviceaccount.com" }],
  ["gcp:iam/denyPolicy:DenyPolicy", { parent: "x", name: "n", rules: [] }],
  ["gcp:serviceaccount/key:Key", { roleId: "r", permissions: ["a.b.c"] }],
  ["gcp:cloudidentity/groupMembership:GroupMembership", { group: "groups/g", roles: [{ name: "MEMBER" }] }],
  ["gcp:orgpolicy/policy:Policy", { parent: "projects/p", name: "projects/p/policies/x" }],
  ["gcp:iam/workloadIdentityPoolProvider:WorkloadIdentityPoolProvider", { workloadIdentityPoolId: "pool" }],
])("%s is no grant, and unknown all the same", (type, inputs) => {
  for (const each of [
    step("create", type, undefined, inputs),
    step("delete", type, inputs),
    step("update", type, inputs, inputs),
  ]) {
    expect(found(each)).toEqual([
      expect.objectContaining({ changes: [], unknown: [expect.objectContaining({ type })] }),
    ]);
  }
});

test.each<[string, object]>([
  ["it stays the same", step("same", BINDING, { role: "r" }, { role: "r" })],
  ["it is only read", step("read", BINDING, undefined, { role: "r" })],
  ["the stack does not manage it", step("delete", BINDING, { role: "r" }, undefined, { external: true })],
  [
    "the program only reads another service in its place",
    {
      ...step("read-replacement", SERVICE, { name: "web", invokerIamDisabled: true }),
      newState: {
        urn: `urn:pulumi:dev::shop::${SERVICE}::it`,
        type: SERVICE,
        external: true,
        inputs: { name: "api", invokerIamDisabled: true },
        outputs: {},
      },
    },
  ],
  ["it is retained", step("delete", BINDING, { role: "r" }, undefined, { retainOnDelete: true })],
  [
    "a dataset keeps its access list",
    step("update", "gcp:bigquery/dataset:Dataset", { accesses: [], labels: {} }, { accesses: [] }),
  ],
  ["a new project is in a folder", step("create", "gcp:organizations/project:Project", undefined, { folderId: "1" })],
  [
    "a member that it removed does not come back",
    step("delete", "gcp:projects/iAMMemberRemove:IAMMemberRemove", { project: "p", role: "r", member: ADA }),
  ],
  ["it is of a type without access", step("create", "gcp:storage/bucket:Bucket", undefined, { location: "EU" })],
  [
    "the delete of an object of Config Connector leaves the resource",
    step("delete", "kubernetes:iam.cnrm.cloud.google.com/v1beta1:IAMPolicyMember", {
      metadata: { annotations: { "cnrm.cloud.google.com/deletion-policy": "abandon" } },
      spec: { member: ADA, role: "r" },
    }),
  ],
  [
    "its delete leaves the resource",
    step("delete", "gcp:projects/iAMCustomRole:IAMCustomRole", { deletionPolicy: "ABANDON" }),
  ],
  [
    "a hidden input is not what the step changes",
    {
      ...step("update", "gcp:bigquery/dataset:Dataset", { accesses: HIDDEN }, { accesses: HIDDEN, labels: {} }),
      diffReasons: ["labels"],
    },
  ],
  [
    "a setting is as if it were not given",
    step("create", SERVICE, undefined, { name: "web", invokerIamDisabled: false }),
  ],
  ["other metadata changes", step("update", INSTANCE, { metadata: { a: "1" } }, { metadata: { a: "2" } })],
  [
    "a new service account has no access",
    step("create", "gcp:serviceaccount/account:Account", undefined, { accountId: "a" }),
  ],
  [
    "an account gets another title",
    step("update", "gcp:serviceaccount/account:Account", { accountId: "a", displayName: "x" }, { accountId: "a" }),
  ],
  [
    "a new role gives nobody anything",
    step("create", "gcp:projects/iAMCustomRole:IAMCustomRole", undefined, { roleId: "r", permissions: ["a.b.c"] }),
  ],
  [
    "a user has a password of its own",
    step("create", "gcp:sql/user:User", undefined, { name: "ada", password: HIDDEN }),
  ],
  [
    "a user of Config Connector has a password of its own",
    step("create", "kubernetes:sql.cnrm.cloud.google.com/v1beta1:SQLUser", undefined, {
      spec: { resourceID: "ada", type: "BUILT_IN", password: HIDDEN },
    }),
  ],
  [
    "a new pool lets nobody in",
    step("create", "gcp:iam/workloadIdentityPool:WorkloadIdentityPool", undefined, { workloadIdentityPoolId: "p" }),
  ],
  [
    "a folder has the same name",
    step("update", "gcp:organizations/project:Project", { folderId: "1" }, { folderId: "folders/1" }),
  ],
  [
    "a list has another order",
    step(
      "update",
      "gcp:bigquery/dataset:Dataset",
      { accesses: [{ a: 1 }, { b: 2 }] },
      { accesses: [{ b: 2 }, { a: 1 }] },
    ),
  ],
  ["a service goes", step("delete", SERVICE, { name: "web", invokerIamDisabled: true })],
  [
    "an entry of a list is imported",
    step("import", "gcp:bigquery/datasetAccess:DatasetAccess", undefined, {
      datasetId: "d",
      role: "READER",
      userByEmail: "ada@example.com",
    }),
  ],
])("a step says nothing if %s", (_why, each) => {
  expect(found(each)).toEqual([]);
});

test.each<[string, object]>([
  ["everyone may call a new service", step("create", SERVICE, undefined, { name: "web", invokerIamDisabled: true })],
  ["everyone may call a service", step("update", SERVICE, { name: "web" }, { name: "web", invokerIamDisabled: true })],
  [
    "an annotation lets everyone call a service",
    step("update", "gcp:cloudrun/service:Service", {}, { metadata: { annotations: { [CHECK]: "true" } } }),
  ],
  [
    "a bucket may be public",
    step("update", BUCKET, { publicAccessPrevention: "enforced" }, { publicAccessPrevention: "inherited" }),
  ],
  [
    "a bucket gets access lists",
    step("update", BUCKET, { uniformBucketLevelAccess: true }, { uniformBucketLevelAccess: false }),
  ],
  [
    "a bucket of google-native may be public",
    step(
      "update",
      "google-native:storage/v1:Bucket",
      { iamConfiguration: {} },
      { iamConfiguration: { publicAccessPrevention: "inherited" } },
    ),
  ],
  ["somebody gets an SSH key", step("update", INSTANCE, { metadata: {} }, { metadata: { "ssh-keys": "ada:k" } })],
  ["a user gets a database", step("create", "gcp:sql/user:User", undefined, { name: "ada", type: "CLOUD_IAM_USER" })],
  [
    "data is shown to others",
    step("update", "gcp:bigquery/datapolicyv2DataPolicy:Datapolicyv2DataPolicy", { grantees: [] }, { grantees: ["x"] }),
  ],
  ["a group gets a member", step("create", "googleworkspace:index/groupMember:GroupMember", undefined, { email: ADA })],
  [
    "a hidden list may change",
    step("update", "gcp:bigquery/dataset:Dataset", { accesses: HIDDEN }, { accesses: HIDDEN }),
  ],
  [
    "a hidden list changes",
    {
      ...step("update", "gcp:bigquery/dataset:Dataset", { accesses: HIDDEN }, { accesses: HIDDEN }),
      diffReasons: ["accesses"],
    },
  ],
  [
    "a part of a hidden list changes",
    {
      ...step(
        "update",
        "gcp:bigquery/dataset:Dataset",
        { accesses: [{ role: HIDDEN }] },
        { accesses: [{ role: HIDDEN }] },
      ),
      detailedDiff: { "accesses[0].role": { kind: "update" } },
    },
  ],
  [
    "a hidden folder may be another",
    step("update", "gcp:organizations/project:Project", { folderId: HIDDEN }, { folderId: HIDDEN }),
  ],
  ["all metadata is hidden", step("create", INSTANCE, undefined, { metadata: HIDDEN })],
  ["all metadata is known after the update", step("update", INSTANCE, { metadata: {} }, { metadata: UNKNOWN_TEXT })],
  [
    "hidden annotations change",
    { ...step("update", SERVICE, { annotations: HIDDEN }, { annotations: HIDDEN }), diffReasons: ["annotations"] },
  ],
  [
    "a block of a module lets everyone call a service",
    step("create", "m:tf:google_cloud_run_service", undefined, { metadata: [{ annotations: { [CHECK]: "true" } }] }),
  ],
  [
    "somebody's change outside is taken back",
    {
      ...step("update", BUCKET, { publicAccessPrevention: "inherited" }, { publicAccessPrevention: "inherited" }),
      diffReasons: ["publicAccessPrevention"],
    },
  ],
  [
    "only the reasons of a replacement are known",
    {
      ...step("replace", "gcp:bigquery/dataset:Dataset", { accesses: HIDDEN }, { accesses: HIDDEN }),
      replaceReasons: ["location"],
    },
  ],
  [
    "an old role gets permissions",
    step("update", "gcp:projects/iAMCustomRole:IAMCustomRole", { permissions: ["a"] }, { permissions: ["a", "b"] }),
  ],
  ["an account is disabled", step("update", "gcp:serviceaccount/account:Account", {}, { disabled: true })],
  [
    "somebody administers a cluster elsewhere",
    step("create", "gcp:gkeonprem/vMwareCluster:VMwareCluster", undefined, { authorization: { adminUsers: [] } }),
  ],
  [
    "a bucket of Config Connector is public",
    step("create", "kubernetes:storage.cnrm.cloud.google.com/v1beta1:StorageBucketAccessControl", undefined, {}),
  ],
  [
    "a module has a grant",
    step("create", "mine:tf:google_project_iam_binding", undefined, { role: "r", members: [ADA] }),
  ],
])("it is unknown who has access if %s", (_what, each) => {
  expect(found(each).flatMap(({ unknown }) => unknown)).toHaveLength(1);
});

test.each([
  [
    "gcp:bigquery/datasetAccess:DatasetAccess",
    "datasetId",
    "d1",
    "d2",
    { role: "READER", userByEmail: "eve@example.com" },
  ],
  [
    "gcp:storage/bucketAccessControl:BucketAccessControl",
    "bucket",
    "b1",
    "b2",
    { role: "READER", entity: "user-eve@example.com" },
  ],
])("an entry of %s that moves is lost on the old list and gained on the new one", (type, input, from, to, entry) => {
  const moved = step(
    "replace",
    type,
    { ...entry, [input]: from },
    { ...entry, role: "OWNER", [input]: to },
    { id: `${from}/x` },
  );
  expect(shown(moved).map(([resource, changes]) => [String(resource).split("/").at(-1), changes])).toEqual([
    [from, ["lost user:eve@example.com READER"]],
    [to, ["gained user:eve@example.com OWNER"]],
  ]);
});

test.each([
  ["mine:tf:google_pubsub_topic_iam_member", "topic", { project: "p", role: "r", member: ADA }],
  ["google:index/projectIamMember:ProjectIamMember", "project", { role: "r", member: ADA }],
  ["gcp:storage/bucketACL:BucketACL", "bucket", { roleEntities: ["READER:allUsers"] }],
  ["gcp:storage/bucketAccessControl:BucketAccessControl", "bucket", { role: "READER", entity: "allUsers" }],
  ["gcp:cloudidentity/groupMembership:GroupMembership", "group", { preferredMemberKey: { id: "eve@example.com" } }],
])("what %s says is lost where it was and gained where it goes, also if it is the same", (type, input, inputs) => {
  const [before, after] = ["one1", "two2"].map((name) => ({ ...inputs, [input]: name }));
  for (const op of ["replace", "update"]) {
    const resources = found(step(op, type, before, after));
    expect(resources.map(({ resource, changes }) => [/(one1|two2)$/.exec(resource)?.[0], changes[0]?.change])).toEqual([
      ["one1", "lost"],
      ["two2", "gained"],
    ]);
    expect(found(step(op, type, before, { ...before, labels: {} })).flatMap(({ changes }) => changes)).toEqual([]);
  }
});

test.each<[string, string, object]>([
  ["gcp:storage/bucketObject:BucketObject", "name", { bucket: "b", predefinedAcl: "publicRead" }],
  ["gcp:workbench/instance:Instance", "name", { location: "us-a", instanceOwners: ["eve@example.com"] }],
  ["gcp:bigquery/dataset:Dataset", "datasetId", { accesses: [{ role: "OWNER", userByEmail: "eve@example.com" }] }],
])("a replacement of %s under another name makes a new one, with the same inputs that decide", (type, name, inputs) => {
  const [before, after] = ["one1", "two2"].map((each) => ({ ...inputs, [name]: each, project: "p" }));
  const changes = found(step("replace", type, before, after)).map((each) => [
    /(one1|two2)$/.exec(each.resource)?.[0],
    each.changes.map(({ change }) => change),
  ]);
  expect(changes).toContainEqual(["two2", ["gained"]]);
  expect(found(step("replace", type, before, { ...before, labels: {} }))).toEqual([]);
});

test("an entry of a list has one name in all operations", () => {
  const type = "gcp:storage/bucketAccessControl:BucketAccessControl";
  const entry = { bucket: "b1", entity: "user-eve@example.com", role: "READER" };
  const more = { id: "b1/user-eve@example.com" };
  const names = [
    step("create", type, undefined, entry),
    step("update", type, entry, { ...entry, role: "OWNER" }, more),
    step("delete", type, entry, undefined, more),
  ].flatMap((each) => found(each).map(({ resource }) => resource));
  expect(names).toEqual(["b/b1", "b/b1", "b/b1"]);
});

test("a view of a Terraform module states its grants in its own names", () => {
  const policy = JSON.stringify({ bindings: [{ role: "r", members: [ADA] }] });
  const made = step("create", "mine:tf:google_project_iam_policy", undefined, { project: "p", policy_data: policy });
  expect(shown(made)).toEqual([["a project projects/p", [`gained ${ADA} r`], 1]]);
});

test("a project that moves to another folder is unknown: what its folder grants moves with it", () => {
  const moved = step("update", "gcp:organizations/project:Project", { folderId: "1" }, { folderId: "2" });
  expect(found(moved)[0]?.unknown).toHaveLength(1);
});

test("steps on one resource are together, and a rule can tell them apart by their types", () => {
  const [role, list] = ["gcp:iam/projectAccessPolicy:ProjectAccessPolicy", "gcp:iam/denyPolicy:DenyPolicy"];
  const found = foreignStepsOf(
    readPlanOf(
      step("create", role, undefined, { project: "p", roleId: "r" }),
      step("create", list, undefined, { parent: "p", name: "n", rules: [] }),
    ),
  );
  const unknown = foreignResources(found).flatMap((each) => each.unknown);
  expect(unknown.map(({ code, type }) => [code, type])).toEqual([
    ["other provider", role],
    ["other provider", list],
  ]);
});

test("a resource that an earlier update left to delete is in no plan, and counts", () => {
  const [state] = readPlanOf(step("delete", BINDING, { project: "p", role: "r", members: [ADA] })).steps.flatMap(
    ({ old }) => old ?? [],
  );
  const leftOver = { ...state, delete: true, secrets: ["members"] } as NonNullable<typeof state>;
  const [project] = foreignResources(foreignStepsOf(readPlanOf(), [leftOver]));
  expect(project?.changes).toEqual([expect.objectContaining({ change: "lost", hidden: "secret" })]);
  expect(JSON.stringify(project)).not.toContain(ADA);
});

test("a grant on a kind of resource that the review follows cannot be allowed by a rule about other providers", () => {
  const type = "gcp:healthcare/fhirStoreIamMember:FhirStoreIamMember";
  const [store] = found(step("create", type, undefined, { fhirStoreId: "projects/p/x", role: "r", member: ADA }));
  expect(store?.unknown).toEqual([expect.objectContaining({ code: "unsupported" })]);
  expect(store?.unknown[0]).not.toHaveProperty("type");
});

test.each([
  [ADA, 0],
  ["04da6b54-80e4-46f7-96ec-b56ff0331ba9", 1],
])("on a new resource, the effect is known if the member is: %s", (member, unknown) => {
  const topic = step("create", "gcp:pubsub/topic:Topic", undefined, { name: "orders" });
  const inputs = { topic: "04da6b54-80e4-46f7-96ec-b56ff0331ba9", role: "r", member };
  const grant = step("create", MEMBER, undefined, inputs, { propertyDependencies: { topic: [topic.urn] } });
  const [resource] = found(topic, grant);
  expect(resource?.unknown).toHaveLength(unknown);
  expect(resource?.changes).toMatchObject([{ change: "gained", role: "r" }]);
});

test.each<[string, string, object]>([
  ["a custom role (iam) projects/p/roles/r", "gcp:projects/iAMCustomRole:IAMCustomRole", { roleId: "r", project: "p" }],
  [
    "a custom role (iam) organizations/1/roles/r",
    "gcp:organizations/iAMCustomRole:IAMCustomRole",
    { roleId: "r", orgId: "1" },
  ],
  [
    "a custom role (iam) projects/demo-project/roles/r",
    "google:index/projectIamCustomRole:ProjectIamCustomRole",
    { roleId: "r" },
  ],
  ["a role (iam) projects/demo-project/roles/r", "google-native:iam/v1:Role", { roleId: "r" }],
  [
    "a service account (iam) projects/demo-project/serviceAccounts/robot-one",
    "gcp:serviceaccount/account:Account",
    { accountId: "robot-one" },
  ],
  [
    "a service account (iam) projects/demo-project/serviceAccounts/a",
    "google:index/serviceAccount:ServiceAccount",
    { accountId: "a" },
  ],
  ["a deny policy (iam) projects/demo-project/denyPolicies/x", "gcp:iam/denyPolicy:DenyPolicy", { name: "x" }],
  ["a project (cloudresourcemanager) projects/p", BINDING, { project: "p", role: "r", members: ["allUsers"] }],
  [
    "a project (cloudresourcemanager) projects/p",
    "google:index/projectIamMember:ProjectIamMember",
    { project: "p", role: "r", member: "allUsers" },
  ],
  [
    "a folder (cloudresourcemanager) folders/1",
    "gcp:folder/iAMMember:IAMMember",
    { folder: "1", role: "r", member: ADA },
  ],
  ["a bucket ACL (storage) b/x", "gcp:storage/bucketACL:BucketACL", { bucket: "x" }],
  ...["gcp:firestore/userCreds:UserCreds", "google:index/firestoreUserCreds:FirestoreUserCreds"].map(
    (type): [string, string, object] => [
      "user credentials (firestore) projects/demo-project/databases/d/userCreds/k",
      type,
      { name: "k", database: "d" },
    ],
  ),
  [
    "user credentials (firestore) projects/demo-project/databases/d/userCreds/k",
    "mine:tf:google_firestore_user_creds",
    { name: "k", database: "d" },
  ],
  [
    "a backend bucket signed URL key (compute) projects/demo-project/backendBuckets/b/signedUrlKeys/k",
    "gcp:compute/backendBucketSignedUrlKey:BackendBucketSignedUrlKey",
    { name: "k", backendBucket: "b" },
  ],
  [
    "a user (sqladmin) projects/demo-project/instances/db",
    "gcp:sql/user:User",
    { name: "ada", instance: "db", type: "CLOUD_IAM_USER" },
  ],
  [
    "an HMAC key (storage) projects/demo-project/serviceAccounts/a",
    "gcp:storage/hmacKey:HmacKey",
    { serviceAccountEmail: "a" },
  ],
  ["an SSH public key (oslogin) users/ada", "gcp:oslogin/sshPublicKey:SshPublicKey", { user: "ada" }],
  ["a project (mymod) [unknown]", "mymod:index:ProjectIAMBinding", { x: "1" }],
  ["a project (mymod) projects/p", "mymod:index:ProjectIAMBinding", { project: "p", x: "1" }],
  ["a topic (mymod) topics/t", "mymod:iam:TopicIAMMember", { topic: "t", role: "r", member: ADA }],
  ["a resource (mymod) [unknown]", "mymod:index:IAMMember", { x: "1", role: "r", member: ADA }],
  ["a group member (cloudidentity) groups/g", "googleworkspace:index/groupMember:GroupMember", { groupId: "g" }],
])("the resource is named by what names it, with its kind and its API: %s", (expected, type, inputs) => {
  const described = { displayName: "x", friendlyName: "y", title: "t", stage: "GA", description: "d" };
  const all = "role" in inputs ? inputs : { ...inputs, ...described };
  // A new role gives nobody access.
  const [named] = [...found(step("create", type, undefined, all)), ...found(step("delete", type, all))];
  expect(`${named?.kind} (${named?.api}) ${named?.resource}`).toBe(expected);
});

test.each<[string, string, object]>([
  ["gcp:storage/bucketAccessControl:BucketAccessControl", "b/user-ada@example.com", { bucket: "b", role: "READER" }],
  ["gcp:storage/defaultObjectAccessControl:DefaultObjectAccessControl", "b/user-ada@example.com", { bucket: "b" }],
  ["gcp:storage/objectAccessControl:ObjectAccessControl", "b/o/user-ada@example.com", { bucket: "b", object: "o" }],
  ["google-native:storage/v1:BucketAccessControl", "b/user-ada@example.com", { bucket: "b", role: "READER" }],
  ["google:index/storageBucketAccessControl:StorageBucketAccessControl", "b/user-ada@example.com", { bucket: "b" }],
  ["google:index/storageBucketIamMember:StorageBucketIamMember", "b/b/roles/x/user:ada@example.com", { bucket: "b" }],
])("a secret entity is not shown as a part of the id: %s", (type, id, inputs) => {
  const member = /IamMember$/.test(type) ? { member: "[secret]", role: "[secret]" } : { entity: "[secret]" };
  const results = ["delete", "update"].flatMap((op) => {
    const next = op === "delete" ? undefined : { ...inputs, ...member, role: "OWNER" };
    return found(step(op, type, { role: "READER", ...inputs, ...member }, next, { id }));
  });
  expect(results).toHaveLength(2);
  expect(JSON.stringify(results)).not.toMatch(/ada@/);
  expect(results.map(({ resource }) => resource)).toEqual(results.map(() => expect.stringMatching(/^b\/b(\/|$)/)));
});

test.each([
  "pkg:iam:ProjectIAMBinding",
  "mine:index:TopicIamMember",
  "mine:index:BucketIamPolicy",
  "google:index:ServiceAccountKey",
  "gcp:iam/denyPolicy:DenyPolicy",
  "google-native:iam/v1:Key",
  "perimeter:iam/v1:ResourceIamMember",
])("a component is no grant, whatever its type is called: %s", (type) => {
  for (const op of ["create", "update", "replace", "delete"]) {
    const component = { ...step(op, type, {}, {}, { custom: false }) };
    const plan = readPlanOf(component);
    expect(foreignStepsOf(plan)).toEqual([]);
    expect(plan.steps.map(grantStepOf)).toEqual([undefined]);
  }
  expect(
    foreignStepsOf(readPlanOf(step("create", type, undefined, {}))).length + Number(type.startsWith("perimeter")),
  ).toBe(1);
});

test("the sentence about a resource that nothing names does not name it", () => {
  const [resource] = found(step("create", "mymod:index:ProjectIAMBinding", undefined, { x: "1" }));
  expect(resource?.unknown.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^It is unknown who gains and who loses access: the plan creates it \(mymod:index/),
  ]);
});
