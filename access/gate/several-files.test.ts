import { byEffect } from "../../tests/support/answers";
import fc from "fast-check";
import { change, review, STORE, VIEWER } from "../../tests/support/unjudged";
import type { Found } from "../result/result";
import { judge as verdictBy } from "./judge";
import type { ReviewPolicy } from "./rules";

const judge = (...[found, rules]: Parameters<typeof verdictBy>) => byEffect(verdictBy(found, rules));

const reason = "because";

type Content = Omit<ReviewPolicy, "version">;
const ROOT = ".perimeter-review.yaml";
const NEAR = "infra/.perimeter-review.yaml";
/** Judges by the policy files of the root and of a subfolder. */
const judged = (result: Found, root: Content, near: Content) =>
  judge(result, {
    files: [
      { file: ROOT, policy: { version: 1, ...root } },
      { file: NEAR, policy: { version: 1, ...near } },
    ],
  });

const all = { principals: ["*"], reason };
const unmanaged = review(
  [],
  { unmanaged: [{ principal: "user:ada@example.com", role: VIEWER }] },
  { operation: "access" },
);
const unknown = review([], { unknown: [{ code: "unreadable policy", message: "The policy could not be read." }] });

describe("a nearer file cannot loosen", () => {
  test.each<[string, Found, Content, Content, number]>([
    ["a loss that the root does not allow", review([change("lost")]), {}, { allowLoss: [all] }, 2],
    ["a loss that both allow", review([change("lost")]), { allowLoss: [all] }, { allowLoss: [all] }, 0],
    ["a protected principal", review([change("lost")]), { protectedPrincipals: [all] }, { allowLoss: [all] }, 2],
    ["`mayGain`", review([change("gained")]), { mayGain: [] }, { mayGain: [{ ...all, roles: ["*"] }] }, 2],
    ["`gains: fail`", review([change("gained")]), { gains: "fail" }, { gains: "allow" }, 2],
    ["a forbidden role", review([change("gained")]), { forbiddenRoles: [{ roles: ["*"], reason }] }, {}, 2],
    ["`unknown: fail`", unknown, { unknown: "fail" }, { unknown: "allow" }, 3],
    ["the default of `unknown`", unknown, {}, { unknown: "allow" }, 3],
    ["`unknown: allow` of both", unknown, { unknown: "allow" }, { unknown: "allow" }, 0],
    ["`unmanaged: fail`", unmanaged, { unmanaged: "fail" }, { unmanaged: "warn", allowUnmanaged: [all] }, 2],
  ])("%s", (_, result, root, near, exitCode) => {
    expect(judged(result, root, near).exitCode).toBe(exitCode);
    // The order of the files makes no difference.
    expect(judged(result, near, root).exitCode).toBe(exitCode);
  });
});

test("a violation names the file of its rule, and the result names all files", () => {
  const forbidden = { forbiddenRoles: [{ roles: ["roles/healthcare.*"], reason }] };
  const verdict = judged(review([change("gained")]), forbidden, { mayGain: [] });
  expect(verdict.violations.map(({ rule, file }) => [rule, file])).toEqual([
    ["forbiddenRoles[0]", ROOT],
    ["mayGain", NEAR],
  ]);
  expect(verdict).toMatchObject({ rules: NEAR, rulesAbove: [ROOT] });
  expect(judged(review([change("lost")]), {}, {}).violations).toEqual([
    expect.objectContaining({ rule: "loss", message: `user:ada@example.com loses ${VIEWER} on ${STORE}.` }),
  ]);
});

test("an allowance that another file overrules becomes a warning, and is not listed as allowed", () => {
  const verdict = judged(review([change("lost")]), {}, { allowLoss: [all] });
  expect(verdict.allowed).toEqual([]);
  expect(verdict.warnings).toMatchObject([
    {
      rule: "allowLoss[0]",
      file: NEAR,
      message:
        `user:ada@example.com loses ${VIEWER} on ${STORE}. This rule allows it, but not ${ROOT}: ` +
        "an allowance must be in each policy file.",
    },
  ]);
  expect(judged(review([change("lost")]), { allowLoss: [all] }, { allowLoss: [all] })).toMatchObject({
    allowed: [ROOT, NEAR].map(
      (file) => expect.stringContaining(`Allowed by allowLoss[0] of ${file}: because`) as string,
    ),
  });
});

test("an unmanaged grant that violates a rule of one file is not also a warning of another file", () => {
  const verdict = judged(unmanaged, { unmanaged: "fail" }, { unmanaged: "warn" });
  expect(verdict.violations).toHaveLength(1);
  expect(verdict).not.toHaveProperty("warnings");
});

test("another policy file never makes the exit code better", () => {
  const globs = fc.constantFrom<string[]>(["*"], ["user:*"], ["group:*"]);
  const rules = fc.array(fc.record({ principals: globs, reason: fc.constant(reason) }), { maxLength: 2 });
  const roles = fc.constant<string[]>(["*"]);
  const gains = fc.array(fc.record({ principals: globs, roles, reason: fc.constant(reason) }), { maxLength: 2 });
  const contents: fc.Arbitrary<Content> = fc.record(
    {
      allowLoss: rules,
      protectedPrincipals: rules,
      mayGain: gains,
      forbiddenRoles: gains,
      unknown: fc.constantFrom("fail", "allow"),
    },
    { requiredKeys: [] },
  );
  const changes = fc.array(
    fc.record({
      principal: fc.constantFrom("user:ada@example.com", "group:g@example.com"),
      change: fc.constantFrom("gained", "lost"),
    }),
    { maxLength: 3 },
  );
  const rank = (code: number) => [0, 3, 2].indexOf(code);
  fc.assert(
    fc.property(changes, fc.boolean(), contents, contents, (some, isUnknown, root, near) => {
      const result = review(
        some.map(({ change: what, principal }) => change(what, { principal })),
        isUnknown ? { unknown: unknown.resources[0]?.unknown ?? [] } : {},
      );
      const both = judged(result, root, near);
      for (const one of [root, near]) {
        const alone = judge(result, { policy: { version: 1, ...one } });
        expect(rank(both.exitCode)).toBeGreaterThanOrEqual(rank(alone.exitCode));
      }
    }),
  );
});
