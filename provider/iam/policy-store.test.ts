import fc from "fast-check";
import { FakeCloud, type WriteFault } from "../../tests/support/grants-cloud";
import { membersIn } from "../../tests/support/grant-texts";
import { FakeClock } from "../testing/clock";
import { countHere } from "../../tests/support/test-all";
import { ApiError, CancelledError, RefusedError, TimeoutError } from "../core/errors";
import { testCall } from "../testing/call";
import { addGrant, removeGrant, type Binding, type Grant, type Policy } from "./policy";
import type { PolicyChange } from "./policy-cycle";
import { PolicyStore } from "./policy-store";

const STORE = "projects/p/locations/l/stores/s";
const ADMIN = "roles/admin";

function setUp(policy: Policy = {}) {
  const clock = FakeClock.waiting();
  const cloud = new FakeCloud(clock);
  cloud.set(STORE, policy);
  const store = new PolicyStore();
  const change = (apply: PolicyChange["apply"], options: Partial<PolicyChange> & { call?: typeof call } = {}) =>
    store.of(cloud.target(STORE)).change({ apply, admins: options.admins }, options.call ?? call);
  const call = testCall(clock);
  return { clock, cloud, store, change, call };
}

const viewer = (member: string): Grant => ({ role: "roles/viewer", member });
const adding = (member: string, role = "roles/viewer") => {
  return (policy: Policy) => addGrant(policy, { role, member });
};
const removing = (member: string, role = "roles/viewer") => {
  return (policy: Policy) => removeGrant(policy, { role, member });
};
const users = (count: number, name = "u") => Array.from({ length: count }, (_, at) => `user:${name}${at}@x.com`);
const outcomes = (changes: readonly Promise<Policy>[]) => Promise.allSettled(changes);
const reasons = (settled: PromiseSettledResult<unknown>[]) =>
  settled.map((each) => (each.status === "rejected" ? (each.reason as Error) : undefined));

describe("batches", () => {
  test("a hundred changes at once need one read and one write", async () => {
    const { clock, cloud, change } = setUp();
    await clock.until(Promise.all(users(100).map((member) => change(adding(member)))));
    expect(cloud.requests.map(({ verb }) => verb)).toEqual(["getIamPolicy", "setIamPolicy"]);
    expect(membersIn(cloud.policy(STORE))).toEqual(users(100));
  });

  test("with eight changes at a time, as the engine sends them on two cores, there is one read, and one write for each eight changes", async () => {
    const { clock, cloud, change } = setUp();
    const members = users(96);
    const worker = async () => {
      for (let member = members.shift(); member; member = members.shift()) await change(adding(member));
    };
    await clock.until(Promise.all(Array.from({ length: 8 }, worker)));
    expect([cloud.count("getIamPolicy"), cloud.count("setIamPolicy")]).toEqual([1, 12]);
    expect(membersIn(cloud.policy(STORE)).sort()).toEqual(users(96).sort());
  });

  test("without a change, nothing is written", async () => {
    const { clock, cloud, change } = setUp({ bindings: [{ role: "roles/viewer", members: ["user:A@x.com"] }] });
    await clock.until(Promise.all([change(adding("user:a@x.com")), change(removing("user:b@x.com"))]));
    expect(cloud.count("setIamPolicy")).toBe(0);
  });

  test("resources do not wait for each other", async () => {
    const { clock, cloud, store, call } = setUp();
    const began = clock.now();
    const change = { apply: adding("user:a@x.com") };
    const targets = users(5).map((_, at) => cloud.target(`${STORE}-${at}`));
    await clock.until(Promise.all(targets.map((target) => store.of(target).change(change, call))));
    expect(clock.now() - began).toBeLessThan(100);
  });
});

describe("the policy of the last write", () => {
  test("is the start of the next cycle, but is read again before the writer decides that nothing has to be written", async () => {
    const { clock, cloud, change } = setUp();
    await clock.until(change(adding("user:a@x.com")));
    // Somebody else removes the grant at once. The last answer to this process still has it, so a second grant must read
    // again.
    cloud.set(STORE, {});
    await clock.until(change(adding("user:a@x.com")));
    expect(membersIn(cloud.policy(STORE))).toEqual(["user:a@x.com"]);
  });

  test("is read again before a change is refused", async () => {
    const { clock, cloud, change } = setUp();
    await clock.until(change(adding("user:a@x.com", ADMIN)));
    cloud.set(STORE, { bindings: [{ role: ADMIN, members: ["user:a@x.com", "user:b@x.com"] }] });
    const removal = change(removing("user:a@x.com", ADMIN), { admins: { roles: [ADMIN] } });
    await clock.until(Promise.all([removal, change(adding("user:c@x.com"))]));
    expect(membersIn(cloud.policy(STORE))).toEqual(["user:b@x.com", "user:c@x.com"]);
  });

  test("leads to one conflict if others wrote in between, and nothing is lost", async () => {
    const { clock, cloud, change } = setUp();
    await clock.until(change(adding("user:a@x.com")));
    cloud.set(STORE, { bindings: [{ role: "roles/viewer", members: ["user:a@x.com", "user:other@x.com"] }] });
    await clock.until(change(adding("user:b@x.com")));
    expect(membersIn(cloud.policy(STORE))).toEqual(["user:a@x.com", "user:other@x.com", "user:b@x.com"]);
    expect(cloud.requests).toHaveLength(5);
  });
});

describe("one change of a batch", () => {
  test("fails alone if its member is invalid, after a few requests, and the others succeed", async () => {
    const { clock, cloud, change } = setUp();
    cloud.refuse = (policy) => (membersIn(policy).includes("user:u37@x.com") ? "Invalid member" : undefined);
    const settled = reasons(await clock.until(outcomes(users(64).map((member) => change(adding(member))))));
    expect(settled.flatMap((error, at) => (error ? [at] : []))).toEqual([37]);
    expect(settled[37]).toMatchObject({ status: "INVALID_ARGUMENT", cloudMessage: "Invalid member" });
    expect(membersIn(cloud.policy(STORE)).sort()).toEqual(
      users(64)
        .filter((each) => each !== "user:u37@x.com")
        .sort(),
    );
    expect(cloud.requests.length).toBeLessThan(30);
  });

  test("is refused alone if it would cause a lock-out", async () => {
    const members = ["user:a@x.com", "user:b@x.com"];
    const { clock, cloud, change } = setUp({ bindings: [{ role: ADMIN, members }] });
    const admins = { roles: [ADMIN], replaces: { isOwn: () => false } };
    const [first, second, third] = reasons(
      await clock.until(
        outcomes([
          change(removing("user:a@x.com", ADMIN), { admins }),
          change(removing("user:b@x.com", ADMIN), { admins }),
          change(adding("user:c@x.com"), { admins }),
        ]),
      ),
    );
    expect([first, third]).toEqual([undefined, undefined]);
    expect(second).toBeInstanceOf(RefusedError);
    expect(membersIn(cloud.policy(STORE))).toEqual(["user:b@x.com", "user:c@x.com"]);
  });

  test("is refused alone if it exceeds the limit of principals", async () => {
    const { clock, cloud, change } = setUp({ bindings: [{ role: "roles/viewer", members: users(1_499, "old") }] });
    const [first, second, third] = reasons(
      await clock.until(
        outcomes([change(adding("user:a@x.com")), change(adding("user:b@x.com")), change(removing("user:old0@x.com"))]),
      ),
    );
    expect([first, third]).toEqual([undefined, undefined]);
    expect(second?.message).toContain("1501 principals");
    expect(membersIn(cloud.policy(STORE))).toHaveLength(1_499);
  });

  test("is not refused because of the place of an invalid change: the place is free again", async () => {
    const { clock, cloud, change } = setUp({ bindings: [{ role: "roles/viewer", members: users(1_499, "old") }] });
    cloud.refuse = (policy) => (membersIn(policy).includes("user:bad@x.com") ? "Invalid member" : undefined);
    const changes = [change(adding("user:bad@x.com")), change(adding("user:good@x.com"))];
    const [bad, good] = reasons(await clock.until(outcomes(changes)));
    expect(bad).toMatchObject({ status: "INVALID_ARGUMENT" });
    expect(good).toBeUndefined();
    expect(membersIn(cloud.policy(STORE)).at(-1)).toBe("user:good@x.com");
  });

  test("is never written by a later attempt of its batch after its refusal", async () => {
    const { clock, cloud, change } = setUp({ bindings: [{ role: "roles/viewer", members: users(1_499, "old") }] });
    cloud.faults = ["conflict"];
    cloud.interfere = (policy) => removing("user:old0@x.com")(removing("user:old1@x.com")(policy));
    const settled = await clock.until(outcomes([change(adding("user:a@x.com")), change(adding("user:b@x.com"))]));
    const succeeded = ["user:a@x.com", "user:b@x.com"].filter((_, at) => settled[at]?.status === "fulfilled");
    expect(membersIn(cloud.policy(STORE)).slice(-succeeded.length)).toEqual(succeeded);
    expect(membersIn(cloud.policy(STORE))).toHaveLength(1_497 + succeeded.length);
  });

  test("is not written if it is cancelled while its batch waits for the next attempt; the others are", async () => {
    const { clock, cloud, change } = setUp();
    const controller = new AbortController();
    cloud.faults = ["unavailable"];
    cloud.refuse = () => undefined;
    const stopped = change(adding("user:stopped@x.com"), { call: testCall(clock, { signal: controller.signal }) });
    const other = change(adding("user:other@x.com"));
    void clock.sleep(25).then(() => controller.abort());
    const [first, second] = reasons(await clock.until(outcomes([stopped, other])));
    expect(first).toBeInstanceOf(CancelledError);
    expect(second).toBeUndefined();
    expect(membersIn(cloud.policy(STORE))).toEqual(["user:other@x.com"]);
  });

  test("ends alone if it reaches its deadline while it waits", async () => {
    const { clock, cloud, change } = setUp();
    cloud.latency = 1_000;
    const first = change(adding("user:first@x.com"));
    await clock.until(clock.sleep(100));
    const late = change(adding("user:late@x.com"), { call: testCall(clock, { timeout: 500 }) });
    const patient = change(adding("user:patient@x.com"));
    const settled = reasons(await clock.until(outcomes([first, late, patient])));
    expect(settled[1]).toBeInstanceOf(TimeoutError);
    expect([settled[0], settled[2]]).toEqual([undefined, undefined]);
    expect(membersIn(cloud.policy(STORE))).toEqual(["user:first@x.com", "user:patient@x.com"]);
  });

  test("a cancel of all changes also stops the request in flight", async () => {
    const { clock, cloud, change } = setUp();
    cloud.latency = 60_000;
    const controller = new AbortController();
    const call = testCall(clock, { signal: controller.signal });
    const changes = users(3).map((member) => change(adding(member), { call }));
    void clock.sleep(100).then(() => controller.abort(new CancelledError("stop")));
    const began = clock.now();
    const settled = reasons(await clock.until(outcomes(changes)));
    expect(settled.every((each) => each instanceof CancelledError)).toBe(true);
    expect(clock.now() - began).toBe(100);
    expect(cloud.count("setIamPolicy")).toBe(0);
  });
});

describe("an identity that was just created", () => {
  const FRESH = "serviceAccount:fresh@p.iam.gserviceaccount.com";

  function untilKnown(ms: number) {
    const parts = setUp();
    const known = parts.clock.now() + ms;
    parts.cloud.refuse = (policy) =>
      membersIn(policy).includes(FRESH) && parts.clock.now() < known
        ? "Service account fresh@p.iam.gserviceaccount.com does not exist."
        : undefined;
    return parts;
  }

  test("is tried again until the API knows it, and the other changes do not wait for it", async () => {
    const { clock, cloud, change } = untilKnown(20_000);
    const began = clock.now();
    const fresh = change(adding(FRESH));
    await clock.until(Promise.all(users(10).map((member) => change(adding(member)))));
    expect(clock.now() - began).toBeLessThan(1_000);
    await clock.until(fresh);
    expect(clock.now() - began).toBeLessThan(25_000);
    expect(membersIn(cloud.policy(STORE)).sort()).toEqual([FRESH, ...users(10)].sort());
  });

  test("does not delay changes that come while it waits, and does not make them fail", async () => {
    const { clock, change } = untilKnown(20_000);
    const fresh = change(adding(FRESH));
    for (const member of users(20)) {
      const began = clock.now();
      await clock.until(Promise.all([change(adding(member)), clock.sleep(700)]));
      expect(clock.now() - began).toBeLessThan(1_000);
    }
    await clock.until(fresh);
  });

  test("fails after a minute, with the API's message", async () => {
    const { clock, change, call } = untilKnown(Infinity);
    const began = clock.now();
    const [error] = reasons(await clock.until(outcomes([change(adding(FRESH))])));
    expect(error).toBeInstanceOf(ApiError);
    expect(error?.message).toContain("does not exist");
    expect(clock.now() - began).toBeGreaterThan(50_000);
    expect(clock.now() - began).toBeLessThanOrEqual(60_000);
    expect(call.statuses).toContain("The API does not know a member yet; trying again");
  });

  test("is not tried again after the deadline of the call", async () => {
    const { clock, change } = untilKnown(Infinity);
    const began = clock.now();
    const call = testCall(clock, { timeout: 5_000 });
    await clock.until(outcomes([change(adding(FRESH), { call })]));
    expect(clock.now() - began).toBeLessThanOrEqual(5_000);
  });
});

describe("a write", () => {
  const condition = { title: "t", expression: "true" };

  test("has the etag of the last read, and version 3 exactly if there is or was a condition", async () => {
    const { clock, cloud, change } = setUp({ version: 1, bindings: [{ role: "r", members: ["user:a@x.com"] }] });
    const conditional: Grant = { ...viewer("user:b@x.com"), condition };
    await clock.until(change(adding("user:b@x.com")));
    await clock.until(change((policy) => addGrant(policy, conditional)));
    await clock.until(change((policy) => removeGrant(policy, conditional)));
    await clock.until(change(adding("user:c@x.com")));
    const sent = cloud.requests.flatMap(({ policy }) => (policy ? [policy] : []));
    expect(sent.map(({ version }) => version)).toEqual([1, 3, 3, 3]);
    expect(sent.map(({ etag }) => etag)).toEqual(["etag-1", "etag-2", "etag-3", "etag-4"]);
  });

  test("is not sent if the API hid the conditions", async () => {
    const hidden = { role: "roles/viewer_withcond_0123456789abcdef0123", members: ["user:a@x.com"] };
    const { clock, cloud, change } = setUp({ bindings: [hidden] });
    const [error] = reasons(await clock.until(outcomes([change(adding("user:b@x.com"))])));
    expect(error).toBeInstanceOf(RefusedError);
    expect(cloud.count("setIamPolicy")).toBe(0);
  });

  test("waits for the quota, which all resources share, in whatever version of the API they are", async () => {
    const { clock, cloud, store } = setUp();
    const changes = users(100).map((member, at) => {
      const own = cloud.target(`${STORE}-${at}`, { writesPerMinute: 30 });
      const baseUrl = new URL(at % 2 === 0 ? "v1/" : "v2/", own.client.baseUrl).href;
      const target = { ...own, client: { ...own.client, baseUrl } };
      return store.of(target).change({ apply: adding(member) }, testCall(clock));
    });
    await clock.until(Promise.all(changes));
    const writes = cloud.requests.filter(({ verb }) => verb === "setIamPolicy").map(({ at }) => at);
    expect(writes).toHaveLength(100);
    for (const at of writes) {
      expect(writes.filter((other) => other >= at && other < at + 60_000).length).toBeLessThanOrEqual(30);
    }
  });
});

const RUNS = countHere("interleavings of changes", 75, 150);

describe("compared with a reference model", () => {
  /** A grant from a small set, so that grants are often equal. */
  const worlds = fc.record({
    role: fc.constantFrom("roles/viewer", "roles/editor"),
    member: fc.constantFrom("user:a@x.com", "user:A@x.com", "group:g@x.com", "principal://x/y/Z", "principal://x/y/z"),
    title: fc.constantFrom("", "t", "u"),
  });
  type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;
  const grantOf = ({ role, member, title }: World): Grant => ({
    role,
    member,
    ...(title ? { condition: { title, expression: "true" } } : {}),
  });
  /** The key of a grant: the cloud treats grants with the same key as equal. */
  const keyOf = ({ role, member, title }: World) =>
    `${role} ${member.startsWith("principal:") ? member : member.toLowerCase()} ${title}`;
  const faults = fc.array(
    fc.constantFrom<WriteFault[]>("conflict", "lost", "truncated", "unavailable", "exhausted", "none"),
    { maxLength: 12 },
  );
  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom("add", "add", "add", "remove", "remove", "bad", "hasty"),
      grant: worlds,
      at: fc.integer({ min: 0, max: 300 }),
      patience: fc.integer({ min: 0, max: 300 }),
    }),
    { maxLength: 30 },
  );
  const untouched = fc.record({
    tomorrow: fc.jsonValue(),
    auditConfigs: fc.array(fc.record({ service: fc.string(), more: fc.jsonValue() }), { maxLength: 2 }),
    foreign: fc.record({ role: fc.constant("roles/foreign"), more: fc.jsonValue(), location: fc.string() }),
  });

  test("any interleaving with any faults ends with the policy of the model; nothing else changes", async () => {
    await fc.assert(
      fc.asyncProperty(steps, faults, untouched, fc.integer({ min: 0, max: 40 }), async (all, bad, rest, latency) => {
        const foreign: Binding = { ...rest.foreign, members: ["deleted:user:Old@x.com?uid=1", "user:Foreign@x.com"] };
        const around = { tomorrow: rest.tomorrow, auditConfigs: rest.auditConfigs };
        const { clock, cloud, change } = setUp({ ...around, bindings: [foreign] });
        cloud.latency = latency;
        cloud.faults = [...bad];
        let strangers = 0;
        cloud.interfere = (policy) => adding(`user:stranger${strangers++}@x.com`, "roles/strangers")(policy);
        cloud.refuse = (policy) =>
          membersIn(policy).some((each) => each.startsWith("user:bad")) ? "Invalid member" : undefined;

        const ordered = [...all].sort((left, right) => left.at - right.at);
        const began = clock.now();
        const changes: Promise<Policy>[] = [];
        for (const [number, { kind, grant, at, patience }] of ordered.entries()) {
          await clock.until(clock.sleep(Math.max(0, began + at - clock.now())));
          if (kind === "bad") changes.push(change(adding(`user:bad${number}@x.com`)));
          else if (kind === "hasty") {
            const call = testCall(clock, { timeout: patience });
            changes.push(change(adding(`user:hasty${number}@x.com`, "roles/hasty"), { call }));
          } else {
            const apply = kind === "add" ? addGrant : removeGrant;
            changes.push(change((policy) => apply(policy, grantOf(grant))));
          }
        }
        const settled = await clock.until(outcomes(changes));

        // The model is a set, changed in the order of the calls.
        const model = new Set<string>();
        for (const [number, { kind, grant }] of ordered.entries()) {
          const succeeded = settled[number]?.status === "fulfilled";
          if (kind === "bad") expect(succeeded).toBe(false);
          if (kind === "add" || kind === "remove") expect(succeeded).toBe(true);
          if (kind === "add") model.add(keyOf(grant));
          if (kind === "remove") model.delete(keyOf(grant));
        }
        const final = cloud.policy(STORE);
        const held = (final.bindings ?? [])
          .filter(({ role }) => role === "roles/viewer" || role === "roles/editor")
          .flatMap(({ role = "", members = [], condition }) =>
            members.map((member) => keyOf({ role, member, title: condition?.title ?? "" } as World)),
          );
        expect([...held].sort()).toEqual([...model].sort());

        // A grant with a short deadline exists if its call succeeded. If its time ran out during the write, it may exist.
        for (const [number, { kind }] of ordered.entries()) {
          if (kind !== "hasty" || settled[number]?.status !== "fulfilled") continue;
          expect(membersIn(final)).toContain(`user:hasty${number}@x.com`);
        }
        const { bindings, version: _version, ...others } = final;
        expect(JSON.stringify(others)).toBe(JSON.stringify(around));
        expect(JSON.stringify(bindings?.[0])).toBe(JSON.stringify(foreign));
        const seen = bindings?.find(({ role }) => role === "roles/strangers")?.members?.length ?? 0;
        expect(seen).toBe(strangers);
        expect(bindings?.every(({ members }) => (members?.length ?? 0) > 0)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});
