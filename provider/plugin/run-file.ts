import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Environment } from "../core/environment";
import { systemCodeOf } from "../core/errors";
import { LEFT_BEHIND_MS, privateFolder } from "../runtime/private-folder";

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
    if (isOver) rmSync(path, { recursive: true, force: true });
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
