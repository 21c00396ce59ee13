/** The Makefile works with GNU make 3.81, the one of macOS, which is not to be had here: what it lacks is not used. */
import * as fs from "node:fs";
import * as path from "node:path";

const text = fs.readFileSync(path.join(__dirname, "../../Makefile"), "utf8");

/** What came later, by make's NEWS: each would be taken for something else, without an error. */
const NEWER: Array<[string, RegExp]> = [
  ["3.82: .SHELLFLAGS, .ONESHELL and .RECIPEPREFIX", /^\.?(SHELLFLAGS|ONESHELL|RECIPEPREFIX)\b/m],
  [
    "3.82: undefine, private and export for a target, define with an operator",
    /^(undefine|private)\b|: *(export|private) \w+ *:?=|^define \S+ *[:+?]?=/m,
  ],
  ["4.0: != and ::=", /^[\w.]+ *(!|::)=/m],
  ["4.0: $(file), $(guile)", /\$[({](file|guile) /],
  ["4.2: .SHELLSTATUS", /\.SHELLSTATUS/],
  ["4.3: grouped targets, .EXTRA_PREREQS", /&:|\.EXTRA_PREREQS/],
  ["4.4: $(let), $(intcmp), .NOTINTERMEDIATE, .WAIT", /\$[({](let|intcmp) |\.NOTINTERMEDIATE|\.WAIT/],
];

test.each(NEWER)("nothing of make %s", (_what, pattern) => expect(text).not.toMatch(pattern));

/** Recipes, a line as the shell gets it, without what a command's arguments and loops hold. */
const recipes = text
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => line.startsWith("\t"))
  .map((line) => line.slice(1).replaceAll(/'[^']*'|"[^"]*"/g, '""'));

/** Without `set -e`, `a; b` goes on after `a` failed, and without `pipefail` so does `a | b`. */
test("no line continues after a failure", () => {
  expect(recipes.length).toBeGreaterThan(20);
  const careless = recipes
    // Keywords of the shell stand behind a semicolon; what comes before `exit` or the end has done its work.
    .map((line) => line.replaceAll(/;\s*(then|else|elif|fi|do|done|exit|\})(?=\s|;|$)/g, " $1"))
    .map((line) => line.replaceAll(/(exit \d);/g, "$1"))
    .filter((line) => line.includes(";"));
  expect(careless).toEqual([]);
});
