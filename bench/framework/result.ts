import type { Measured } from "./measure";
import type { Machine } from "./machine";

/** The result of a bench. It is JSON, so documents can be rewritten without measuring again. */
export interface Result {
  /** One line: what was measured and in which unit. */
  title: string;
  tables: Table[];
  plots: Plot[];
  /** Notes next to the figures, for example about a peer that could not be built. */
  notes: string[];
}

export interface Table {
  title?: string;
  /** The heading of the first column, which names the rows. */
  of: string;
  columns: Column[];
  rows: Row[];
}

export interface Row {
  name: string;
  figures: Measured;
  /** The goal for the figures, as shown in the documents. */
  goal?: string;
}

/** A column shows the figure `key`, or its ratio to another row. */
export interface Column {
  key: string;
  title: string;
  /** Digits after the point. */
  digits?: number;
  /** Show the ratio to the median of this row. */
  relativeTo?: string;
  /** Subtract the median of this row (such as an empty stack) from both sides first. */
  above?: string;
}

export type Plot = BarPlot | LinePlot;

interface PlotBase {
  /** The file's name, without `.svg`. */
  name: string;
  title: string;
}

/** One bar for each row of a table, as long as the median; a thin line shows the spread. */
export interface BarPlot extends PlotBase {
  kind: "bars";
  unit: string;
  bars: { name: string; value: number; low: number; high: number }[];
}

export interface LinePlot extends PlotBase {
  kind: "lines";
  x: string;
  y: string;
  series: { name: string; points: [x: number, y: number][] }[];
}

export interface Bench {
  name: string;
  run(options: BenchOptions): Promise<Result>;
}

export interface BenchOptions {
  /** Small numbers: shows that everything works, in under two minutes for all benches. */
  quick: boolean;
}

/** The entry of a bench in `results.json`. */
export interface Finished extends Result {
  machine: Machine;
}

/** Bars of one figure of a table's rows. */
export function bars(name: string, title: string, unit: string, rows: readonly Row[], key: string): BarPlot {
  const shown = rows.flatMap(({ name: row, figures }) => {
    const found = figures[key];
    return found ? [{ name: row, value: found.median, low: found.low, high: found.high }] : [];
  });
  return { kind: "bars", name, title, unit, bars: shown };
}

/** Rows in the order in which they were measured. */
export function rows(measured: ReadonlyMap<string, Measured>, goals: Record<string, string> = {}): Row[] {
  return [...measured].map(([name, figures]) => ({
    name,
    figures,
    ...(goals[name] !== undefined && { goal: goals[name] }),
  }));
}

/** The value of a column in a row; undefined where it was not measured. */
export function valueOf(table: Pick<Table, "rows">, row: Row, { key, relativeTo, above }: Column): number | undefined {
  const median = (name: string) => table.rows.find((each) => each.name === name)?.figures[key]?.median;
  const floor = above === undefined ? 0 : median(above);
  const own = row.figures[key]?.median;
  if (own === undefined || floor === undefined || row.name === above) return undefined;
  if (relativeTo === undefined) return own - floor;
  const base = median(relativeTo);
  return base === undefined || base - floor <= 0 ? undefined : (own - floor) / (base - floor);
}

/** Removes figures without a column: benches that share a measurement also get each other's figures. */
export function shownOnly(result: Result): Result {
  const tables = result.tables.map((table) => {
    const keys = new Set(table.columns.map(({ key }) => key));
    const only = (row: Row): Row => ({
      ...row,
      figures: Object.fromEntries(Object.entries(row.figures).filter(([key]) => keys.has(key))),
    });
    return { ...table, rows: table.rows.map(only) };
  });
  return { ...result, tables };
}
