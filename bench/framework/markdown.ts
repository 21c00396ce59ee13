import type { Figure } from "./measure";
import { describeMachine } from "./machine";
import { valueOf, type Column, type Finished, type Result, type Row, type Table } from "./result";

/** A Markdown table. The first column is aligned to the left, the others to the right. */
export function grid(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = header.map((title, at) => Math.max(title.length, 3, ...lines.map((line) => line[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(header), `| ${rule.join(" | ")} |`, ...lines.map(line)].join("\n");
}

function tableText(table: Table): string {
  const goals = table.rows.some((row) => row.goal !== undefined);
  const header = [table.of, ...table.columns.map((column) => column.title), ...(goals ? ["goal"] : [])];
  const lines = table.rows.map((row) => [
    row.name,
    ...table.columns.map((column) => cell(table, row, column)),
    ...(goals ? [row.goal ?? ""] : []),
  ]);
  return [...(table.title === undefined ? [] : [`${table.title}:`, ""]), grid(header, lines)].join("\n");
}

/** The median; the ends of the spread after it, where there was more than one run and they are not the same. */
function cell(table: Table, row: Row, column: Column): string {
  const value = valueOf(table, row, column);
  if (value === undefined) return "–";
  const digits = column.digits ?? 0;
  const { low, high } = row.figures[column.key] as Figure;
  const [from, to] = [low, high].map((end) => end.toFixed(digits));
  const plain = column.relativeTo === undefined && column.above === undefined;
  return plain && from !== to ? `${value.toFixed(digits)} (${from} to ${to})` : value.toFixed(digits);
}

export function resultText({ title, tables, notes }: Result): string {
  return [`${title}.`, ...tables.map(tableText), ...notes].join("\n\n");
}

/** The part of the document that belongs to a bench. `plots` is the folder of the plots, as seen from the document. */
export function partText(result: Finished, plots: string): string {
  const pictures = result.plots.map(({ name, title }) => `![${title}](${plots}/${name}.svg)`);
  return [resultText(result), ...pictures, `_${describeMachine(result.machine)}_`].join("\n\n");
}
