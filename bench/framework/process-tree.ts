import { readdirSync, readFileSync } from "node:fs";

/** What a tree of processes used. */
export interface Usage {
  /** User and system time of all processes. */
  cpuSeconds: number;
  /** The most that one process whose command line matches had in memory, in MB; undefined if there was none. */
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

/** Linux counts processor time in these. */
const TICKS_PER_SECOND = 100;
const EVERY_MS = 100;

/**
 * Watches a process and all below it until the returned function is called. What a process uses after the last look at
 * it is missed, a tenth of a second at most. Undefined where the system has no /proc.
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

/** Memory of one process in MB: now, and the most that it ever had. Undefined where the system does not tell. */
export function memoryMb(pid: number): { now: number; peak: number } | undefined {
  const status = read(`/proc/${pid}/status`);
  const value = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? NaN) / 1024;
  const found = { now: value("VmRSS"), peak: value("VmHWM") };
  return Number.isNaN(found.now) ? undefined : found;
}

/** User and system time of one process; undefined where the system does not tell. */
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
  // proc(5): the name in parentheses may hold anything; after it come the state, the parent, …, 14 utime, 15 stime.
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

/** Empty for a process that has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
