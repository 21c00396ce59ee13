/**
 * Does work of a size that users may have, and expects it to end within some seconds of the processor's time, which other programs
 * on the machine do not lengthen. What grows with the size takes a tenth of the limit, and what grows with its square many times it.
 */
export function inTime<T>(seconds: number, work: () => T): T {
  const begun = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(begun);
  expect((user + system) / 1e6).toBeLessThan(seconds);
  return result;
}
