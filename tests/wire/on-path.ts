import { spawnSync } from "node:child_process";

/** Whether there is a program of this name on PATH that runs. @param probe arguments with which it ends at once */
export function isOnPath(program: string, probe: string): boolean {
  return spawnSync(program, [probe], { stdio: "ignore" }).error === undefined;
}

/** A test that is skipped, with the reason in its name and on the terminal. */
export function skip(reason: string): void {
  process.stderr.write(`Skipped: ${reason}.\n`);
  test.skip(`skipped: ${reason}`, () => undefined);
}
