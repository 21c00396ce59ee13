/** What decides who has access beside the steps on grants: resources that go, and the order of several providers. */
import type { PlanStep } from "../../access/plan/plan";
import type { PlannedState } from "../../access/plan/planned-state";
import { creates, deletes, planned, planOf, RehearsalCloud, same, STORE, updates, VIEWER } from "../support/plans";
import { urnOf } from "../support/tokens";

const ADA = "user:ada@example.com";
const GRACE = "user:grace@example.com";
const DATASET = STORE.replace(/\/fhirStores.*/, "");
const GCP_STORE = "gcp:healthcare/fhirStore:FhirStore";

let cloud: RehearsalCloud;
beforeEach(async () => {
  cloud = await RehearsalCloud.start({ store: { bindings: [{ role: VIEWER, members: [ADA] }] } });
});
afterEach(() => cloud.stop());

/** A resource of another provider. */
function other(type: string, more: Partial<PlannedState>): PlannedState {
  return { urn: urnOf("other", type), type, inputs: {}, outputs: {}, ...more };
}

const step = (op: string, old: PlannedState): PlanStep => ({ op, urn: old.urn, type: old.type, old });

/** What is unknown of the store, by code, after a step of another provider on `old`. */
async function unknownAfter(op: string, old: PlannedState, more: Partial<PlannedState> = {}): Promise<string[]> {
  const result = await cloud.rehearse(planOf([same("ada", { member: ADA }, more), step(op, old)]));
  const store = result.resources.filter(({ resource }) => resource === STORE);
  return store.flatMap(({ unknown }) => unknown.map(({ code, step: urn }) => `${code}: ${urn}`));
}

describe("a resource that another provider deletes together with its access policy", () => {
  test.each<[string, string, string, Partial<PlannedState>]>([
    ["deletes", "delete", GCP_STORE, { id: STORE }],
    ["replaces", "replace", GCP_STORE, { id: STORE }],
    [
      "names by a version and an id",
      "delete",
      "google-native:healthcare/v1beta1:FhirStore",
      { id: `v1beta1/${STORE}` },
    ],
    ["names by a URL", "delete", GCP_STORE, { outputs: { selfLink: `https://healthcare.googleapis.com/v1/${STORE}` } }],
    ["deletes with the dataset around it", "delete", "gcp:healthcare/dataset:Dataset", { id: DATASET }],
    ["deletes with its project", "delete", "gcp:organizations/project:Project", { id: "projects/demo-project" }],
  ])("all who have access to one that the plan %s lose it", async (_what, op, type, more) => {
    const old = other(type, more);
    const result = await cloud.rehearse(planOf([same("ada", { member: ADA }), step(op, old)]));
    expect(result.resources).toMatchObject([
      { changes: [{ change: "lost", principal: ADA, steps: [old.urn] }], noAccessLeft: [ADA], unknown: [] },
    ]);
  });

  test.each([
    ["dataset", "gcp:healthcare/dataset:Dataset", DATASET],
    ["project", "gcp:organizations/project:Project", "projects/demo-project"],
  ])("what else is in a deleted %s is unknown", async (_what, type, id) => {
    const { unknown } = await cloud.rehearse(planOf([step("delete", other(type, { id }))]));
    expect(unknown).toEqual([
      expect.objectContaining({ code: "deleted resource", message: expect.stringContaining(id) }),
    ]);
  });

  test("it is unknown whether a store whose name has the project's number is the same one", async () => {
    const old = other(GCP_STORE, { id: STORE.replace("demo-project", "1234567890") });
    await expect(unknownAfter("delete", old)).resolves.toEqual([`deleted resource: ${old.urn}`]);
  });

  test("a deleted store on which the plan has no grant is read where its provider has it", async () => {
    const elsewhere = await RehearsalCloud.start({ store: { bindings: [{ role: VIEWER, members: [GRACE] }] } });
    try {
      const [urn, type] = ["urn:pulumi:test::p::pulumi:providers:gcp::there", "pulumi:providers:gcp"];
      const inputs = { healthcareCustomEndpoint: `${elsewhere.emulator.url}/healthcare/v1/` };
      const provider: PlannedState = { urn, type, id: "1", inputs, outputs: {} };
      const stays: PlanStep = { op: "same", urn, type, old: provider, new: provider };
      const old = other(GCP_STORE, { id: STORE, provider: `${urn}::1` });
      const { resources } = await cloud.rehearse(planOf([stays, { ...step("delete", old), provider: `${urn}::1` }]));
      expect(resources.map(({ changes }) => changes.map(({ principal }) => principal))).toEqual([[GRACE]]);
    } finally {
      await elsewhere.stop();
    }
  });

  test("all lose access to a deleted store on which the plan has no grant", async () => {
    const old = other(GCP_STORE, { id: STORE });
    const { resources } = await cloud.rehearse(planOf([step("delete", old)]));
    expect(resources).toMatchObject([
      { resource: STORE, changes: [{ change: "lost", principal: ADA, wasManaged: false, steps: [old.urn] }] },
    ]);
  });

  test.each<[string, string, string, Partial<PlannedState>]>([
    ["stays", "same", GCP_STORE, { id: STORE }],
    ["is updated", "update", GCP_STORE, { id: STORE }],
    ["is another one", "delete", GCP_STORE, { id: `${STORE}-2` }],
    ["is inside of it", "delete", "gcp:x/y:Z", { id: `${STORE}/operations/1` }],
    ["is only read", "delete", GCP_STORE, { id: STORE, external: true }],
    ["is retained", "delete", GCP_STORE, { id: STORE, retainOnDelete: true }],
    ["is abandoned", "delete", GCP_STORE, { id: STORE, inputs: { deletionPolicy: "ABANDON" } }],
    [
      "has the project's name and is not the project",
      "delete",
      "gcp:projects/x:Accounts",
      { id: "projects/demo-project" },
    ],
  ])("nothing is unknown where the other resource %s", async (_what, op, type, more) => {
    await expect(unknownAfter(op, other(type, more))).resolves.toEqual([]);
  });

  test("an unchanged grant whose name comes from a deleted resource is also unknown, whatever the resource's id is", async () => {
    const old = other("custom:index:Store", { id: "records" });
    await expect(unknownAfter("replace", old, { inputsFrom: { name: [old.urn] } })).resolves.toEqual([
      `deleted resource: ${old.urn}`,
    ]);
    await expect(unknownAfter("replace", old)).resolves.toEqual([]);
  });

  test.each([
    ["store", STORE],
    ["dataset", DATASET],
  ])("a %s is unknown if neither the plan nor a state contains its grants", async (_what, id) => {
    const old = other(GCP_STORE, { id });
    const hidden = planOf([step("delete", old)], { hasUnchanged: false, unchangedNotShown: 1 });
    const unknown = [
      { code: "incomplete plan", message: expect.stringContaining("the plan deletes other, and"), step: old.urn },
    ];
    expect((await cloud.rehearse(hidden)).unknown).toEqual(unknown);
    const inIt = id === DATASET ? [expect.objectContaining({ code: "deleted resource", step: old.urn })] : [];
    expect((await cloud.rehearse(hidden, [])).unknown).toEqual(inIt);
    expect((await cloud.rehearse(planOf([step("delete", old)]))).unknown).toEqual(inIt);
    const topic = other("gcp:pubsub/topic:Topic", { id: "projects/demo-project/topics/events" });
    expect((await cloud.rehearse({ ...hidden, steps: [step("delete", topic)] })).unknown).toMatchObject([
      { code: "incomplete plan", step: topic.urn },
    ]);
    const network = other("gcp:compute/network:Network", { id: "projects/demo-project/global/networks/n" });
    expect((await cloud.rehearse({ ...hidden, steps: [step("delete", network)] })).unknown).toEqual([]);
  });

  test("this update deletes a store that an earlier update did not delete", async () => {
    const left = other(GCP_STORE, { id: STORE, delete: true });
    const ada = planned("ada", { member: ADA });
    const result = await cloud.rehearse(planOf([same("ada", { member: ADA })]), [ada, left]);
    expect(result.resources).toMatchObject([
      { changes: [{ change: "lost", principal: ADA, steps: [left.urn] }], unknown: [] },
    ]);
  });
});

describe("several providers that write one access policy", () => {
  const provider = (name: string) => `urn:pulumi:test::p::pulumi:providers:perimeter::${name}::1`;
  const made = (name: string, grantMode: string): PlanStep => {
    const [urn, type] = [provider(name).slice(0, -3), "pulumi:providers:perimeter"];
    return { op: "create", urn, type, new: { urn, type, id: "1", inputs: { grantMode }, outputs: {} } };
  };
  const by = (name: string, more: Partial<PlannedState> = {}) => ({ provider: provider(name), ...more });

  async function racesOf(modes: [string, string], ...steps: PlanStep[]): Promise<string[]> {
    const result = await cloud.rehearse(planOf([made("x", modes[0]), made("y", modes[1]), ...steps]));
    const unknown = result.resources.flatMap((each) => each.unknown);
    return unknown.map(({ code, message }) => `${code}: ${message.replace(/^[^:]*: |, and the plan.*$/gs, "")}`);
  }

  const one = (more?: Partial<PlannedState>) => creates("one", { member: ADA }, by("x", more));
  const two = (more?: Partial<PlannedState>) => creates("two", { member: GRACE }, by("y", more));

  test.each<[string, [string, string], PlanStep[], string[]]>([
    [
      "two that replace it",
      ["replace", "replace"],
      [one(), two()],
      ["no order: one and two each replace the whole access policy"],
    ],
    [
      "one that replaces it and one that adds to it",
      ["merge", "replace"],
      [one(), two()],
      ["no order: two replaces the whole access policy, one adds to it"],
    ],
    ["two that add to it", ["merge", "merge"], [one(), two()], []],
    [
      "one that replaces it and an update",
      ["merge", "replace"],
      [
        updates(planned("one", { member: ADA }, by("x")), planned("one", { member: "user:eve@example.com" }, by("x"))),
        two(),
      ],
      ["no order: two replaces the whole access policy, one adds to it"],
    ],
    ["one grant that depends on the other", ["replace", "replace"], [one(), two({ dependencies: [urnOf("one")] })], []],
    ["one whose other grant stays", ["replace", "replace"], [same("one", { member: ADA }, by("x")), two()], []],
    ["one that only deletes", ["replace", "replace"], [deletes("one", { member: ADA }, by("x")), two()], []],
    ["two that make the same grant", ["replace", "replace"], [one(), creates("two", { member: ADA }, by("y"))], []],
    [
      "two grants of other resources",
      ["replace", "replace"],
      [one(), creates("two", { member: GRACE, name: `${STORE}-2` }, by("y"))],
      [],
    ],
  ])("of %s", async (_what, modes, steps, expected) => {
    const races = await racesOf(modes, ...steps);
    expect(races.filter((each) => each.startsWith("no order"))).toEqual(expected);
  });

  test("the outcomes that only another order has are named", async () => {
    const providers = [made("x", "merge"), made("y", "replace")];
    const message = async (...ordered: PlanStep[]) => {
      const { resources } = await cloud.rehearse(planOf(ordered));
      return resources.flatMap(({ unknown }) => unknown.map((each) => each.message)).join();
    };
    const eve = creates("one", { member: "user:eve@example.com" }, by("x"));
    await expect(message(...providers, two(), eve)).resolves.not.toContain("In another order");
    await expect(message(...providers, eve, two())).resolves.toMatch(
      /In another order, user:eve@example\.com gains roles\/healthcare\.fhirStoreViewer$/,
    );
  });
});
