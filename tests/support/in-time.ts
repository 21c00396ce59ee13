/**
 * Does work of a size that users may have, and expects it to end in time. What grows with the size takes a tenth of the limit,
 * and what grows with its square many times the limit, so that the speed of the machine makes no difference.
 */
export function inTime<T>(seconds: number, work: () => T): T {
  const begun = performance.now();
  const result = work();
  expect(performance.now() - begun).toBeLessThan(seconds * 1000);
  return result;
}
