import { figure } from "../../bench/framework/measure";
import { EMPTY, GO_PEER, PLUGIN } from "../../bench/framework/names";
import { cell, textOf, type Row } from "../../bench/framework/table";

const row = (name: string, ...seconds: number[]): Row => ({ name, figures: { up: figure(seconds) } });
const rows = [row(EMPTY, 2, 1, 3), row(GO_PEER, 12, 14), row(PLUGIN, 18)];

test("a table shows medians with their spread, or with their ratio above the floor", () => {
  const spread = { key: "up", title: "s", digits: 1 };
  const ratio = { key: "up", title: "s (× Go)", above: EMPTY, relativeTo: GO_PEER };
  const text = textOf({ title: "Made up", of: "front", columns: [spread, ratio], rows, notes: ["A note."] });
  expect(text.split("\n").slice(2)).toEqual([
    "| front | s | s (× Go) |",
    "| --- | ---: | ---: |",
    `| ${EMPTY} | 2.0 (1.0 to 3.0) |  |`,
    `| ${GO_PEER} | 13.0 (12.0 to 14.0) | 11 (1.00) |`,
    `| ${PLUGIN} | 18.0 | 16 (1.45) |`,
    "",
    "A note.",
  ]);
});

test("a cell has no ratio if the peer was not measured, and is empty if the row was not", () => {
  const [, , plugin = row(PLUGIN)] = rows;
  expect(cell([plugin], plugin, { key: "up", title: "s", relativeTo: GO_PEER })).toBe("18");
  expect(cell(rows, plugin, { key: "cpu", title: "s" })).toBe("");
});
