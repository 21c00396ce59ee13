/**
 * The pictures of terminals show what the commands print. docs/review.md's session is what `perimeter review` prints
 * (review.test.ts runs it); snippets/quick-start.test.ts compares the other picture.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { REVIEW } from "../../tools/pictures/scenes";
import { terminalSvg, textOfPicture } from "../../tools/pictures/terminal-svg";
import { repositoryRoot } from "../support/engine";
import { snippetsOf } from "../support/snippets";

test("the picture of a review is the session that docs/review.md shows", () => {
  const picture = textOfPicture(fs.readFileSync(path.join(repositoryRoot, "docs/images/terminal-review.svg"), "utf8"));
  const [session] = snippetsOf(repositoryRoot).snippets.filter(
    ({ page, kind }) => page === "docs/review.md" && kind === "session",
  );
  const [, count] = /head -n (\d+)$/.exec(REVIEW) ?? [];
  const shown = session?.text.split("\n").slice(1, Number(count) + 1);
  expect(picture.split("\n")).toEqual([`$ ${REVIEW}`, ...(shown ?? [])]);
});

describe("a picture", () => {
  test("has the text with its blanks and signs, without what only a terminal reads", () => {
    expect(textOfPicture(terminalSvg("a < b", "  \x1b[1m\x1b[38;5;2m+ x\x1b[0m & y\n\nz\n", 80))).toBe(
      "$ a < b\n  + x & y\n\nz",
    );
  });

  test("wraps lines at the terminal's width, and goes on in their colour", () => {
    const svg = terminalSvg("c", "\x1b[31mabcdef\x1b[0m", 4);
    expect(textOfPicture(svg)).toBe("$ c\nabcd\nef");
    expect(svg.match(/fill="#f2777a">(abcd|ef)</g)).toHaveLength(2);
  });
});
