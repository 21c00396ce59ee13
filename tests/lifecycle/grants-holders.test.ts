/**
 * Which grants a delete takes away when other resources of the program want them too. Each test plays one run of the
 * engine by hand: what was checked, diffed, created and deleted, in which order.
 */
import { startEmulator, type Emulator } from "../../emulator";
import { SharedFacts } from "../../provider/core/facts";
import type { Current } from "../../provider/core/lifecycle";
import type { Values } from "../../provider/core/unknown";
import { pooledSend } from "../../provider/http/pool";
import { Provider } from "../../provider/runtime/provider";
import { grantOn, GrantCloud, listener, OPTIONS, ROLE, storeName, users } from "../support/grants";
import { STORE_BINDING, STORE_GRANT } from "../support/tokens";

const ADA = "user:ada@example.com";
const GRACE = "user:grace@example.com";
const BY_NUMBER = { name: storeName().replace("demo-project", "123") };

let cloud: GrantCloud;
const start = async (options: Parameters<typeof GrantCloud.start>[0] = {}) => (cloud = await GrantCloud.start(options));
afterEach(() => cloud.stop());

const as = (identity: string) => ({ ...OPTIONS, identity });

/** A resource as an earlier run left it in the state. */
async function made(inputs: Values, provider = cloud.merging()) {
  return { inputs, ...(await provider.create(STORE_GRANT, inputs, OPTIONS)) };
}

async function declare(provider: Provider, identity: string, inputs: Values) {
  expect(await provider.check(STORE_GRANT, inputs, { identity })).toMatchObject({ problems: [] });
}

describe("a rename whose new resource fails (--continue-on-error)", () => {
  test("keeps the grant in the policy and in the state, and the next update resolves it", async () => {
    await start();
    const old = await made(grantOn(0, ADA));
    const run = cloud.merging();
    await declare(run, "urn::new", grantOn(0, ADA));
    cloud.emulator.configure({ unsupportedRoles: [ROLE] });
    // The create of the new one is not reached, or fails; the engine goes on to its deletes.
    await expect(run.delete(STORE_GRANT, old, as("urn::old"))).rejects.toThrow(
      /Kept this grant on .*store-0: urn::new declares the same grant and was not made\. Nothing was changed\. The next/,
    );
    expect(cloud.members()).toEqual([ADA]);

    cloud.emulator.configure({ unsupportedRoles: [] });
    const next = cloud.merging();
    await declare(next, "urn::new", grantOn(0, ADA));
    await next.create(STORE_GRANT, grantOn(0, ADA), as("urn::new"));
    await next.delete(STORE_GRANT, old, as("urn::old"));
    expect(cloud.members()).toEqual([ADA]);
  });

  test("keeps the grant for the new resource if its create may have written the policy", async () => {
    await start();
    const old = await made(grantOn(0, ADA));
    cloud.setPolicy({});
    // Told to stop once the server has made the write, and before its answer.
    const run: Provider = cloud.merging(
      {},
      {
        send: async (request) => {
          const answer = await pooledSend(request);
          if (request.method === "POST") run.cancel();
          return answer;
        },
      },
    );
    await declare(run, "urn::new", grantOn(0, ADA));
    await expect(run.create(STORE_GRANT, grantOn(0, ADA), as("urn::new"))).rejects.toMatchObject({ code: "NOT_READY" });
    await run.delete(STORE_GRANT, old, as("urn::old"));
    expect(cloud.members()).toEqual([ADA]);
  });
});

test("a delete of one of two grants with the same names in two clouds removes only this grant", async () => {
  await start();
  const other: Emulator = await startEmulator({ seed: [{ service: "healthcare", name: storeName() }] });
  const cloudOf = (emulator: Emulator) => new Provider({ grantMode: "merge" }, { ...emulator.env });
  const here = await made(grantOn(0, ADA), cloudOf(cloud.emulator));
  await made(grantOn(0, ADA), cloudOf(other));
  // Both providers of the run in one register, as explicit providers share it.
  const facts = new SharedFacts();
  const one = new Provider({ grantMode: "merge" }, { ...cloud.emulator.env }, { facts });
  const two = new Provider({ grantMode: "merge" }, { ...other.env }, { facts });
  await declare(two, "urn::there", grantOn(0, ADA));
  expect(two.compare(STORE_GRANT, here, grantOn(0, ADA), { identity: "urn::there" }).diff).toEqual({ action: "none" });
  await one.delete(STORE_GRANT, here, as("urn::here"));
  expect(cloud.members()).toEqual([]);
  expect(other.resource(storeName())?.policy).toMatchObject({ bindings: [{ members: [ADA] }] });
  await other.stop();
});

describe("a project that is named by number and by id", () => {
  const NUMBERS = { projectNumbers: { "123": "demo-project" } };

  test.each([
    ["one project", NUMBERS, [ADA]],
    ["two projects", { projectNumbers: { "123": "other-project" } }, []],
  ])("%s: a rename with the other spelling", async (_what, options, left) => {
    await start(options);
    const other = storeName().replace("demo-project", "other-project");
    cloud.emulator.seed([{ service: "healthcare", name: other, body: { version: "R4" } }]);
    const old = await made(grantOn(0, ADA));
    const run = cloud.merging();
    await declare(run, "urn::new", grantOn(0, ADA, BY_NUMBER));
    await run.create(STORE_GRANT, grantOn(0, ADA, BY_NUMBER), as("urn::new"));
    await run.delete(STORE_GRANT, old, as("urn::old"));
    expect(cloud.members()).toEqual(left);
  });

  test("many grants that are deleted under one spelling while the run makes them under the other are all kept", async () => {
    await start(NUMBERS);
    const members = users(20);
    const olds = await Promise.all(members.map((member) => made(grantOn(0, member, BY_NUMBER))));
    const run = cloud.merging();
    cloud.emulator.setFaults([{ match: { path: "**IamPolicy" }, times: 0, fault: { delayMs: 20 } }]);
    for (const [at, member] of members.entries()) await declare(run, `urn::new${at}`, grantOn(0, member));
    await Promise.all([
      ...members.map((member, at) => run.create(STORE_GRANT, grantOn(0, member), as(`urn::new${at}`))),
      ...users(20, "another").map((member) => run.create(STORE_GRANT, grantOn(0, member), OPTIONS)),
    ]);
    await Promise.all(olds.map((old, at) => run.delete(STORE_GRANT, old, as(`urn::old${at}`))));
    expect(cloud.members()).toEqual(expect.arrayContaining(members));
  });

  test("a refresh and the check after it know one resource, so that nothing is refused", async () => {
    await start(NUMBERS);
    const old = await made(grantOn(0, ADA, BY_NUMBER));
    const run = cloud.merging();
    await run.read(STORE_GRANT, old.id, old, as("urn::old"));
    run.compare(STORE_GRANT, old, old.inputs, { identity: "urn::old" });
    await declare(run, "urn::new", grantOn(0, ADA));
    await declare(run, "urn::same", grantOn(0, ADA, BY_NUMBER));
    await run.create(STORE_GRANT, grantOn(0, ADA), as("urn::new"));
    await run.delete(STORE_GRANT, old, as("urn::old"));
    expect(cloud.members()).toEqual([ADA]);
  });

  test("without the permission to read the project, a grant that a delete may have removed under the other spelling is made again", async () => {
    await start(NUMBERS);
    const [first, second] = [await made(grantOn(0, ADA, BY_NUMBER)), await made(grantOn(0, ADA))];
    cloud.emulator.configure({ deny: ["resourcemanager.projects.get"] });
    const run = cloud.merging();
    // The first one goes to another member, and is deleted before the engine asks for the second one.
    await declare(run, "urn::first", grantOn(0, GRACE, BY_NUMBER));
    await run.delete(STORE_GRANT, first, as("urn::first"));
    await run.create(STORE_GRANT, grantOn(0, GRACE, BY_NUMBER), as("urn::first"));
    await declare(run, "urn::second", grantOn(0, ADA));
    expect(run.compare(STORE_GRANT, second, second.inputs, { identity: "urn::second" }).diff.action).toBe("update");
    await run.update(STORE_GRANT, second, second.inputs, as("urn::second"));
    expect(cloud.members()).toEqual([GRACE, ADA]);
  });

  test("a call that ends does not wait for the Resource Manager", async () => {
    await start(NUMBERS);
    cloud.emulator.setFaults([{ match: { path: "/v3/projects/123" }, times: 0, fault: { stall: true } }]);
    const old = await made(grantOn(0, ADA, BY_NUMBER), cloud.merging());
    const run = cloud.merging();
    const ending = run.delete(STORE_GRANT, old, { ...as("urn::old"), timeout: 300 });
    await expect(ending).rejects.toMatchObject({ code: "TIMEOUT", effect: "none" });
    expect(cloud.members()).toEqual([ADA]);
  });

  test("without the permission to read the project, a delete keeps a grant that may be declared under the other spelling", async () => {
    await start(NUMBERS);
    cloud.emulator.configure({ deny: ["resourcemanager.projects.get"] });
    const old = await made(grantOn(0, ADA, BY_NUMBER));
    const run = cloud.merging();
    await declare(run, "urn::new", grantOn(0, ADA));
    await run.create(STORE_GRANT, grantOn(0, ADA), as("urn::new"));
    await expect(run.delete(STORE_GRANT, old, as("urn::old"))).rejects.toThrow(
      /Kept this grant on .*Missing permission: resourcemanager\.projects\.get.*Use the project's id everywhere/s,
    );
    expect(cloud.members()).toEqual([ADA]);
    const alone = cloud.merging();
    await alone.delete(STORE_GRANT, old, as("urn::old"));
    expect(cloud.members()).toEqual([]);
  });
});

test("a grant that another resource's delete removed is created again, and the diff says why", async () => {
  await start();
  const [kept, moved] = [await made(grantOn(0, ADA)), await made(grantOn(0, ADA))];
  const run = cloud.merging();
  // `moved` goes to another member, deleted before it is made; `kept` was checked and not yet diffed.
  await declare(run, "urn::kept", grantOn(0, ADA));
  await declare(run, "urn::moved", grantOn(0, GRACE));
  await run.delete(STORE_GRANT, moved, as("urn::moved"));
  expect(cloud.members()).toEqual([]);

  const diff = run.compare(STORE_GRANT, kept, grantOn(0, ADA), { identity: "urn::kept" }).diff;
  expect(diff).toMatchObject({
    action: "update",
    changes: [{ path: ["etag"] }],
    reason: expect.stringContaining("made again"),
  });
  await run.update(STORE_GRANT, kept, grantOn(0, ADA), as("urn::kept"));
  await run.create(STORE_GRANT, grantOn(0, GRACE), as("urn::moved"));
  expect(cloud.members()).toEqual([ADA, GRACE]);
  expect(run.compare(STORE_GRANT, kept, grantOn(0, ADA), { identity: "urn::kept" }).diff).toEqual({ action: "none" });
});

test.each<[string, string, string, (member: string) => Values]>([
  ["a grant", "replace", STORE_GRANT, (member) => grantOn(0, member)],
  ["a binding", "merge", STORE_BINDING, (member) => ({ name: storeName(), role: ROLE, members: [member] })],
])(
  "%s that another resource's delete removed is made again without a change for others, in the mode %s",
  async (_what, grantMode, token, inputsOf) => {
    await start({ stores: 2 });
    const kept = {
      inputs: inputsOf(ADA),
      ...(await cloud.provider({ grantMode }).create(token, inputsOf(ADA), OPTIONS)),
    };
    cloud.setPolicy({ bindings: [{ role: ROLE, members: [ADA, GRACE] }] });
    const run = cloud.provider({ grantMode });
    await run.check(token, inputsOf(ADA), { identity: "urn::kept" });
    await run.check(token, { ...inputsOf(ADA), name: storeName(1) }, { identity: "urn::moved" });
    await run.delete(token, kept, as("urn::moved"));
    expect(cloud.members()).toEqual([GRACE]);
    expect(run.compare(token, kept, inputsOf(ADA), { identity: "urn::kept" }).diff.action).toBe("update");
    await run.update(token, kept, inputsOf(ADA), as("urn::kept"));
    expect(cloud.members()).toEqual([GRACE, ADA]);
  },
);

test("a grant of an unknown resource (states of earlier releases) is removed if no resource wants it", async () => {
  await start();
  const old = await made(grantOn(0, ADA));
  const other = await made(grantOn(0, GRACE));
  const run = cloud.merging();
  await declare(run, "urn::new", grantOn(0, ADA));
  await run.create(STORE_GRANT, grantOn(0, ADA), as("urn::new"));
  await run.delete(STORE_GRANT, old, OPTIONS);
  await run.delete(STORE_GRANT, other, OPTIONS);
  expect(cloud.members()).toEqual([ADA]);
});

test("in replace mode, a second grant on a resource is refused, and names the first one's resource", async () => {
  const run = (await start()).provider();
  await declare(run, "urn::first", grantOn(0, ADA));
  // Checks come again, of the same resource and with the same grant.
  await declare(run, "urn::first", grantOn(0, GRACE));
  await declare(run, "urn::same", grantOn(0, "user:GRACE@example.com"));
  const { problems } = await run.check(STORE_GRANT, grantOn(0, ADA), { identity: "urn::second" });
  expect(problems).toEqual([
    {
      path: "name",
      reason: expect.stringMatching(/^is the resource of another grant in this program too \(urn::first\)\. .*"merge"/),
    },
  ]);
  expect(await run.check(STORE_GRANT, grantOn(1, ADA), { identity: "urn::second" })).toMatchObject({ problems: [] });
  await run.check(STORE_GRANT, grantOn(2, ADA));
  const unknown = await run.check(STORE_GRANT, grantOn(2, GRACE));
  expect(unknown.problems).toEqual([{ path: "name", reason: expect.stringMatching(/in this program too\. With/) }]);
});

describe("a grant whose identity was deleted", () => {
  const GONE = "deleted:user:ada@example.com?uid=123";

  async function refreshed(members: string[], { id, state }: { id: string; state: Values }) {
    cloud.setPolicy({ bindings: [{ role: ROLE, members }] });
    const { said, reporter } = listener();
    return { current: await cloud.merging().read(STORE_GRANT, id, { state }, { ...OPTIONS, reporter }), said };
  }

  test("is shown by a refresh in its deleted form, with the remedy, and its delete removes that form", async () => {
    await start();
    const { current, said } = await refreshed([GONE, "user:grace@example.com"], await made(grantOn(0, ADA)));
    expect(current).toMatchObject({ inputs: { member: GONE }, state: { member: GONE } });
    expect(said).toEqual([
      expect.stringMatching(/identity of this grant on .*store-0 was deleted.*removes the deleted form/),
    ]);
    expect(said.join()).not.toContain("ada@");
    await cloud.merging().delete(STORE_GRANT, current as Current, OPTIONS);
    expect(cloud.members()).toEqual(["user:grace@example.com"]);
  });

  test("is removed from the policy also without a refresh", async () => {
    await start();
    const { id, state } = await made(grantOn(0, ADA));
    cloud.setPolicy({ bindings: [{ role: ROLE, members: [GONE] }] });
    await cloud.merging().delete(STORE_GRANT, { id, state }, OPTIONS);
    expect(cloud.members()).toEqual([]);
  });

  describe.each([
    ["a grant", STORE_GRANT, (member: string) => grantOn(0, member)],
    [
      "a binding",
      STORE_BINDING,
      (member: string): Values => ({ name: storeName(), role: ROLE, members: [member, GRACE] }),
    ],
  ])("of %s and was recovered", (_what, token, inputsOf) => {
    /** The state after a refresh that saw the deleted form, and a policy that has the plain form again. */
    async function recovered(live: string[] = [ADA, GRACE]): Promise<Current> {
      await start();
      const created = await cloud.merging().create(token, inputsOf(ADA), OPTIONS);
      cloud.setPolicy({ bindings: [{ role: ROLE, members: [GONE, GRACE] }] });
      const gone = await cloud.merging().read(token, created.id, { state: created.state }, OPTIONS);
      expect(JSON.stringify(gone?.state)).toContain(GONE);
      cloud.setPolicy({ bindings: [{ role: ROLE, members: live }] });
      return gone as Current;
    }

    test("its delete removes the plain form", async () => {
      const prior = await recovered();
      await cloud.merging().delete(token, prior, OPTIONS);
      expect(cloud.members()).not.toContain(ADA);
    });

    test("its delete leaves the plain form if the policy still has the deleted one: somebody granted it to a new identity", async () => {
      const prior = await recovered([GONE, ADA, GRACE]);
      await cloud.merging().delete(token, prior, OPTIONS);
      expect(cloud.members()).toContain(ADA);
      expect(cloud.members()).not.toContain(GONE);
    });

    test("its delete leaves the plain form to another resource that has it", async () => {
      const prior = await recovered();
      const run = cloud.merging();
      await declare(run, "urn::other", grantOn(0, ADA));
      await run.create(STORE_GRANT, grantOn(0, ADA), as("urn::other"));
      await run.delete(token, prior, as("urn::old"));
      expect(cloud.members()).toContain(ADA);
    });

    test("a delete that an earlier run left open takes nothing from the present resource of its name", async () => {
      const pending = await recovered();
      const present = { id: "x", inputs: grantOn(0, ADA), state: grantOn(0, ADA) };
      const other = { ...present, id: "y" };
      const run = cloud.merging();
      await declare(run, "urn::it", grantOn(0, ADA));
      run.compare(STORE_GRANT, present, grantOn(0, ADA), { identity: "urn::it" });
      await run.delete(token, pending, as("urn::it"));
      await run.delete(STORE_GRANT, other, as("urn::other"));
      expect(cloud.members()).toContain(ADA);
    });

    test("the preview of an unchanged program reports no loss, and the update changes nothing", async () => {
      const prior = await recovered();
      const run = cloud.merging();
      await run.check(token, inputsOf(ADA), { identity: "urn::it" });
      run.compare(token, prior, inputsOf(ADA), { identity: "urn::it" });
      const { said, reporter } = listener();
      await run.previewCreate(token, inputsOf(ADA), { ...as("urn::it"), reporter });
      expect(said).toEqual([]);
    });

    test("a replacement by another role removes the plain form from the old role, and says so at preview", async () => {
      const prior = await recovered();
      const run = cloud.merging();
      const wanted = { ...inputsOf(ADA), role: "roles/viewer" };
      await run.check(token, wanted, { identity: "urn::it" });
      expect(run.compare(token, prior, wanted, { identity: "urn::it" }).diff.action).toBe("replace");
      const { said, reporter } = listener();
      await run.previewCreate(token, wanted, { ...as("urn::it"), reporter });
      expect(said.join("\n")).toContain(`- ${ADA} ${ROLE}`);
      await run.create(token, wanted, as("urn::it"));
      await run.delete(token, prior, as("urn::it"));
      expect([cloud.members().includes(ADA), cloud.members(0, "roles/viewer").includes(ADA)]).toEqual([false, true]);
    });
  });

  test("is shown as the grant again by the next refresh after the identity was recovered", async () => {
    await start();
    const gone = (await refreshed([GONE], await made(grantOn(0, ADA)))).current as Current;
    const { current, said } = await refreshed([ADA], gone);
    expect(current).toMatchObject({ inputs: { member: ADA }, state: { member: ADA } });
    expect(said).toEqual([]);
  });

  test("is granted again, without its deleted form, after an identity of the same name was created", async () => {
    await start();
    const gone = (await refreshed([GONE], await made(grantOn(0, ADA)))).current as Current;
    const run = cloud.merging();
    const { inputs } = await run.check(STORE_GRANT, grantOn(0, ADA), { identity: "urn::ada" });
    expect(run.compare(STORE_GRANT, gone, inputs, { identity: "urn::ada" }).diff.action).toBe("replace");
    await run.create(STORE_GRANT, inputs, { ...OPTIONS, identity: "urn::ada" });
    await run.delete(STORE_GRANT, gone, { ...OPTIONS, identity: "urn::ada" });
    expect(cloud.members()).toEqual([ADA]);
  });
});
