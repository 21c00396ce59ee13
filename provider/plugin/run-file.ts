import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir, hostname, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Environment } from "../core/environment";
import { messageOf, systemCodeOf } from "../core/errors";

/** After this time, a file in the folder counts as left behind, if nothing else shows whether it is still needed: a week. */
const LEFT_BEHIND_MS = 7 * 24 * 60 * 60_000;

/**
 * The path of the file that the provider processes of one run share, in a folder that nobody else can see. Removes the files
 * that killed runs left behind.
 *
 * @param engine the id of the engine's process.
 * @param address of the engine: what the processes of one run, and only they, have in common.
 * @throws Error when no folder belongs to this user alone.
 */
export function runFile(environment: Environment, engine: number, address: string): string {
  const folder = privateFolder(environment);
  removeOldRuns(folder);
  return join(folder, fileName(engine, address));
}

/** Whether a process of this machine is running. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, but another user owns it, so this user may not signal it.
    return systemCodeOf(error) === "EPERM";
  }
}

/**
 * `{engine's process id}-{its start}-{machine}-{address}`: unique for each run. It also contains the machine on which to check
 * whether the engine still runs.
 */
function fileName(engine: number, address: string): string {
  return [engine, startOf(engine), machine(), shortHash(address)].join("-");
}

function removeOldRuns(base: string): void {
  for (const name of readdirSync(base)) {
    const [engine = "", start = "", where] = name.split("-");
    const path = join(base, name);
    const isOver = where === machine() ? !isRunning(Number(engine), start) : isLeftBehind(path);
    if (isOver) remove(path);
  }
}

/** A file that cannot be removed, such as another user's, stays. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The next run tries again.
  }
}

/** Whether this process is still running. A later process may have the same id. */
function isRunning(pid: number, start: string): boolean {
  return isAlive(pid) && startOf(pid) === start;
}

function isLeftBehind(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > LEFT_BEHIND_MS;
  } catch {
    return false;
  }
}

/** The start of a process, in clock ticks since the machine started (proc_pid_stat(5), field 22); "0" when unknown. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses, which may contain blanks.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  } catch {
    return "0";
  }
}

/** Identifies the machine or container. Several of them may share a home folder, and each has its own process ids. */
function machine(): string {
  let namespace = "";
  try {
    namespace = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Not Linux.
  }
  return shortHash(`${hostname()} ${namespace}`);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/**
 * Finds or creates a folder that only this user can read and write. It is the same for all processes with these environment
 * variables. It is the first usable folder of: a folder in the user's runtime folder, in the cache folder, in the home of Pulumi,
 * and in the temporary folder, which all users share.
 *
 * @throws Error with a reason for each place when none is usable.
 */
function privateFolder(environment: Environment): string {
  const problems: string[] = [];
  for (const path of candidates(environment)) {
    const problem = make(path) ?? notPrivate(path);
    if (problem === undefined) return path;
    problems.push(`${path} ${problem}`);
  }
  throw new Error(problems.join("; "));
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
