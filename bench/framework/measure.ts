/** What one run counted. Undefined is what the system does not report. */
export type Counts = Record<string, number | undefined>;

/** One contender. `run` does the work once, checks the result, and returns its counts. */
export interface Contender {
  name: string;
  run(): Promise<Counts>;
}

/** The result of several runs: median, minimum and maximum. */
export interface Figure {
  median: number;
  low: number;
  high: number;
}

/** The figures of one contender by name; `seconds` is added if the contender does not count it. */
export type Measured = Record<string, Figure>;

/**
 * Runs the contenders in turn for a number of rounds. Taking turns spreads other load of the machine evenly, and each round
 * begins with a different contender, so that none is always first.
 */
export async function compare(contenders: readonly Contender[], rounds: number): Promise<Map<string, Measured>> {
  const samples = new Map<string, Counts[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const first = round % contenders.length;
    for (const { name, run } of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const began = performance.now();
      const counted = await run();
      samples.get(name)?.push({ seconds: (performance.now() - began) / 1000, ...counted });
    }
  }
  return new Map([...samples].map(([name, measured]) => [name, figures(measured)]));
}

function figures(measured: readonly Counts[]): Measured {
  const keys = [...new Set(measured.flatMap((each) => Object.keys(each)))];
  const found = keys.map((key) => [key, measured.flatMap((each) => each[key] ?? [])] as const);
  return Object.fromEntries(found.flatMap(([key, values]) => (values.length === 0 ? [] : [[key, figure(values)]])));
}

export function figure(values: readonly number[]): Figure {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const [below = NaN, above = NaN] = [sorted[middle - 1], sorted[middle]];
  return {
    median: sorted.length % 2 === 1 ? above : (below + above) / 2,
    low: sorted[0] ?? NaN,
    high: sorted[sorted.length - 1] ?? NaN,
  };
}

/** Figures that are counted or computed once. */
export const counts = (values: Counts): Measured => figures([values]);
