import { accessSync, constants, existsSync, lstatSync, mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Environment } from "../core/environment";
import { messageOf } from "../core/errors";

/** After this time, a file in the folder counts as left behind, if nothing else shows whether it is still needed: a week. */
export const LEFT_BEHIND_MS = 7 * 24 * 60 * 60_000;

/**
 * Finds or creates a folder that only this user can read and write. It is the same for all processes with these environment
 * variables. It is the first usable folder of: a folder in the user's runtime folder, in the cache folder, in the home of Pulumi,
 * and in the temporary folder, which all users share.
 *
 * @throws Error with a reason for each place when none is usable.
 */
export function privateFolder(environment: Environment): string {
  const problems: string[] = [];
  for (const path of candidates(environment)) {
    const problem = make(path) ?? notPrivate(path);
    if (problem === undefined) return path;
    problems.push(`${path} ${problem}`);
  }
  throw new Error(problems.join("; "));
}

/** The folder of `privateFolder` if it exists. Creates nothing. */
export function existingPrivateFolder(environment: Environment): string | undefined {
  return candidates(environment).find((path) => notPrivate(path) === undefined);
}

function candidates(environment: Environment): string[] {
  if (process.platform === "win32") {
    return [environment.LOCALAPPDATA || join(homedir(), "AppData", "Local")].map((base) =>
      join(base, "perimeter", "runs"),
    );
  }
  const { XDG_RUNTIME_DIR: runtime = "", PULUMI_HOME: pulumi = "" } = environment;
  const home = environment.HOME || homedir();
  return [
    ...(isAbsolute(runtime) && notPrivate(runtime) === undefined ? [join(runtime, "perimeter")] : []),
    // A home folder that does not exist is not created: some service users only have the name of one.
    ...(existsSync(home) ? [join(home, ".cache", "perimeter", "runs")] : []),
    ...(isAbsolute(pulumi) && existsSync(pulumi) ? [join(pulumi, "perimeter", "runs")] : []),
    join(environment.TMPDIR || tmpdir(), `perimeter-${process.getuid?.() ?? "user"}`),
  ];
}

/** @returns why the folder cannot be created, as words that follow its path. */
function make(path: string): string | undefined {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return undefined;
  } catch (error) {
    return `cannot be made (${messageOf(error)})`;
  }
}

/** Says why other users may write to a folder, as words that follow its path. Returns undefined when only this user may. */
function notPrivate(path: string): string | undefined {
  try {
    const stats = lstatSync(path);
    if (!stats.isDirectory()) return "is not a folder";
    // Windows has neither owner nor mode here; it gives each user separate folders.
    if (process.getuid === undefined) return undefined;
    if (stats.uid !== process.getuid()) return "belongs to another user";
    if ((stats.mode & 0o077) !== 0) return "is open to other users";
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `cannot be used (${messageOf(error)})`;
  }
}
