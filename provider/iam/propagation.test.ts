import { FakeCloud } from "../../tests/support/grants-cloud";
import { FakeClock } from "../testing/clock";
import { CancelledError } from "../core/errors";
import { testCall } from "../testing/call";
import { addGrant, addGrants, type Grant, type Policy } from "./policy";
import { PolicyStore } from "./policy-store";
import { Propagation } from "./propagation";

const STORE = "projects/p/locations/l/stores/s";
const user = (name: string): Grant => ({ role: "roles/viewer", member: `user:${name}@x.com` });
const ada = user("ada");
const users = (count: number) => Array.from({ length: count }, (_, at) => user(`u${at}`));

/** A policy whose grants were written, and the waits for them. Reads show `visible`, or what a test returns for each read. */
function setUp(written: readonly Grant[], visible: (read: number) => readonly Grant[] = () => written) {
  const clock = FakeClock.waiting();
  const cloud = new FakeCloud(clock);
  let reads = 0;
  cloud.policy = () => addGrants({}, visible(reads++));
  const propagation = new Propagation(cloud.target(STORE));
  propagation.written({}, addGrants({}, written));
  const warnings: string[] = [];
  const callOf = (options?: Parameters<typeof testCall>[1]) => {
    const call = testCall(clock, options);
    call.reporter.warning = (text) => void warnings.push(text);
    return call;
  };
  const reading = () => cloud.count("getIamPolicy");
  return { clock, cloud, propagation, callOf, warnings, reading };
}

/** What each read shows of one grant: `+` the grant, `-` nothing. The last character applies to all later reads. */
const sequence = (seen: string) => (read: number) =>
  seen.charAt(Math.min(read, seen.length - 1)) === "+" ? [ada] : [];

describe("waiting until a grant is visible", () => {
  test.each([
    ["+", 3],
    ["---+", 6],
    ["+-++-+", 8],
  ])("with reads that see %s, ends after three in a row, which takes %i reads", async (seen, reads) => {
    const { clock, propagation, callOf, warnings, reading } = setUp([ada], sequence(seen));
    await clock.until(propagation.wait([ada], callOf()));
    expect(reading()).toBe(reads);
    expect(warnings).toEqual([]);
  });

  test("ends after two minutes with a warning", async () => {
    const { clock, propagation, callOf, warnings } = setUp([ada], sequence("-"));
    const began = clock.now();
    await clock.until(propagation.wait([ada], callOf()));
    expect(clock.now() - began).toBeLessThanOrEqual(120_000);
    expect(warnings).toEqual([`The grant on ${STORE} was made, but it is not yet visible to every read`]);
  });

  test("a failed read gives a warning and no error, because the grant was made", async () => {
    const { clock, cloud, propagation, callOf, warnings } = setUp([ada]);
    cloud.answerTo = () => Promise.reject(new Error("denied"));
    await clock.until(propagation.wait([ada], callOf()));
    expect(warnings).toEqual([`The grant on ${STORE} was made, but it is unknown whether it is visible: denied`]);
  });

  test("is not needed for a grant that no write of this process added, or that an earlier wait saw", async () => {
    const { clock, propagation, callOf, reading } = setUp([ada]);
    await clock.until(propagation.wait([user("grace")], callOf()));
    expect(reading()).toBe(0);
    await clock.until(propagation.wait([ada], callOf()));
    await clock.until(propagation.wait([{ ...ada, member: "user:ADA@x.com" }], callOf()));
    expect(reading()).toBe(3);
  });
});

describe("waiting for several grants", () => {
  test("needs three reads for all grants of one call", async () => {
    const { clock, propagation, callOf, warnings, reading } = setUp(users(30));
    const call = callOf();
    await clock.until(propagation.wait(users(30), call));
    expect(reading()).toBe(3);
    expect(warnings).toEqual([]);
    expect(call.statuses).toEqual([1, 2].map((at) => `Waiting for 30 grants to be visible (${at} of 3 reads)`));
  });

  test("needs three reads for all calls that wait at the same time", async () => {
    const { clock, propagation, callOf, reading } = setUp(users(30));
    await clock.until(Promise.all(users(30).map((grant) => propagation.wait([grant], callOf()))));
    expect(reading()).toBe(3);
  });

  test("needs three reads in a row that show all of them", async () => {
    const [first, second] = [user("first"), user("second")];
    const { clock, propagation, callOf, reading } = setUp(
      [first, second],
      (read) => [[first], [first, second], [second], [first, second]].at(Math.min(read, 3)) as Grant[],
    );
    await clock.until(propagation.wait([first, second], callOf()));
    expect(reading()).toBe(3 + 3);
  });

  test("a wait that begins later counts only reads that were sent after its beginning, and adds few reads", async () => {
    const { clock, cloud, propagation, callOf, reading } = setUp(users(2));
    cloud.latency = 200;
    const [first, second] = users(2) as [Grant, Grant];
    const early = propagation.wait([first], callOf());
    // The first read is in progress.
    await clock.until(clock.sleep(300));
    const late = propagation.wait([second], callOf());
    await clock.until(early);
    expect(reading()).toBe(3);
    await clock.until(late);
    expect(reading()).toBe(4);
  });

  test("sends at most one read a second, whenever the waits begin", async () => {
    const { clock, cloud, propagation, callOf } = setUp(users(20));
    const waits = users(20).map(async (grant, at) => {
      await clock.sleep(at * 130);
      await propagation.wait([grant], callOf());
    });
    await clock.until(Promise.all(waits));
    const sent = cloud.requests.map(({ at }) => at);
    expect(sent.slice(1).every((at, index) => at - (sent[index] ?? 0) >= 1_000)).toBe(true);
  });

  test("gives one warning for each call, with the number of grants that are not visible", async () => {
    const { clock, propagation, callOf, warnings } = setUp(users(30), () => users(28));
    await clock.until(propagation.wait(users(30), callOf({ timeout: 10_000 })));
    expect(warnings).toEqual([
      `The 30 new grants on ${STORE} were made, but 2 of them are not yet visible to every read`,
    ]);
  });

  test("gives one warning if the reads fail, with the number of grants that may not be visible", async () => {
    const { clock, cloud, propagation, callOf, warnings } = setUp(users(30));
    cloud.readFaults = [undefined, undefined, new Error("denied")];
    await clock.until(propagation.wait(users(30), callOf()));
    expect(warnings).toEqual([
      `The 30 new grants on ${STORE} were made, but it is unknown whether 30 of them are visible: denied`,
    ]);
  });

  test("waits again only for the grants that the last wait did not see", async () => {
    const { clock, propagation, callOf, warnings, reading } = setUp(users(2), (read) => users(read < 10 ? 1 : 2));
    await clock.until(propagation.wait(users(2), callOf({ timeout: 5_000 })));
    expect(warnings).toEqual([expect.stringContaining("but 1 of them is not yet visible")]);
    const before = reading();
    await clock.until(propagation.wait(users(1), callOf()));
    expect(reading()).toBe(before);
    await clock.until(propagation.wait(users(2), callOf()));
    expect(reading()).toBe(10 + 3);
  });
});

describe("the end of a call that waits with others", () => {
  const [first, second] = users(2) as [Grant, Grant];

  test.each([
    ["its cancellation", (clock: FakeClock) => ({ signal: abortedAfter(clock, 1_500) }), "Stopped while trying"],
    ["its deadline during a read", () => ({ timeout: 1_700 }), "the time limit was reached"],
  ])("by %s gives it a warning, and the others wait on", async (_how, limits, words) => {
    const { clock, cloud, propagation, callOf, warnings, reading } = setUp(users(2));
    cloud.latency = 300;
    const ended = propagation.wait([first], callOf(limits(clock)));
    const other = propagation.wait([second], callOf());
    await clock.until(ended);
    expect(warnings).toEqual([expect.stringContaining(words)]);
    await clock.until(other);
    expect(reading()).toBe(3);
    expect(warnings).toHaveLength(1);
  });

  test.each([
    ["during a read", 100, 1],
    ["before the next read is sent", 700, 1],
  ])("for all calls %s sends no more reads, and later waits begin again", async (_when, ms, reads) => {
    const { clock, cloud, propagation, callOf, reading } = setUp(users(2));
    cloud.latency = 100;
    const signal = abortedAfter(clock, ms);
    await clock.until(Promise.all([first, second].map((grant) => propagation.wait([grant], callOf({ signal })))));
    await clock.settle();
    expect(reading()).toBe(reads);
    await clock.until(propagation.wait([first], callOf()));
    expect(reading()).toBe(reads + 3);
  });

  test("does not prevent a wait that begins at the same moment", async () => {
    const { clock, propagation, callOf, warnings, reading } = setUp(users(2));
    const controller = new AbortController();
    const ended = propagation.wait([first], callOf({ signal: controller.signal }));
    controller.abort();
    await clock.until(Promise.all([ended, propagation.wait([second], callOf())]));
    expect(reading()).toBe(3);
    expect(warnings).toHaveLength(1);
  });

  function abortedAfter(clock: FakeClock, ms: number): AbortSignal {
    const controller = new AbortController();
    void clock.sleep(ms).then(() => controller.abort(new CancelledError("stop")));
    return controller.signal;
  }
});

describe("the grants that a store waits for", () => {
  function stored(waitForPropagation: boolean) {
    const clock = FakeClock.waiting();
    const cloud = new FakeCloud(clock);
    const store = new PolicyStore(waitForPropagation);
    const target = cloud.target(STORE);
    const call = testCall(clock);
    const change = (apply: (policy: Policy) => Policy) => clock.until(store.of(target).change({ apply }, call));
    /** Waits for the grants, and returns the number of reads. */
    const readsFor = async (grants: readonly Grant[]) => {
      const before = cloud.count("getIamPolicy");
      await clock.until(store.of(target).waitUntilVisible(grants, call));
      return cloud.count("getIamPolicy") - before;
    };
    return { cloud, change, readsFor };
  }

  test("are those that its writes added, and not those that were in the policy", async () => {
    const { cloud, change, readsFor } = stored(true);
    cloud.set(STORE, addGrants({}, users(30)));
    await change((policy) => addGrant(policy, ada));
    expect(await readsFor(users(30))).toBe(0);
    expect(await readsFor([...users(30), ada])).toBe(3);
  });

  test.each(["lost", "truncated", "conflict"] as const)(
    "are also those of a write whose result was %s",
    async (fault) => {
      const { cloud, change, readsFor } = stored(true);
      cloud.faults = [fault];
      await change((policy) => addGrant(policy, ada));
      expect(await readsFor([ada])).toBe(3);
    },
  );

  test("are none of a write that the API refused", async () => {
    const { cloud, change, readsFor } = stored(true);
    cloud.refuse = () => "Invalid member";
    await expect(change((policy) => addGrant(policy, ada))).rejects.toThrow("Invalid member");
    expect(await readsFor([ada])).toBe(0);
  });

  test("are none if the configuration does not ask for the wait", async () => {
    const { change, readsFor } = stored(false);
    await change((policy) => addGrant(policy, ada));
    expect(await readsFor([ada])).toBe(0);
  });
});
