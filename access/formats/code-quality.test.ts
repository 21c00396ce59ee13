import { type OneStack, answerWith, maskedStack } from "../../tests/support/answers";
import { z } from "zod";
import { busyResult, HOSTILE_TEXT, hostileResult, largeResult, quietResult } from "../../tests/support/review-results";
import { change, review, STORE, VIEWER } from "../../tests/support/unjudged";
import { judged } from "../gate/judge";
import { codeQualityText } from "./code-quality";

/** The fields of https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format, which are all required. */
const report = z.array(
  z.strictObject({
    description: z.string().min(1),
    check_name: z.string().min(1),
    fingerprint: z.string().min(1),
    severity: z.enum(["info", "minor", "major", "critical", "blocker"]),
    location: z.strictObject({
      // Relative to the repository, and not ./file.
      path: z.string().regex(/^(?!\.{0,2}\/)./),
      lines: z.strictObject({ begin: z.int().min(1) }),
    }),
  }),
);
const issuesOf = (result: Partial<OneStack>, projectFile?: string) =>
  report.parse(JSON.parse(codeQualityText(answerWith(result), { projectFile })));

const URN = "urn:pulumi:dev::shop::a:b:Grant::viewer";
const loss = `user:ada@example.com loses ${VIEWER} on ${STORE}.`;
const lost = review([change("lost", { steps: [URN] })]);

test("a violation is critical, at the line of the program", () => {
  const sources = { [URN]: { file: "infra/index.ts", line: 3, component: "Readers" } };
  expect(issuesOf(judged({ ...lost, sources }, {}))).toEqual([
    {
      description: `${loss} The component Readers makes it.`,
      check_name: "perimeter/loss",
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}:1$/),
      severity: "critical",
      location: { path: "infra/index.ts", lines: { begin: 3 } },
    },
  ]);
});

test("a line that is gone is at the beginning of its file, and an unknown line at that of the project's file", () => {
  const gone = { [URN]: { file: "infra/index.ts", line: 3, gone: true as const } };
  expect(issuesOf(judged({ ...lost, sources: gone }, {}))).toMatchObject([
    { description: `${loss} It was declared in line 3.`, location: { path: "infra/index.ts", lines: { begin: 1 } } },
  ]);
  expect(issuesOf(judged(lost, {}))).toMatchObject([{ location: { path: "Pulumi.yaml", lines: { begin: 1 } } }]);
  expect(issuesOf(judged(lost, {}), "infra/Pulumi.yml")).toMatchObject([{ location: { path: "infra/Pulumi.yml" } }]);
});

test("unknown facts and warnings have the severity minor, and an allowed loss has no issue", () => {
  const found = review([change("lost")], { unknown: [{ code: "unreadable policy", message: "It is not readable." }] });
  const policy = { version: 1 as const, allowLoss: [{ roles: [VIEWER], reason: "moved" }] };
  expect(issuesOf(judged(found, { policy, warnings: ["rules.yaml differs."] }))).toMatchObject([
    { check_name: "perimeter/unknown", severity: "minor" },
    { check_name: "perimeter/rules", severity: "minor" },
  ]);
});

test("a fingerprint is the same at another line, in another order, and with other numbers of masked names", () => {
  const bob = change("lost", { principal: "user:bob@example.com" });
  const at = (line: number, ...more: (typeof bob)[]) =>
    judged({ ...review([...more, change("lost", { steps: [URN] })]), sources: { [URN]: { file: "a.ts", line } } }, {});
  const print = (result: Partial<OneStack>) => issuesOf(result).at(-1)?.fingerprint;
  expect(print(at(9, bob))).toBe(print(at(3)));
  const aaron = change("lost", { principal: "user:aaron@example.com" });
  expect(print(maskedStack(at(9, bob)))).toBe(print(maskedStack(at(3))));
  expect(issuesOf(maskedStack(at(3, aaron))).map(({ fingerprint }) => fingerprint.slice(-2))).toEqual([":1", ":2"]);
});

test.each([
  ["a review with everything", busyResult],
  ["current access", { ...busyResult, operation: "access" as const }],
  ["many changes", largeResult(2000)],
  ["hostile texts", hostileResult(HOSTILE_TEXT)],
])("the report of %s has GitLab's fields, and no two issues have one fingerprint", (_what, result) => {
  const issues = issuesOf(result);
  expect(issues.length).toBeGreaterThan(0);
  expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(issues.length);
});

test("a review with nothing to judge is an empty list", () => {
  expect(codeQualityText(answerWith(quietResult))).toBe("[]\n");
});
