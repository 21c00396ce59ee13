/** The pictures of terminals show the output of commands. */
import * as fs from "node:fs";
import * as path from "node:path";
import { ICON } from "../../emulator/console/answer";
import { packageSchema } from "../../tools/schema";
import { REVIEW } from "../../tools/pictures/scenes";
import { terminalSvg, textOfPicture } from "../../tools/pictures/terminal-svg";
import { repositoryRoot } from "../support/engine";
import { snippetsOf } from "../support/snippets";

test("the picture of a review shows the session in docs/review.md", () => {
  const picture = textOfPicture(fs.readFileSync(path.join(repositoryRoot, "docs/images/terminal-review.svg"), "utf8"));
  const [session] = snippetsOf(repositoryRoot).snippets.filter(
    ({ page, kind }) => page === "docs/review.md" && kind === "session",
  );
  const [, count] = /head -n (\d+)$/.exec(REVIEW) ?? [];
  const shown = session?.text.split("\n").slice(1, Number(count) + 1);
  expect(picture.split("\n")).toEqual([`$ ${REVIEW}`, ...(shown ?? [])]);
});

test("the logo is in the console's tab, and the schema names it in the repository", () => {
  const logo = "docs/images/logo.svg";
  expect(fs.readFileSync(path.join(repositoryRoot, logo), "utf8")).toBe(ICON);
  const { logoUrl, repository, version } = packageSchema();
  expect(logoUrl).toBe(`${repository}/raw/v${version}/${logo}`);
});

describe("a picture", () => {
  test("has the text with spaces and special characters, without escape sequences", () => {
    expect(textOfPicture(terminalSvg("a < b", "  \x1b[1m\x1b[38;5;2m+ x\x1b[0m & y\n\nz\n", 80))).toBe(
      "$ a < b\n  + x & y\n\nz",
    );
  });

  test("wraps lines at the terminal's width, and keeps their color", () => {
    const svg = terminalSvg("c", "\x1b[31mabcdef\x1b[0m", 4);
    expect(textOfPicture(svg)).toBe("$ c\nabcd\nef");
    expect(svg.match(/fill="#f2777a">(abcd|ef)</g)).toHaveLength(2);
  });
});
