import { createHash, randomBytes, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Environment } from "../core/config/environment";
import { systemCodeOf } from "../core/errors";
import { notPrivate, privateFolder } from "./private-folder";

/** A folder that the provider processes of one run share, and nobody else can see. */
export interface RunFolder {
  path: string;
  /** A secret of the run, 32 bytes, which goes with the folder. */
  key: Buffer;
}

const KEY = "key";
const KEY_BYTES = 32;
/** A folder of another machine or container counts as left behind after a week: its processes cannot be seen from here. */
const LEFT_BEHIND_MS = 7 * 24 * 60 * 60_000;

/**
 * Finds or makes the folder of a run, and removes the folders that killed runs left behind.
 *
 * @param engine the id of the engine's process.
 * @param address of the engine: what the processes of one run, and only they, have in common.
 * @throws Error where there is no folder that is this user's alone.
 */
export function runFolder(environment: Environment, engine: number, address: string): RunFolder {
  const base = privateFolder(environment);
  if ("problem" in base) throw new Error(base.problem);
  removeOldRuns(base.path);
  const path = join(base.path, folderName(engine, address));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const problem = notPrivate(path);
  if (problem !== undefined) throw new Error(`${path} ${problem}`);
  return { path, key: keyIn(path) };
}

/** Whether a process of this machine is running. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user is there, and may not be signalled.
    return systemCodeOf(error) === "EPERM";
  }
}

/** The key of a run. The first process makes it, under another name until it is whole; the others find it. */
function keyIn(folder: string): Buffer {
  const path = join(folder, KEY);
  const draft = join(folder, `${randomUUID()}.draft`);
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path);
}

/**
 * `{engine's process id}-{its start}-{machine}-{address}`: no two runs have the same name, and it tells on which machine to
 * look whether the engine still runs.
 */
function folderName(engine: number, address: string): string {
  return [engine, startOf(engine), machine(), shortHash(address)].join("-");
}

function removeOldRuns(base: string): void {
  for (const name of readdirSync(base)) {
    const [engine = "", start = "", where] = name.split("-");
    const folder = join(base, name);
    const isOver = where === machine() ? !isRunning(Number(engine), start) : isLeftBehind(folder);
    if (isOver) rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether this very process is running, and not a later one that got its id. */
function isRunning(pid: number, start: string): boolean {
  return isAlive(pid) && startOf(pid) === start;
}

function isLeftBehind(folder: string): boolean {
  try {
    return Date.now() - statSync(folder).mtimeMs > LEFT_BEHIND_MS;
  } catch {
    return false;
  }
}

/** When a process began, in clock ticks since the machine did (proc_pid_stat(5), field 22); "0" where nothing tells. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses, which may contain blanks.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  } catch {
    return "0";
  }
}

/** Tells machines and containers apart, since several may share a home, and each has process ids of its own. */
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
