import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether there is a program of this name on PATH. It is not started: gcloud takes most of a second to print its version. */
export function isOnPath(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return statSync(join(folder, program)).isFile();
    } catch {
      return false;
    }
  });
}

/** A test that is skipped, with the reason in its name and on the terminal. */
export function skip(reason: string): void {
  process.stderr.write(`Skipped: ${reason}.\n`);
  test.skip(`skipped: ${reason}`, () => undefined);
}
