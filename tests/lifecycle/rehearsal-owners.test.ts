/** What the resources of two stacks declare in one access policy, one of which removes what the other declares. */
import { readPlan, type PlanStep } from "../../access/plan/plan";
import { acrossStacks, conflictsAmong, takenAmong, withTaken } from "../../access/rehearsal/conflicts";
import { foundIn } from "../../access/rehearsal/found-in-plan";
import type { PlannedState } from "../../access/plan/planned-state";
import {
  creates,
  deletes,
  planned,
  planOf,
  RehearsalCloud,
  replaces,
  same,
  STORE,
  updates,
  VIEWER,
} from "../support/plans";

const [ADA, EVE] = ["user:ada@example.com", "user:eve@example.com"];
const BY_NUMBER = STORE.replace("demo-project", "123456");
const BINDING = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding";
const GCP = "gcp:healthcare/fhirStoreIam";

let cloud: RehearsalCloud;
beforeAll(async () => {
  const policy = { etag: "ACAB" };
  const byNumber = { service: "healthcare", name: BY_NUMBER, body: { version: "R4" }, policy };
  cloud = await RehearsalCloud.start({ store: policy, more: [byNumber] });
});
afterAll(() => cloud.stop());

const lost = (member: string) => `lost ${member}`;
const one = (more: Partial<PlannedState> = {}, name = STORE) => creates("one", { name, member: ADA }, more);
const other = (name = STORE) => creates("other", { name, member: EVE });
const binding = (name = STORE) => creates("one", { name, member: undefined, members: [ADA] }, { type: BINDING });
const ofGcp = (kind: "Binding" | "Policy" | "Member", values: object) =>
  creates("one", { name: undefined, fhirStoreId: STORE, ...values }, { type: `${GCP}${kind}:FhirStoreIam${kind}` });

test.each<[string, string, [PlanStep, PlanStep], string[]]>([
  ["grants in the mode replace", "replace", [one(), other()], ["one owns policy"]],
  ["a grant that stays, in the mode replace", "replace", [same("one", { member: ADA }), other()], ["one owns policy"]],
  ["grants in the mode merge", "merge", [one(), other()], []],
  ["a binding and a grant", "merge", [binding(), other()], ["one owns role"]],
  [
    "a binding by the id of the project, and a grant by its number",
    "merge",
    [binding(), other(BY_NUMBER)],
    ["one owns role"],
  ],
  [
    "a binding by the number of the project, and a grant by its id",
    "merge",
    [binding(BY_NUMBER), other()],
    ["one owns role"],
  ],
  [
    "a binding of @pulumi/gcp",
    "merge",
    [ofGcp("Binding", { member: undefined, members: [ADA] }), other()],
    ["one owns role"],
  ],
  ["a policy of @pulumi/gcp", "merge", [ofGcp("Policy", { policyData: "{}" }), other()], ["one owns policy"]],
  ["a member of @pulumi/gcp", "merge", [ofGcp("Member", { member: ADA }), other()], []],
])("%s", async (_what, mode, [first, second], expected) => {
  const known: Record<string, string> = { "123456": "demo-project" };
  for (const projectNumbers of [known, {}]) {
    cloud.emulator.configure({ projectNumbers });
    const stacks = await Promise.all([first, second].map((step) => cloud.declared(planOf([step], { mode }))));
    const conflicts = conflictsAmong(
      stacks.flatMap(({ declared }) => declared),
      () => true,
    );
    expect(conflicts.map(({ owner }) => `${owner.urn.split("::").at(-1)} owns ${owner.owns}`)).toEqual(expected);
  }
});

describe("what one stack removes and another one declares", () => {
  const role = { role: VIEWER };
  const gcp = (kind: "Binding" | "Policy", values: object) => {
    const more = { type: `${GCP}${kind}:FhirStoreIam${kind}`, outputs: {} };
    return deletes("gone", { name: undefined, fhirStoreId: STORE, ...values }, more);
  };
  const all = { policyData: JSON.stringify({ bindings: [{ ...role, members: [ADA, EVE] }] }) };
  const storeGoes = deletes("gone", {}, { type: "gcp:healthcare/fhirStore:FhirStore", id: STORE });

  test.each<[string, PlanStep, PlanStep, string[]]>([
    [
      "a grant, which the other one keeps",
      deletes("gone", { member: ADA }),
      same("kept", { member: ADA }),
      [lost(ADA)],
    ],
    [
      "a grant, which the other one makes",
      deletes("gone", { member: ADA }),
      creates("made", { member: ADA }),
      ["race"],
    ],
    [
      "a grant by the id of the project, which the other one has by its number",
      deletes("gone", { member: ADA }),
      same("kept", { name: BY_NUMBER, member: ADA }),
      [lost(ADA)],
    ],
    ["another grant", deletes("gone", { member: ADA }), same("kept", { member: EVE }), []],
    [
      "a grant that stays in the cloud",
      deletes("gone", { member: ADA }, { retainOnDelete: true }),
      same("kept", { member: ADA }),
      [],
    ],
    [
      "a grant by a replacement",
      replaces("gone", { member: ADA }, { member: "user:new@example.com" }),
      same("kept", { member: ADA }),
      [lost(ADA)],
    ],
    [
      "a member of a binding",
      updates(
        planned("gone", { member: undefined, members: [ADA, EVE] }, { type: BINDING }),
        planned("gone", { member: undefined, members: [EVE] }, { type: BINDING }),
      ),
      same("kept", { member: ADA }),
      [lost(ADA)],
    ],
    [
      "a binding",
      deletes("gone", { member: undefined, members: [ADA] }, { type: BINDING }),
      same("kept", { member: ADA }),
      [lost(ADA)],
    ],
    [
      "a binding of @pulumi/gcp, in the role of the other one",
      gcp("Binding", { ...role, members: [ADA] }),
      same("kept", { member: EVE }),
      [lost(EVE)],
    ],
    [
      "a binding of @pulumi/gcp, in whose role the other one makes a grant",
      gcp("Binding", { ...role, members: [ADA] }),
      creates("made", { member: "user:new@example.com" }),
      ["race"],
    ],
    ["a policy of @pulumi/gcp", gcp("Policy", all), same("kept", { member: EVE }), [lost(EVE)]],
    ["a policy of @pulumi/gcp in which the other one writes", gcp("Policy", all), other(), ["race"]],
    ["the resource", storeGoes, same("kept", { member: EVE }), [lost(EVE)]],
    ["the resource on which the other one makes a grant", storeGoes, other(), ["race"]],
    ["nothing", same("gone", { member: ADA }), same("kept", { member: ADA }), []],
  ])("is known or depends on the order: %s", async (_what, gone, kept, expected) => {
    cloud.emulator.reset();
    cloud.emulator.configure({ projectNumbers: { "123456": "demo-project" } });
    for (const name of [STORE, BY_NUMBER]) {
      cloud.emulator.mutate(name, { policy: { etag: "ACAB", bindings: [{ ...role, members: [ADA, EVE] }] } });
    }
    const [one, two] = [await cloud.declared(planOf([gone])), await cloud.declared(planOf([kept]))];
    const taken = takenAmong([...one.takes, ...two.takes], two.declared, (by) => one.takes.includes(by));
    const changes = withTaken([], taken).flatMap((each) => each.changes);
    expect([
      ...changes.map(({ change, principal }) => `${change} ${principal}`),
      ...taken.flatMap(({ doubt }) => (doubt === undefined ? [] : ["race"])),
    ]).toEqual(expected);
    for (const { steps } of changes) expect(steps).toEqual([gone.urn]);
  });
});

describe("what one stack takes from an access list in which another one has an entry", () => {
  const [BUCKET, OBJECTS, DATASET] = [
    "gcp:storage/bucketAccessControl:BucketAccessControl",
    "gcp:storage/defaultObjectAccessControl:DefaultObjectAccessControl",
    "gcp:bigquery/datasetAccess:DatasetAccess",
  ];
  const READER = { bucket: "files", role: "READER", entity: "user-ada@example.com" };
  const VIEW = { datasetId: "sales", project: "demo-project", role: "READER", userByEmail: "ada@example.com" };
  const entry = (op: string, type = BUCKET, inputs: object = READER) => [op, type, inputs] as const;
  const ofDataset = entry("same", DATASET, VIEW);
  const list = (op: string, roleEntities: string[]) =>
    entry(op, "gcp:storage/bucketACL:BucketACL", { bucket: "files", roleEntities });
  const [SALES, SALES_ID] = [{ datasetId: "sales" }, "projects/demo-project/datasets/sales"];
  const ADA_READS = { role: "READER", userByEmail: "ada@example.com" };

  test.each<[string, Entry, Entry, string[]]>([
    ["the same entry of a bucket", entry("delete"), entry("same"), [lost(ADA)]],
    [
      "that of Terraform's provider",
      entry("delete", "google:index/storageBucketAccessControl:StorageBucketAccessControl"),
      entry("same"),
      [lost(ADA)],
    ],
    [
      "that of a view of a module",
      entry("delete", "mine:tf:google_storage_bucket_access_control"),
      entry("same"),
      [lost(ADA)],
    ],
    [
      "that of google-native",
      entry("delete", "google-native:storage/v1:BucketAccessControl"),
      entry("same"),
      [lost(ADA)],
    ],
    ["the default of objects", entry("delete", OBJECTS), entry("same", OBJECTS), [lost(ADA)]],
    ["the entry of a dataset", entry("delete", DATASET, VIEW), ofDataset, [lost(ADA)]],
    ["an entry that the other stack makes", entry("delete"), entry("create"), ["no order"]],
    [
      "the whole list",
      ["delete", "gcp:storage/bucketACL:BucketACL", { bucket: "files", roleEntities: [] }],
      entry("same"),
      ["other provider"],
    ],
    [
      "the bucket",
      ["delete", "gcp:storage/bucket:Bucket", { name: "files" }, "files"],
      entry("same"),
      ["other provider"],
    ],
    [
      "the dataset",
      ["delete", "gcp:bigquery/dataset:Dataset", { datasetId: "sales" }, "projects/demo-project/datasets/sales"],
      ofDataset,
      ["other provider"],
    ],
    ["an entry of another list", entry("delete", OBJECTS), entry("same"), []],
    ["an entry of another bucket", entry("delete", BUCKET, { ...READER, bucket: "other" }), entry("same"), []],
    [
      "an entry of somebody else",
      entry("delete", BUCKET, { ...READER, entity: "user-eve@example.com" }),
      entry("same"),
      [],
    ],
    ["nothing", entry("same"), entry("same"), []],
    [
      "an entry of a list that is set as a whole",
      entry("delete"),
      list("same", ["READER:user-ada@example.com"]),
      [lost(ADA)],
    ],
    [
      "an entry that such a list writes",
      entry("delete"),
      list("update", ["READER:user-ada@example.com"]),
      ["no order"],
    ],
    ["an entry, by a list without it", list("update", []), entry("same"), ["other provider"]],
    ["an entry, by a list that is new in the program", list("create", []), entry("same"), ["other provider"]],
    ["an entry that such a list has, too", list("update", ["OWNER:user-ada@example.com"]), entry("same"), []],
    [
      "an entry of the list of a dataset",
      entry("delete", DATASET, VIEW),
      ["same", "gcp:bigquery/dataset:Dataset", { ...SALES, accesses: [ADA_READS] }, SALES_ID],
      [lost(ADA)],
    ],
    [
      "an entry that the list of a dataset had",
      ["delete", "gcp:bigquery/dataset:Dataset", { ...SALES, accesses: [ADA_READS] }, SALES_ID],
      ofDataset,
      ["other provider", lost(ADA)],
    ],
  ])("%s", async (_what, gone, kept, expected) => {
    expect(await takenFrom("two", gone, kept)).toEqual(expected);
  });
});

describe("what a setting of a bucket takes from another stack", () => {
  const [ENTRY, OBJECTS, OBJECT] = ["BucketAccessControl", "DefaultObjectAccessControl", "ObjectAccessControl"].map(
    (name) => `gcp:storage/${name.charAt(0).toLowerCase()}${name.slice(1)}:${name}`,
  );
  const of = (who: string) => ({ bucket: "files", object: "a/b", role: "READER", entity: who });
  const [READER, EVERYONE] = [of("user-ada@example.com"), of("allUsers")];
  const grant = (member: string, type = "gcp:storage/bucketIAMMember:BucketIAMMember"): Entry => {
    const inputs = { bucket: "files", role: "roles/storage.objectViewer", member };
    return ["same", type, inputs, `b/files/roles/storage.objectViewer/${member}`];
  };
  const [MINE, FOLDER] = [
    "perimeter:iam/v1:ResourceIamMember",
    "gcp:storage/managedFolderIamMember:ManagedFolderIamMember",
  ];
  const mine = (member: string): Entry => {
    const inputs = {
      resource: "//storage.googleapis.com/projects/_/buckets/files",
      role: "roles/storage.objectViewer",
      member,
    };
    return ["same", MINE, inputs, `${inputs.resource} ${inputs.role} ${member}`];
  };
  const inFolder = (member: string): Entry => {
    const inputs = { bucket: "files", managedFolder: "a/", role: "roles/storage.objectViewer", member };
    return ["same", FOLDER, inputs, `b/files/managedFolders/a//roles/storage.objectViewer/${member}`];
  };
  const list: Entry = ["same", "gcp:storage/bucketACL:BucketACL", { bucket: "files", predefinedAcl: "publicRead" }];
  const entries: Entry[] = [ENTRY, OBJECTS, OBJECT].map((type = "") => ["same", type, READER]);
  const everyone: Entry[] = [
    ...[ENTRY, OBJECTS, OBJECT].map((type = ""): Entry => ["same", type, EVERYONE]),
    list,
    grant("allUsers"),
    grant("allAuthenticatedUsers", "google:index/storageBucketIamMember:StorageBucketIamMember"),
    mine("allUsers"),
    inFolder("allUsers"),
  ];
  const others: Entry[] = [grant(ADA), mine(ADA), inFolder(ADA)];
  const [UNIFORM, PREVENTED] = [
    { uniformBucketLevelAccess: true, iamConfiguration: { uniformBucketLevelAccess: { enabled: true } } },
    { publicAccessPrevention: "enforced", iamConfiguration: { publicAccessPrevention: "enforced" } },
  ];
  const BUCKETS: [string, string[]][] = [
    ["gcp:storage/bucket:Bucket", ["uniformBucketLevelAccess", "publicAccessPrevention"]],
    ["google:index/storageBucket:StorageBucket", ["uniformBucketLevelAccess", "publicAccessPrevention"]],
    ["mine:tf:google_storage_bucket", ["uniform_bucket_level_access", "public_access_prevention"]],
    ["google-native:storage/v1:Bucket", ["iamConfiguration", "iamConfiguration"]],
  ];

  beforeEach(() => cloud.emulator.reset());

  /** The doubts of another stack about what it declares, after an update of the bucket. */
  async function taken(type: string, name: string, values: readonly unknown[], kept: Entry): Promise<string[]> {
    const [before, after] = values.map((value) => ({ name: "files", ...(value !== undefined && { [name]: value }) }));
    return takenFrom("two", ["update", type, after ?? {}, "files", before], kept);
  }

  test.each(BUCKETS)("%s", async (type, [uniform = "", prevented = ""]) => {
    const key = type.startsWith("google-native") ? "iamConfiguration" : undefined;
    const on = key ? UNIFORM[key as "iamConfiguration"] : true;
    const closed = key ? PREVENTED[key as "iamConfiguration"] : "enforced";
    for (const kept of [...entries, list]) {
      expect([kept, await taken(type, uniform, [undefined, on], kept)]).toEqual([kept, ["other provider"]]);
      expect([kept, await taken(type, uniform, [on, undefined], kept)]).toEqual([kept, []]);
    }
    for (const kept of everyone) {
      expect([kept, await taken(type, prevented, [undefined, closed], kept)]).toEqual([kept, ["other provider"]]);
      expect([kept, await taken(type, prevented, [closed, undefined], kept)]).toEqual([kept, []]);
    }
    for (const kept of [...entries, ...others]) {
      expect([kept, await taken(type, prevented, [undefined, closed], kept)]).toEqual([kept, []]);
    }
    for (const kept of others) expect([kept, await taken(type, uniform, [undefined, on], kept)]).toEqual([kept, []]);
  });
});

describe("what one stack takes from an access list by its policy, or from the policy by the list", () => {
  const OF_DATASET = { datasetId: "sales", project: "demo-project" };
  const DATASET_ID = "projects/demo-project/datasets/sales";
  const ROLES = [
    ["READER", "roles/bigquery.dataViewer"],
    ["WRITER", "roles/bigquery.dataEditor"],
    ["OWNER", "roles/bigquery.dataOwner"],
  ] as const;
  const LEGACY = [
    ["READER", "roles/storage.legacyBucketReader"],
    ["WRITER", "roles/storage.legacyBucketWriter"],
    ["OWNER", "roles/storage.legacyBucketOwner"],
  ] as const;
  const datasetEntries = (op: string, role: string): Entry[] => [
    [op, "gcp:bigquery/datasetAccess:DatasetAccess", { ...OF_DATASET, role, userByEmail: "ada@example.com" }],
    [op, "google:index/bigqueryDatasetAccess:BigqueryDatasetAccess", { ...OF_DATASET, role, iamMember: ADA }],
  ];
  const bucketEntries = (op: string, role: string): Entry[] =>
    ["gcp:storage/bucketAccessControl:BucketAccessControl", "google-native:storage/v1:BucketAccessControl"].map(
      (type) => [op, type, { bucket: "files", role, entity: "user-ada@example.com" }],
    );
  const grants = (op: string, role: string, of: "dataset" | "bucket"): Entry[] => {
    const [names, id, own, bridged] =
      of === "dataset"
        ? [OF_DATASET, DATASET_ID, "gcp:bigquery/datasetIam_:DatasetIam_", "BigqueryDatasetIam"]
        : [{ bucket: "files" }, "b/files", "gcp:storage/bucketIAM_:BucketIAM_", "StorageBucketIam"];
    const full = "//storage.googleapis.com/projects/_/buckets/files";
    const member: [object, string] = [{ ...names, role, member: ADA }, `${id}/${role}/${ADA}`];
    return [
      [op, own.replaceAll("_", "Member"), ...member],
      [op, `google:index/${bridged}Member:${bridged}Member`, ...member],
      [op, `mine:tf:google_${of === "dataset" ? "bigquery" : "storage"}_${of}_iam_member`, ...member],
      [op, own.replaceAll("_", "Binding"), { ...names, role, members: [ADA] }, `${id}/${role}`],
      ...(of === "dataset"
        ? []
        : [
            [
              op,
              "perimeter:iam/v1:ResourceIamMember",
              { resource: full, role, member: ADA },
              `${full} ${role} ${ADA}`,
            ] as const,
          ]),
    ];
  };

  beforeEach(() => {
    cloud.emulator.reset();
    const bindings = LEGACY.map(([, role]) => ({ role, members: [ADA] }));
    cloud.emulator.seed([{ service: "storage", name: "b/files", policy: { bindings } }]);
  });

  test.each([
    ...ROLES.map(([short, role]) => ["dataset", short, role] as const),
    ...LEGACY.map(([short, role]) => ["bucket", short, role] as const),
  ])("of a %s: %s is %s", async (of, short, role) => {
    const entries = of === "dataset" ? datasetEntries : bucketEntries;
    for (const kept of entries("same", short)) {
      for (const gone of grants("delete", role, of)) {
        expect([gone, kept, await takenFrom("two", gone, kept)]).toEqual([gone, kept, [lost(ADA)]]);
      }
      for (const gone of grants("delete", "roles/viewer", of)) {
        expect([gone, kept, await takenFrom("two", gone, kept)]).toEqual([gone, kept, []]);
      }
    }
    for (const gone of entries("delete", short)) {
      for (const kept of grants("same", role, of)) {
        expect([gone, kept, await takenFrom("two", gone, kept)]).toEqual([gone, kept, [lost(ADA)]]);
      }
      for (const kept of grants("same", "roles/viewer", of)) {
        expect([gone, kept, await takenFrom("two", gone, kept)]).toEqual([gone, kept, []]);
      }
    }
  });

  test("the loss of a grant on a bucket has the role of the grant", async () => {
    const role = "roles/storage.legacyBucketReader";
    const [entry, grant] = [bucketEntries("delete", "READER")[0], grants("same", role, "bucket")[0]];
    if (!entry || !grant) throw new Error("There are none");
    expect(await rolesTaken("two", entry, grant)).toEqual([role]);
  });

  test("a list that is set as a whole", async () => {
    const dataset = "gcp:bigquery/dataset:Dataset";
    const accesses = [{ role: "OWNER", userByEmail: "eve@example.com" }];
    const set: Entry = ["update", dataset, { ...OF_DATASET, accesses }, DATASET_ID, OF_DATASET];
    for (const kept of [
      ...grants("same", "roles/bigquery.dataViewer", "dataset"),
      ...grants("same", "roles/x", "dataset"),
    ])
      expect([kept, await takenFrom("two", set, kept)]).toEqual([kept, ["other provider"]]);
    const roleEntities = ["OWNER:user-eve@example.com"];
    const list: Entry = ["update", "gcp:storage/bucketACL:BucketACL", { bucket: "files", roleEntities }];
    for (const kept of grants("same", "roles/storage.legacyBucketReader", "bucket"))
      expect([kept, await takenFrom("two", list, kept)]).toEqual([kept, ["other provider"]]);
    for (const kept of grants("same", "roles/storage.objectViewer", "bucket"))
      expect([kept, await takenFrom("two", list, kept)]).toEqual([kept, []]);
  });
});

describe("what one stack takes where one of the two has a grant that no rehearsal follows", () => {
  const ROLE = "roles/pubsub.viewer";
  const [TOPIC, ID] = [{ topic: "orders", project: "demo-project", role: ROLE }, "projects/demo-project/topics/orders"];
  const NAMES: Readonly<Record<string, (form: string) => string>> = {
    "@pulumi/gcp": (form) => `gcp:pubsub/topicIAM${form}:TopicIAM${form}`,
    "Terraform's provider": (form) => `google:index/pubsubTopicIam${form}:PubsubTopicIam${form}`,
    "its beta": (form) => `google-beta:index/pubsubTopicIam${form}:PubsubTopicIam${form}`,
    "a view of a module": (form) => `mine:tf:google_pubsub_topic_iam_${form.toLowerCase()}`,
  };
  const member = (of: string, op: string, who = ADA): Entry => [
    op,
    NAMES[of]?.("Member") ?? "",
    { ...TOPIC, member: who },
    `${ID}/${ROLE}/${who}`,
  ];
  const binding = (of: string, op: string, members: string[]): Entry => [
    op,
    NAMES[of]?.("Binding") ?? "",
    { ...TOPIC, members },
    `${ID}/${ROLE}`,
  ];
  const policy = (of: string, op: string): Entry => [
    op,
    NAMES[of]?.("Policy") ?? "",
    { topic: "orders", project: "demo-project", policyData: JSON.stringify({ bindings: [] }) },
    ID,
  ];
  const all = Object.keys(NAMES);
  const pairs = all.flatMap((one) =>
    all.filter((two) => two !== one || one !== all[0]).map((two) => [one, two] as const),
  );

  beforeEach(() => {
    cloud.emulator.reset();
    const bindings = [{ role: ROLE, members: [ADA, EVE] }];
    cloud.emulator.seed([{ service: "pubsub", name: ID, policy: { etag: "ACAB", bindings } }]);
  });

  test.each(pairs)("a member by %s goes, and one by %s stays, or is made", async (one, two) => {
    expect(await takenFrom("two", member(one, "delete"), member(two, "same"))).toEqual([lost(ADA)]);
    expect(await takenFrom("two", member(one, "delete"), member(two, "create"))).toEqual(["no order"]);
    expect(await takenFrom("two", member(one, "delete", EVE), member(two, "same"))).toEqual([]);
    expect(await takenFrom("two", member(one, "same"), member(two, "same"))).toEqual([]);
  });

  test.each(pairs.filter(([one]) => one !== all[0]))(
    "a binding or a policy by %s has no member by %s",
    async (one, two) => {
      expect(await takenFrom("two", binding(one, "create", [EVE]), member(two, "same"))).toEqual(["other provider"]);
      expect(await takenFrom("two", binding(one, "create", [ADA]), member(two, "same"))).toEqual([]);
      expect(await takenFrom("two", binding(one, "delete", [EVE]), member(two, "same"))).toEqual(["other provider"]);
      expect(await takenFrom("two", binding(one, "delete", [ADA]), member(two, "same"))).toEqual([lost(ADA)]);
      expect(await takenFrom("two", policy(one, "create"), member(two, "same"))).toEqual(["other provider"]);
      expect(await takenFrom("two", policy(one, "create"), member(two, "create"))).toContain("no order");
    },
  );

  test.each(all)("the topic or its project goes, in which %s has a member", async (of) => {
    const topic: Entry = ["delete", "gcp:pubsub/topic:Topic", { name: "orders" }, ID];
    expect(await takenFrom("two", topic, member(of, "same"))).toEqual([lost(ADA)]);
    const project: Entry = [
      "delete",
      "gcp:organizations/project:Project",
      { projectId: "demo-project" },
      "projects/demo-project",
    ];
    expect(await takenFrom("two", project, member(of, "same"))).toEqual(["deleted resource"]);
  });
});

describe("what one stack takes from a grant on a project or a folder", () => {
  const ROLE = "roles/viewer";
  const OF_PROJECT = { project: "demo-project", role: ROLE, member: ADA };
  const [MEMBER, ID] = ["gcp:projects/iAMMember:IAMMember", `demo-project/${ROLE}/${ADA}`];
  const removes = (op: string, who = ADA, project = "demo-project"): Entry => [
    op,
    "gcp:projects/iamMemberRemove:IamMemberRemove",
    { ...OF_PROJECT, project, member: who },
  ];

  beforeEach(() => {
    cloud.emulator.reset();
    const policy = { etag: "ACAB", bindings: [{ role: ROLE, members: [ADA, EVE] }] };
    cloud.emulator.seed(
      ["projects/demo-project", "folders/1"].map((name) => ({ service: "cloudresourcemanager", name, policy })),
    );
  });

  test.each([
    ["@pulumi/gcp", MEMBER],
    ["Terraform's provider", "google:index/projectIamMember:ProjectIamMember"],
    ["a view of a module", "mine:tf:google_project_iam_member"],
  ])("by %s", async (_of, type) => {
    const kept = (op: string): Entry => [op, type, OF_PROJECT, ID];
    expect(await takenFrom("two", removes("create"), kept("same"))).toEqual([lost(ADA)]);
    expect(await takenFrom("two", removes("create"), kept("create"))).toEqual(["no order"]);
    expect(await takenFrom("two", removes("create", EVE), kept("same"))).toEqual([]);
    expect(await takenFrom("two", removes("create", ADA, "other"), kept("same"))).toEqual([]);
    expect(await takenFrom("two", removes("delete"), kept("same"))).toEqual([]);
    const project = { projectId: "demo-project" };
    const goes: Entry = ["delete", "gcp:organizations/project:Project", project, "projects/demo-project"];
    expect(await takenFrom("two", goes, kept("same"))).toEqual(["deleted resource"]);
  });

  test("the folder goes", async () => {
    const inputs = { folder: "folders/1", role: ROLE, member: ADA };
    const kept: Entry = ["same", "gcp:folder/iAMMember:IAMMember", inputs, `folders/1/${ROLE}/${ADA}`];
    const folder = { displayName: "f", parent: "organizations/1" };
    const goes: Entry = ["delete", "gcp:organizations/folder:Folder", folder, "folders/1"];
    expect(await takenFrom("two", goes, kept)).toEqual([lost(ADA)]);
  });
});

/** @param before the old inputs of an update, if they are others */
type Entry = readonly [op: string, type: string, inputs: object, id?: string, before?: object];

/** The losses and the doubts of one of two stacks that the other one brings. */
async function takenFrom(label: string, gone: Entry, kept: Entry): Promise<string[]> {
  const { unknown, lost } = await takesOf(label, gone, kept);
  return [...unknown.map(({ code }) => code), ...lost.map(({ change, principal }) => `${change} ${principal}`)];
}

async function rolesTaken(label: string, gone: Entry, kept: Entry): Promise<string[]> {
  return (await takesOf(label, gone, kept)).lost.map(({ role }) => role);
}

async function takesOf(label: string, gone: Entry, kept: Entry) {
  const of = async (stack: string, [op, type, inputs, id = "it", before = inputs]: Entry) => {
    const urn = `urn:pulumi:${stack}::shop::${type}::it`;
    const state = { urn, type, custom: true, id, inputs, outputs: {} };
    const step = {
      op,
      urn,
      ...(op !== "create" && { oldState: { ...state, inputs: before } }),
      ...(op !== "delete" && { newState: state }),
    };
    const text = JSON.stringify({ config: { "gcp:project": "demo-project" }, steps: [step], changeSummary: {} });
    const environment = { ...cloud.emulator.env };
    return { label: stack, ...(await foundIn(readPlan(text, "update"), { environment, inherited: false })) };
  };
  const all = [await of("one", gone), await of("two", kept)];
  const { unknown, taken } = acrossStacks(all);
  const before = all.find((each) => each.label === label)?.found.resources ?? [];
  const changes = withTaken(before, taken.get(label) ?? []).flatMap((each) => each.changes);
  return { unknown: unknown.get(label) ?? [], lost: changes.filter(({ change }) => change === "lost") };
}
