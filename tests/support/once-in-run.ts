/** What only one process of a test run does, such as a download: the others wait for it and take its outcome. */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { cacheFolder, removeOld } from "./cache";

const POLL_MS = 200;

/**
 * Does something once in a run, whichever process asks first. A failure is remembered until the run ends: without a network,
 * each attempt would take more than a minute.
 *
 * @param name of what is done; the same in each process
 * @param work returns why it failed; undefined if it did not
 * @param run identifies the run. Default: the run of jest (jest.config.cjs); without one, the work is done each time
 */
export function onceInRun(
  name: string,
  work: () => string | undefined,
  run = process.env.PERIMETER_TEST_RUN,
): string | undefined {
  if (run === undefined) return work();
  const folder = cacheFolder("test-runs");
  removeOld(folder);
  const id = createHash("sha256").update(`${run} ${name}`).digest("hex").slice(0, 32);
  const [claim, outcome] = [path.join(folder, `${id}.claim`), path.join(folder, `${id}.outcome`)];
  while (!claimed(claim)) {
    const owner = Number(readIfThere(claim));
    const isLeft = owner > 0 && !isAlive(owner);
    const known = readIfThere(outcome);
    if (known !== undefined) return known === "" ? undefined : known;
    // A process that ended without an outcome leaves the work to another one.
    if (isLeft) fs.rmSync(claim, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
  try {
    const failure = work();
    fs.writeFileSync(`${outcome}.draft`, failure ?? "", { mode: 0o600 });
    fs.renameSync(`${outcome}.draft`, outcome);
    return failure;
  } catch (error) {
    fs.rmSync(claim, { force: true });
    throw error;
  }
}

function claimed(file: string): boolean {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
