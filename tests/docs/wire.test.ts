import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow } from "../../tools/files";

const ROOT = join(__dirname, "../..");
const text = readFileSync(join(ROOT, "docs/wire.md"), "utf8");
const sections = new Set([...text.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number));

/** Each "docs/wire.md section 6" in the code, with its file. */
const citations = ["provider", "emulator"].flatMap((folder) =>
  filesBelow(join(ROOT, folder))
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const path = join(folder, file);
      const lines = readFileSync(join(ROOT, path), "utf8").replaceAll(/\s+\*?\s*/g, " ");
      return [...lines.matchAll(/docs\/wire\.md(?: section (\d+))?/g)].map(([, number]) => ({ path, number }));
    }),
);

test("the code cites only existing sections", () => {
  expect(citations.length).toBeGreaterThan(40);
  expect(citations.filter(({ number }) => number === undefined || !sections.has(number))).toEqual([]);
});

test("each mark of a source is explained and used", () => {
  const marks = (part: string) =>
    new Set([...part.matchAll(/\[([a-z]+|AIP)(?: \w+)?\](?!\()/g)].map(([, mark]) => mark));
  const [explained = "", rest = ""] = text.split(/^\*\*Unconfirmed\*\*/m);
  expect([...marks(rest)].sort()).toEqual([...marks(explained.slice(explained.indexOf("| Mark")))].sort());
});

test("its versions match the discovery documents of the tests", () => {
  const documents = readdirSync(join(ROOT, "tests/wire/discovery"));
  const told = [...text.matchAll(/^\| (\w+) +\| (v\w+) +\|/gm)].map(([, api, version]) => `${api}.${version}.json`);
  expect(told).toHaveLength(6);
  expect(documents).toEqual(expect.arrayContaining(told));
});
