import { FakeCloud, membersOf, type Refusal } from "../../tests/support/grants-cloud";
import { VirtualClock } from "../../tests/support/grants-clock";
import { apiError, ConnectionError, RPC_STATUSES, type ApiFailure } from "../core/errors";
import { testCall } from "../testing/call";
import { addGrant, type Policy } from "./policy";
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

describe("a batch with one bad change", () => {
  const STORE = "projects/p/locations/l/stores/s";
  const BAD = "user:mallory@elsewhere.org";
  const SIZE = 64;

  /** Grants to this number of members at once, with one bad member. */
  async function batch(refusal: Refusal, { writesPerMinute }: { writesPerMinute?: number } = {}) {
    const clock = new VirtualClock();
    const cloud = new FakeCloud(clock);
    cloud.set(STORE, {});
    cloud.refuse = (policy) => (membersOf(policy).includes(BAD) ? refusal : undefined);
    const store = new PolicyStore();
    const target = cloud.target(STORE, writesPerMinute === undefined ? {} : { writesPerMinute });
    const members = Array.from({ length: SIZE }, (_, at) => (at === 37 ? BAD : `user:u${at}@x.com`));
    const began = clock.now();
    const changes = members.map((member) => {
      const apply = (policy: Policy) => addGrant(policy, { role: "roles/viewer", member });
      return store.change(target, { apply }, testCall(clock));
    });
    const settled = await clock.until(Promise.allSettled(changes));
    const failed = settled.flatMap((each, at) => (each.status === "rejected" ? [at] : []));
    return { cloud, clock, settled, failed, members, took: clock.now() - began };
  }

  test.each(CONTENT)(
    "%s: it fails alone after a few more writes, and the other grants are made",
    async (_what, refusal) => {
      const { cloud, settled, failed, members } = await batch(refusal);
      expect(failed).toEqual([37]);
      expect(settled[37]).toMatchObject({ reason: { cloudMessage: refusal.message, effect: "none" } });
      expect(membersOf(cloud.policy(STORE)).sort()).toEqual(members.filter((each) => each !== BAD).sort());
      // Each halving needs one write for each half.
      expect(cloud.count("setIamPolicy")).toBeLessThanOrEqual(1 + 2 * Math.log2(SIZE));
      // Refused writes change nothing, so one read is enough for all of them.
      expect(cloud.count("getIamPolicy")).toBe(1);
    },
  );

  test.each(WHOLE.slice(0, 5))("%s: all changes fail with the one write", async (_what, refusal) => {
    const { cloud, failed } = await batch(refusal);
    expect(failed).toHaveLength(SIZE);
    expect(cloud.requests.map(({ verb }) => verb)).toEqual(["getIamPolicy", "setIamPolicy"]);
  });

  test("observes the quota while the writer halves it", async () => {
    const { cloud, failed } = await batch("Invalid member", { writesPerMinute: 6 });
    expect(failed).toEqual([37]);
    const writes = cloud.requests.filter(({ verb }) => verb === "setIamPolicy").map(({ at }) => at);
    for (const at of writes) {
      expect(writes.filter((other) => other >= at && other < at + 60_000).length).toBeLessThanOrEqual(6);
    }
  });

  test.each([
    "Role (projects/p/roles/mistyped) does not exist in the resource's hierarchy.",
    "Role x is not supported.",
  ])("%s: a misspelled role fails without a wait", async (words) => {
    const { failed, took } = await batch(words);
    expect(failed).toEqual([37]);
    expect(took).toBeLessThan(1_000);
  });
});
