/** The first three numbers of a version or a range: `v3.250.0-dev` is [3, 250, 0], `>=22` is [22, 0, 0]. */
function numbersOf(version: string): [number, number, number] {
  const [, major = "0", minor = "0", patch = "0"] = /(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version) ?? [];
  return [Number(major), Number(minor), Number(patch)];
}

/** The lowest version of a range with one lower bound: `>=20.19.0`, `^3.142.0`. */
export function lowestOf(range: string): string {
  return numbersOf(range).join(".");
}

/** True when a version is equal or newer. */
export function isAtLeast(version: string, lowest: string): boolean {
  const [found, needed] = [numbersOf(version), numbersOf(lowest)];
  const differing = found.findIndex((each, index) => each !== needed[index]);
  return differing === -1 || (found[differing] ?? 0) > (needed[differing] ?? 0);
}
