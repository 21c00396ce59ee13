import { loadavg } from "node:os";

/** One of the things to compare. `run` does the work once and returns what it counted, such as `{requests: 12}`. */
export interface Contender {
  name: string;
  run(): Promise<Record<string, number>>;
}

/** The medians of what the rounds counted, and of their duration in `seconds`. */
export type Measured = Record<string, number>;

/**
 * Runs the contenders in turn for a number of rounds and returns medians. Taking turns spreads the machine's other load
 * evenly over all of them.
 */
export async function compare(contenders: readonly Contender[], rounds: number): Promise<Map<string, Measured>> {
  const samples = new Map<string, Measured[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of contenders) {
      const began = performance.now();
      const counted = await run();
      samples.get(name)?.push({ ...counted, seconds: (performance.now() - began) / 1000 });
    }
  }
  return new Map([...samples].map(([name, measured]) => [name, medians(measured)]));
}

function medians(measured: readonly Measured[]): Measured {
  const keys = Object.keys(measured[0] ?? {});
  return Object.fromEntries(keys.map((key) => [key, median(measured.map((each) => each[key] as number))]));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[middle - 1] ?? NaN, sorted[middle] ?? NaN];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** A Markdown table. The first column is aligned to the left, the others to the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, at) => Math.max(title.length, 3, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(header), line(rule), ...rows.map(line)].join("\n");
}

/** What a reader of the numbers must know of the machine. */
export function machine(): string {
  return `Node ${process.versions.node}, load ${loadavg()[0]?.toFixed(1)}`;
}
