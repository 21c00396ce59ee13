import { accessSync, constants, existsSync, lstatSync, mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Environment } from "../core/config/environment";
import { messageOf } from "../core/errors";

/**
 * Finds or makes a folder that only this user can see and write, the same one for all processes with these environment
 * variables. The first that will do of: one in the user's runtime folder, one in the cache folder, one in the temporary
 * folder, which all users share.
 *
 * @returns its path, or why there is none.
 */
export function privateFolder(environment: Environment): { path: string } | { problem: string } {
  const problems: string[] = [];
  for (const path of candidates(environment)) {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      const problem = notPrivate(path);
      if (problem === undefined) return { path };
      problems.push(`${path} ${problem}`);
    } catch (error) {
      problems.push(`${path}: ${messageOf(error)}`);
    }
  }
  return { problem: problems.join("; ") };
}

function candidates(environment: Environment): string[] {
  if (process.platform === "win32") {
    return [environment.LOCALAPPDATA || join(homedir(), "AppData", "Local")].map((base) =>
      join(base, "perimeter", "runs"),
    );
  }
  const { XDG_RUNTIME_DIR: runtime = "" } = environment;
  const home = environment.HOME || homedir();
  return [
    ...(isAbsolute(runtime) && existsSync(runtime) && notPrivate(runtime) === undefined
      ? [join(runtime, "perimeter")]
      : []),
    // A home folder that does not exist is not made: some service users have a name of one only.
    ...(existsSync(home) ? [join(home, ".cache", "perimeter", "runs")] : []),
    join(environment.TMPDIR || tmpdir(), `perimeter-${process.getuid?.() ?? "user"}`),
  ];
}

/** Why a folder is not for this user alone, as words that follow its path; undefined where it is. */
export function notPrivate(path: string): string | undefined {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return "is not a folder";
  // Windows has neither owner nor mode here; it gives each user folders of their own.
  if (process.getuid === undefined) return undefined;
  if (stats.uid !== process.getuid()) return "belongs to another user";
  if ((stats.mode & 0o077) !== 0) return "is open to other users";
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  return undefined;
}
