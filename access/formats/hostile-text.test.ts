import { answerWith, byEffect, verdictOf, type OneStack } from "../../tests/support/answers";
import fc from "fast-check";
import { hostileResult } from "../../tests/support/review-results";
import { countHere } from "../../tests/support/test-all";
import { elementsIn } from "../../tests/support/xml";
import { logText } from "../result/visible";
import { codeQualityText } from "./code-quality";
import { githubText } from "./github";
import { htmlPage } from "./html";
import { jsonText } from "./json";
import { junitText } from "./junit";
import { markdownText } from "./markdown";
import { sarifText } from "./sarif";
import { terminalText } from "./terminal";

/** Texts that others write (names in policies and plans, messages of servers) must not change the form of an answer. */

const PIECES = [
  ...[
    "a",
    "Ada",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\u0085",
    "\u2028",
    "\u0000",
    "\u200b",
    "\u00ad",
    "\u{e0041}",
    "\ud800",
  ],
  ...["\u001b[2J", "\u001b]0;x\u0007", "\u009b31m", "\u202e", "\u2066", "\ufeff"],
  ...[
    "::error::x",
    "::set-output name=a::b",
    "::",
    ":",
    "##[error]x",
    "##[set-output name=a;]b",
    "##",
    "#",
    "[",
    "##vso[task.complete]",
  ],
  ...["section_start:1:x\r\u001b[0K", "section_end:1:x\r", "::stop-commands::x", "::add-mask::a"],
  ...[
    "-->",
    "<!--",
    "--",
    "<!-- perimeter-review: clinic/prod -->",
    "<details>",
    "</details>",
    "<summary>",
    "</summary>",
  ],
  ...["</title>", "</style>", "<script>", "<img src=x onerror=a()>", "&lt;", "&", "'", '"', "<", ">", "/>"],
  ...[
    "|",
    "\\|",
    "\\",
    "\\\\|",
    "`",
    "``",
    "```",
    "~~~",
    "| a | b |",
    "| --- |",
    "---",
    "===",
    "- ",
    "* ",
    "1. ",
    "### ",
    "> ",
  ],
  ...[
    "@ops",
    "#1",
    "GH-1",
    "https://e.x",
    "www.e.x",
    "[a](b)",
    "![a](b)",
    ":tada:",
    "/close",
    "*a*",
    "_a_",
    "$a$",
    "!1",
    "~b",
  ],
  ...["漢字", "\u{1f600}", "e\u0301", "…", "w".repeat(70)],
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })), { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.join(""))
  // Some lists omit a name that has no visible character.
  .filter((text) => /\p{L}/u.test(text));

/** The text in each place that others write, for each kind of answer. */
function resultsWith(text: string): OneStack[] {
  const base = hostileResult(text);
  const condition = { title: text, description: text, expression: text };
  const resources = base.resources.map((each) => ({
    ...each,
    endpointVariable: text,
    grantModes: [{ mode: "replace" as const, variable: text }],
    accessLeftUnknown: [],
    noAccessLeft: [`${text} alone`],
    inherited: [{ principal: text, role: text, condition, from: text }],
    unreadAbove: [text],
    after: (each.after ?? []).map((binding) => ({ ...binding, expires: { state: "unknown" as const, unread: text } })),
  }));
  // The lines of a refusal stay lines.
  const refused = base.refused.map((each) => ({ ...each, reason: text.replaceAll(/\r?\n/g, " ") }));
  const warnings = [{ rule: text, message: text }];
  const verdict = verdictOf({ ...byEffect(base.verdict), warnings, rules: text });
  return (["update", "access"] as const).map((operation) => ({ ...base, operation, resources, refused, verdict }));
}

const RUNS = countHere("texts of each form", 15, 100);
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Commands in the logs of GitHub (at the beginning of a line, or anywhere in one), Azure and TeamCity. */
const COMMAND = /^\s*::|##\w*\[/m;

function expectPlain(text: string): void {
  expect(INVISIBLE.exec(text.replaceAll(/[\n\t]/g, ""))).toBeNull();
  expect(COMMAND.exec(text)).toBeNull();
}

/** Checks that an answer has the same form with each text as with an ordinary word. */
function sameForm(form: (result: OneStack) => unknown): void {
  const ordinary = resultsWith("word").map(form);
  const property = fc.property(hostile, (text) => expect(resultsWith(text).map(form)).toEqual(ordinary));
  fc.assert(property, { numRuns: RUNS });
}

describe("a text of others", () => {
  test("adds no line, control character or command to a terminal", () => {
    sameForm((result) => {
      for (const width of [20, 60, 200]) expectPlain(terminalText(answerWith(result), { width, color: false }));
      // Headlines and titles begin at the edge.
      const wide = terminalText(answerWith(result), { width: 300, color: false }).split("\n");
      return wide.filter((line) => /^\S/.test(line)).length;
    });
  });

  test("adds no line, table cell or markup to Markdown", () => {
    sameForm((result) => {
      const text = markdownText(answerWith(result));
      expectPlain(text);
      const [marker = "", ...lines] = text.split("\n");
      expect(marker).toMatch(/^<!-- [\w-]+: [\w./%-]+ -->$/);
      return lines.map((line) => {
        const outside = withoutCode(line);
        const cells = line.startsWith("|") ? line.match(/(?<!\\)\|/g)?.length : 0;
        expect(line.startsWith("|") && /\\\\\|/.test(line)).toBe(false);
        return [
          cells,
          outside.match(/[<>[\]@*_~#!$\\]/g)?.join(""),
          /^(?:- |### |\*\*|<\/?details>|\|)?/.exec(outside)?.[0],
        ];
      });
    });
  });

  test("adds no element and no attribute to HTML", () => {
    sameForm((result) => {
      const html = htmlPage(answerWith(result)).replaceAll("<wbr>", "");
      expectPlain(html);
      return [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/"[^"]*"/g, '""'));
    });
  });

  test("adds no element, attribute or forbidden character to JUnit XML", () => {
    sameForm((result) => {
      const xml = junitText(answerWith(result));
      expectPlain(xml);
      return elementsIn(xml);
    });
  });

  test("adds no property, link or placeholder to SARIF", () => {
    sameForm((result) => {
      const text = sarifText(answerWith(result));
      expectPlain(text);
      expect(text).not.toMatch(/"text": ".*(?:\]\(|(?<!\{)\{\d+\})/);
      return text.split("\n").map((line) => line.replace(/: ".*"(,?)$/, ': ""$1'));
    });
  });

  test("adds no annotation and no property to the commands of GitHub", () => {
    sameForm((result) => {
      const [headline = "", ...commands] = githubText(answerWith(result)).split("\n");
      expectPlain(headline);
      return commands.map((line) => {
        const [, name, properties = "", message = ""] = /^::(\w+) (.*?)::(.*)$/.exec(line) ?? [];
        // Only a line that begins with the marks of a command is one.
        expectPlain(`message: ${message}`);
        return [name, properties.split(",").map((each) => each.split("=")[0])];
      });
    });
  });

  test("adds no property to the code quality of GitLab", () => {
    sameForm((result) => {
      const text = codeQualityText(answerWith(result));
      expectPlain(text);
      return text.split("\n").map((line) => line.replace(/: ".*"(,?)$/, ': ""$1'));
    });
  });

  test("stays the same in JSON, and adds no control character or command to its bytes", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const result of resultsWith(text)) {
          expectPlain(jsonText(answerWith(result)));
          expect(JSON.parse(jsonText(answerWith(result)))).toEqual(JSON.parse(JSON.stringify(answerWith(result))));
        }
      }),
      { numRuns: RUNS },
    );
  });

  test("adds no control character or command to a message", () => {
    fc.assert(fc.property(hostile, (text) => expectPlain(logText(`error: ${text}\n${text}\n`))));
    expect(logText("error: a\n  b\n\n::error::c\r\nd\n")).toBe("error: a\n  b\n\n\\u{3a}:error::c\nd\n");
  });
});

/**
 * The line without its code spans. As in CommonMark, a code span goes from a run of backticks to the next run of the same length.
 */
function withoutCode(line: string): string {
  const open = /`+/.exec(line);
  if (!open) return line;
  const rest = line.slice(open.index + open[0].length);
  const close = [...rest.matchAll(/`+/g)].find(([run]) => run.length === open[0].length);
  expect(close).toBeDefined();
  return line.slice(0, open.index) + withoutCode(rest.slice((close?.index ?? 0) + open[0].length));
}
