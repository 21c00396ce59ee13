import { execFile } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../../provider/core/environment";

/** Milliseconds. A program that cannot print its version within this time counts as failed. */
const ANSWER_MS = 20_000;
const SUFFIXES = process.platform === "win32" ? [".exe", ".cmd", ""] : [""];

/** The program that a shell would start by this name; undefined if there is none. */
export function onPath(name: string, environment: Environment): string | undefined {
  return inFolders(name, (environment.PATH ?? "").split(delimiter));
}

/** A program that Pulumi would start: next to the CLI, or on PATH. */
export function nextToCliOrOnPath(cli: string, name: string, environment: Environment): string | undefined {
  return inFolders(name, [dirname(cli), dirname(realpathSync(cli))]) ?? onPath(name, environment);
}

/** A program in a folder; undefined if the folder has none of this name. */
export function programIn(folder: string, name: string): string | undefined {
  return inFolders(name, [folder]);
}

function inFolders(name: string, folders: readonly string[]): string | undefined {
  const files = folders
    .filter((folder) => folder !== "")
    .flatMap((folder) => SUFFIXES.map((suffix) => join(folder, `${name}${suffix}`)));
  return files.find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The output of a program without input; undefined if it fails or does not end in time. */
export async function printed(
  file: string,
  args: readonly string[],
  environment: Environment,
): Promise<string | undefined> {
  const env = { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const run = promisify(execFile)(file, args, { env, timeout: ANSWER_MS, killSignal: "SIGKILL" });
  run.child.stdin?.end();
  return run.then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}
