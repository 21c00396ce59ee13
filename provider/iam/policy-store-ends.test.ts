import { FakeCloud } from "../../tests/support/grants-cloud";
import { membersIn } from "../../tests/support/grant-texts";
import { FakeClock } from "../testing/clock";
import {
  apiError,
  BadAnswerError,
  CancelledError,
  ConnectionError,
  NotFoundError,
  TimeoutError,
  type RpcStatus,
} from "../core/errors";
import { testCall } from "../testing/call";
import { addGrant, type Policy } from "./policy";
import { PolicyStore } from "./policy-store";

/** When the call of a change ends, the change ends at once, and its error says whether it may have been made. */

const STORE = "projects/p/locations/l/stores/s";
const ADA = "user:ada@x.com";
const GRACE = "user:grace@x.com";

function setUp() {
  const clock = FakeClock.waiting();
  const cloud = new FakeCloud(clock);
  cloud.set(STORE, {});
  const store = new PolicyStore();
  const add = (member: string, call = testCall(clock)) => {
    const apply = (policy: Policy) => addGrant(policy, { role: "roles/viewer", member });
    return store.of(cloud.target(STORE)).change({ apply }, call);
  };
  /** A call that is cancelled after this number of milliseconds. */
  const stoppedAfter = (ms: number) => {
    const controller = new AbortController();
    void clock.sleep(ms).then(() => controller.abort());
    return testCall(clock, { signal: controller.signal });
  };
  const ends = async (change: Promise<Policy>) => {
    const [settled] = await clock.until(Promise.allSettled([change]));
    return settled?.status === "rejected" ? (settled.reason as Error & { effect: string }) : undefined;
  };
  return { clock, cloud, store, add, stoppedAfter, ends };
}

const denied = (status: RpcStatus, httpStatus: number) =>
  apiError({ doing: "read it", resource: STORE, request: "GET it", status, httpStatus, message: "no", effect: "none" });

describe("a change whose call is cancelled", () => {
  // Collecting the batch, the read and the write take 10 ms each.
  test.each([
    ["while it gathers", 5, "none", []],
    ["during the read", 15, "none", ["getIamPolicy"]],
    ["during the write, before it takes effect", 22, "unknown", ["getIamPolicy", "setIamPolicy"]],
    ["during the write, after it took effect", 28, "unknown", ["getIamPolicy", "setIamPolicy"]],
  ])("%s ends immediately, with the effect that is known", async (_when, ms, effect, verbs) => {
    const { clock, cloud, add, stoppedAfter, ends } = setUp();
    const began = clock.now();
    const error = await ends(add(ADA, stoppedAfter(ms)));
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ effect });
    expect(clock.now() - began).toBe(ms);
    await clock.settle();
    expect(cloud.requests.map(({ verb }) => verb)).toEqual(verbs);
  });

  test("ends during the write of its batch without waiting for the others, and does not stop their request", async () => {
    const { clock, cloud, add, stoppedAfter, ends } = setUp();
    cloud.latency = 60_000;
    const others = add(GRACE);
    const began = clock.now();
    // The read is answered after two minutes. Then the write is in progress.
    const error = await ends(add(ADA, stoppedAfter(130_000)));
    expect(clock.now() - began).toBe(130_000);
    expect(error).toMatchObject({ code: "CANCELLED", effect: "unknown" });
    await clock.until(others);
    expect(membersIn(cloud.policy(STORE)).sort()).toEqual([ADA, GRACE]);
    expect(cloud.count("setIamPolicy")).toBe(1);
  });

  test.each([
    ["lost", "unknown"],
    ["lost before", "unknown"],
    ["unavailable", "unknown"],
    ["truncated", "unknown"],
    ["conflict", "none"],
    ["exhausted", "none"],
  ] as const)("after a write that was %s, and before it is read again, has the effect %s", async (fault, effect) => {
    const { clock, cloud, add, stoppedAfter, ends } = setUp();
    cloud.faults = [fault];
    expect(await ends(add(ADA, stoppedAfter(45)))).toMatchObject({ code: "CANCELLED", effect });
    await clock.settle();
    expect(cloud.requests).toHaveLength(2);
  });

  test("has no effect if the policy that is read after a lost write does not contain it", async () => {
    const { clock, cloud, add, stoppedAfter, ends } = setUp();
    // The policy is read again after a quarter of a second. Then the API refuses the next write, and half a second passes.
    cloud.faults = ["lost before", "exhausted"];
    expect(await ends(add(ADA, stoppedAfter(400)))).toMatchObject({ code: "CANCELLED", effect: "none" });
    await clock.settle();
    expect(cloud.requests.map(({ verb }) => verb.slice(0, 3))).toEqual(["get", "set", "get", "set"]);
  });

  test("has an unknown effect if the policy that is read after a lost write has it, while others are written again", async () => {
    const { clock, cloud, add, stoppedAfter, ends } = setUp();
    // The answer to the first write is lost. Somebody removes one of its two grants, so that the next cycle writes again.
    cloud.faults = ["lost", "exhausted"];
    const others = add(GRACE);
    const ending = ends(add(ADA, stoppedAfter(500)));
    void clock.sleep(60).then(() => cloud.set(STORE, addGrant({}, { role: "roles/viewer", member: ADA })));
    expect(await ending).toMatchObject({ code: "CANCELLED", effect: "unknown" });
    await clock.until(others);
    expect(membersIn(cloud.policy(STORE)).sort()).toEqual([ADA, GRACE]);
  });

  test("ends immediately and without effect while it waits for a new identity or the quota", async () => {
    const { clock, cloud, store, add, stoppedAfter, ends } = setUp();
    cloud.refuse = () => "User ada@x.com does not exist.";
    expect(await ends(add(ADA, stoppedAfter(500)))).toMatchObject({ code: "CANCELLED", effect: "none" });
    cloud.refuse = () => undefined;
    const target = cloud.target(`${STORE}-paced`, { api: "paced", writesPerMinute: 1 });
    const apply = (policy: Policy) => ({
      ...policy,
      bindings: [...(policy.bindings ?? []), { role: "r", members: [ADA] }],
    });
    await clock.until(store.of(target).change({ apply }, testCall(clock)));
    const began = clock.now();
    expect(await ends(store.of(target).change({ apply }, stoppedAfter(5_000)))).toMatchObject({ effect: "none" });
    expect(clock.now() - began).toBe(5_000);
  });

  test("is not in the next write of its batch if it ends while the policy is read again after a conflict", async () => {
    const { clock, cloud, add, stoppedAfter, ends } = setUp();
    cloud.faults = ["conflict"];
    const others = add(GRACE);
    const ending = ends(add(ADA, stoppedAfter(500)));
    // The first write is on its way. The next read takes four seconds.
    void clock.sleep(25).then(() => (cloud.latency = 2_000));
    expect(await ending).toMatchObject({ code: "CANCELLED", effect: "none" });
    await clock.until(others);
    expect(membersIn(cloud.policy(STORE))).toEqual([GRACE]);
  });

  test("does not start if it is cancelled before", async () => {
    const { clock, cloud, add, ends } = setUp();
    expect(await ends(add(ADA, testCall(clock, { signal: AbortSignal.abort() })))).toMatchObject({ effect: "none" });
    expect(await ends(add(ADA, testCall(clock, { timeout: 0 })))).toMatchObject({ code: "TIMEOUT", effect: "none" });
    await clock.settle();
    expect(cloud.requests).toEqual([]);
  });
});

describe("a change that reaches its deadline", () => {
  test("ends during the write, with its request, and its effect is unknown", async () => {
    const { clock, cloud, add, ends } = setUp();
    cloud.latency = 60_000;
    const began = clock.now();
    const error = await ends(add(ADA, testCall(clock, { timeout: 150_000 })));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ effect: "unknown" });
    expect(clock.now() - began).toBe(150_000);
    await clock.settle();
    expect(clock.now() - began).toBe(150_000);
    expect(cloud.policy(STORE).bindings).toBeUndefined();
  });

  test("has an unknown effect if every write was lost, and no effect if the quota refused every write", async () => {
    const { clock, cloud, add, ends } = setUp();
    cloud.faults = Array.from({ length: 1_000 }, () => "lost before" as const);
    expect(await ends(add(ADA, testCall(clock, { timeout: 60_000 })))).toMatchObject({ effect: "unknown" });
    cloud.faults = Array.from({ length: 1_000 }, () => "exhausted" as const);
    expect(await ends(add(ADA, testCall(clock, { timeout: 60_000 })))).toMatchObject({ effect: "none" });
  });
});

describe("a write whose response is lost", () => {
  test("ends with its own error, and reports the failed read, if the policy cannot be read back", async () => {
    const { clock, cloud, add, ends } = setUp();
    cloud.faults = ["lost"];
    cloud.readFaults = [undefined, denied("PERMISSION_DENIED", 403)];
    const said: string[] = [];
    const call = testCall(clock);
    call.reporter.info = (text) => void said.push(text);
    const error = await ends(add(ADA, call));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ effect: "unknown" });
    expect(said).toEqual([expect.stringContaining("could not be read: Could not read it")]);
  });

  test("ends with NOT_FOUND and without effect if the resource no longer exists", async () => {
    const { cloud, add, ends } = setUp();
    cloud.faults = ["lost"];
    cloud.readFaults = [undefined, denied("NOT_FOUND", 404)];
    const error = await ends(add(ADA));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ effect: "none" });
  });

  test("succeeds without another write if the policy that is read back contains the change", async () => {
    const { clock, cloud, add } = setUp();
    cloud.faults = ["invalid"];
    expect(membersIn(await clock.until(add(ADA)))).toEqual([ADA]);
    expect(cloud.count("setIamPolicy")).toBe(1);
  });

  test("is not repeated forever if the responses are invalid", async () => {
    const { cloud, add, ends } = setUp();
    cloud.faults = Array.from({ length: 100 }, () => "invalid" as const);
    // The next read never shows the written grant.
    const answerTo = cloud.answerTo.bind(cloud);
    cloud.answerTo = (...asked) => {
      if (asked[0].verb === "getIamPolicy") cloud.set(STORE, {});
      return answerTo(...asked);
    };
    const error = await ends(add(ADA));
    expect(error).toBeInstanceOf(BadAnswerError);
    expect(error).toMatchObject({ effect: "unknown" });
    expect(cloud.count("setIamPolicy")).toBe(3);
  });
});

test("a failure of the read has no effect on the policy, whatever the failure is", async () => {
  const { cloud, add, ends } = setUp();
  cloud.readFaults = [denied("INTERNAL", 500)];
  expect(await ends(add(ADA))).toMatchObject({ code: "API", effect: "none" });
});
