/** What the resources of two stacks declare in one access policy, one of which removes what the other declares. */
import { readPlan, type PlanStep } from "../../access/plan/plan";
import { acrossStacks } from "../../access/rehearsal/across-stacks";
import { foundIn } from "../../access/rehearsal/found-in-plan";
import { conflictsAmong } from "../../access/rehearsal/owners";
import { takenAmong, withTaken } from "../../access/rehearsal/takings";
import type { PlannedState } from "../../access/plan/planned-state";
import { creates, deletes, planned, planOf, PlanWorld, replaces, same, STORE, updates, VIEWER } from "../support/plans";

const [ADA, EVE] = ["user:ada@example.com", "user:eve@example.com"];
const BY_NUMBER = STORE.replace("demo-project", "123456");
const BINDING = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamBinding";
const GCP = "gcp:healthcare/fhirStoreIam";

let world: PlanWorld;
beforeAll(async () => {
  const policy = { etag: "ACAB" };
  const byNumber = { service: "healthcare", name: BY_NUMBER, body: { version: "R4" }, policy };
  world = await PlanWorld.start({ store: policy, more: [byNumber] });
});
afterAll(() => world.stop());

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
    world.emulator.configure({ projectNumbers });
    const stacks = await Promise.all([first, second].map((step) => world.declared(planOf([step], { mode }))));
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
    world.emulator.reset();
    world.emulator.configure({ projectNumbers: { "123456": "demo-project" } });
    for (const name of [STORE, BY_NUMBER]) {
      world.emulator.mutate(name, { policy: { etag: "ACAB", bindings: [{ ...role, members: [ADA, EVE] }] } });
    }
    const [one, two] = [await world.declared(planOf([gone])), await world.declared(planOf([kept]))];
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
  const at = (stack: string, op: string, type: string, inputs: object, id = "it") => {
    const urn = `urn:pulumi:${stack}::shop::${type}::it`;
    const state = { urn, type, custom: true, id, inputs, outputs: {} };
    return { op, urn, ...(op !== "create" && { oldState: state }), ...(op !== "delete" && { newState: state }) };
  };
  const entry = (op: string, type = BUCKET, inputs: object = READER) => [op, type, inputs] as const;
  type Entry = readonly [op: string, type: string, inputs: object, id?: string];
  const ofDataset = entry("same", DATASET, VIEW);

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
  ])("%s", async (_what, gone, kept, expected) => {
    const of = async (label: string, each: Entry) => {
      const steps = [at(label, ...each)];
      const plan = readPlan(
        JSON.stringify({ config: { "gcp:project": "demo-project" }, steps, changeSummary: {} }),
        "update",
      );
      return { label, ...(await foundIn(plan, { environment: { ...world.emulator.env }, inherited: false })) };
    };
    const [one, two] = [await of("one", gone), await of("two", kept)];
    const { unknown, taken } = acrossStacks([one, two]);
    expect(taken.has("one") || unknown.has("one")).toBe(false);
    const changes = withTaken(two.found.resources, taken.get("two") ?? [])
      .flatMap((each) => each.changes)
      .filter(({ change }) => change === "lost");
    expect([
      ...changes.map(({ change, principal }) => `${change} ${principal}`),
      ...(unknown.get("two") ?? []).map(({ code }) => code),
    ]).toEqual(expected);
  });
});
