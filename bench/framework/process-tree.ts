import { readdirSync, readFileSync } from "node:fs";

/** The resource usage of a process tree. */
export interface Usage {
  /** User and system time of all processes. */
  cpuSeconds: number;
  /** The peak memory of a process with a matching command line, in MB; undefined if there was none. */
  peakMb(command: RegExp): number | undefined;
}

interface Seen {
  command: string;
  cpuSeconds: number;
  peakMb: number;
}

interface Stat {
  parent: number;
  cpuSeconds: number;
}

/** Linux's unit of processor time. */
const TICKS_PER_SECOND = 100;
const EVERY_MS = 100;

/**
 * Watches a process and all its descendants until the returned function is called. Misses the usage after the last sample,
 * at most a tenth of a second. Undefined if the system has no /proc.
 */
export function watchTree(root: number): () => Usage | undefined {
  if (process.platform !== "linux") return () => undefined;
  const seen = new Map<number, Seen>();
  const look = () => {
    const stats = allStats();
    for (const [pid, { cpuSeconds }] of stats) if (isBelow(pid, root, stats)) note(seen, pid, cpuSeconds);
  };
  look();
  const timer = setInterval(look, EVERY_MS);
  return () => {
    look();
    clearInterval(timer);
    const all = [...seen.values()];
    return {
      cpuSeconds: all.reduce((sum, each) => sum + each.cpuSeconds, 0),
      peakMb(command) {
        const peaks = all.filter((each) => command.test(each.command)).map((each) => each.peakMb);
        return peaks.length === 0 ? undefined : Math.max(...peaks);
      },
    };
  };
}

function note(seen: Map<number, Seen>, pid: number, cpuSeconds: number): void {
  const memory = memoryMb(pid);
  const before = seen.get(pid);
  // A process that has ended, and waits for its parent, has no memory and no command line any more.
  const command = commandOf(pid) || (before?.command ?? "");
  seen.set(pid, { command, cpuSeconds, peakMb: Math.max(memory?.peak ?? 0, before?.peakMb ?? 0) });
}

/** Current and peak memory of one process in MB. Undefined if the system does not report it. */
export function memoryMb(pid: number): { now: number; peak: number } | undefined {
  const status = read(`/proc/${pid}/status`);
  const value = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? NaN) / 1024;
  const found = { now: value("VmRSS"), peak: value("VmHWM") };
  return Number.isNaN(found.now) ? undefined : found;
}

/** User and system time of one process; undefined if the system does not report it. */
export function cpuSeconds(pid: number): number | undefined {
  return statOf(pid)?.cpuSeconds;
}

function allStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const entry of readdirSync("/proc")) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined;
    if (stat) stats.set(Number(entry), stat);
  }
  return stats;
}

function statOf(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === "") return undefined;
  // proc(5): the name in parentheses may contain any character; after it come the state, the parent, …, 14 utime, 15 stime.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(fields[1]), cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND };
}

function isBelow(pid: number, root: number, stats: ReadonlyMap<number, Stat>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = stats.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}

const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");

/** Empty for a process that has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
