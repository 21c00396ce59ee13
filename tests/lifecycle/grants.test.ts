import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunNotes } from "../../provider/plugin/run-notes";
import type { Values } from "../../provider/core/unknown";
import type { Policy } from "../../provider/iam/policy";
import {
  ADMIN_ROLE,
  FOREIGN,
  grantOn,
  GrantStack,
  GrantWorld,
  inParallel,
  listener,
  OPTIONS,
  ROLE,
  storeName,
  users,
} from "../support/grants";
import { STORE_GRANT } from "../support/tokens";
import { VirtualClock } from "../support/grants-clock";

const ADA = "user:ada@example.com";
const GRACE = "user:grace@example.com";
const CONDITION = { title: "on-call", expression: "true" };

let world: GrantWorld;
const start = async (options: Parameters<typeof GrantWorld.start>[0] = {}) => (world = await GrantWorld.start(options));
afterEach(() => world.stop());

const text = (policy: Policy) => JSON.stringify({ ...policy, etag: undefined, version: undefined });
const bindings = (policy: Policy) => (policy.bindings ?? []).map(({ role, members }) => ({ role, members }));

describe("the two modes", () => {
  test("replace: the policy becomes this grant alone; audit configs are no grants and stay", async () => {
    const provider = (await start({ policy: FOREIGN })).provider();
    await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(bindings(world.policy())).toEqual([{ role: ROLE, members: [ADA] }]);
    expect(world.policy().auditConfigs).toEqual(FOREIGN.auditConfigs);
  });

  test("merge: the member joins the binding of its role and condition; all else stays, in order and case", async () => {
    const provider = (await start({ policy: FOREIGN })).merging();
    await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    await provider.create(STORE_GRANT, grantOn(0, GRACE, { condition: CONDITION }), OPTIONS);
    const wanted = structuredClone(FOREIGN) as Policy & { bindings: { role: string; members: string[] }[] };
    wanted.bindings[1]?.members.push(ADA);
    (wanted.bindings as unknown[]).push({ role: ROLE, members: [GRACE], condition: CONDITION });
    expect(text(world.policy())).toBe(text(wanted));
  });

  test.each(["replace", "merge"])("%s: a delete removes this grant and nothing else", async (grantMode) => {
    const provider = (await start()).provider({ grantMode });
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    world.setPolicy({ ...FOREIGN, bindings: [...(FOREIGN.bindings ?? []), { role: "roles/viewer", members: [ADA] }] });
    const before = text(world.policy());
    const stack = world.provider({ grantMode });
    await stack.delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(text(world.policy())).toBe(before);
    world.setPolicy({ bindings: [{ role: ROLE, members: ["user:b@example.com", "user:ADA@example.com"] }] });
    await stack.delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(world.members()).toEqual(["user:b@example.com"]);
  });

  test("changing the mode of a stack changes nothing", async () => {
    const stack = new GrantStack((await start({ policy: FOREIGN })).merging());
    await stack.up({ ada: grantOn(0, ADA) });
    const before = world.policy();
    for (const provider of [world.provider(), world.merging()]) {
      stack.use(provider);
      expect(await stack.up({ ada: grantOn(0, ADA) })).toEqual([]);
    }
    expect(world.policy()).toEqual(before);
  });

  test("a grant whose resource has gone is deleted without an error", async () => {
    const provider = (await start()).merging();
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    world.emulator.remove(storeName());
    await expect(provider.delete(STORE_GRANT, { id, state }, OPTIONS)).resolves.toBeUndefined();
  });

  test("in replace mode, two grants on one resource are refused at the check, with both ways out", async () => {
    const stack = new GrantStack((await start()).provider());
    const up = stack.up({ ada: grantOn(0, ADA), grace: grantOn(0, GRACE) }, { parallel: 1 });
    await expect(up).rejects.toThrow(/set the provider's grantMode to "merge", or keep one grant/);
  });
});

describe("no lost update", () => {
  test("every write carries the etag just read; version 3 exactly where conditions are in play", async () => {
    const provider = (await start()).merging();
    const conditional = grantOn(0, ADA, { condition: CONDITION });
    await provider.create(STORE_GRANT, grantOn(0, GRACE), OPTIONS);
    const { id, state } = await provider.create(STORE_GRANT, conditional, OPTIONS);
    await provider.delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(world.writes.map(({ body }) => body?.policy.version)).toEqual([1, 3, 3]);
    expect(world.writes.every(({ body }) => typeof body?.policy.etag === "string")).toBe(true);
    const reads = world.sent.filter(({ method }) => method === "GET");
    expect(reads.every(({ url }) => url.endsWith("options.requestedPolicyVersion=3"))).toBe(true);
    expect(world.policy().version).toBe(1);
  });

  test("nothing is written where nothing would change", async () => {
    const policy = { bindings: [{ role: ROLE, members: ["user:ADA@example.com"] }] };
    await start({ policy });
    for (const provider of [world.provider(), world.merging()])
      await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    await world.merging().delete(STORE_GRANT, { id: "x", state: grantOn(0, GRACE) }, OPTIONS);
    expect(world.writes).toEqual([]);
    expect(world.members()).toEqual(["user:ADA@example.com"]);
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
    await world.merging().create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    const wanted = structuredClone(FOREIGN) as { bindings: { members: string[] }[] };
    wanted.bindings[1]?.members.push(ADA);
    expect(text(world.policy())).toBe(text(wanted as Policy));
  });

  test("an outside write between our read and our write is kept", async () => {
    await start();
    let first = true;
    const provider = world.merging(
      {},
      {
        fetch: async (url, init) => {
          if (init.method === "POST" && first) {
            first = false;
            world.setPolicy(FOREIGN);
          }
          return fetch(url, init);
        },
      },
    );
    await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(world.members()).toEqual([...(FOREIGN.bindings?.[1]?.members ?? []), ADA, "user:temp@example.com"]);
    expect(world.answered(409)).toBe(1);
  });

  test("fields of a newer API travel through untouched, in policies and bindings", async () => {
    const policy = {
      tomorrow: { b: [1, "two", null], a: { deep: true } },
      bindings: [{ role: ROLE, members: ["user:b@example.com"], bindingId: "x-1" }],
    };
    await start({ newerPolicyFields: ["tomorrow", "bindingId"] });
    world.setPolicy(policy);
    const provider = world.merging();
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(world.writes[0]?.body?.policy).toMatchObject({ tomorrow: policy.tomorrow });
    expect(world.policy().bindings?.[0]).toEqual({ ...policy.bindings[0], members: ["user:b@example.com", ADA] });
    await world.merging().delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(text(world.policy())).toBe(text(policy));
  });

  test("where the API hides conditions, nothing is written", async () => {
    const provider = (await start()).merging(
      {},
      { fetch: (url, init) => fetch(url.replace("Version=3", "Version=1"), init) },
    );
    world.setPolicy(FOREIGN);
    await expect(provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS)).rejects.toThrow(/would drop them for good/);
    expect(text(world.policy())).toBe(text(FOREIGN));
  });
});

describe("few requests", () => {
  test("100 grants at once on one store are two requests, and so are their deletes", async () => {
    const stack = new GrantStack((await start({ policy: FOREIGN })).merging());
    const program = Object.fromEntries(users(100).map((member) => [member, grantOn(0, member)]));
    await stack.up(program, { parallel: 100 });
    expect(world.sent).toHaveLength(2);
    expect(users(100).every((member) => world.members().includes(member))).toBe(true);
    stack.use(world.merging());
    await stack.destroy({ parallel: 100 });
    expect(world.sent).toHaveLength(4);
    expect(text(world.policy())).toBe(text(FOREIGN));
  });

  test("eight at a time, 100 grants are one read and a write for each eight", async () => {
    await start();
    // The quota of healthcare does not count here: datamigration has none, and is the same code.
    const job = "projects/demo-project/locations/us-central1/migrationJobs/m";
    world.emulator.seed([{ service: "datamigration", name: job }]);
    const provider = world.merging();
    const token = "perimeter:datamigration/v1beta1:MigrationJobIamMember";
    await inParallel(
      8,
      users(100).map((member) => () => provider.create(token, { name: job, role: "roles/viewer", member }, OPTIONS)),
    );
    expect([world.reads, world.writes.length]).toEqual([1, 13]);
  });

  test.each([500, 8])(
    "500 grants on 5 stores, %i at a time, never meet the quota of 30 a minute",
    async (parallel) => {
      const clock = new VirtualClock();
      await start({ stores: 5, clock: () => clock.now(), policyWritesPerMinute: { healthcare: 30 } });
      const stack = new GrantStack(world.merging({}, { clock, fetch: clock.timeless(world.fetch) }));
      const all = users(500).map((member, at) => [member, grantOn(Math.floor(at / 100), member)] as const);
      await clock.until(stack.up(Object.fromEntries(all), { parallel }));
      expect(world.answered(429)).toBe(0);
      expect([0, 1, 2, 3, 4].map((store) => world.members(store).length)).toEqual([100, 100, 100, 100, 100]);
      // At once: a read and a write for each store. Else no batch is larger than what the engine sends at a time, and a
      // write that waited for the quota is preceded by a read.
      expect(world.writes.length).toBeLessThanOrEqual(parallel === 500 ? 5 : 130);
      expect(world.reads).toBeLessThanOrEqual(world.writes.length);
    },
    30_000,
  );

  test("one bad member of a batch fails alone", async () => {
    await start({ unsupportedRoles: ["roles/bad"] });
    const provider = world.merging();
    const grants = users(20).map((member, at) => grantOn(0, member, at === 7 ? { role: "roles/bad" } : {}));
    const settled = await Promise.allSettled(grants.map((each) => provider.create(STORE_GRANT, each, OPTIONS)));
    expect(settled.flatMap(({ status }, at) => (status === "rejected" ? [at] : []))).toEqual([7]);
    expect(settled[7]).toMatchObject({ reason: { status: "INVALID_ARGUMENT" } });
    expect(world.members()).toHaveLength(19);
  });

  test("a refresh and a preview of many grants read each policy once", async () => {
    await start();
    const provider = world.merging();
    const stack = users(50).map((member) => grantOn(0, member));
    await Promise.all(stack.map((each) => provider.previewCreate(STORE_GRANT, each, [], OPTIONS)));
    await Promise.all(stack.map((state) => provider.read(STORE_GRANT, "x", { state }, OPTIONS)));
    expect(world.reads).toBe(1);
  });
});

describe("replacing, renaming, moving and duplicating revoke nothing", () => {
  const KEEP = { members: [ADA] };

  test.each(["replace", "merge"])("%s: a rename without an alias", async (grantMode) => {
    const stack = new GrantStack((await start()).provider({ grantMode }));
    await stack.up({ before: grantOn(0, ADA) });
    stack.use(world.provider({ grantMode }));
    world.sent.length = 0;
    expect(await stack.up({ after: grantOn(0, ADA) })).toEqual(["create after", "delete before"]);
    expect(world.members()).toEqual(KEEP.members);
    expect(world.writes).toEqual([]);
  });

  test.each([1, 8])("a replacement makes the new grant before the old one goes, %i at a time", async (parallel) => {
    const stack = new GrantStack((await start()).merging());
    await stack.up({ a: grantOn(0, ADA), b: grantOn(0, GRACE) });
    stack.use(world.merging());
    // The two swap members: what the one gives up, the other now declares.
    await stack.up({ a: grantOn(0, GRACE), b: grantOn(0, ADA) }, { parallel });
    expect([...world.members()].sort()).toEqual([ADA, GRACE]);
  });

  test("two resources declare one grant: whichever goes, in whichever order, the other's stays", async () => {
    for (const [gone, kept] of [
      ["one", "two"],
      ["two", "one"],
    ] as const) {
      const stack = new GrantStack((await start()).merging());
      await stack.up({ one: grantOn(0, ADA), two: grantOn(0, "user:ADA@example.com") });
      stack.use(world.merging());
      expect(await stack.up({ [kept]: grantOn(0, ADA) })).toContain(`delete ${gone}`);
      expect(world.members().map((each) => each.toLowerCase())).toEqual([ADA]);
      stack.use(world.merging());
      await stack.destroy();
      expect(world.members()).toEqual([]);
      await world.stop();
    }
    await start();
  });

  test("deleted first and made afterwards (deleteBeforeReplace): removed, and there again", async () => {
    const before = (await start()).merging();
    const { id, state } = await before.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    const provider = world.merging();
    await provider.check(STORE_GRANT, grantOn(0, ADA), { identity: "a" });
    await provider.delete(STORE_GRANT, { id, state }, { ...OPTIONS, identity: "a" });
    expect(world.members()).toEqual([]);
    await provider.create(STORE_GRANT, grantOn(0, ADA), { ...OPTIONS, identity: "a" });
    expect(world.members()).toEqual([ADA]);
  });

  test("a declaration is of this grant: one under another condition, or in another role, goes", async () => {
    const stack = new GrantStack((await start()).merging());
    await stack.up({ a: grantOn(0, ADA, { condition: CONDITION }), b: grantOn(0, ADA, { role: "roles/viewer" }) });
    stack.use(world.merging());
    await stack.up({ c: grantOn(0, ADA) });
    expect(bindings(world.policy())).toEqual([{ role: ROLE, members: [ADA] }]);
  });

  test.each(["before", "after"])(
    "moved to another provider process, whose check came %s the delete's",
    async (order) => {
      await start();
      const home = mkdtempSync(join(tmpdir(), "perimeter-test-"));
      const address = `127.0.0.1:${randomUUID()}`;
      const notes = [1, 2].map(
        () => new RunNotes(address, { HOME: home }, (message) => expect(message).toBe("no warning")),
      );
      const [old, other] = notes.map((each) => world.merging({}, { notes: each })) as [
        ReturnType<GrantWorld["merging"]>,
        ReturnType<GrantWorld["merging"]>,
      ];
      const { id, state } = await world.merging().create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
      if (order === "after") await old.check(STORE_GRANT, grantOn(0, GRACE), { identity: "grace" });
      await other.check(STORE_GRANT, grantOn(0, ADA), { identity: "new" });
      await other.create(STORE_GRANT, grantOn(0, ADA), { ...OPTIONS, identity: "new" });
      await old.delete(STORE_GRANT, { id, state }, { ...OPTIONS, identity: "old" });
      expect(world.members()).toEqual([ADA]);
      for (const each of notes) each.end();
      // Without the declaration, in the next run, the same delete revokes it.
      await world.merging().delete(STORE_GRANT, { id, state }, OPTIONS);
      expect(world.members()).toEqual([]);
      rmSync(home, { recursive: true });
    },
  );

  test("a destroy, which checks nothing, removes everything", async () => {
    const stack = new GrantStack((await start({ policy: FOREIGN })).merging());
    await stack.up({ one: grantOn(0, ADA), two: grantOn(0, ADA), three: grantOn(0, GRACE) });
    stack.use(world.merging());
    await stack.destroy();
    expect(text(world.policy())).toBe(text(FOREIGN));
  });
});

describe("member names", () => {
  test("a deleted: principal is refused as input, with a hint", async () => {
    const provider = (await start()).merging();
    const { problems } = await provider.check(STORE_GRANT, grantOn(0, "deleted:user:gone@example.com?uid=1"));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.reason).toContain("only read from policies");
  });

  test("somebody else's spelling of the same member is left, and found again", async () => {
    const provider = (
      await start({ policy: { bindings: [{ role: ROLE, members: ["user:Ada@Example.com"] }] } })
    ).merging();
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(world.members()).toEqual(["user:Ada@Example.com"]);
    expect(await provider.read(STORE_GRANT, id, { state }, OPTIONS)).toMatchObject({ inputs: { member: ADA } });
  });

  test("also where the server answers in its own order and case", async () => {
    await start({ lowercaseMembers: true, sortPolicies: true });
    const provider = world.merging();
    const { id, state } = await provider.create(STORE_GRANT, grantOn(0, "user:Zoe@Example.com"), OPTIONS);
    const current = await provider.read(STORE_GRANT, id, { state }, OPTIONS);
    expect(current?.inputs.member).toBe("user:Zoe@Example.com");
    expect(provider.diff(STORE_GRANT, { id, state }, current?.inputs ?? {}).action).toBe("none");
    await world.merging().delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(world.members()).toEqual([]);
  });
});

describe("fresh identities and propagation", () => {
  const FRESH = "serviceAccount:fresh@demo-project.iam.gserviceaccount.com";

  test("a member that is not known yet is tried again; the others of its batch are done long before", async () => {
    const clock = new VirtualClock();
    await start({ unknownMembers: [{ member: FRESH, refusals: 4 }] });
    const provider = world.merging({}, { clock, fetch: clock.timeless(world.fetch) });
    const done: string[] = [];
    const create = async (member: string) => {
      await provider.create(STORE_GRANT, grantOn(0, member), OPTIONS);
      done.push(member);
    };
    await clock.until(Promise.all([FRESH, ADA, GRACE].map(create)));
    expect(done.at(-1)).toBe(FRESH);
    expect([...world.members()].sort()).toEqual([FRESH, ADA, GRACE].sort());
  });

  test("one that stays unknown fails within the limit, with the API's words", async () => {
    const clock = new VirtualClock();
    await start({ unknownMembers: [FRESH] });
    const began = clock.now();
    const provider = world.merging({}, { clock, fetch: clock.timeless(world.fetch) });
    const creating = clock.until(provider.create(STORE_GRANT, grantOn(0, FRESH), OPTIONS));
    await expect(creating).rejects.toThrow(/fresh@demo-project.* does not exist/);
    expect(clock.now() - began).toBeLessThan(65_000);
  });

  test("waitForPropagation waits for three reads in a row that see the grant", async () => {
    const clock = new VirtualClock();
    await start({ policyLagReads: 3 });
    const provider = world.merging({ waitForPropagation: true }, { clock, fetch: clock.timeless(world.fetch) });
    await clock.until(provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS));
    expect(world.reads).toBe(1 + 3 + 3);
    expect(world.members()).toEqual([ADA]);
  });

  test("stale reads cost conflicts, never an update", async () => {
    await start({ policy: FOREIGN, policyLagReads: 1 });
    const providers = [world.merging(), world.merging(), world.merging()];
    await Promise.all(
      providers.flatMap((provider, at) =>
        users(9)
          .slice(3 * at, 3 * at + 3)
          .map((member) => provider.create(STORE_GRANT, grantOn(0, member), OPTIONS)),
      ),
    );
    expect(users(9).every((member) => world.members().includes(member))).toBe(true);
    expect(world.members()).toHaveLength(9 + 3);
  });
});

describe("lock-outs", () => {
  const admins = (...members: string[]): Policy => ({ bindings: [{ role: ADMIN_ROLE, members }] });
  const admin = (member: string) => grantOn(0, member, { role: ADMIN_ROLE });
  const CI = "ci@demo-project.iam.gserviceaccount.com";

  test("replacing a policy so that nobody could change it any more is refused, unless it is allowed", async () => {
    await start({ policy: admins(GRACE) });
    const refused = world.provider().create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    await expect(refused).rejects.toThrow(/nobody would be left with a role.*fhirStoreAdmin.*allowLockout/s);
    expect(world.writes).toEqual([]);
    await world.provider({ allowLockout: true }).create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(bindings(world.policy())).toEqual([{ role: ROLE, members: [ADA] }]);
  });

  test("merge is the first way out that the refusal names", async () => {
    await start({ policy: admins(GRACE) });
    const refused = world.provider().create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    await expect(refused).rejects.toThrow(/Set perimeter:grantMode to merge .*, or perimeter:allowLockout to true/);
  });

  test.each<[string, Policy]>([
    ["deleted identities", admins("deleted:user:grace@example.com?uid=1")],
    ["grants under a condition", { bindings: [{ role: ADMIN_ROLE, members: [GRACE], condition: CONDITION }] }],
  ])("%s are nobody who could change the policy: there is nothing to guard", async (_what, policy) => {
    await start({ policy });
    await world.provider().create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(bindings(world.policy())).toEqual([{ role: ROLE, members: [ADA] }]);
  });

  test.each<[string, Values]>([
    ["a grant under a condition", { role: ADMIN_ROLE, condition: CONDITION }],
    ["another role", {}],
  ])("replacing the last administrator by %s is refused", async (_what, more) => {
    await start({ policy: admins(GRACE) });
    await expect(world.provider().create(STORE_GRANT, grantOn(0, ADA, more), OPTIONS)).rejects.toThrow(
      /nobody would be left/,
    );
  });

  test("what the stack itself granted, it may replace; whoever is left without an administrator hears of it", async () => {
    await start();
    const made = await world.provider().create(STORE_GRANT, admin(ADA), OPTIONS);
    const provider = world.provider();
    expect(provider.diff(STORE_GRANT, made, grantOn(0, ADA))).toMatchObject({ action: "replace" });
    const { said, reporter } = listener();
    await provider.create(STORE_GRANT, grantOn(0, ADA), { ...OPTIONS, reporter });
    expect(bindings(world.policy())).toEqual([{ role: ROLE, members: [ADA] }]);
    expect(said).toEqual([expect.stringMatching(/^warning: Nobody is left with a role on .*store-0 that can change/)]);
  });

  test.each([
    ["one after the other", 1],
    ["the other way round", -1],
    ["at once", 8],
  ])("a stack that made two administrators on an empty store takes them away, %s", async (_order, parallel) => {
    const stack = { a: admin(ADA), b: admin(GRACE) };
    const made = new GrantStack((await start()).merging());
    await made.up(parallel < 0 ? { b: stack.b, a: stack.a } : stack);
    made.use(world.merging());
    await made.destroy({ parallel: Math.abs(parallel) });
    expect(world.policy().bindings).toBeUndefined();
  });

  test("a grant that was made by a run that was killed goes, and says that it was the last", async () => {
    await start({ policy: admins(ADA) });
    const { said, reporter } = listener();
    // As it was made again: nothing in the state says that it was the first one.
    const { id, state } = await world.merging().create(STORE_GRANT, admin(ADA), OPTIONS);
    await world.merging().delete(STORE_GRANT, { id, state }, { ...OPTIONS, reporter });
    expect(world.policy().bindings).toBeUndefined();
    expect(said).toEqual([expect.stringMatching(/^warning: Nobody is left/)]);
  });

  test("what earlier releases kept in the state for this changes nothing", async () => {
    await start();
    const { id, state } = await world.merging().create(STORE_GRANT, admin(ADA), OPTIONS);
    const old = { id, state: { ...state, __firstAdmin: true } };
    expect(world.merging().diff(STORE_GRANT, old, admin(ADA))).toEqual({ action: "none" });
    const read = await world.merging().read(STORE_GRANT, id, old, OPTIONS);
    expect(read?.state).not.toHaveProperty("__firstAdmin");
    await world.merging().delete(STORE_GRANT, old, OPTIONS);
    expect(world.policy().bindings).toBeUndefined();
  });

  test("the provider's own way in is kept", async () => {
    await start({ policy: admins(`serviceAccount:${CI}`, GRACE) });
    const tokens = {
      token: () => Promise.resolve("t"),
      quotaProject: () => Promise.resolve(undefined),
      project: () => Promise.resolve("demo-project"),
      serviceAccount: () => Promise.resolve(CI),
    };
    const settings = { healthcareCustomEndpoint: `${world.emulator.url}/v1beta1/`, sendCredentialsToLoopback: true };
    const provider = world.merging(settings, { tokens });
    const state = admin(`serviceAccount:${CI}`);
    await expect(provider.delete(STORE_GRANT, { id: "x", state }, OPTIONS)).rejects.toThrow(/own identity would lose/);
    await world
      .merging({ ...settings, allowLockout: true }, { tokens })
      .delete(STORE_GRANT, { id: "x", state }, OPTIONS);
    expect(world.members(0, ADMIN_ROLE)).toEqual([GRACE]);
  });
});
