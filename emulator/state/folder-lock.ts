import { randomUUID } from "node:crypto";
import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

/** Who holds a folder. */
interface Holder {
  pid: number;
  host: string;
  /** What tells this process from an older one that had its number; empty where the system does not say. */
  started: string;
}

/**
 * Takes a folder for this emulator alone. The lock of a process that has ended, killed or crashed, does not count.
 *
 * @returns gives the folder free
 * @throws Error that names the holder while another emulator uses the folder
 */
export function lockFolder(folder: string): () => void {
  const lock = join(folder, "emulator.lock");
  const own = JSON.stringify({ pid: process.pid, host: hostname(), started: startOf(process.pid), id: randomUUID() });
  for (;;) {
    try {
      create(lock, own);
      return () => release(lock, own);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw error;
      }
    }
    const found = read(lock);
    if (found !== undefined) {
      refuseIfHeld(found, folder, lock);
      removeStale(lock, found);
    }
  }
}

/** Without a trace where the disk is full: nobody would know whose lock an empty file is. */
function create(lock: string, content: string): void {
  const descriptor = openSync(lock, "wx", 0o600);
  try {
    writeFileSync(descriptor, content);
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

function refuseIfHeld(content: string, folder: string, lock: string): void {
  const holder = parse(content);
  if (holder !== undefined && holder.host === hostname() && !isRunning(holder)) {
    return;
  }
  const who = holder === undefined ? "another emulator" : `the emulator of process ${holder.pid} on ${holder.host}`;
  throw new Error(
    `${folder} is in use by ${who}: one folder keeps the state of one emulator. ` +
      `Stop that emulator or choose another folder. If it has ended, remove ${lock}`,
  );
}

function parse(content: string): Holder | undefined {
  try {
    const { pid, host, started } = JSON.parse(content) as Partial<Holder>;
    return typeof pid === "number" && typeof host === "string" ? { pid, host, started: String(started) } : undefined;
  } catch {
    return undefined;
  }
}

function isRunning({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return startOf(pid) === started;
}

/** When a process began, as Linux counts it: numbers of processes come again, after a reboot for example. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses and may hold anything; the start is field 22.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

/** Of two emulators that find the same stale lock, one may already have replaced it: that one's lock goes back. */
function removeStale(lock: string, stale: string): void {
  const aside = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return;
    }
    throw error;
  }
  if (read(aside) !== stale) {
    linkSync(aside, lock);
  }
  rmSync(aside, { force: true });
}

function release(lock: string, own: string): void {
  if (read(lock) === own) {
    rmSync(lock, { force: true });
  }
}
