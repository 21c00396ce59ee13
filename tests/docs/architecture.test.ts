import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../..");
const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
const FILE = /`([\w./-]+\.(?:ts|cjs))`/g;
const filesIn = (part: string) => [...new Set([...part.matchAll(FILE)].map(([, file]) => file as string))];

test("every file that it names with a folder exists", () => {
  const files = filesIn(text).filter((each) => each.includes("/") || each.startsWith("."));
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((each) => !existsSync(join(root, each)))).toEqual([]);
});

test("a file that is named without a folder is in the folder which its section names", () => {
  const sections = text.split(/^## /m).map((section) => {
    const names = filesIn(section).filter((each) => !each.includes("/") && !each.startsWith("."));
    const [, folder = "(none)"] = /The files are in `([^`]+)`/.exec(section) ?? [];
    return names.map((name) => join(folder, name));
  });
  expect(sections.flat().length).toBeGreaterThan(3);
  expect(sections.flat().filter((each) => !existsSync(join(root, each)))).toEqual([]);
});
