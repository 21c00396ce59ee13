/**
 * What `make test-all` runs and `make test` leaves out: more cases of a behavior that `make test` checks with at least one case.
 * A test that is left out counts as skipped, so the last lines of a run say how many there were.
 */
import { skipped } from "./skipped";

/** Set by `make test-all` (Makefile). */
const runsAll = process.env.PERIMETER_TESTS === "all";

/** tools/closing-line-reporter.cjs knows this reason. */
const LEFT_OUT = "only `make test-all` runs it";

/** Why a test of `make test-all` does not run; undefined in `make test-all`. */
export const leftOut: string | undefined = runsAll ? undefined : LEFT_OUT;

/** A test that only `make test-all` runs. */
export function testInAll(name: string, work: () => unknown, timeoutMs?: number): void {
  if (runsAll) test(name, work as () => Promise<unknown>, timeoutMs);
  else test.skip(`${name}${skipped(LEFT_OUT)}`, () => undefined);
}

/** Tests that only `make test-all` runs. `make test` does not run `define` and counts one skipped test. */
export function describeInAll(name: string, define: () => void): void {
  if (runsAll) describe(name, define);
  else test.skip(`${name}${skipped(LEFT_OUT)}`, () => undefined);
}

/**
 * The cases that this run has: all in `make test-all`, otherwise those of `isHere`. Each other one counts as a skipped test.
 *
 * @param nameOf the name of a case for the report of the run
 */
export function casesHere<T>(
  cases: readonly T[],
  isHere: (one: T, index: number) => boolean,
  nameOf: (one: T) => string = String,
): T[] {
  if (runsAll) return [...cases];
  for (const each of cases.filter((one, index) => !isHere(one, index))) {
    test.skip(`${nameOf(each)}${skipped(LEFT_OUT)}`, () => undefined);
  }
  return cases.filter(isHere);
}

/** Counts a skipped test for what a suite chooses while it runs. */
export function noteLeftOut(name: string): void {
  if (!runsAll) test.skip(`${name}${skipped(LEFT_OUT)}`, () => undefined);
}

/** How many random cases this run has. The difference counts as one skipped test. */
export function countHere(name: string, here: number, all: number): number {
  noteLeftOut(`${name}: ${all - here} more random cases`);
  return runsAll ? all : here;
}
