/** What the engine deletes in a plan, and what the provider decides, on copies of the policies of an emulator. */
import { type PlanStep } from "../../access/plan/plan";
import type { PlannedState } from "../../access/plan/planned-state";
import { SECRET } from "../../access/plan/plan-values";
import {
  ADA,
  creates,
  deletes,
  EVE,
  GRACE,
  holding,
  JOB,
  linesOf,
  planned,
  planOf,
  RehearsalCloud,
  replaces,
  same,
  STORE,
  VIEWER,
} from "../support/plans";
import { urnOf } from "../support/tokens";

const ADMIN = "roles/healthcare.fhirStoreAdmin";

let cloud: RehearsalCloud;
const start = async (options: Parameters<typeof RehearsalCloud.start>[0] = {}) =>
  (cloud = await RehearsalCloud.start(options));
afterEach(() => cloud.stop());

describe("the deletes of the engine", () => {
  const replacesFirst = (name: string, old: object, values: object, more: Partial<PlannedState> = {}) =>
    replaces(name, { ...old }, { ...values }, { ...more, delete: false, pendingReplacement: true });
  const deletedWith = urnOf("owner");

  test.each([
    ["deleted", deletes("owner", { member: GRACE })],
    ["replaced, and deleted at the end", replaces("owner", { member: GRACE }, { member: ADA })],
    ["read, and forgotten", { ...deletes("owner", { member: GRACE }, { external: true }), op: "discard" }],
  ])("deletedWith spares a grant whose other resource is %s", async (_what, owner) => {
    await start({ store: holding(EVE, GRACE) });
    const steps = [owner, deletes("x", { member: EVE }, { deletedWith })];
    expect(linesOf(await cloud.rehearse(planOf(steps))).join()).not.toContain("eve@");
  });

  test("deletedWith spares no grant whose other resource is deleted before its replacement", async () => {
    await start({ store: holding(EVE, GRACE) });
    const owner = replacesFirst("owner", { member: GRACE }, { member: ADA });
    const result = await cloud.rehearse(planOf([owner, deletes("x", { member: EVE }, { deletedWith })]));
    expect(linesOf(result)).toContain("lost user:eve@example.com fhirStoreViewer <- x");
  });

  describe("deletedWith, whose resource is deleted before its replacement is made,", () => {
    const ID = "projects/demo-project/locations/us-central1/datasets/clinic";
    const dataset = { urn: deletedWith, type: "gcp:healthcare/dataset:Dataset", id: ID };
    const owner = (op: string, more: Partial<PlannedState> = {}): PlanStep => {
      const old = { ...dataset, inputs: {}, outputs: {}, retainOnDelete: true, ...more };
      return { op, urn: deletedWith, type: dataset.type, old, new: { ...dataset, inputs: {}, outputs: {} } };
    };
    const pending = owner("replace", { pendingReplacement: true });
    const doubts = async (engine: string | undefined, ...steps: PlanStep[]) => {
      await start({ store: holding(EVE), job: { bindings: [{ role: VIEWER, members: [EVE] }] } });
      const { resources, unknown } = await cloud.rehearse(planOf(steps, engine === undefined ? {} : { engine }));
      return [...unknown, ...resources.flatMap((each) => each.unknown)].filter(({ message }) =>
        message.includes("deletedWith"),
      );
    };
    const GCP = {
      type: "gcp:healthcare/fhirStoreIamMember:FhirStoreIamMember",
      id: `${ID}/fhirStores/records/${VIEWER}/${EVE}`,
      inputs: { fhirStoreId: `${ID}/fhirStores/records`, role: VIEWER, member: EVE },
    };
    const NPM = { type: "pulumi-nodejs:dynamic/healthcare/v1beta1:DatasetFhirStoreIamMember" };

    test.each<[string, Partial<PlannedState & { type: string }>]>([
      ["of the plugin", {}],
      ["of the npm package", NPM],
      ["of @pulumi/gcp", { ...GCP, outputs: GCP.inputs }],
    ])("may spare a grant %s: the review says so, about its resource", async (_what, more) => {
      const goes = deletes("x", { member: EVE }, { ...more, deletedWith });
      expect(await doubts(undefined, pending, goes)).toMatchObject([{ code: "unsupported", step: goes.urn }]);
    });

    test.each([
      ["v3.142.0", 0],
      ["v3.250.0", 0],
      ["v3.259.9", 0],
      ["v3.260.0", 1],
      ["3.260.0-alpha.x1", 1],
      ["v3.274.1", 1],
      ["v4.0.0", 1],
      [undefined, 1],
    ])("may do so with %s: %i", async (engine, count) => {
      const changed = replaces("x", { member: EVE }, { member: ADA }, { deletedWith, delete: false });
      expect(await doubts(engine, pending, changed)).toHaveLength(count);
    });

    test.each<[string, number, PlanStep, Partial<PlannedState>]>([
      ["the plan shows the delete alone", 1, owner("delete-replaced"), {}],
      ["the grant is on that, and it goes", 0, owner("delete-replaced", { retainOnDelete: false }), {}],
      ["the grant is on something else", 1, owner("delete-replaced", { retainOnDelete: false, id: `${ID}-2` }), {}],
      ["that is the last to go", 0, owner("delete"), {}],
      ["the grant is deletedWith something else", 0, pending, { deletedWith: urnOf("other") }],
      ["the grant stays (retainOnDelete)", 0, pending, { retainOnDelete: true }],
    ])("is doubted or not, if %s: %i", async (_what, count, first, more) => {
      expect(await doubts(undefined, first, deletes("x", { member: EVE }, { deletedWith, ...more }))).toHaveLength(
        count,
      );
    });

    test("may spare what an earlier update left to delete", async () => {
      await start({ store: holding(EVE) });
      const state = [planned("x", { member: EVE }, { deletedWith, delete: true })];
      const { resources } = await cloud.rehearse(planOf([pending]), state);
      expect(resources.flatMap((each) => each.unknown)).toMatchObject([{ code: "unsupported", step: urnOf("x") }]);
    });
  });

  test("deletedWith spares no grant that is deleted before its own replacement, long before the other resource", async () => {
    await start({ store: holding(EVE, GRACE) });
    const steps = [
      replacesFirst("x", { member: EVE }, { member: ADA }, { deletedWith }),
      deletes("owner", { member: GRACE }, { external: true }),
    ];
    expect(linesOf(await cloud.rehearse(planOf(steps)))).toContain("lost user:eve@example.com fhirStoreViewer <- x");
  });

  test("deletedWith spares no grant whose other resource a refresh did not find", async () => {
    await start({ store: holding(EVE) });
    const stack = { op: "same", urn: urnOf("p-test", "pulumi:pulumi:Stack"), type: "pulumi:pulumi:Stack" };
    const refreshed = { ...same("y", { name: JOB, member: ADA }), op: "refresh" };
    const [gone, goes] = [deletes("owner", { member: GRACE }), deletes("x", { member: EVE }, { deletedWith })];
    const lost = ["lost user:eve@example.com fhirStoreViewer <- x"];
    expect(linesOf(await cloud.rehearse(planOf([refreshed, gone, stack, goes])))).toEqual(lost);
    // A destroy does not show where the refresh ends.
    const destroyed = planOf([refreshed, gone, goes, { ...stack, op: "delete" }], { operation: "destroy" });
    expect(linesOf(await cloud.rehearse(destroyed))).toEqual(lost);
  });

  test("a grant that an earlier update deleted, and did not replace, is not deleted again", async () => {
    await start({ store: holding(EVE) });
    const step = replacesFirst("x", { member: EVE }, { member: ADA });
    const gained = "gained user:ada@example.com fhirStoreViewer <- x";
    const state = [planned("x", { member: EVE }, { pendingReplacement: true })];
    expect(linesOf(await cloud.rehearse(planOf([step]), state))).toEqual([gained]);
    // Pulumi may delete it once more after a refresh, at the end.
    const old = planned("x", { member: EVE }, { pendingReplacement: true });
    const refreshed = { op: "refresh", urn: old.urn, type: old.type, old, new: old };
    const { resources } = await cloud.rehearse(planOf([refreshed, step]), state);
    expect(resources[0]?.unknown).toEqual([
      { code: "no order", step: old.urn, message: expect.stringContaining("after a refresh") as string },
    ]);
    // Only the state tells it from a replacement that deletes first.
    const lost = "lost user:eve@example.com fhirStoreViewer <- x";
    expect(linesOf(await cloud.rehearse(planOf([step])))).toEqual([lost, gained]);
  });

  test("in replace mode, others keep their access when an import replaces a managed grant", async () => {
    await start({ store: holding(ADA, EVE, GRACE) });
    const importId = "id of ada";
    const importing = (old: PlannedState, id?: string) => ({
      ...replaces("x", { member: EVE }, { member: ADA }),
      old: { ...old, delete: true },
      new: planned("x", { member: ADA }, { id, importId }),
    });
    const lost = ["lost user:eve@example.com fhirStoreViewer <- x"];
    const eve = planned("x", { member: EVE });
    const rehearsed = async (step: PlanStep) => linesOf(await cloud.rehearse(planOf([step], { mode: "replace" })));
    expect(await rehearsed(importing(eve, importId))).toEqual(lost);
    // A program that keeps the option `import` of an earlier import replaces as others do.
    expect(await rehearsed(importing({ ...eve, importId }, importId))).toHaveLength(2);
    expect(await rehearsed(importing(eve))).toHaveLength(2);
  });
});

describe("the provider's own decisions", () => {
  const OTHERS = [
    "lost deleted:user:gone@example.com?uid=1 fhirStoreViewer",
    "lost user:grace@example.com fhirStoreViewer if until-july",
  ];
  const LOST_ADA = "lost user:ada@example.com fhirStoreViewer";
  const GAINED_EVE = "gained user:eve@example.com fhirStoreViewer";

  test("replace: with a new grant, others lose their access, and audit settings stay", async () => {
    await start({ store: holding(ADA, GRACE) });
    const result = await cloud.rehearse(planOf([creates("eve", { member: EVE })], { mode: "replace" }));
    expect(linesOf(result)).toEqual([
      "lost user:ada@example.com fhirStoreViewer <- eve",
      "lost user:grace@example.com fhirStoreViewer <- eve",
      "gained user:eve@example.com fhirStoreViewer <- eve",
    ]);
    expect(result.resources[0]?.changes[0]?.wasManaged).toBe(false);
    expect(result.resources[0]?.noAccessLeft).toEqual([ADA, GRACE]);
  });

  test.each<[string, () => PlanStep[], string[]]>([
    ["a create", () => [creates("eve", { member: EVE })], [...OTHERS, LOST_ADA, GAINED_EVE]],
    ["a replacement", () => [replaces("eve", { member: ADA }, { member: EVE })], [...OTHERS, LOST_ADA, GAINED_EVE]],
    ["a new name", () => [deletes("ada", { member: ADA }), creates("new", { member: ADA })], OTHERS],
    ["a delete", () => [deletes("ada", { member: ADA })], [LOST_ADA]],
  ])("replace: %s takes these grants", async (_what, steps, lines) => {
    const condition = { title: "until-july", expression: 'request.time < timestamp("2126-07-01T00:00:00Z")' };
    const all = [ADA, "deleted:user:gone@example.com?uid=1"];
    await start({ store: { bindings: [...holding(...all).bindings, { role: VIEWER, members: [GRACE], condition }] } });
    const result = await cloud.rehearse(planOf(steps(), { mode: "replace" }));
    const found = linesOf(result).map((line) => line.replace(/ <- .*/, ""));
    expect(found.sort()).toEqual([...lines].sort());
  });

  test("with a hidden member, all others lose their access too", async () => {
    await start({ store: holding(ADA) });
    const result = await cloud.rehearse(planOf([creates("x", { member: SECRET })], { mode: "replace" }));
    expect(linesOf(result)).toEqual([
      "lost user:ada@example.com fhirStoreViewer <- x",
      "gained [secret] fhirStoreViewer <- x",
    ]);
    expect(result.summary.unknown).toBe(1);
  });

  test("a step with a lock-out is refused, and the rest of the plan is reviewed", async () => {
    await start({ store: { bindings: [{ role: ADMIN, members: [ADA] }] } });
    const elsewhere = { name: JOB, role: "roles/viewer", member: EVE };
    const job = creates("job", elsewhere, { type: "perimeter:datamigration/v1beta1:MigrationJobIamMember" });
    const result = await cloud.rehearse(planOf([creates("eve", { member: EVE }), job], { mode: "replace" }));
    expect(result.refused).toEqual([
      {
        step: urnOf("eve"),
        resource: STORE,
        reason: expect.stringMatching(/no identity would keep .*would fail at this step$/),
      },
    ]);
    expect(linesOf(result)).toEqual([]);
    expect(linesOf(result, JOB)).toEqual(["gained user:eve@example.com roles/viewer <- job"]);
  });

  test("a replacement that another grant forbids in replace mode is refused, and keeps the old grant", async () => {
    await start({ store: holding(ADA) });
    const steps = [same("kept", { member: ADA }), replaces("eve", { member: GRACE }, { member: EVE })];
    const result = await cloud.rehearse(planOf(steps, { mode: "replace" }));
    expect(result.refused.map(({ step }) => step)).toEqual([urnOf("eve")]);
    expect(result.refused[0]?.reason).toContain("grantMode");
    expect(linesOf(result)).toEqual([]);
  });

  test("a grant beyond the limit of principals is refused, and a delete beside it is reviewed", async () => {
    const full = Array.from({ length: 1_500 }, (_, at) => `user:u${at}@example.com`);
    await start({ store: holding(...full) });
    const steps = [creates("ada", { member: ADA }), deletes("u0", { member: "user:u0@example.com" })];
    const result = await cloud.rehearse(planOf(steps));
    expect(result.refused[0]?.reason).toContain("1501 principals");
    expect(linesOf(result)).toEqual(["lost user:u0@example.com fhirStoreViewer <- u0"]);
  });

  test("a grant that moves between explicit providers stays, as does one of an unchanged resource of the state", async () => {
    await start({ store: holding(ADA, GRACE) });
    const eu = { provider: "urn:pulumi:test::p::pulumi:providers:perimeter::eu::1" };
    const provider = { urn: urnOf("eu", "pulumi:providers:perimeter"), type: "pulumi:providers:perimeter" };
    const state = [
      { ...provider, id: "1", inputs: { grantMode: "merge" }, outputs: {} },
      planned("twin", { member: GRACE }),
    ];
    const steps = [
      creates("new", { member: ADA }, eu),
      deletes("old", { member: ADA }),
      deletes("one", { member: GRACE }),
    ];
    expect((await cloud.rehearse(planOf(steps), state)).resources).toEqual([]);
    // Only --show-sames tells a resource that stays from one that --target left out, whose grant would go.
    const [store] = (await cloud.rehearse(planOf(steps, { hasUnchanged: false }), state)).resources;
    expect(store).toMatchObject({ changes: [], unknown: [{ code: "incomplete plan", step: urnOf("one") }] });
    expect(store?.unknown[0]?.message).toMatch(/delete of one .*: twin declares the same grant.* --show-sames$/);
    // Without the state the twin is unknown, and the result says so.
    const [, , last] = steps;
    const without = await cloud.rehearse(planOf(last ? [last] : [], { hasUnchanged: false }));
    expect(linesOf(without)).toEqual(["lost user:grace@example.com fhirStoreViewer <- one"]);
    expect(without.notes.join()).toMatch(/Neither the plan nor a state shows the unchanged resources/);
  });

  test.each<[string, Partial<PlannedState>, string[]]>([
    ["that stays in the program keeps the grant", {}, []],
    [
      "that --target leaves out does not",
      { outputs: { member: ADA } },
      ["lost user:ada@example.com fhirStoreViewer <- gone"],
    ],
  ])("of a deleted resource and another one with the same grant, one %s", async (_what, more, lines) => {
    await start({ store: holding(ADA) });
    const steps = [same("twin", { member: ADA }, more), deletes("gone", { member: ADA })];
    expect(linesOf(await cloud.rehearse(planOf(steps)))).toEqual(lines);
  });

  test("a resource that a refresh did not find keeps no grant", async () => {
    await start({ store: holding(ADA) });
    const [gone, twin] = [planned("gone", { member: ADA }), planned("twin", { member: ADA })];
    const steps = [{ op: "refresh", urn: twin.urn, type: twin.type, old: twin }, deletes("gone", { member: ADA })];
    const result = await cloud.rehearse(planOf(steps, { hasUnchanged: false }), [gone, twin]);
    expect(linesOf(result)).toEqual(["lost user:ada@example.com fhirStoreViewer <- gone"]);
    expect(result.resources[0]?.unknown).toEqual([]);
  });

  test("an unchanged grant that somebody else removed changes nothing", async () => {
    await start({ store: holding(ADA) });
    expect((await cloud.rehearse(planOf([same("x", { member: EVE })]))).resources).toEqual([]);
  });

  test("if a provider's settings are unknown, its part of the plan is unknown, and the rest is reviewed", async () => {
    await start({ store: holding(ADA, GRACE) });
    const eu = { provider: "urn:pulumi:test::p::pulumi:providers:perimeter::eu::1" };
    const steps = [creates("new", { member: EVE }, eu), deletes("old", { member: ADA })];
    const { resources, refused } = await cloud.rehearse(planOf(steps, { mode: "replace", hasUnchanged: false }));
    const [unknown, known] = resources;
    // Which cloud the provider works in is unknown, and so no policy is shown.
    expect(unknown).toMatchObject({ resource: STORE, before: null, after: null });
    expect(unknown?.changes).toMatchObject([{ change: "gained", principal: EVE }]);
    expect(unknown?.unknown).toMatchObject([{ code: "incomplete plan" }]);
    expect(unknown?.unknown[0]?.message).toMatch(/^It is unknown which settings the provider eu has in the update: /);
    expect(known?.changes).toMatchObject([{ change: "lost", principal: ADA }]);
    expect([known?.unknown, refused]).toEqual([[], []]);
  });

  test("a project's number in one name and its id in the other are one resource", async () => {
    await start({ store: holding(ADA) });
    cloud.emulator.configure({ projectNumbers: { "123456": "demo-project" } });
    const byNumber = STORE.replace("demo-project", "123456");
    const steps = [creates("new", { name: byNumber, member: ADA }), deletes("old", { member: ADA })];
    expect((await cloud.rehearse(planOf(steps))).resources).toEqual([]);
    const replaced = replaces("one", { member: ADA }, { name: byNumber, member: EVE });
    const { resources } = await cloud.rehearse(planOf([replaced]));
    expect(resources.map(({ changes }) => changes.map(({ change }) => change))).toEqual([["lost", "gained"]]);
  });

  describe.each([
    ["this provider", {}, (name: string) => ({ name })],
    [
      "@pulumi/gcp",
      { type: "gcp:healthcare/fhirStoreIamMember:FhirStoreIamMember" },
      (name: string) => ({ name: undefined, fhirStoreId: name }),
    ],
  ])("a resource whose name has a project's number, of %s", (_what, type, on) => {
    const byNumber = STORE.replace("demo-project", "123456");
    const steps = [
      creates("new", { ...on(byNumber), member: ADA }, type),
      deletes("old", { ...on(STORE), member: EVE }, type),
    ];
    // Policies that were never set have one etag.
    const unset = { etag: "ACAB" };
    const storeOf = (project: string) => {
      const name = STORE.replace("demo-project", project);
      return { service: "healthcare", name, body: { version: "R4" }, policy: unset };
    };
    const described = async () => {
      const { resources } = await cloud.rehearse(planOf(steps));
      return resources.map(({ changes, unknown }) => [
        changes.map(({ change, principal }) => `${change} ${principal}`),
        unknown.map(({ message }) => message.replace(/ \(.*/s, "")),
      ]);
    };

    test("is that of the id if the Resource Manager says so", async () => {
      await start({ store: holding(EVE) });
      cloud.emulator.configure({ projectNumbers: { "123456": "demo-project" } });
      expect(await described()).toEqual([[[`lost ${EVE}`, `gained ${ADA}`], []]]);
    });

    test("is another one if the Resource Manager says so, even if no policy was ever set", async () => {
      await start({ store: unset, more: [storeOf("another")] });
      cloud.emulator.configure({ projectNumbers: { "123456": "another" } });
      expect(await described()).toEqual([[[`gained ${ADA}`], []]]);
    });

    test("may be that of the id if nobody says it, and their policies are equal", async () => {
      await start({ store: unset, more: [storeOf("123456")] });
      const doubt = `It is unknown whether ${byNumber} and ${STORE} are one resource: one name has the number of the project and the other an id`;
      expect(await described()).toEqual([
        [[`gained ${ADA}`], [doubt]],
        [[], [doubt]],
      ]);
    });
  });
});
