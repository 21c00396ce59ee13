/** Members and grants that the cloud does not know yet, and policies that would lock everybody out. */
import type { Values } from "../../../provider/core/unknown";
import type { Policy } from "../../../provider/iam/policy";
import {
  ADMIN_ROLE,
  FOREIGN,
  grantOn,
  GrantStack,
  listener,
  OPTIONS,
  ROLE,
  storeName,
  users,
} from "../../support/grants";
import { FakeClock } from "../../../provider/testing/clock";
import { STORE_BINDING, STORE_GRANT } from "../../support/tokens";
import { ADA, CONDITION, GRACE, bindings, start, useClouds, cloud } from "./scene";

useClouds();

describe("fresh identities and propagation", () => {
  const FRESH = "serviceAccount:fresh@demo-project.iam.gserviceaccount.com";

  test("a member that is not known yet is tried again; the others of its batch are done long before", async () => {
    const clock = FakeClock.waiting();
    await start({ unknownMembers: [{ member: FRESH, refusals: 4 }] });
    const provider = cloud.merging({}, { clock, send: clock.timeless(cloud.send) });
    const done: string[] = [];
    const create = async (member: string) => {
      await provider.create(STORE_GRANT, grantOn(0, member), OPTIONS);
      done.push(member);
    };
    await clock.until(Promise.all([FRESH, ADA, GRACE].map(create)));
    expect(done.at(-1)).toBe(FRESH);
    expect([...cloud.members()].sort()).toEqual([FRESH, ADA, GRACE].sort());
  });

  test("one that stays unknown fails within the limit, with the API's words", async () => {
    const clock = FakeClock.waiting();
    await start({ unknownMembers: [FRESH] });
    const began = clock.now();
    const provider = cloud.merging({}, { clock, send: clock.timeless(cloud.send) });
    const creating = clock.until(provider.create(STORE_GRANT, grantOn(0, FRESH), OPTIONS));
    await expect(creating).rejects.toThrow(/fresh@demo-project.* does not exist/);
    expect(clock.now() - began).toBeLessThan(65_000);
  });

  test("waitForPropagation waits for three reads in a row that see the grant", async () => {
    const clock = FakeClock.waiting();
    await start({ policyLagReads: 3 });
    const provider = cloud.merging({ waitForPropagation: true }, { clock, send: clock.timeless(cloud.send) });
    await clock.until(provider.create(STORE_GRANT, grantOn(0, ADA), OPTIONS));
    expect(cloud.reads).toBe(1 + 3 + 3);
    expect(cloud.members()).toEqual([ADA]);
  });

  test("waitForPropagation waits once for all members of a binding, and then only for the members that an update adds", async () => {
    const clock = FakeClock.waiting();
    await start();
    const provider = cloud.provider({ waitForPropagation: true }, { clock, send: clock.timeless(cloud.send) });
    const binding = (members: string[]) => ({ name: storeName(), role: ROLE, members });
    const options = { ...OPTIONS, identity: "b" };
    const made = await clock.until(provider.create(STORE_BINDING, binding(users(30)), options));
    expect(cloud.reads).toBe(1 + 3);
    const update = (members: string[]) => clock.until(provider.update(STORE_BINDING, made, binding(members), options));
    await update([...users(30), ADA]);
    // The update itself reads the policy once.
    expect(cloud.reads).toBe(1 + 3 + 1 + 3);
    await update(users(30));
    expect(cloud.reads).toBe(1 + 3 + 1 + 3 + 1);
  });

  test("waitForPropagation reads three times for all grants that one write makes", async () => {
    const clock = FakeClock.waiting();
    await start();
    const provider = cloud.merging({ waitForPropagation: true }, { clock, send: clock.timeless(cloud.send) });
    await clock.until(
      Promise.all(users(30).map((member) => provider.create(STORE_GRANT, grantOn(0, member), OPTIONS))),
    );
    expect([cloud.writes.length, cloud.reads]).toEqual([1, 1 + 3]);
  });

  test("a binding whose members are not visible in time gives one warning", async () => {
    const clock = FakeClock.waiting();
    await start({ policyLagReads: 1_000 });
    const provider = cloud.provider({ waitForPropagation: true }, { clock, send: clock.timeless(cloud.send) });
    const { said, reporter } = listener();
    const binding = { name: storeName(), role: ROLE, members: users(30) };
    await clock.until(provider.create(STORE_BINDING, binding, { timeout: 10_000, identity: "b", reporter }));
    expect(said).toEqual([
      `warning: The 30 new grants on ${storeName()} were made, but 30 of them are not yet visible to every read`,
    ]);
  });

  test("stale reads cost conflicts, never an update", async () => {
    await start({ policy: FOREIGN, policyLagReads: 1 });
    const providers = [cloud.merging(), cloud.merging(), cloud.merging()];
    await Promise.all(
      providers.flatMap((provider, at) =>
        users(9)
          .slice(3 * at, 3 * at + 3)
          .map((member) => provider.create(STORE_GRANT, grantOn(0, member), OPTIONS)),
      ),
    );
    expect(users(9).every((member) => cloud.members().includes(member))).toBe(true);
    expect(cloud.members()).toHaveLength(9 + 3);
  });
});

describe("a policy that the API refuses even without a change", () => {
  const OLD_ROLE = "roles/healthcare.fhirStoreViewer";
  const existing: Policy = { bindings: [{ role: OLD_ROLE, members: [GRACE] }] };

  test.each([16, 64, 100])("%i grants at once fail after two writes, and say why", async (count) => {
    await start({ policy: existing });
    cloud.emulator.configure({ unsupportedRoles: [OLD_ROLE] });
    const provider = cloud.merging();
    const creates = users(count).map((member) => provider.create(STORE_GRANT, grantOn(0, member), OPTIONS));
    const settled = await Promise.allSettled(creates);
    expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(count);
    const [first] = settled as PromiseRejectedResult[];
    expect(String(first?.reason)).toMatch(
      /Role roles\/healthcare\.fhirStoreViewer is not supported.*\n.*even without a change/s,
    );
    expect(cloud.writes).toHaveLength(2);
    expect(bindings(cloud.policy())).toEqual(existing.bindings);
  });

  test("is written when the API knows its members again", async () => {
    const clock = FakeClock.waiting();
    await start({ policy: existing });
    cloud.emulator.configure({ unknownMembers: [{ member: GRACE, refusals: 4 }] });
    const provider = cloud.merging({}, { clock, send: clock.timeless(cloud.send) });
    const creates = users(30).map((member) => provider.create(STORE_GRANT, grantOn(0, member), OPTIONS));
    await clock.until(Promise.all(creates));
    expect(cloud.members()).toHaveLength(30);
    // Four refusals, one of them of the policy without a change; the fifth write is accepted.
    expect(cloud.writes).toHaveLength(5);
  });
});

describe("lock-outs", () => {
  const admins = (...members: string[]): Policy => ({ bindings: [{ role: ADMIN_ROLE, members }] });
  const admin = (member: string) => grantOn(0, member, { role: ADMIN_ROLE });
  const CI = "ci@demo-project.iam.gserviceaccount.com";

  test("replacing a policy so that nobody could change it any more is refused, unless it is allowed", async () => {
    await start({ policy: admins(GRACE) });
    const refused = cloud.provider().create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    await expect(refused).rejects.toThrow(/no identity would keep a role.*fhirStoreAdmin.*allowLockout/s);
    expect(cloud.writes).toEqual([]);
    await cloud.provider({ allowLockout: true }).create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(bindings(cloud.policy())).toEqual([{ role: ROLE, members: [ADA] }]);
  });

  test("merge is the first way out that the refusal names", async () => {
    await start({ policy: admins(GRACE) });
    const refused = cloud.provider().create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    await expect(refused).rejects.toThrow(/Set perimeter:grantMode to merge .*, or perimeter:allowLockout to true/);
  });

  test.each<[string, Policy]>([
    ["deleted identities", admins("deleted:user:grace@example.com?uid=1")],
    ["grants under a condition", { bindings: [{ role: ADMIN_ROLE, members: [GRACE], condition: CONDITION }] }],
  ])("%s are nobody who could change the policy: there is nothing to guard", async (_what, policy) => {
    await start({ policy });
    await cloud.provider().create(STORE_GRANT, grantOn(0, ADA), OPTIONS);
    expect(bindings(cloud.policy())).toEqual([{ role: ROLE, members: [ADA] }]);
  });

  test.each<[string, Values]>([
    ["a grant under a condition", { role: ADMIN_ROLE, condition: CONDITION }],
    ["another role", {}],
  ])("replacing the last administrator by %s is refused", async (_what, more) => {
    await start({ policy: admins(GRACE) });
    await expect(cloud.provider().create(STORE_GRANT, grantOn(0, ADA, more), OPTIONS)).rejects.toThrow(
      /no identity would keep/,
    );
  });

  test("what the stack itself granted, it may replace; whoever is left without an administrator hears of it", async () => {
    await start();
    const made = await cloud.provider().create(STORE_GRANT, admin(ADA), OPTIONS);
    const provider = cloud.provider();
    expect(provider.compare(STORE_GRANT, made, grantOn(0, ADA)).diff).toMatchObject({ action: "replace" });
    const { said, reporter } = listener();
    await provider.create(STORE_GRANT, grantOn(0, ADA), { ...OPTIONS, reporter });
    expect(bindings(cloud.policy())).toEqual([{ role: ROLE, members: [ADA] }]);
    expect(said).toEqual([
      expect.stringMatching(/^warning: This change leaves no identity with a role on .*store-0 that can change/),
    ]);
  });

  test.each([
    ["one after the other", 1],
    ["the other way round", -1],
    ["at once", 8],
  ])("a stack that made two administrators on an empty store takes them away, %s", async (_order, parallel) => {
    const stack = { a: admin(ADA), b: admin(GRACE) };
    const made = new GrantStack((await start()).merging());
    await made.up(parallel < 0 ? { b: stack.b, a: stack.a } : stack);
    made.use(cloud.merging());
    await made.destroy({ parallel: Math.abs(parallel) });
    expect(cloud.policy().bindings).toBeUndefined();
  });

  test("a grant that was made by a run that was killed goes, and says that it was the last", async () => {
    await start({ policy: admins(ADA) });
    const { said, reporter } = listener();
    // As it was made again: nothing in the state says that it was the first one.
    const { id, state } = await cloud.merging().create(STORE_GRANT, admin(ADA), OPTIONS);
    await cloud.merging().delete(STORE_GRANT, { id, state }, { ...OPTIONS, reporter });
    expect(cloud.policy().bindings).toBeUndefined();
    expect(said).toEqual([expect.stringMatching(/^warning: This change leaves no identity with a role/)]);
  });

  test("what earlier releases kept in the state for this changes nothing", async () => {
    await start();
    const { id, state } = await cloud.merging().create(STORE_GRANT, admin(ADA), OPTIONS);
    const old = { id, state: { ...state, __firstAdmin: true } };
    expect(cloud.merging().compare(STORE_GRANT, old, admin(ADA)).diff).toEqual({ action: "none" });
    const read = await cloud.merging().read(STORE_GRANT, id, old, OPTIONS);
    expect(read?.state).not.toHaveProperty("__firstAdmin");
    await cloud.merging().delete(STORE_GRANT, old, OPTIONS);
    expect(cloud.policy().bindings).toBeUndefined();
  });

  test("the provider's own way in is kept", async () => {
    await start({ policy: admins(`serviceAccount:${CI}`, GRACE) });
    const state = admin(`serviceAccount:${CI}`);
    const refused = cloud.as(CI).delete(STORE_GRANT, { id: "x", state }, OPTIONS);
    await expect(refused).rejects.toThrow(/own identity would lose/);
    await cloud.as(CI, { allowLockout: true }).delete(STORE_GRANT, { id: "x", state }, OPTIONS);
    expect(cloud.members(0, ADMIN_ROLE)).toEqual([GRACE]);
  });
});
