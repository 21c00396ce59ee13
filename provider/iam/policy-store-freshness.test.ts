import { FakeCloud } from "../../tests/support/grants-cloud";
import { membersIn } from "../../tests/support/grant-texts";
import { FakeClock } from "../testing/clock";
import { testCall } from "../testing/call";
import { addGrant, removeGrant, type Policy } from "./policy";
import { PolicyStore } from "./policy-store";

/** Which clouds share policies and quotas, and with which policies a write may begin. */

const STORE = "projects/p/locations/l/stores/s";
const ADA = "user:ada@x.com";
const GRACE = "user:grace@x.com";
const viewer = (member: string) => ({ role: "roles/viewer", member });
const adding = (member: string) => ({ apply: (policy: Policy) => addGrant(policy, viewer(member)) });

function setUp() {
  const clock = FakeClock.waiting();
  const cloud = new FakeCloud(clock);
  cloud.set(STORE, {});
  const store = new PolicyStore();
  const call = testCall(clock);
  return { clock, cloud, store, call, target: cloud.target(STORE) };
}

describe("two clouds with the same names", () => {
  test("share neither reads, nor writes, nor a quota", async () => {
    const clock = FakeClock.waiting();
    const store = new PolicyStore();
    const clouds = ["https://one.example/v1/", "https://two.example/v1/"].map((base) => new FakeCloud(clock, base));
    const [one, two] = clouds as [FakeCloud, FakeCloud];
    one.set(STORE, addGrant({}, viewer(ADA)));
    two.set(STORE, addGrant({}, viewer(GRACE)));
    const read = (cloud: FakeCloud) => store.of(cloud.target(STORE)).read(3, testCall(clock));
    expect(membersIn(await clock.until(read(one)))).toEqual([ADA]);
    expect(membersIn(await clock.until(read(two)))).toEqual([GRACE]);
    const began = clock.now();
    const added = clouds.map((cloud) => {
      const target = cloud.target(STORE, { writesPerMinute: 1 });
      return store.of(target).change(adding("user:new@x.com"), testCall(clock));
    });
    await clock.until(Promise.all(added));
    expect(clock.now() - began).toBeLessThan(1_000);
    expect(membersIn(one.policy(STORE))).toEqual([ADA, "user:new@x.com"]);
    expect(membersIn(two.policy(STORE))).toEqual([GRACE, "user:new@x.com"]);
  });
});

describe("a write that waits for the quota", () => {
  /** A service whose only write of this minute has just been made, on another resource. */
  async function exhausted() {
    const parts = setUp();
    const { clock, cloud, store, call } = parts;
    const paced = { api: "paced", writesPerMinute: 1 };
    await clock.until(store.of(cloud.target(`${STORE}-other`, paced)).change(adding(ADA), call));
    cloud.requests.length = 0;
    return { ...parts, target: cloud.target(STORE, paced) };
  }

  test("reads after the wait, so that concurrent writes of others cause no conflict", async () => {
    const { clock, cloud, store, call, target } = await exhausted();
    const began = clock.now();
    const change = store.of(target).change(adding(ADA), call);
    await clock.until(clock.sleep(30_000));
    cloud.set(STORE, addGrant({}, viewer(GRACE)));
    await clock.until(change);
    expect(membersIn(cloud.policy(STORE))).toEqual([GRACE, ADA]);
    expect(cloud.count("setIamPolicy")).toBe(1);
    expect(clock.now() - began).toBeLessThan(62_100);
    const [last, write] = cloud.requests.slice(-2);
    expect([last?.verb, write?.verb]).toEqual(["getIamPolicy", "setIamPolicy"]);
    expect((write?.at ?? 0) - (last?.at ?? 0)).toBeLessThanOrEqual(2 * cloud.latency);
  });

  test("uses no place of the quota if there is nothing to write after the wait", async () => {
    const { clock, cloud, store, call, target } = await exhausted();
    const change = store.of(target).change(adding(ADA), call);
    await clock.until(clock.sleep(30_000));
    cloud.set(STORE, addGrant({}, viewer(ADA)));
    await clock.until(change);
    expect(cloud.count("setIamPolicy")).toBe(0);
    const began = clock.now();
    await clock.until(store.of(target).change(adding(GRACE), call));
    expect(clock.now() - began).toBeLessThan(100);
  });

  test("does not wait if there is nothing to write", async () => {
    const { clock, cloud, store, call, target } = await exhausted();
    const began = clock.now();
    const remove = { apply: (policy: Policy) => removeGrant(policy, viewer(ADA)) };
    await clock.until(store.of(target).change(remove, call));
    expect(clock.now() - began).toBeLessThan(100);
    expect(cloud.requests.map(({ verb }) => verb)).toEqual(["getIamPolicy"]);
  });

  test("returns its place when the read fails", async () => {
    const { clock, cloud, store, call, target } = await exhausted();
    cloud.readFaults = [undefined, new Error("no such luck")];
    const change = store.of(target).change(adding(ADA), call);
    const [settled] = await clock.until(Promise.allSettled([change]));
    expect(settled).toMatchObject({ status: "rejected" });
    const began = clock.now();
    await clock.until(store.of(target).change(adding(ADA), call));
    expect(clock.now() - began).toBeLessThan(100);
  });
});
