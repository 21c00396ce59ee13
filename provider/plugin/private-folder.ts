import { accessSync, constants, existsSync, lstatSync, mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Environment } from "../core/config/resolve";

/**
 * A folder that only this user can see and write, the same for all processes of one environment: the user's runtime folder,
 * else the cache folder, else one in the temporary folder, which is everybody's.
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
      problems.push(`${path}: ${(error as Error).message}`);
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
    // A home that is named and not there is not made.
    ...(existsSync(home) ? [join(home, ".cache", "perimeter", "runs")] : []),
    join(environment.TMPDIR || tmpdir(), `perimeter-${process.getuid?.() ?? "user"}`),
  ];
}

/** Why a folder is not for this user alone, as words that follow its path; undefined where it is. */
export function notPrivate(path: string): string | undefined {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return "is not a folder";
  // Windows has neither; there, the folders of a user are the user's.
  if (process.getuid === undefined) return undefined;
  if (stats.uid !== process.getuid()) return "belongs to another user";
  if ((stats.mode & 0o077) !== 0) return "is open to other users";
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  return undefined;
}
