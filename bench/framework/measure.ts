/** One contender. `run` does the work once, checks the result, and returns its counts. */
export interface Contender {
  name: string;
  run(): Promise<Record<string, number>>;
}

/** The result of several runs: median, minimum, maximum, and number of runs. */
export interface Figure {
  median: number;
  low: number;
  high: number;
  runs: number;
}

/** The figures of one contender by name; `seconds` is added if the contender does not count it. */
export type Measured = Record<string, Figure>;

/**
 * Runs the contenders in turn for a number of rounds. Taking turns spreads other load of the machine evenly, and each round
 * begins with a different contender, so that none is always first.
 */
export async function compare(contenders: readonly Contender[], rounds: number): Promise<Map<string, Measured>> {
  const samples = new Map<string, Record<string, number>[]>(contenders.map(({ name }) => [name, []]));
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

function figures(measured: readonly Record<string, number>[]): Measured {
  const keys = new Set(measured.flatMap((each) => Object.keys(each)));
  return Object.fromEntries(
    [...keys].map((key) => [key, figure(measured.map((each) => each[key]).filter((value) => value !== undefined))]),
  );
}

export function figure(values: readonly number[]): Figure {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const [below = NaN, above = NaN] = [sorted[middle - 1], sorted[middle]];
  return {
    median: sorted.length % 2 === 1 ? above : (below + above) / 2,
    low: sorted[0] ?? NaN,
    high: sorted[sorted.length - 1] ?? NaN,
    runs: sorted.length,
  };
}

/** Figures that are counted or computed once. */
export function counts(values: Record<string, number>): Measured {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, figure([value])]));
}
