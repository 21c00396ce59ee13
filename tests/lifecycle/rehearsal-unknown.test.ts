/** What a rehearsal of a plan cannot tell: policies that it cannot read, and values that the plan hides. */
import { UNKNOWN, type Values } from "../../provider/core/unknown";
import { SECRET } from "../../access/plan/plan-values";
import type { Plan } from "../../access/plan/plan";
import type { StatedSettings } from "../../provider/services/shared/stated-settings";
import {
  ADA,
  creates,
  deletes,
  EVE,
  GRACE,
  holding,
  linesOf,
  planned,
  planOf,
  RehearsalCloud,
  same,
  STORE,
  VIEWER,
} from "../support/plans";
import { STORE_BINDING, STORE_GRANT, urnOf } from "../support/tokens";

const FULL_NAME = `//healthcare.googleapis.com/${STORE}`;

let cloud: RehearsalCloud;
const start = async (options: Parameters<typeof RehearsalCloud.start>[0] = {}) =>
  (cloud = await RehearsalCloud.start(options));
afterEach(() => cloud.stop());

/** Settings with an address at which nothing listens. */
async function nobody() {
  const { emulator } = await RehearsalCloud.start();
  await emulator.stop();
  return { "perimeter:emulatorHost": emulator.env.PERIMETER_EMULATOR_HOST };
}

describe("facts that a review does not know", () => {
  test("if a policy cannot be read, the review lists the changes of the steps and the reason", async () => {
    await start();
    const name = STORE.replace("records", "missing");
    const steps = [
      creates("ada", { name, member: ADA }),
      deletes("eve", { name, member: EVE }),
      creates("new", { name, member: GRACE }),
      deletes("old", { name, member: GRACE }),
    ];
    const result = await cloud.rehearse(planOf(steps));
    expect(linesOf(result, name)).toEqual([
      "lost user:eve@example.com fhirStoreViewer <- eve",
      "gained user:ada@example.com fhirStoreViewer <- ada",
    ]);
    expect(result.resources[0]).toMatchObject({
      before: null,
      after: null,
      unknown: [{ code: "unreadable policy", message: expect.stringContaining("NOT_FOUND") }],
    });
    expect(result.refused).toEqual([]);
  });

  test("a delete that may be of a destroy is unknown only where another resource declares the grant", async () => {
    await start({ store: holding(ADA, EVE) });
    const doubts = async (...steps: Plan["steps"]) => {
      const { resources, unknown } = await cloud.rehearse(planOf(steps, { mayBeDestroy: true }));
      return [...unknown, ...resources.flatMap((each) => each.unknown)];
    };
    const gone = deletes("gone", { member: ADA });
    expect(await doubts(gone)).toEqual([]);
    expect(await doubts(same("other", { member: EVE }), gone)).toEqual([]);
    expect(await doubts(same("twin", { member: ADA }), gone)).toMatchObject([
      {
        code: "incomplete plan",
        message: expect.stringMatching(/an update keeps .* a destroy does not\. .* add --destroy/),
      },
    ]);
  });

  test("a denied read and an API that does not listen make the policy unknown", async () => {
    await start();
    const plan = planOf([creates("ada", { member: ADA })]);
    cloud.emulator.configure({ deny: ["healthcare.fhirStores.getIamPolicy"] });
    const denied = await cloud.rehearse(plan);
    expect(denied.resources[0]?.unknown).toMatchObject([
      { code: "unreadable policy", message: expect.stringContaining("PERMISSION_DENIED") },
    ]);
    const lost = await cloud.rehearse(plan, undefined, await nobody());
    expect(lost.resources[0]?.unknown).toMatchObject([{ code: "unreadable policy" }]);
    expect(linesOf(lost)).toEqual(["gained user:ada@example.com fhirStoreViewer <- ada"]);
  });

  test("if an API does not respond, the review does not try for each of a hundred policies", async () => {
    await start();
    const names = Array.from({ length: 100 }, (_, at) => `${STORE}-${at}`);
    const steps = names.map((name, at) => creates(`ada-${at}`, { name, member: ADA }));
    const result = await cloud.rehearse(planOf(steps), undefined, await nobody());
    const messages = result.resources.flatMap(({ unknown }) => unknown.map(({ message }) => message));
    expect(messages).toHaveLength(100);
    expect(messages.filter((each) => each.startsWith("Not read, because another policy"))).toHaveLength(92);
  });

  test("if an API's servers fail, the review says how long it tried, and does not try for each of a hundred policies", async () => {
    await start();
    const fault = { status: 503, message: "The service is currently unavailable." };
    cloud.emulator.setFaults([{ match: { path: "**:getIamPolicy" }, times: 0, fault }]);
    const names = Array.from({ length: 100 }, (_, at) => `${STORE}-${at}`);
    const plan = planOf(names.map((name, at) => creates(`ada-${at}`, { name, member: ADA })));
    const result = await cloud.rehearse(plan, undefined, {}, 3_000);
    const messages = result.resources.flatMap(({ unknown }) => unknown.map(({ message }) => message));
    expect(messages).toHaveLength(100);
    // On a busy machine, the first reads may end by their time limit, before the second answer.
    expect(messages.filter((each) => /^Not read, .*\(tried for \d+ s\)$/s.test(each)).length).toBeGreaterThan(80);
  });

  describe("a deleted grant that the policy does not have", () => {
    const PUBSUB = "gcp:pubsub/topicIAMMember:TopicIAMMember";
    test.each<[string, string[], string[]]>([
      ["may be there under another address of the same kind", [EVE], ["incomplete state"]],
      ["is gone if nobody of this kind has the role", ["group:team@example.com"], []],
    ])("%s", async (_what, members, codes) => {
      await start({ store: { bindings: [{ role: VIEWER, members }] } });
      const { resources } = await cloud.rehearse(planOf([deletes("ada", { member: ADA })]));
      expect(resources.flatMap(({ unknown }) => unknown.map(({ code }) => code))).toEqual(codes);
    });

    test("may be there under another address if it is of another provider, too", async () => {
      const name = "projects/demo-project/topics/orders";
      const policy = { bindings: [{ role: VIEWER, members: [EVE] }] };
      cloud = await RehearsalCloud.start({ more: [{ service: "pubsub", name, policy }] });
      const old = {
        type: PUBSUB,
        id: `${name}/${VIEWER}/${ADA}`,
        inputs: { topic: "orders", role: VIEWER, member: ADA },
      };
      const { resources } = await cloud.rehearse(planOf([deletes("ada", {}, { ...old, outputs: old.inputs })]));
      expect(resources.flatMap(({ unknown }) => unknown.map(({ code }) => code))).toEqual(["incomplete state"]);
    });
  });

  test("if servers fail for two resources, all other resources are read", async () => {
    await start();
    const broken = ["a", "b"].map((name) => `${STORE}-${name}`);
    const faults = broken.map((name) => ({
      match: { path: `**/${name}:getIamPolicy` },
      times: 0,
      fault: { status: 500, message: "Internal error." },
    }));
    cloud.emulator.setFaults(faults);
    const plan = planOf([...broken, STORE].map((name) => creates(name.slice(-1), { name, member: ADA })));
    const result = await cloud.rehearse(plan, undefined, {}, 500);
    expect(result.resources.map(({ unknown }) => unknown.length)).toEqual([0, 1, 1]);
  });

  test.each([
    ["secret", SECRET, "is secret", "[secret]"],
    ["not known yet", UNKNOWN, "is known after the update", "[known after the update]"],
  ])("an input that is %s: name, member, role, condition", async (code, value, why, shown) => {
    await start({ store: holding(EVE) });
    const condition = { title: value, expression: "true" };
    const steps = [
      creates("name", { name: value, member: ADA }),
      creates("member", { member: value }),
      creates("role", { role: value, member: ADA }),
      creates("condition", { member: GRACE, condition: value }),
      creates("title", { member: GRACE, condition }),
    ];
    const result = await cloud.rehearse(planOf(steps));
    expect(result.refused).toEqual([]);
    expect(result.unknown).toEqual([
      {
        code,
        message: expect.stringContaining(`It is unknown which resource name is on: its name ${why}`),
        step: urnOf("name"),
      },
    ]);
    expect(result.resources[0]?.unknown.map((each) => [each.code, each.message])).toEqual([
      [code, `Who gains ${VIEWER} ${why}`],
      [code, `Which role ${ADA} gains ${why}`],
      [code, `Under which condition ${GRACE} gains ${VIEWER} ${why}`],
      [code, `Under which condition ${GRACE} gains ${VIEWER} ${why}`],
    ]);
    expect(linesOf(result)).toEqual([
      `gained ${shown} fhirStoreViewer <- member`,
      `gained ${ADA} ${shown} <- role`,
      `gained ${GRACE} fhirStoreViewer if ${shown} <- condition`,
      `gained ${GRACE} fhirStoreViewer if ${shown} <- title`,
    ]);
    expect(JSON.stringify(result)).not.toMatch(/perimeter_hidden|perimeter\.invalid/);
  });

  test("a delete of a secret member says that somebody may lose access, and does not show who", async () => {
    await start({ store: holding(ADA, EVE) });
    const steps = [same("ada", { member: ADA }), deletes("x", { member: SECRET })];
    const result = await cloud.rehearse(planOf(steps));
    expect(linesOf(result)).toEqual([]);
    expect(result.resources[0]?.unknown).toEqual([
      { code: "secret", message: `A secret principal may lose ${VIEWER}`, step: urnOf("x") },
    ]);
    expect(result.resources[0]?.before).toEqual([{ role: VIEWER, members: [ADA, "user:[secret]"] }]);
  });

  test("a secret member whose grant stays after the delete (retainOnDelete) is not shown", async () => {
    await start({ store: holding(ADA, EVE) });
    const steps = [
      same("ada", { member: ADA }),
      deletes("x", { member: SECRET }, { retainOnDelete: true }),
      creates("new", { member: GRACE }),
    ];
    const result = await cloud.rehearse(planOf(steps));
    expect(linesOf(result)).toEqual([`gained ${GRACE} fhirStoreViewer <- new`]);
    expect(result.resources[0]?.unmanaged.map(({ principal }) => principal)).toEqual(["user:[secret]"]);
    expect(JSON.stringify(result)).not.toContain(EVE);
  });

  test("an unchanged grant with a secret member is not reported as unknown", async () => {
    await start({ store: holding(ADA, EVE) });
    const steps = [same("x", { member: SECRET }), creates("new", { member: GRACE })];
    const state = [planned("x", { member: EVE }, { secrets: ["member"] })];
    const result = await cloud.rehearse(planOf(steps), state);
    expect(linesOf(result)).toEqual([`gained ${GRACE} fhirStoreViewer <- new`]);
    expect(result.resources[0]?.unknown).toEqual([]);
  });

  test("a secret member in the state is taken into account, and not shown", async () => {
    await start({ store: holding(ADA, EVE) });
    const old = planned("x", { member: EVE }, { secrets: ["member"] });
    const result = await cloud.rehearse(planOf([{ op: "delete", urn: old.urn, type: STORE_GRANT, old }]));
    expect(linesOf(result)).toEqual(["lost [secret] fhirStoreViewer <- x"]);
    expect(result.resources[0]).toMatchObject({ noAccessLeft: ["[secret]"], unknown: [] });
    expect(JSON.stringify(result)).not.toContain(EVE);
  });

  describe("if the preview reported more losses than the review finds", () => {
    const announced = (principals: number, urn = urnOf("x"), resource = STORE) => [{ urn, resource, principals }];
    const found = (count: number) =>
      `It is unknown who loses access to ${STORE}: the preview reported 2 principals, and this review finds ${count}. The ` +
      "access policy may have changed since the preview: run both again";

    test("the policy is unknown, and not if the review finds as many", async () => {
      await start({ store: holding(ADA, GRACE) });
      const steps = [creates("x", { member: EVE })];
      const merge = await cloud.rehearse(planOf(steps, { announced: announced(2) }));
      expect(merge.resources[0]?.unknown).toEqual([
        { code: "differs from preview", message: found(0), step: urnOf("x") },
      ]);
      const replace = await cloud.rehearse(planOf(steps, { mode: "replace", announced: announced(2) }));
      expect([replace.summary.lost, replace.summary.unknown]).toEqual([2, 0]);
      const fewer = await cloud.rehearse(planOf(steps, { mode: "replace", announced: announced(1) }));
      expect(fewer.summary.unknown).toBe(0);
    });

    test("an old grant of the same name, which an earlier update left to delete, changes nothing", async () => {
      await start({ store: holding(ADA, GRACE) });
      const plan = planOf([creates("x", { member: EVE })], { mode: "replace", announced: announced(2) });
      const left = planned("x", { member: "serviceAccount:left@p.iam.gserviceaccount.com" }, { delete: true });
      expect((await cloud.rehearse(plan, [left])).summary).toMatchObject({ lost: 2, unknown: 0 });
    });

    test("a resource without a step in the plan is unknown too", async () => {
      await start({ store: holding(ADA) });
      const result = await cloud.rehearse(planOf([], { announced: announced(2) }));
      expect(result.unknown).toEqual([{ code: "differs from preview", message: found(0), step: urnOf("x") }]);
    });

    test("a resource that the engine leaves out does not count, and an unreadable policy is named once", async () => {
      await start({ store: holding(ADA) });
      const untouched = planOf([same("x", { member: ADA })], { announced: announced(2) });
      expect((await cloud.rehearse(untouched)).summary.unknown).toBe(0);
      const unreadable = planOf([creates("x", { member: ADA })], { announced: announced(2) });
      const result = await cloud.rehearse(unreadable, undefined, await nobody());
      expect(result.resources.flatMap(({ unknown }) => unknown.map(({ code }) => code))).toEqual(["unreadable policy"]);
    });
  });

  test.each<[type: string, values: Values, doubts: string[]]>([
    [STORE_GRANT, { member: ADA }, ["differs from preview"]],
    [STORE_BINDING, { members: [ADA] }, ["differs from preview"]],
    ["perimeter:iam/v1:ResourceIamMember", { name: undefined, resource: FULL_NAME, member: ADA }, []],
    ["perimeter:iam/v1:ResourceIamBinding", { name: undefined, resource: FULL_NAME, members: [ADA] }, []],
  ])(
    "a preview in another grant mode makes %s unknown only if the mode decides its effect",
    async (type, values, doubts) => {
      await start();
      const step = creates("x", values, { type });
      const endpoint = { value: `${cloud.emulator.url}/v1beta1/`, variable: "PERIMETER_EMULATOR_HOST" };
      const grantMode = { value: "replace", variable: "PERIMETER_GRANT_MODE" } as const;
      const doubtsOf = async (settings: Plan["previewed"][number]["settings"]) => {
        const { resources } = await cloud.rehearse(planOf([step], { previewed: [{ urn: step.urn, settings }] }));
        return resources.flatMap(({ unknown }) => unknown.map(({ code }) => code));
      };
      expect(await doubtsOf({ endpoint, grantMode })).toEqual(doubts);
      // The address decides for all of them.
      expect(await doubtsOf({ endpoint: { value: "https://elsewhere.example/v1/" } })).toEqual([
        "differs from preview",
      ]);
    },
  );

  test.each<[string, StatedSettings, string]>([
    [
      "in another mode of the environment",
      { grantMode: { value: "replace", variable: "PERIMETER_GRANT_MODE" } },
      "in grant mode replace from PERIMETER_GRANT_MODE, and this review in merge. Run the preview, the review and the update with",
    ],
    [
      "in another mode, which no variable names",
      { grantMode: { value: "replace" } },
      "in grant mode replace, and this review in merge. The program seems to declare this provider, and Pulumi shows no provider",
    ],
    [
      "with an API at another address",
      { endpoint: { value: "https://elsewhere.example/v1/", variable: "PERIMETER_EMULATOR_HOST" } },
      "with the API at https://elsewhere.example/v1/ from PERIMETER_EMULATOR_HOST, and this review with http://",
    ],
  ])("a preview that worked %s makes the settings of the update unknown, and the review says why", async (...row) => {
    await start({ store: holding(ADA) });
    const [, settings, words] = row;
    const step = creates("x", { member: EVE });
    const stated = { endpoint: { value: `${cloud.emulator.url}/v1beta1/` }, ...settings };
    const { resources } = await cloud.rehearse(planOf([step], { previewed: [{ urn: step.urn, settings: stated }] }));
    expect(resources.flatMap(({ unknown }) => unknown.map(({ message }) => message))).toEqual([
      expect.stringContaining(`which settings the provider default has in the update: the preview worked ${words}`),
    ]);
  });

  test("a step with an unknown operation makes its grant unknown", async () => {
    await start();
    const step = { ...creates("x", { member: ADA }), op: "teleport" };
    expect((await cloud.rehearse(planOf([step]))).unknown).toMatchObject([{ code: "unsupported", step: step.urn }]);
  });
});
