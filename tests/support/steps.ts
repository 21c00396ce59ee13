import { Session } from "node:inspector";

/** Coverage counts only in functions that are compiled after it starts, so it starts when a suite loads this module. */
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/**
 * Counts the steps of some work: each call of a function, each turn of a loop. The count is the same on every machine. It
 * has no steps of what the runtime does itself, such as those of a regular expression.
 */
export function stepsOf(work: () => unknown): number {
  taken();
  work();
  return taken();
}

/** How many times as many steps the work takes for four times the size: 4 if they grow with the size, 16 with its square. */
export function growthOf(work: (size: number) => unknown, size: number): number {
  return stepsOf(() => work(4 * size)) / stepsOf(() => work(size));
}

/** The steps since the last call. */
function taken(): number {
  let steps = 0;
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error) throw error;
    const ranges = result.flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
    steps = ranges.reduce((sum, { count }) => sum + count, 0);
  });
  return steps;
}
