import { answerWith, byEffect, verdictOf } from "../../tests/support/answers";
import { busyResult, quietResult, resultOf } from "../../tests/support/review-results";
import { change, review, STORE, VIEWER } from "../../tests/support/unjudged";
import { judged } from "../gate/judge";
import { githubText } from "./github";

const URN = "urn:pulumi:dev::shop::a:b:Grant::viewer";
const loss = `user:ada@example.com loses ${VIEWER} on ${STORE}.`;

test("a violation at a known line is an error at this line, below the headline", () => {
  const found = review([change("lost", { steps: [URN] })], {}, { project: "shop", stack: "dev" });
  const sources = { [URN]: { file: "infra/index.ts", line: 3, component: "Readers" } };
  expect(githubText(answerWith(judged({ ...found, sources }, {})))).toBe(
    "1 principal loses access on 1 resource\n" +
      "::error file=infra/index.ts,line=3,title=Access review of an update%3A shop/dev%3A loss::" +
      `${loss}%0Aby viewer (Grant)%0AThe component Readers makes it.\n`,
  );
});

test("a line that is not in the file any more is left out, and without a known line the file is left out, too", () => {
  const steps = [`${URN}-1`, `${URN}-2`];
  const found = review(steps.map((step, index) => change("lost", { principal: `user:${index}@x.y`, steps: [step] })));
  const text = githubText(
    answerWith(judged({ ...found, sources: { [`${URN}-1`]: { file: "index.ts", line: 3, gone: true } } }, {})),
  );
  expect(text).toMatch(/^::error file=index\.ts,title=Access review of an update%3A loss::user:0@x\.y loses /m);
  expect(text).toMatch(/^::error title=Access review of an update%3A loss::user:1@x\.y loses /m);
  expect(text).toContain("%0AIt was declared in line 3.\n");
});

test("unknown facts and warnings become warnings, and an allowed loss has no annotation", () => {
  const found = review([change("lost")], { unknown: [{ code: "unreadable policy", message: "It is not readable." }] });
  const policy = { version: 1 as const, allowLoss: [{ roles: [VIEWER], reason: "moved" }] };
  const [, ...lines] = githubText(answerWith(judged(found, { policy, warnings: ["rules.yaml differs."] })))
    .trim()
    .split("\n");
  expect(lines).toEqual([
    "::warning title=Access review of an update%3A unknown::It is not readable.",
    "::warning title=Access review of an update%3A rules::rules.yaml differs.",
  ]);
});

test("a review with nothing to judge is the headline alone", () => {
  expect(githubText(answerWith(quietResult))).toBe("No access changes: 12 grants stay as they are\n");
});

test("at most ten of a level are annotations, and a notice counts the others", () => {
  const messages = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ rule: "loss", message: `${index}` }));
  const withCounts = (errors: number, warnings: number) =>
    githubText(
      answerWith(
        resultOf({
          verdict: verdictOf({ exitCode: 2, violations: messages(errors), warnings: messages(warnings), allowed: [] }),
        }),
      ),
    );
  const commands = (text: string) => text.match(/^::\w+/gm) ?? [];
  expect(commands(withCounts(10, 10)).join()).not.toContain("notice");
  const many = withCounts(1013, 11);
  expect(commands(many)).toEqual([
    ...Array<string>(10).fill("::error"),
    ...Array<string>(10).fill("::warning"),
    "::notice",
  ]);
  expect(many).toContain(
    "::notice title=Access review of an update%3A clinic/prod::1,003 more errors and 1 more warning: " +
      "GitHub shows at most 10 of each level for a step. The job summary has all.\n",
  );
});

test.each([
  ["a line break", "a\nb\r\n::error::c", "a b ::error::c"],
  ["a percent sign", "100%0A::error::x", "100%250A::error::x"],
  ["a command of a log", "a ##[error]b", "a ##\\u{5b}error]b"],
  ["a control character", "a\u001b[2J\u2028b", "a\\u{1b}[2J\\u{2028}b"],
])("a message with %s stays one annotation", (_what, message, shown) => {
  const result = resultOf({
    verdict: verdictOf({ exitCode: 2, violations: [{ rule: "loss", message, reason: "r, s: t" }], allowed: [] }),
  });
  expect(githubText(answerWith(result)).split("\n").slice(1)).toEqual([
    `::error title=Access review of an update%3A clinic/prod%3A loss::${shown}%0AReason: r, s: t`,
    "",
  ]);
});

test("colons, commas and percent signs of a file and a rule do not end a property", () => {
  const violation = { rule: "loss", file: "a,b::c=%.yaml", message: loss, principal: "user:ada@example.com" };
  const result = resultOf({
    refused: [{ step: URN, reason: "no" }],
    sources: { [URN]: { file: "x,line=9::y%.ts", line: 3 } },
    verdict: verdictOf({
      exitCode: 2,
      violations: [
        violation,
        {
          rule: "refused",
          message: "The provider would refuse a step: no",
          finding: { number: 0, kind: "refused", steps: [URN] },
        },
      ],
      allowed: [],
    }),
  });
  const lines = githubText(answerWith(result)).split("\n");
  expect(lines[1]).toMatch(/^::error title=[^:,]*%3A loss of a%2Cb%3A%3Ac=%25\.yaml::user:ada/);
  expect(lines[2]).toMatch(/^::error file=x%2Cline=9%3A%3Ay%25\.ts,line=3,title=/);
});

test("a long message is cut", () => {
  const result = resultOf({
    verdict: verdictOf({ exitCode: 2, violations: [{ rule: "loss", message: "x".repeat(9000) }], allowed: [] }),
  });
  expect(githubText(answerWith(result))).toMatch(/x{2000}… \(7,000 more characters\)\n$/);
});

test("a review with everything has an annotation for each violation", () => {
  expect(githubText(answerWith(busyResult)).match(/^::error /gm)).toHaveLength(
    byEffect(busyResult.verdict).violations.filter(({ rule }) => rule !== "unknown").length,
  );
});
