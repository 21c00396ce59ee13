import type { Figure, Measured } from "./measure";

/** The result of a bench: one table, and what a reader of it must know. */
export interface Result {
  /** One line: what was measured. */
  title: string;
  /** The heading of the first column, which names the rows. */
  of: string;
  columns: readonly Column[];
  rows: readonly Row[];
  /** Such as the reason why a peer could not be built. */
  notes?: readonly string[];
}

export interface Row {
  name: string;
  figures: Measured;
}

/** A column shows the medians of the figure `key`. */
export interface Column {
  key: string;
  title: string;
  /** Digits after the point. */
  digits?: number;
  /** Also shows the ratio to this row, in parentheses. */
  relativeTo?: string;
  /** Subtracts the median of this row first, such as that of an empty stack. */
  above?: string;
}

export interface Bench {
  name: string;
  /** @param quick small numbers, which only show that all works */
  run(quick: boolean): Promise<Result>;
}

/** Rows in the order in which they were measured. */
export const rows = (measured: ReadonlyMap<string, Measured>): Row[] =>
  [...measured].map(([name, figures]) => ({ name, figures }));

/** The result in Markdown. */
export function textOf({ title, of, columns, rows, notes = [] }: Result): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const header = [of, ...columns.map((column) => column.title)];
  const rule = header.map((_, at) => (at === 0 ? "---" : "---:"));
  const lines = rows.map((row) => line([row.name, ...columns.map((column) => cell(rows, row, column))]));
  return [`${title}:`, [line(header), line(rule), ...lines].join("\n"), ...notes].join("\n\n");
}

/** The median and its ratio; without a ratio, the ends of the spread. Empty for what was not measured. */
export function cell(rows: readonly Row[], row: Row, { key, digits = 0, relativeTo, above }: Column): string {
  const figureOf = (name: string | undefined): Figure | undefined =>
    rows.find((each) => each.name === name)?.figures[key];
  const own = row.figures[key];
  const floor = above === undefined ? 0 : figureOf(above)?.median;
  if (own === undefined || floor === undefined || row.name === above) return "";
  const value = (own.median - floor).toFixed(digits);
  if (relativeTo === undefined) {
    const [low, high] = [own.low, own.high].map((end) => (end - floor).toFixed(digits));
    return low === high ? value : `${value} (${low} to ${high})`;
  }
  const base = (figureOf(relativeTo)?.median ?? NaN) - floor;
  return base > 0 ? `${value} (${((own.median - floor) / base).toFixed(2)})` : value;
}
