import { change, review } from "../../tests/support/unjudged";
import { elementsIn } from "../../tests/support/xml";
import { judged } from "../gate/judge";
import type { Answer, StackAnswer } from "../result/result";
import { answerOf } from "../result/stacks";
import { stackLabel } from "../result/urn";
import { alertsOf } from "./alerts";
import { codeQualityText } from "./code-quality";
import { githubText } from "./github";
import { junitText } from "./junit";
import { markdownText } from "./markdown";
import { maskPrincipals } from "./masked-principals";
import { sarifText } from "./sarif";
import { terminalText } from "./terminal";

/** The principals contain the names of the projects and of the stack. Masks hide these words, except in the names of stacks. */
const NAMES = ["user:network@example.com", "group:data@example.com", "user:prod@example.com"];

/** What the rules refuse in one stack, and what they warn of. */
function partOf(project: string): StackAnswer {
  const step = (name: string) => `urn:pulumi:prod::${project}::a:b:C::${name}`;
  const found = review(
    NAMES.map((principal) => change("lost", { principal, steps: [step("viewer")] })),
    { unknown: [{ code: "unreadable policy", message: "The policy of data could not be read." }] },
    {
      project,
      stack: "prod",
      refused: [{ step: step("owners"), reason: "It would take prod's last role." }],
      unknown: [{ code: "secret", message: "A member of data is secret." }],
      sources: {
        [step("viewer")]: { file: `${project}/index.ts`, line: 3 },
        [step("owners")]: { file: "o.ts", line: 4 },
      },
    },
  );
  return judged(found, { warnings: ["The rules of data differ."] });
}

const both = answerOf({ operation: "update" }, [partOf("network"), partOf("data")]);
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

  test("and each finding says of which stack it is", () => {
    const OF_STACK = /^(?:network|data)\/prod: (?!(?:network|data)\/prod: )/;
    const texts = [
      ...(JSON.parse(codeQualityText(result)) as { description: string }[]).map(({ description }) => description),
      ...[...githubText(result).matchAll(/^::(?:error|warning) .*?::(.*)$/gm)].map(([, text = ""]) => text),
      ...[...junitText(result).matchAll(/<testcase name="([^"]*)"/g)].map(([, name = ""]) => name),
    ];
    expect(texts.length).toBeGreaterThan(4 * OF_EACH.violations);
    expect(texts.filter((text) => !OF_STACK.test(text))).toEqual([]);
  });

  test("and each alert has the line of its own stack's step", () => {
    const files = alertsOf(result).flatMap(({ of, judgement, place }) =>
      judgement.rule === "loss" ? [`${stackLabel(of)} ${place?.file}`] : [],
    );
    expect([...new Set(files)].sort()).toEqual([
      expect.stringMatching(/^data\/prod .+\/index\.ts$/),
      expect.stringMatching(/^network\/prod .+\/index\.ts$/),
    ]);
  });

  test.each([
    ["annotations", githubText],
    ["code quality", codeQualityText],
    ["JUnit", junitText],
    ["the terminal", (answer: Answer) => terminalText(answer, { width: 200, color: false })],
    ["Markdown", markdownText],
  ])("and %s say of which stack an unknown fact is that belongs to no step", (_form, form) => {
    for (const name of ["network/prod", "data/prod"]) {
      expect(form(result).replaceAll(/[`*]/g, "")).toContain(`${name}: A member of `);
    }
  });
});

/** One stack takes what another one has: the step is of the one, the loss of the other. */
const [URN, OTHER] = ["urn:pulumi:prod::network::a:b:C::viewer", "urn:pulumi:prod::data::a:b:C::acl"];
const SOURCES = { sources: { [URN]: { file: "network/index.ts", line: 3 } } };
const ofNetwork = judged(review([], {}, { project: "network", stack: "prod", ...SOURCES }), {});
const reason = "because";
const ofData = judged(
  review(
    [change("lost", { principal: "user:ada@example.com", steps: [URN] }), change("gained", { steps: [OTHER] })],
    { unknown: [{ code: "secret", message: "A fact.", step: OTHER }] },
    { project: "data", stack: "prod", unknown: [{ code: "secret", message: "Another fact.", step: OTHER }] },
  ),
  { policy: { version: 1, mayGain: [], allowLoss: [{ principals: ["user:ada@example.com"], reason }] } },
);
const apart = answerOf({ operation: "update" }, [ofNetwork, ofData]);

test.each<[string, RegExp]>([
  ["the step of a change", /by viewer \(C\) of network\/prod at network\/index\.ts:3/],
  ["an unknown fact about a resource", /stack data\/prod\)[^]*A fact\.\s+by acl \(C\)\n/],
  ["the step of another unknown fact", /Another fact\.\s+by acl \(C\) of data\/prod/],
  ["what violates a rule", /mayGain: data\/prod: user:/],
  ["what is allowed", /· data\/prod: user:ada@example\.com loses /],
])("the terminal names the stack of %s", (_what, text) => {
  expect(terminalText(apart, { width: 200, color: false })).toMatch(text);
});

test.each<[string, RegExp]>([
  ["where a change comes from", /on \S+ of data\/prod: viewer \(C\) of network\/prod at network\/index\.ts:3/],
  ["an unknown fact about a resource", /- \S+ of data\/prod: A fact\. \(by acl \(C\)\)/],
  ["another unknown fact", /Another fact\. \(by acl \(C\) of data\/prod\)/],
  ["what violates a rule", /mayGain: data\/prod: user:/],
  ["what is allowed", /- data\/prod: user:ada@example\.com loses /],
])("Markdown names the stack of %s", (_what, text) => {
  expect(markdownText(apart).replaceAll("`", "")).toMatch(text);
});

test.each([
  [20, 20],
  [21, 1],
])("%d stacks are %d runs of SARIF, because GitHub refuses a file with more than 20", (count, expected) => {
  const stacks = Array.from({ length: count }, (_, index) => partOf(`project-${index}`));
  const result = answerOf({ operation: "update" }, stacks);
  const { runs } = JSON.parse(sarifText(result)) as {
    runs: { results: { message: { text: string } }[]; automationDetails: { id: string } }[];
  };
  expect(runs).toHaveLength(expected);
  const messages = runs.flatMap(({ results }) => results.map(({ message }) => message.text));
  expect(messages).toHaveLength(count * (OF_EACH.violations + OF_EACH.warnings));
  expect(messages.filter((text) => !/^project-\d+\/prod: /.test(text))).toEqual([]);
  expect(new Set(runs.map(({ automationDetails: { id } }) => id))).toHaveProperty("size", expected);
  if (expected === 1) expect(runs[0]?.automationDetails.id).toBe("perimeter-review/stacks/");
});
