/** Writes beside those of others: none is lost, and there are few. */
import type { Values } from "../../../provider/core/unknown";
import { pooledSend } from "../../../provider/http/pool";
import type { Policy } from "../../../provider/iam/policy";
import { Provider } from "../../../provider/runtime/provider";
import { FOREIGN, grantOn, GrantStack, listener, OPTIONS, ROLE, users } from "../../support/grants";
import { FakeClock } from "../../../provider/testing/clock";
import { inParallel } from "../../support/simulated-stack";
import { STORE_GRANT } from "../../support/tokens";
import { ADA, CONDITION, GRACE, start, text, useClouds, cloud } from "./scene";

useClouds();

describe("no lost update", () => {
  test("every write carries the etag just read; version 3 exactly where conditions are in play", async () => {
    const provider = (await start()).merging();
    const conditional = grantOn(0, ADA, { condition: CONDITION });
    await provider.create(STORE_GRANT, grantOn(0, GRACE), OPTIONS);
    const { id, state } = await provider.create(STORE_GRANT, conditional, OPTIONS);
    await provider.delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(cloud.writes.map(({ body }) => body?.policy.version)).toEqual([1, 3, 3]);
    expect(cloud.writes.every(({ body }) => typeof body?.policy.etag === "string")).toBe(true);
    const reads = cloud.sent.filter(({ method }) => method === "GET");
    expect(reads.every(({ url }) => url.endsWith("options.requestedPolicyVersion=3"))).toBe(true);
    expect(cloud.policy().version).toBe(1);
  });

  test("nothing is written where nothing would change", async () => {
    const policy = { bindings: [{ role: ROLE, members: ["user:ADA@example.com"] }] };
    await start({ policy });
    for (const provider of [cloud.provider(), cloud.merging()])
      await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    await cloud.merging().delete(STORE_GRANT, { id: "x", state: grantOn(0, GRACE) }, OPTIONS);
    expect(cloud.writes).toEqual([]);
    expect(cloud.members()).toEqual(["user:ADA@example.com"]);
  });

  test.each([
    ["409 ABORTED", { status: "ABORTED" }],
    ["412", { status: 412 }],
    ["a lost answer", { reset: "after" }],
    ["a connection lost before", { reset: "before" }],
    ["half an answer", { truncate: 20 }],
    ["half an answer that looks whole", { truncate: { bytes: 20, clean: true } }],
    ["503", { status: 503 }],
    ["503 after it took effect", { status: 503, when: "after" }],
    ["429", { status: 429 }],
    ["an HTML page", { html: true }],
  ])("a write that meets %s is made exactly once, beside what others wrote meanwhile", async (_name, fault) => {
    await start({
      policy: FOREIGN,
      faults: [{ match: { id: "healthcare.**.setIamPolicy" }, times: 1, fault }],
    });
    await cloud.merging().create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    const wanted = structuredClone(FOREIGN) as { bindings: { members: string[] }[] };
    wanted.bindings[1]?.members.push(ADA);
    expect(text(cloud.policy())).toBe(text(wanted as Policy));
  });

  test("an outside write between our read and our write is kept", async () => {
    await start();
    let first = true;
    const provider = cloud.merging(
      {},
      {
        send: async (request) => {
          if (request.method === "POST" && first) {
            first = false;
            cloud.setPolicy(FOREIGN);
          }
          return pooledSend(request);
        },
      },
    );
    await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(cloud.members()).toEqual([...(FOREIGN.bindings?.[1]?.members ?? []), ADA, "user:temp@example.com"]);
    expect(cloud.answered(409)).toBe(1);
  });

  test("fields of a newer API travel through untouched, in policies and bindings", async () => {
    const policy = {
      tomorrow: { b: [1, "two", null], a: { deep: true } },
      bindings: [{ role: ROLE, members: ["user:b@example.com"], bindingId: "x-1" }],
    };
    await start({ newerPolicyFields: ["tomorrow", "bindingId"] });
    cloud.setPolicy(policy);
    const provider = cloud.merging();
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(cloud.writes[0]?.body?.policy).toMatchObject({ tomorrow: policy.tomorrow });
    expect(cloud.policy().bindings?.[0]).toEqual({ ...policy.bindings[0], members: ["user:b@example.com", ADA] });
    await cloud.merging().delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(text(cloud.policy())).toBe(text(policy));
  });

  test("where the API hides conditions, nothing is written", async () => {
    const provider = (await start()).merging(
      {},
      { send: (request) => pooledSend({ ...request, url: request.url.replace("Version=3", "Version=1") }) },
    );
    cloud.setPolicy(FOREIGN);
    await expect(provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS)).rejects.toThrow(
      /would delete them permanently/,
    );
    expect(text(cloud.policy())).toBe(text(FOREIGN));
  });
});

describe("few requests", () => {
  test("100 grants at once on one store are two requests, and so are their deletes", async () => {
    const stack = new GrantStack((await start({ policy: FOREIGN })).merging());
    const program = Object.fromEntries(users(100).map((member) => [member, grantOn(0, member)]));
    await stack.up(program, { parallel: 100 });
    expect(cloud.sent).toHaveLength(2);
    expect(users(100).every((member) => cloud.members().includes(member))).toBe(true);
    stack.use(cloud.merging());
    await stack.destroy({ parallel: 100 });
    expect(cloud.sent).toHaveLength(4);
    expect(text(cloud.policy())).toBe(text(FOREIGN));
  });

  test("eight at a time, 100 grants are one read and a write for each eight", async () => {
    await start();
    // The quota of healthcare does not count here: datamigration has none, and is the same code.
    const job = "projects/demo-project/locations/us-central1/migrationJobs/m";
    cloud.emulator.seed([{ service: "datamigration", name: job }]);
    const provider = cloud.merging();
    const token = "perimeter:datamigration/v1beta1:MigrationJobIamMember";
    await inParallel(
      8,
      users(100).map((member) => () => provider.create(token, { name: job, role: "roles/viewer", member }, OPTIONS)),
    );
    expect([cloud.reads, cloud.writes.length]).toEqual([1, 13]);
  });

  test.each([500, 8])(
    "500 grants on 5 stores, %i at a time, never meet the quota of 30 a minute",
    async (parallel) => {
      const clock = FakeClock.waiting();
      await start({ stores: 5, clock: () => clock.now(), policyWritesPerMinute: { healthcare: 30 } });
      const connectors = { clock, send: clock.timeless(cloud.send) };
      const stack = new GrantStack(cloud.merging({ policyWritesPerMinute: 30 }, connectors));
      const all = users(500).map((member, at) => [member, grantOn(Math.floor(at / 100), member)] as const);
      await clock.until(stack.up(Object.fromEntries(all), { parallel }));
      expect(cloud.answered(429)).toBe(0);
      expect([0, 1, 2, 3, 4].map((store) => cloud.members(store).length)).toEqual([100, 100, 100, 100, 100]);
      // At once: a read and a write for each store. Else no batch is larger than what the engine sends at a time, and a
      // write that waited for the quota is preceded by a read.
      expect(cloud.writes.length).toBeLessThanOrEqual(parallel === 500 ? 5 : 130);
      expect(cloud.reads).toBeLessThanOrEqual(cloud.writes.length);
    },
    30_000,
  );

  describe("100 grants on 5 stores, eight at a time", () => {
    /** Milliseconds that the grants took, and what was reported of waits. */
    async function up(given: Values = {}, at: (url: string) => string = (url) => url) {
      const clock = FakeClock.waiting();
      await start({ stores: 5, clock: () => clock.now() });
      const send = clock.timeless((request) => cloud.send({ ...request, url: at(request.url) }));
      const environment = given.accessToken === undefined ? cloud.emulator.env : {};
      const provider = new Provider({ grantMode: "merge", ...given }, { ...environment }, { clock, send });
      const { said, reporter } = listener();
      const began = clock.now();
      const grants = users(100).map((member, index) => grantOn(index % 5, member));
      const create = (grant: Values) => () => provider.create(STORE_GRANT, grant, { timeout: 3_600_000, reporter });
      await clock.until(inParallel(8, grants.map(create)));
      expect([0, 1, 2, 3, 4].map((store) => cloud.members(store).length)).toEqual([20, 20, 20, 20, 20]);
      return { took: clock.now() - began, said };
    }
    const announced = (quota: number) => [
      expect.stringMatching(
        new RegExp(`^info: The quota of healthcare is ${quota} policy changes a minute, .* waits for about 62 s`),
      ),
    ];

    test("do not wait for the quota of the cloud on an emulator", async () => {
      const { took, said } = await up();
      // Each write gathers changes for ten milliseconds.
      expect(took).toBeLessThan(1_000);
      expect(said).toEqual([]);
    });

    test("wait on an emulator where the configuration asks for it, which is reported once", async () => {
      const { took, said } = await up({ policyWritesPerMinute: 30 });
      expect(took).toBeGreaterThan(62_000);
      expect(said).toEqual(announced(30));
    });

    test("wait in the cloud for the quota of the API, or for the one that the configuration names", async () => {
      const inCloud = (url: string) => url.replace("https://healthcare.googleapis.com", cloud.emulator.url);
      const { took, said } = await up({ accessToken: "token" }, inCloud);
      expect(took).toBeGreaterThan(62_000);
      expect(said).toEqual(announced(30));
      const raised = await up({ accessToken: "token", policyWritesPerMinute: 3_000 }, inCloud);
      expect(raised.took).toBeLessThan(1_000);
      expect(raised.said).toEqual([]);
    });

    test("are made too where the emulator keeps a quota, after its refusals", async () => {
      const clock = FakeClock.waiting();
      await start({ stores: 5, clock: () => clock.now(), policyWritesPerMinute: { healthcare: 30 } });
      const provider = cloud.merging({}, { clock, send: clock.timeless(cloud.send) });
      const grants = users(100).map((member, index) => grantOn(index % 5, member));
      const create = (grant: Values) => () => provider.create(STORE_GRANT, grant, { timeout: 3_600_000 });
      await clock.until(inParallel(8, grants.map(create)));
      expect(cloud.answered(429)).toBeGreaterThan(0);
      expect([0, 1, 2, 3, 4].map((store) => cloud.members(store).length)).toEqual([20, 20, 20, 20, 20]);
    });
  });

  test("one bad member of a batch fails alone", async () => {
    await start({ unsupportedRoles: ["roles/bad"] });
    const provider = cloud.merging();
    const grants = users(20).map((member, at) => grantOn(0, member, at === 7 ? { role: "roles/bad" } : {}));
    const settled = await Promise.allSettled(grants.map((each) => provider.create(STORE_GRANT, each, OPTIONS)));
    expect(settled.flatMap(({ status }, at) => (status === "rejected" ? [at] : []))).toEqual([7]);
    expect(settled[7]).toMatchObject({ reason: { status: "INVALID_ARGUMENT" } });
    expect(cloud.members()).toHaveLength(19);
  });

  test("a refresh and a preview of many grants read each policy once", async () => {
    await start();
    const provider = cloud.merging();
    const stack = users(50).map((member) => grantOn(0, member));
    await Promise.all(stack.map((each) => provider.previewCreate(STORE_GRANT, each, OPTIONS)));
    await Promise.all(stack.map((state) => provider.read(STORE_GRANT, "x", { state }, OPTIONS)));
    expect(cloud.reads).toBe(1);
  });
});
