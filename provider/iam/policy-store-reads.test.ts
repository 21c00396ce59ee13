import { FakeCloud } from "../../tests/support/grants-cloud";
import { FakeClock } from "../testing/clock";
import { collectGarbage } from "../../tests/support/garbage";
import { CancelledError, PermissionDeniedError, TimeoutError, apiError } from "../core/errors";
import { testCall } from "../testing/call";
import type { Call } from "../http/call";
import { addGrant, type Policy } from "./policy";
import type { PolicyTarget } from "./policy-api";
import { PolicyStore } from "./policy-store";

const STORE = "projects/p/locations/l/stores/s";
const ada = { role: "roles/viewer", member: "user:ada@x.com" };
const grace = { role: "roles/viewer", member: "user:grace@x.com" };

function setUp() {
  const clock = FakeClock.waiting();
  const cloud = new FakeCloud(clock);
  cloud.set(STORE, addGrant({}, ada));
  const store = new PolicyStore();
  const read = (of: PolicyTarget, version: number, by: Call) => store.of(of).read(version, by);
  const call = testCall(clock);
  return { clock, cloud, store, read, call, target: cloud.target(STORE) };
}

test("all callers share a running read, and a read that has just ended", async () => {
  const { clock, cloud, read, call, target } = setUp();
  const both = await clock.until(Promise.all([read(target, 3, call), read(target, 3, call)]));
  expect(both[0]).toBe(both[1]);
  await clock.until(read(target, 3, call));
  expect(cloud.count("getIamPolicy")).toBe(1);
});

test("an older read is not shared, nor a read of another version or resource", async () => {
  const { clock, cloud, read, call, target } = setUp();
  await clock.until(read(target, 3, call));
  await clock.until(read(target, 1, call));
  await clock.until(read(cloud.target("other"), 3, call));
  await clock.until(clock.sleep(2_000));
  await clock.until(read(target, 3, call));
  expect(cloud.count("getIamPolicy")).toBe(4);
});

test.each<[string, (parts: ReturnType<typeof setUp>) => Promise<Policy>]>([
  ["read", ({ read, target, call }) => read(target, 3, call)],
  [
    "changed",
    ({ store, target, call }) => store.of(target).change({ apply: (policy) => addGrant(policy, grace) }, call),
  ],
])("a policy that was %s is released after two seconds", async (_what, use) => {
  const parts = setUp();
  const { clock, store, target } = parts;
  const answer = await clock.until(use(parts).then((policy) => new WeakRef(policy)));
  await clock.until(clock.sleep(2_000));
  collectGarbage();
  expect(answer.deref()).toBeUndefined();
  // The store was in use until here.
  expect(store.of(target).resource).toBe(STORE);
});

test("a write of this process discards earlier reads, including a running read", async () => {
  const { clock, cloud, store, read, call, target } = setUp();
  await clock.until(read(target, 3, call));
  const writing = store.of(target).change({ apply: (policy) => addGrant(policy, grace) }, call);
  await clock.until(clock.sleep(22));
  // This read begins before the write takes effect, and is answered after it.
  cloud.latency = 2;
  const before = read(target, 3, call);
  await clock.until(Promise.all([writing, before]));
  const after = await clock.until(read(target, 3, call));
  expect(after.bindings?.[0]?.members).toEqual([ada.member, grace.member]);
});

test("all callers get a failure that the API returned, and the next read sends a request again", async () => {
  const { clock, cloud, read, call, target } = setUp();
  const answerTo = cloud.answerTo.bind(cloud);
  let denied = 0;
  cloud.answerTo = async () => {
    denied += 1;
    await clock.sleep(5);
    throw apiError({ doing: "read", resource: STORE, request: "GET", status: "PERMISSION_DENIED", message: "no" });
  };
  const settled = await clock.until(Promise.allSettled(Array.from({ length: 50 }, () => read(target, 3, call))));
  for (const each of settled) expect(each).toMatchObject({ reason: expect.any(PermissionDeniedError) as unknown });
  expect(denied).toBe(1);
  cloud.answerTo = answerTo;
  expect((await clock.until(read(target, 3, call))).bindings).toHaveLength(1);
});

test("the end of another caller's call ends only that call: callers that share its read try again", async () => {
  const { clock, read, target, call } = setUp();
  const controller = new AbortController();
  const stopped = read(target, 3, testCall(clock, { signal: controller.signal }));
  const patient = read(target, 3, call);
  controller.abort(new CancelledError("stop"));
  const [first, second] = await clock.until(Promise.allSettled([stopped, patient]));
  expect(first).toMatchObject({ status: "rejected", reason: expect.any(CancelledError) as unknown });
  expect(second.status).toBe("fulfilled");
});

test.each([new TimeoutError("the time limit was reached"), new CancelledError("stop")])(
  "%s of the caller that sent the read is not an answer for the others",
  async (error) => {
    const { clock, cloud, read, target, call } = setUp();
    cloud.readFaults = [error];
    const [first, second] = await clock.until(Promise.allSettled([read(target, 3, call), read(target, 3, call)]));
    expect(first).toEqual({ status: "rejected", reason: error });
    expect(second.status).toBe("fulfilled");
    expect(cloud.count("getIamPolicy")).toBe(2);
  },
);
