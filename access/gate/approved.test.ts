import { answerWith, byEffect } from "../../tests/support/answers";
import { change, review as reviewOf, STORE, VIEWER } from "../../tests/support/unjudged";
import { summaryOf, type Found, type StackAnswer, type Uncertainty } from "../result/result";
import { comparedWithApproved } from "../changes/approved";
import { judge, judged } from "./judge";
import type { ReviewPolicy } from "./rules";

const until = (day: string) => ({ title: "until", expression: `request.time < timestamp("${day}T00:00:00Z")` });

const review: typeof reviewOf = (changes, more, top) =>
  reviewOf(changes, more, { stack: "dev", project: "clinic", ...top });

const withVerdict = ({ operation, ...result }: Found, policy?: ReviewPolicy): StackAnswer => ({
  ...result,
  summary: summaryOf(result),
  verdict: judge({ operation, ...result }, policy === undefined ? {} : { policy }),
});

/** The comparison of a review with an approved one. */
function compared(before: Found, now: Found, policy?: ReviewPolicy) {
  const approved = withVerdict(before, policy);
  const result = comparedWithApproved(approved, now);
  return { result, verdict: byEffect(judge(result, policy === undefined ? {} : { policy }, approved)) };
}

const lost = review([change("lost")]);
const hidden = review([change("lost", { principal: "user:[secret]", hidden: "secret" })]);
const conditional = (day: string) => review([change("condition", { conditionBefore: null, condition: until(day) })]);
const bob = { principal: "user:bob@example.com" };

test.each<[string, Found, Found, number]>([
  ["the same loss", lost, lost, 0],
  ["the same loss, spelled in another way", lost, review([change("lost", { principal: "user:Ada@Example.com" })]), 0],
  ["the same gain", review([change("gained")]), review([change("gained")]), 0],
  ["the same new condition", conditional("2027-01-01"), conditional("2027-01-01"), 0],
  ["fewer changes", lost, review([]), 0],
  ["a loss of somebody else", lost, review([change("lost"), change("lost", bob)]), 2],
  ["a gain", lost, review([change("lost"), change("gained", bob)]), 2],
  ["a loss in place of a gain", review([change("gained")]), lost, 2],
  ["another condition", conditional("2027-01-01"), conditional("2026-01-01"), 2],
  ["a loss on another resource", lost, review([change("lost")], { resource: `${STORE}2` }), 2],
  ["a loss in another cloud", lost, review([change("lost")], { endpoint: "http://127.0.0.1:1/" }), 2],
  [
    "no access left, where something was left",
    lost,
    review([change("lost")], { noAccessLeft: [change("lost").principal] }),
    2,
  ],
  ["a refused step", lost, review([], {}, { refused: [{ step: "urn", reason: "A lock-out." }] }), 2],
  ["an unknown fact", lost, review([change("lost")], { unknown: [{ code: "unreadable policy", message: "no" }] }), 3],
  ["a hidden value, which may be another one", hidden, hidden, 3],
])("a review with %s: exit code", (_, before, now, exitCode) => {
  expect(compared(before, now).verdict.exitCode).toBe(exitCode);
});

const SECRET = "user:[secret]";
const HIDDEN_ROLE = { role: "[known after the update]", hidden: "known after the update" as const };
const reason = "because";

/** Each rule that refuses, with a change that violates it. */
describe.each<[string, Partial<ReviewPolicy>, "lost" | "gained"]>([
  ["protectedPrincipals", { protectedPrincipals: [{ principals: ["user:ada@example.com"], reason }] }, "lost"],
  ["forbiddenRoles", { forbiddenRoles: [{ roles: [VIEWER], principals: ["user:ada@example.com"], reason }] }, "gained"],
  ["conditionRequired", { conditionRequired: [{ roles: [VIEWER], reason }] }, "gained"],
])("%s refuses a change with a hidden value, with and without an approved review", (rule, rules, kind) => {
  test.each<[string, Found]>([
    ["principal", review([change(kind, { principal: SECRET, hidden: "secret" })])],
    ["role", review([change(kind, HIDDEN_ROLE)])],
    ["resource", review([change(kind)], { resource: `${STORE}/[known after the update]` })],
  ])("hidden: the %s", (_what, now) => {
    const policy = { version: 1 as const, unknown: "allow" as const, allowLoss: [{ roles: ["*"], reason }], ...rules };
    const violations = [expect.objectContaining({ rule: `${rule}[0]` })];
    expect(byEffect(judge(now, { policy }))).toMatchObject({ exitCode: 2, violations });
    for (const before of [now, review([])]) {
      expect(compared(before, now, policy).verdict).toMatchObject({ exitCode: 2, violations });
    }
  });

  test("but not a change that the approved review has", () => {
    const now = review([change(kind)]);
    expect(compared(now, now, { version: 1, ...rules }).verdict.exitCode).toBe(0);
  });
});

test("an approved review approves no kept grant of a hidden principal", () => {
  const forbiddenRoles = [{ roles: [VIEWER], alsoExisting: true, reason }];
  const now = review([], { after: [{ role: VIEWER, members: [SECRET] }] });
  expect(compared(now, now, { version: 1, forbiddenRoles }).verdict.exitCode).toBe(2);
});

test("names each change that was not approved, and lists each approved loss as allowed", () => {
  const { verdict, result } = compared(lost, review([change("lost"), change("gained", bob)]));
  expect(verdict.violations).toEqual([
    expect.objectContaining({
      rule: "expected",
      ...bob,
      message: `user:bob@example.com gains ${VIEWER} on ${STORE}. The approved review does not have this change.`,
    }),
  ]);
  expect(verdict.allowed).toEqual([
    `user:ada@example.com loses ${VIEWER} on ${STORE}. Allowed by the approved review.`,
  ]);
  expect(result.notes).toEqual([]);
  expect(compared(lost, review([])).result.notes).toEqual(["1 change of the approved review is not in this one"]);
});

test("an approved review approves the violations that it shows, and no others", () => {
  const policy = { version: 1 as const, forbiddenRoles: [{ roles: ["*"], alsoExisting: true, reason: "because" }] };
  const after = [{ role: VIEWER, members: ["user:ada@example.com"] }];
  const gained = review([change("gained")], { after });
  expect(compared(gained, gained, policy).verdict).toMatchObject({ exitCode: 0, violations: [] });
  const more = review([change("gained")], {
    after: [{ role: VIEWER, members: ["user:ada@example.com", bob.principal] }],
  });
  expect(compared(gained, more, policy).verdict).toMatchObject({
    exitCode: 2,
    violations: [{ rule: "forbiddenRoles[0]", ...bob }],
  });
});

test.each<[string, Partial<Found>]>([
  ["stack must be dev", { stack: "prod" }],
  ["project must be clinic", { project: "shop" }],
  ["operation must be update", { operation: "destroy" }],
  ["operation must be update", { operation: "access" }],
])("refuses an approved review of another stack or operation: %s", (message, other) => {
  const { operation, ...found } = review([], {}, other);
  const approved = answerWith({ ...withVerdict({ operation, ...found }), operation });
  expect(() => judged(lost, { approved })).toThrow(message);
});

describe.each<ReviewPolicy["otherProviders"]>(["allow", [{ types: ["gcp:*"], verdict: "allow", reason }]])(
  "under otherProviders: %j, an approved review approves an unknown fact",
  (otherProviders) => {
    const fact: Uncertainty = {
      code: "other provider",
      message: "What acl does to b/files was not evaluated.",
      step: "urn:pulumi:dev::clinic::gcp:storage/bucketACL:BucketACL::acl",
      type: "gcp:storage/bucketACL:BucketACL",
      digest: "a1",
    };
    const other = (more: Partial<Uncertainty>): Uncertainty => ({ ...fact, ...more });

    test.each<[string, Uncertainty[], number]>([
      ["that it has", [fact], 0],
      [
        "and not one about another resource",
        [fact, other({ message: "What acl does to b/logs was not evaluated." })],
        3,
      ],
      ["and not one of another step", [other({ step: `${fact.step}2` })], 3],
      ["and not one about another type", [other({ type: "gcp:storage/defaultObjectACL:DefaultObjectACL" })], 3],
      ["and not one about other values", [other({ digest: "b2" })], 3],
      ["and not one about values that are hidden", [other({ digest: null })], 3],
      ["and not one of a review that compared no values", [other({ digest: undefined })], 3],
    ])("%s", (_, unknown, exitCode) => {
      const before = review([], { unknown: [fact] });
      for (const now of [review([], { unknown }), review([], {}, { unknown })]) {
        expect(compared(before, now, { version: 1, otherProviders }).verdict.exitCode).toBe(exitCode);
        expect(judge(now, { policy: { version: 1, otherProviders } }).exitCode).toBe(0);
      }
    });

    test("but none about values that it hides", () => {
      const now = review([], { unknown: [other({ digest: null })] });
      expect(compared(now, now, { version: 1, otherProviders }).verdict.exitCode).toBe(3);
    });
  },
);
