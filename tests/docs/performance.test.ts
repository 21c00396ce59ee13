import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENT, filledIn, FOLDER, readResults } from "../../bench/framework/documents";
import { figure } from "../../bench/framework/measure";
import { EMPTY, GO_PEER, PLUGIN } from "../../bench/framework/names";
import { bars, valueOf, type Finished, type Row } from "../../bench/framework/result";
import { svg } from "../../bench/framework/svg";

const root = join(__dirname, "../..");
const document = readFileSync(DOCUMENT, "utf8");

const row = (name: string, ...seconds: number[]): Row => ({ name, figures: { up: figure(seconds) } });
const rows = [row(EMPTY, 2, 1, 3), row(GO_PEER, 12, 14), row(PLUGIN, 18)];
const finished: Finished = {
  title: "Made up",
  tables: [
    {
      of: "front",
      columns: [
        { key: "up", title: "s", digits: 1 },
        { key: "up", title: "×", digits: 2, above: EMPTY, relativeTo: GO_PEER },
      ],
      rows,
    },
  ],
  plots: [bars("up", "up <of> all", "s", rows, "up")],
  notes: ["A note."],
  machine: {
    processor: "P",
    cores: 2,
    memoryGb: 4,
    system: "linux x64",
    node: "20.0.0",
    load: [0.1, 3],
    date: "2026-01-01",
    commit: "commit 0",
  },
};

describe("docs/performance.md", () => {
  test("matches results.json, and shows its plots", () => {
    const results = readResults();
    expect(filledIn(document, results)).toBe(document);
    const plots = Object.values(results).flatMap((result) => result.plots);
    for (const plot of plots) expect(readFileSync(join(FOLDER, `${plot.name}.svg`), "utf8")).toBe(svg(plot));
    const files = readdirSync(FOLDER).filter((name) => name.endsWith(".svg"));
    expect(files.sort()).toEqual(plots.map(({ name }) => `${name}.svg`).sort());
  });

  test("has a part for each bench, and each bench has a file", () => {
    const main = readFileSync(join(root, "bench", "main.ts"), "utf8");
    const imported = [...main.matchAll(/from "\.\/([\w-]+)"/g)].map(([, name]) => name as string).sort();
    const parts = [...document.matchAll(/<!-- bench: ([\w-]+) -->/g)].map(([, name]) => name as string);
    expect(parts.filter((name) => name !== "summary").sort()).toEqual(imported);
    expect(imported.filter((name) => !existsSync(join(root, "bench", `${name}.ts`)))).toEqual([]);
  });

  test("shows medians, their spread, ratios and the machine", () => {
    const filled = filledIn("<!-- bench: up -->\n<!-- bench end -->\n", { up: finished });
    expect(filled).toContain(" 2.0 (1.0 to 3.0) |");
    expect(filled).toMatch(/plugin on Node\.js +\| +18\.0 \| +1\.45 \|/);
    expect(filled).toContain("![up <of> all](performance/up.svg)");
    expect(filled).toContain("A note.");
    expect(filled).toContain("2 × P, 4 GB, linux x64, Node 20.0.0; load 0.1 before and 3 after.");
  });

  test("a result without a part in the document is an error", () => {
    expect(() => filledIn("nothing", { up: finished })).toThrow("no mark for up");
  });
});

test("a ratio compares medians above the floor, and is missing if one was not measured", () => {
  const column = { key: "up", title: "×", above: EMPTY, relativeTo: GO_PEER };
  const [, , plugin = row(PLUGIN)] = rows;
  expect(valueOf({ rows }, plugin, column)).toBeCloseTo(16 / 11);
  expect(valueOf({ rows: [plugin] }, plugin, column)).toBeUndefined();
});

test("a plot is valid XML for any title", () => {
  expect(svg(finished.plots[0]!)).toContain("up &#60;of&#62; all");
});
