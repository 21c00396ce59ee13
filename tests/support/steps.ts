import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** Loads a module by its path from the root of the repository. */
export type Load = <T>(path: string) => T;

/**
 * Counts the steps of work of several sizes: each call of a function, each turn of a loop. The counts are the same on every
 * machine. They have no steps of what the runtime does itself, such as those of a regular expression.
 *
 * @param prepare returns the work. It runs in a thread of its own, because V8 counts only in code that is compiled after the
 *   count starts. So it can use nothing from around it.
 */
export async function stepsOf<Size>(
  prepare: (load: Load) => (size: Size) => unknown,
  sizes: readonly [Size, ...Size[]],
): Promise<number[]> {
  const worker = new Worker(`(${count.toString()})(${prepare.toString()}, ${JSON.stringify(sizes)})`, {
    eval: true,
    execArgv: ["-r", "./tools/register.cjs"],
  });
  try {
    const [counts] = (await once(worker, "message")) as [number[]];
    return counts;
  } finally {
    await worker.terminate();
  }
}

/** How many times as many steps the work takes for four times the size: 4 if they grow with the size, 16 with its square. */
export async function growthOf(prepare: (load: Load) => (size: number) => unknown, size: number): Promise<number> {
  const [small = NaN, large = NaN] = await stepsOf(prepare, [size, 4 * size]);
  return large / small;
}

/** What the thread does. */
function count<Size>(prepare: (load: Load) => (size: Size) => unknown, sizes: readonly [Size, ...Size[]]): void {
  /* eslint-disable @typescript-eslint/no-require-imports -- This text is a script. */
  const { Session } = require("node:inspector") as typeof import("node:inspector");
  const { parentPort } = require("node:worker_threads") as typeof import("node:worker_threads");
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  /** The steps since the last call. */
  const taken = (): number => {
    let steps = 0;
    session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error) throw error;
      const ranges = result.flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
      steps = ranges.reduce((sum, range) => sum + range.count, 0);
    });
    return steps;
  };
  const work = prepare((path) => require(`${process.cwd()}/${path}`) as never);
  // What is loaded and kept at the first use does not count.
  work(sizes[0]);
  parentPort?.postMessage(
    sizes.map((size) => {
      taken();
      work(size);
      return taken();
    }),
  );
}
