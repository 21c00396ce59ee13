import { FakeCloud, type Refusal } from "../../tests/support/grants-cloud";
import { membersIn } from "../../tests/support/grant-texts";
import { FakeClock } from "../testing/clock";
import { apiError, CancelledError, ConnectionError, RPC_STATUSES, type ApiFailure } from "../core/errors";
import { testCall } from "../testing/call";
import { addGrant, addGrants, removeGrant, type Grant, type Policy } from "./policy";
import type { PolicyChange } from "./policy-cycle";
import { PolicyStore } from "./policy-store";
import { isRefusalOfContent, isUnknownIdentity } from "./refusals";

const info = (reason: string, domain = "googleapis.com") => [
  { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain },
];
/** As seen with Cloud Resource Manager (terraform-example-foundation, issue 1454). */
const DOMAINS: Partial<ApiFailure> = {
  status: "FAILED_PRECONDITION",
  message: "One or more users named in the policy do not belong to a permitted customer.",
  details: [
    {
      "@type": "type.googleapis.com/google.rpc.PreconditionFailure",
      violations: [
        {
          type: "constraints/iam.allowedPolicyMemberDomains",
          subject: "orgpolicy:projects/p?configvalue=mallory@elsewhere.org",
          description: "User mallory@elsewhere.org is not in permitted organization.",
        },
      ],
    },
  ],
};
const DENIED: Partial<ApiFailure> = {
  status: "PERMISSION_DENIED",
  message: "Permission 'healthcare.fhirStores.setIamPolicy' denied on resource 'r' (or it may not exist).",
};

/** A caller whose own role has a condition on `modifiedGrantsByRole` (hashicorp/terraform-provider-google, issue 10079). */
const LIMITED: Partial<ApiFailure> = { status: "PERMISSION_DENIED", message: "Policy update access denied." };

const CONTENT: [string, Partial<ApiFailure>][] = [
  ["400 INVALID_ARGUMENT", { status: "INVALID_ARGUMENT", message: "Invalid member 'user:x'." }],
  ["400 FAILED_PRECONDITION of an organization policy", DOMAINS],
  ["400 OUT_OF_RANGE", { status: "OUT_OF_RANGE", message: "The expression is too long." }],
  ["403 of an organization policy, by its words", { ...DOMAINS, status: "PERMISSION_DENIED", details: [] }],
  ["403 of an organization policy, by its constraint", { ...DOMAINS, status: "PERMISSION_DENIED", message: "Denied." }],
  [
    "403 of an organization policy, by its reason",
    { status: "PERMISSION_DENIED", message: "Denied.", details: info("ORG_RESTRICTION_VIOLATION") },
  ],
  ["403 that names a constraint", { status: "PERMISSION_DENIED", message: "Constraint constraints/iam.x violated." }],
  ["403 of a limit on the roles that the caller may grant", LIMITED],
  ["413", { status: "UNKNOWN", httpStatus: 413, message: "the response is not from the API (text/html)" }],
];
const WHOLE: [string, Partial<ApiFailure>][] = [
  ["403 of a missing permission, by its words", DENIED],
  ["403 of a missing permission, by its reason", { ...DENIED, message: "No.", details: info("IAM_PERMISSION_DENIED") }],
  [
    "403 of a missing permission that an organization policy took",
    { ...DENIED, message: "Denied by organization policy.", details: info("IAM_PERMISSION_DENIED") },
  ],
  ["403 of an API that is not enabled", { ...DENIED, details: info("SERVICE_DISABLED") }],
  [
    "403 of a service perimeter",
    { status: "PERMISSION_DENIED", message: "Request is prohibited by organization's policy." },
  ],
  ["401", { status: "UNAUTHENTICATED", message: "no token" }],
  ["404", { status: "NOT_FOUND", message: "not found" }],
  ["501", { status: "UNIMPLEMENTED", message: "no such method" }],
];

const errorOf = (failure: Partial<ApiFailure>) => {
  const status = failure.status ?? "UNKNOWN";
  const { http } = RPC_STATUSES[status];
  return apiError({ doing: "d", resource: "r", request: "POST u", httpStatus: http, message: "m", ...failure, status });
};

describe("a refusal of the policy's content", () => {
  test.each(CONTENT)("%s is a refusal of the content", (_what, failure) =>
    expect(isRefusalOfContent(errorOf(failure))).toBe(true),
  );
  test.each(WHOLE)("%s is not a refusal of the content", (_what, failure) =>
    expect(isRefusalOfContent(errorOf(failure))).toBe(false),
  );
  test("a conflict or an invalid response is not a refusal", () => {
    expect(isRefusalOfContent(errorOf({ status: "ABORTED" }))).toBe(false);
    expect(isRefusalOfContent(errorOf({ status: "FAILED_PRECONDITION", httpStatus: 412 }))).toBe(false);
    expect(isRefusalOfContent(new ConnectionError("lost"))).toBe(false);
  });
});

describe("an identity that is not known yet", () => {
  const invalid = (message: string) => errorOf({ status: "INVALID_ARGUMENT", message });

  test.each([
    "Service account role-admin@p.iam.gserviceaccount.com does not exist.",
    "Service account fresh@p.iam.gserviceaccount.com does not exist",
    "User ada@example.com does not exist.",
    "Group nurses@example.com does not exist.",
    "Domain example.com does not exist.",
    "The member serviceAccount:fresh@p.iam.gserviceaccount.com does not exist.",
    "Identity Pool does not exist (p.svc.id.goog). Please check that you specified a valid resource name.",
    "Principal principal://iam.googleapis.com/x/subject/s does not exist.",
  ])("%s", (message) => expect(isUnknownIdentity(invalid(message))).toBe(true));

  test.each([
    "Role roles/nonsense is not supported for this resource.",
    "Role (organizations/1/roles/FortigateViewer) does not exist in the resource's hierarchy.",
    "Role projects/user-project/roles/x does not exist",
    "The role projects/p/roles/forUser does not exist.",
    "Custom role projects/p/roles/x does not exist.",
    "projects/user/roles/x does not exist.",
    "One or more users named in the policy do not belong to a permitted customer.",
    "Request contains an invalid argument.",
    "",
  ])("is not recognized in: %s", (message) => expect(isUnknownIdentity(invalid(message))).toBe(false));

  test("is a 400 INVALID_ARGUMENT and nothing else", () => {
    const message = "Service account fresh@p.iam.gserviceaccount.com does not exist.";
    expect(isUnknownIdentity(errorOf({ status: "NOT_FOUND", message }))).toBe(false);
    expect(isUnknownIdentity(new Error(message))).toBe(false);
  });
});

const STORE = "projects/p/locations/l/stores/s";
const viewer = (member: string): Grant => ({ role: "roles/viewer", member });
const adding = (member: string) => (policy: Policy) => addGrant(policy, viewer(member));
const users = (count: number, name = "u") => Array.from({ length: count }, (_, at) => `user:${name}${at}@x.com`);

/** A policy with the grants of these members. A write fails if it has a member of `refused`: the API then gives its refusal. */
function setUp(
  refused: Record<string, Refusal>,
  { existing = [], writesPerMinute }: { existing?: readonly string[]; writesPerMinute?: number } = {},
) {
  const clock = FakeClock.waiting();
  const cloud = new FakeCloud(clock);
  cloud.set(STORE, addGrants({}, existing.map(viewer)));
  cloud.refuse = (policy) => {
    const members = membersIn(policy);
    return Object.entries(refused).find(([member]) => members.includes(member))?.[1];
  };
  const store = new PolicyStore();
  const target = cloud.target(STORE, writesPerMinute === undefined ? {} : { writesPerMinute });
  /** Makes changes at once, and returns the errors of those that fail, by their place in the list. */
  const make = async (changes: readonly PolicyChange["apply"][], call = testCall(clock)) => {
    const settled = await clock.until(
      Promise.allSettled(changes.map((apply) => store.of(target).change({ apply }, call))),
    );
    return new Map(settled.flatMap((each, at) => (each.status === "rejected" ? [[at, each.reason as Error]] : [])));
  };
  const writes = () => cloud.count("setIamPolicy");
  return { clock, cloud, make, writes };
}

/** At most this number of writes finds the bad one of `size` changes: the batch, and each half of each halving. */
const toHalve = (size: number) => 1 + 2 * Math.log2(size);

describe("a batch with one bad change", () => {
  const BAD = "user:mallory@elsewhere.org";
  const SIZE = 64;
  const members = users(SIZE).with(37, BAD);

  test.each(CONTENT)(
    "%s: it fails alone after a few more writes, and the other grants are made",
    async (_what, refusal) => {
      const { cloud, make, writes } = setUp({ [BAD]: refusal });
      const failed = await make(members.map(adding));
      expect([...failed.keys()]).toEqual([37]);
      expect(failed.get(37)).toMatchObject({ cloudMessage: refusal.message, effect: "none" });
      expect(failed.get(37)?.message).not.toContain(UNCHANGED);
      expect(membersIn(cloud.policy(STORE)).sort()).toEqual(members.filter((each) => each !== BAD).sort());
      // One more write shows that the API accepts the policy without a change.
      expect(writes()).toBeLessThanOrEqual(toHalve(SIZE) + 1);
      // Refused writes change nothing, so one read is enough for all of them.
      expect(cloud.count("getIamPolicy")).toBe(1);
    },
  );

  test("needs no write without a change if the policy is the one that the last write made", async () => {
    const { cloud, make, writes } = setUp({ [BAD]: "Invalid member" });
    await make([adding("user:first@x.com")]);
    expect([...(await make(members.map(adding))).keys()]).toEqual([37]);
    expect(writes()).toBeLessThanOrEqual(1 + toHalve(SIZE));
    expect(unchangedWrites(cloud)).toBe(0);
  });

  test("is refused alone, with its role, if the caller may not grant that role", async () => {
    const { cloud, make } = setUp({});
    cloud.refuse = ({ bindings = [] }) => (bindings.some(({ role }) => role === "roles/editor") ? LIMITED : undefined);
    const editor = (policy: Policy) => addGrant(policy, { role: "roles/editor", member: BAD });
    const failed = await make([...users(4).map(adding), editor, ...users(4, "later").map(adding)]);
    expect([...failed.keys()]).toEqual([4]);
    expect(failed.get(4)?.message).toMatch(
      /Policy update access denied.*This is a change of roles\/editor: .*modifiedGrantsByRole/s,
    );
    expect(membersIn(cloud.policy(STORE))).toHaveLength(8);
  });

  test.each(WHOLE.slice(0, 5))("%s: all changes fail with the one write", async (_what, refusal) => {
    const { cloud, make } = setUp({ [BAD]: refusal });
    expect((await make(members.map(adding))).size).toBe(SIZE);
    expect(cloud.requests.map(({ verb }) => verb)).toEqual(["getIamPolicy", "setIamPolicy"]);
  });

  test("observes the quota while the writer halves it", async () => {
    const { cloud, make } = setUp({ [BAD]: "Invalid member" }, { writesPerMinute: 6 });
    expect([...(await make(members.map(adding))).keys()]).toEqual([37]);
    expectWithinQuota(cloud, 6);
  });

  test.each([
    "Role (projects/p/roles/mistyped) does not exist in the resource's hierarchy.",
    "Role x is not supported.",
  ])("%s: a misspelled role fails without a wait", async (words) => {
    const { clock, make } = setUp({ [BAD]: words });
    const began = clock.now();
    expect([...(await make(members.map(adding))).keys()]).toEqual([37]);
    expect(clock.now() - began).toBeLessThan(1_000);
  });
});

describe("a policy that the API refuses even without a change", () => {
  const OLD = "user:old@elsewhere.org";
  const existing = ["user:before@x.com", OLD];
  const WORDS = "Role x is not supported.";

  test.each(CONTENT)("%s: all changes of a batch fail after two writes", async (_what, refusal) => {
    const { cloud, make, writes } = setUp({ [OLD]: refusal }, { existing });
    const failed = await make(users(100).map(adding));
    expect(failed.size).toBe(100);
    for (const error of failed.values()) {
      expect(error).toMatchObject({ cloudMessage: refusal.message, effect: "none" });
      // These words are also the answer to somebody who may not change the policy at all.
      const isOfCaller = refusal.message?.startsWith("Policy update access denied");
      expect(error.message).toContain(isOfCaller ? "the provider's own identity may not change it" : UNCHANGED);
    }
    expect([cloud.count("getIamPolicy"), writes()]).toEqual([1, 2]);
    // The second write is the policy of the read.
    const [batch, unchanged] = cloud.requests.flatMap(({ policy }) => (policy ? [policy] : []));
    expect(unchanged?.etag).toBe(batch?.etag);
    expect(membersIn(unchanged ?? {})).toEqual(existing);
  });

  test("is written back for a single change, too, which then has the same hint", async () => {
    const { make, writes } = setUp({ [OLD]: WORDS }, { existing });
    expect((await make([adding("user:only@x.com")])).get(0)?.message).toContain(UNCHANGED);
    expect(writes()).toBe(2);
  });

  test("costs later batches one write each, and their changes have the same hint", async () => {
    const { clock, make, writes } = setUp({ [OLD]: WORDS }, { existing });
    await make(users(8).map(adding));
    expect(writes()).toBe(2);
    for (const count of [8, 1, 8]) {
      await clock.until(clock.sleep(5_000));
      const before = writes();
      const failed = await make(users(count, "later").map(adding));
      expect([...failed.values()].filter(({ message }) => message.includes(UNCHANGED))).toHaveLength(count);
      expect(writes()).toBe(before + 1);
    }
  });

  test("is written again after somebody else changed it", async () => {
    const { cloud, clock, make } = setUp({ [OLD]: WORDS, "user:bad@x.com": "Invalid member" }, { existing });
    await make(users(8).map(adding));
    cloud.set(STORE, addGrants({}, [viewer("user:before@x.com")]));
    await clock.until(clock.sleep(5_000));
    const failed = await make(["user:bad@x.com", ...users(7)].map(adding));
    expect([...failed.keys()]).toEqual([0]);
  });

  test("observes the quota", async () => {
    const { cloud, make, writes } = setUp({ [OLD]: WORDS }, { existing, writesPerMinute: 1 });
    expect((await make(users(8).map(adding))).size).toBe(8);
    expect(writes()).toBe(2);
    expectWithinQuota(cloud, 1);
  });

  test.each(["conflict", "lost before", "lost", "unavailable", "exhausted", "invalid"] as const)(
    "is written again by the next part of the batch if the write without a change ends with: %s",
    async (fault) => {
      const { cloud, make, writes } = setUp({ [OLD]: WORDS }, { existing });
      cloud.faults = ["none", fault];
      // Faults such as `lost` come after a write that the API accepts.
      const { refuse } = cloud;
      cloud.refuse = (policy) => (writes() === 2 ? undefined : refuse(policy));
      const failed = await make(users(64).map(adding));
      expect([...failed.values()].filter(({ message }) => message.includes(UNCHANGED))).toHaveLength(64);
      // The batch, the policy; the first half, the policy; the second half.
      expect(writes()).toBe(5);
    },
  );

  test("can be repaired by a change of the batch, also beside a bad change", async () => {
    const { cloud, make } = setUp({ [OLD]: WORDS, "user:bad@x.com": "Invalid member" }, { existing });
    const repair = (policy: Policy) => removeGrant(policy, viewer(OLD));
    expect((await make([repair, ...users(7).map(adding)])).size).toBe(0);
    cloud.set(STORE, addGrants({}, existing.map(viewer)));
    const others = users(7, "later").with(5, "user:bad@x.com");
    const failed = await make([repair, ...others.map(adding)]);
    expect([...failed.keys()]).toEqual([6]);
    expect(membersIn(cloud.policy(STORE))).toHaveLength(1 + 6);
  });

  test("ends with its calls if they are cancelled during the write without a change, and nothing else is written", async () => {
    const { clock, cloud, make, writes } = setUp({ [OLD]: WORDS }, { existing });
    const controller = new AbortController();
    const answerTo = cloud.answerTo.bind(cloud);
    cloud.answerTo = (...asked) => {
      if (writes() === 1) void clock.sleep(1).then(() => controller.abort());
      return answerTo(...asked);
    };
    const failed = await make(users(8).map(adding), testCall(clock, { signal: controller.signal }));
    await clock.settle();
    expect([...failed.values()].map((error) => (error as CancelledError).effect)).toEqual(Array(8).fill("none"));
    expect(failed.get(0)).toBeInstanceOf(CancelledError);
    expect(writes()).toBe(2);
  });

  describe("because it does not know a member of it yet", () => {
    const UNKNOWN = "Service account old@p.iam.gserviceaccount.com does not exist.";

    test("takes the changes when it knows the member; they are written together until then", async () => {
      const refused: Record<string, Refusal> = { [OLD]: UNKNOWN };
      const { clock, cloud, make, writes } = setUp(refused, { existing });
      void clock.sleep(10_000).then(() => delete refused[OLD]);
      const call = testCall(clock);
      const began = clock.now();
      expect((await make(users(30).map(adding), call)).size).toBe(0);
      expect(clock.now() - began).toBeLessThan(13_000);
      expect(membersIn(cloud.policy(STORE))).toHaveLength(2 + 30);
      // Every second or two, one write for all of them.
      expect(writes()).toBeLessThanOrEqual(2 + 10);
      expect(call.statuses).toContain("The API does not know a member yet; trying again");
    });

    test("fails all changes after a minute", async () => {
      const { clock, make } = setUp({ [OLD]: UNKNOWN }, { existing });
      const began = clock.now();
      const failed = await make(users(30).map(adding));
      expect([...failed.values()].filter(({ message }) => message.includes(UNCHANGED))).toHaveLength(30);
      expect(clock.now() - began).toBeGreaterThan(50_000);
      expect(clock.now() - began).toBeLessThanOrEqual(60_000);
    });
  });
});

const UNCHANGED = "The API refuses this access policy even without a change";

function expectWithinQuota(cloud: FakeCloud, perMinute: number): void {
  const writes = cloud.requests.filter(({ verb }) => verb === "setIamPolicy").map(({ at }) => at);
  for (const at of writes) {
    expect(writes.filter((other) => other >= at && other < at + 60_000).length).toBeLessThanOrEqual(perMinute);
  }
}

/** The number of writes with the same members as the write before. */
function unchangedWrites(cloud: FakeCloud): number {
  const sent = cloud.requests.flatMap(({ policy }) => (policy ? [membersIn(policy).join()] : []));
  return sent.filter((members, at) => members === sent[at - 1]).length;
}
