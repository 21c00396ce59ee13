import { change, review } from "../../tests/support/unjudged";
import { elementsIn } from "../../tests/support/xml";
import { judged } from "../gate/judge";
import { summaryOf, type ReviewResult, type Unjudged } from "../result/result";
import { alertsOf } from "./alerts";
import { codeQualityText } from "./code-quality";
import { githubText } from "./github";
import { junitText } from "./junit";
import { maskPrincipals } from "./masked-principals";
import { sarifText } from "./sarif";

/** The principals contain the names of the projects and of the stack. Masks hide these words, except in the names of stacks. */
const NAMES = ["user:network@example.com", "group:data@example.com", "user:prod@example.com"];

/** What the rules refuse in one stack, and what they warn of. */
function partOf(project: string): ReviewResult {
  const step = (name: string) => `urn:pulumi:prod::${project}::a:b:C::${name}`;
  const found = review(
    NAMES.map((principal) => change("lost", { principal, steps: [step("viewer")] })),
    { unknown: [{ code: "unreadable policy", message: "The policy of data could not be read." }] },
    {
      project,
      stack: "prod",
      refused: [{ step: step("owners"), reason: "It would take prod's last role." }],
      unknown: [{ code: "secret", message: `${project}/prod: A member of data is secret.` }],
      sources: {
        [step("viewer")]: { file: `${project}/index.ts`, line: 3 },
        [step("owners")]: { file: "o.ts", line: 4 },
      },
    },
  );
  return judged(found, { warnings: ["The rules of data differ."] });
}

/** As \`reviewStacks\` joins them. */
function joined(...parts: ReviewResult[]): ReviewResult {
  const ofStack = <T>(take: (part: ReviewResult) => readonly T[]) =>
    parts.flatMap((part) => take(part).map((each) => ({ ...each, stack: `${part.project}/${part.stack}` })));
  const found: Unjudged = {
    version: 1,
    operation: "update",
    stacks: parts.map(({ project, stack, verdict }) => ({ name: `${project}/${stack}`, exitCode: verdict.exitCode })),
    resources: ofStack(({ resources }) => resources).reverse(),
    refused: ofStack(({ refused }) => refused),
    unknown: ofStack(({ unknown }) => unknown),
    sources: Object.assign({}, ...parts.map(({ sources }) => sources)) as NonNullable<ReviewResult["sources"]>,
    notes: [],
  };
  const violations = ofStack(({ verdict }) => verdict.violations);
  const warnings = ofStack(({ verdict }) => verdict.warnings ?? []);
  return { ...found, summary: summaryOf(found), verdict: { exitCode: 2, violations, warnings, allowed: [] } };
}

const both = joined(partOf("network"), partOf("data"));
const OF_EACH = { violations: 6, warnings: 1 };

describe.each([
  ["plain", both],
  ["masked", maskPrincipals(both)],
])("a review of two stacks with %s names loses nothing", (_what, result) => {
  test("in SARIF", () => {
    const { runs } = JSON.parse(sarifText(result)) as {
      runs: { results: object[]; automationDetails: { id: string } }[];
    };
    expect(runs.map(({ automationDetails: { id }, results }) => [id, results.length])).toEqual([
      ["perimeter-review/network/prod/", OF_EACH.violations + OF_EACH.warnings],
      ["perimeter-review/data/prod/", OF_EACH.violations + OF_EACH.warnings],
    ]);
  });

  test("in annotations, code quality and JUnit", () => {
    expect(githubText(result).match(/^::(?:error|warning) /gm)).toHaveLength(
      2 * (OF_EACH.violations + OF_EACH.warnings),
    );
    expect(JSON.parse(codeQualityText(result))).toHaveLength(2 * (OF_EACH.violations + OF_EACH.warnings));
    const elements = elementsIn(junitText(result));
    expect(elements.filter((each) => each.startsWith("<failure"))).toHaveLength(2 * OF_EACH.violations);
    expect(elements.filter((each) => each.startsWith("<testcase"))).toHaveLength(2 * (OF_EACH.violations + 1));
    expect(junitText(result)).toContain(`failures="${2 * OF_EACH.violations}"`);
  });

  test("and each alert has the line of its own stack's step", () => {
    const files = alertsOf(result).flatMap(({ violation, place }) =>
      violation.rule === "loss" ? [[violation.stack, place?.file]] : [],
    );
    expect(new Set(files.map((each) => JSON.stringify(each)))).toHaveProperty("size", 2);
    for (const [stack] of files) expect(["network/prod", "data/prod"]).toContain(stack);
  });
});
