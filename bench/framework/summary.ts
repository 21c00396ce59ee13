import { grid } from "./markdown";
import { before, DYNAMIC, EMPTY, EXECUTABLE, GO_PEER, PLUGIN, STOCK_PEER } from "./names";
import { valueOf, type Finished } from "./result";

/** The table at the beginning of the document: one line for each measure that matters to a user, from all benches. */

interface Measure {
  title: string;
  bench: string;
  key: string;
  digits: number;
  above?: string;
  /** False if the ratio to the Go plugin is not meaningful. */
  ratio?: false;
}

const MEASURES: readonly Measure[] = [
  { title: "start, spawn to Configure answered, ms", bench: "startup", key: "configured", digits: 0 },
  { title: "memory after Configure, MB", bench: "startup", key: "memory", digits: 0 },
  { title: "`up` above the empty stack, s", bench: "up", key: "up", digits: 1, above: EMPTY },
  { title: "preview above the empty stack, s", bench: "preview", key: "preview", digits: 1, above: EMPTY },
  { title: "processor time of the whole `up`, s", bench: "cpu", key: "upCpu", digits: 1 },
  { title: "most memory of the provider in `up`, MB", bench: "memory", key: "peak", digits: 0 },
  { title: "state of a resource, bytes", bench: "state", key: "state", digits: 0, ratio: false },
  { title: "download, packed, MB", bench: "download", key: "packed", digits: 1, ratio: false },
];
const SHOWN = [GO_PEER, PLUGIN, EXECUTABLE, DYNAMIC, STOCK_PEER];

export function summaryText(results: Record<string, Finished>): string | undefined {
  const names = SHOWN.flatMap((name) => [name, before(name)]);
  const lines = MEASURES.flatMap((measure) => {
    const table = results[measure.bench]?.tables[0];
    if (!table) return [];
    return [new Map(names.map((name) => [name, cell(table, name, measure)])).set("", measure.title)];
  });
  if (lines.length === 0) return undefined;
  const columns = names.filter((name) => lines.some((line) => line.get(name) !== ""));
  return grid(
    ["measure", ...columns],
    lines.map((line) => ["", ...columns].map((name) => line.get(name) ?? "")),
  );
}

function cell(table: Finished["tables"][number], name: string, measure: Measure): string {
  const row = table.rows.find((each) => each.name === name);
  const column = { ...measure, title: "" };
  const value = row && valueOf(table, row, column);
  if (!row || value === undefined) return "";
  const ratio = measure.ratio === false ? undefined : valueOf(table, row, { ...column, relativeTo: GO_PEER });
  return `${value.toFixed(measure.digits)}${ratio === undefined ? "" : ` (${ratio.toFixed(2)})`}`;
}
