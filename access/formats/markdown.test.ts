import { answerWith } from "../../tests/support/answers";
import { busyResult, HOSTILE_TEXT, hostileResult, largeResult, quietResult } from "../../tests/support/review-results";
import { code, markdownText, sentence } from "./markdown";

describe("Markdown", () => {
  test("begins with the same line for each review of a stack, and is always the same for the same result", () => {
    expect(markdownText(answerWith(busyResult))).toMatch(
      /^<!-- perimeter-review: clinic\/prod -->\n### Access review: 3 principals/,
    );
    expect(markdownText(answerWith(quietResult))).toMatch(/^<!-- perimeter-review: clinic\/prod -->\n/);
    expect(markdownText(answerWith(structuredClone(busyResult)))).toBe(markdownText(answerWith(busyResult)));
    const backwards = <T>(list: readonly T[]): T[] => [...list].reverse();
    const reversed = {
      ...busyResult,
      resources: backwards(busyResult.resources).map((each) => ({
        ...each,
        changes: backwards(each.changes),
        unmanaged: backwards(each.unmanaged),
      })),
    };
    expect(markdownText(answerWith(reversed))).toBe(markdownText(answerWith(busyResult)));
  });

  test("who has access now begins with another line than a review of the stack", () => {
    expect(markdownText(answerWith({ ...busyResult, operation: "access" }))).toMatch(
      /^<!-- perimeter-access: clinic\/prod -->\n/,
    );
    expect(markdownText(answerWith({ ...busyResult, operation: "destroy" }))).toMatch(
      /^<!-- perimeter-review: clinic\/prod -->\n/,
    );
  });

  test("has a row for each change, and folds all other facts", () => {
    const text = markdownText(answerWith(busyResult));
    expect(text).toContain(
      "\n| Change | Principal | Role | Resource | Condition |\n| --- | --- | --- | --- | --- |\n| − loses, **no access left** | `user:ada@example.com` |",
    );
    expect(text.match(/^\| [−+~] /gm)).toHaveLength(6);
    expect(text).toContain(
      "`“until the migration is over”, before 2027-01-01 00:00 UTC → before 2028-01-01 00:00 UTC`",
    );
    expect(text.match(/<details><summary>/g)).toHaveLength(
      text.match(/\n\n<\/details>\n|\n<\/details>\n/g)?.length ?? 0,
    );
    expect(text).toContain("<summary>Unknown (2)</summary>\n\n- ");
  });

  test("shows names with characters of Markdown only in code spans", () => {
    const text = markdownText(answerWith(hostileResult(HOSTILE_TEXT)));
    const [marker = "", ...lines] = text.split("\n");
    expect(marker.match(/-->/g)).toHaveLength(1);
    const outside = lines.map((line) => withoutCode(line)).join("\n");
    expect(outside).not.toMatch(/@|#1|https:|www\.|<img|<\/style|\]\(|\\/);
    expect(outside.match(/<\/details>/g)).toHaveLength(outside.match(/<details>/g)?.length ?? 0);
    for (const row of lines.filter((line) => line.startsWith("|"))) {
      expect(row.match(/(?<!\\)\|/g)).toHaveLength(6);
      // A pipe after an escaped backslash would end the cell.
      expect(row).not.toMatch(/\\\\\|/);
    }
  });

  test.each([
    ["a", "`a`"],
    ["a`b", "``a`b``"],
    ["``", "``` `` ```"],
    ["", "`  `"],
    ["@ops", "`@ops`"],
  ])("the code span of %s is %s", (text, expected) => expect(code(text)).toBe(expected));

  test("sentences show technical words as code, without their punctuation", () => {
    expect(sentence("tell @ops, or see https://a.b (#12) in abcdef1 at 10:30.")).toBe(
      "tell `@ops`, or see `https://a.b` `(#12)` in `abcdef1` at 10:30.",
    );
    expect(sentence("- /close :tada: *x*")).toBe("`-` `/close` `:tada:` `*x*`");
  });

  test.each([largeResult(2000), hostileResult("|`@".repeat(20_000)), hostileResult("\u{1f600}".repeat(40_000))])(
    "stays below what GitHub takes, and says how much is left out",
    (result) => {
      const text = markdownText(answerWith(result));
      expect(text.length).toBeLessThan(65_536);
      expect(text).toMatch(/^[\d,]+ entr(y is|ies are) left out here: `--format json` has all\.$/m);
    },
  );
});

/**
 * Removes the code spans from a line. As in CommonMark, a code span goes from a run of backticks to the next run of the same
 * length.
 */
function withoutCode(line: string): string {
  const open = /`+/.exec(line);
  if (!open) {
    return line;
  }
  const rest = line.slice(open.index + open[0].length);
  const close = [...rest.matchAll(/`+/g)].find(([run]) => run.length === open[0].length);
  expect(close).toBeDefined();
  return line.slice(0, open.index) + withoutCode(rest.slice((close?.index ?? 0) + open[0].length));
}
