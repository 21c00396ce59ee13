/** Processes of the machine as /proc tells of them, so for Linux. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Processes below the given one whose command line or executable has the text in it. */
export function descendantsWith(ancestor: number, text: string): number[] {
  const parents = parentsOfAll();
  const descends = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) {
      if (at === ancestor) return true;
    }
    return false;
  };
  return [...parents.keys()].filter((pid) => descends(pid) && commandOf(pid).includes(text));
}

/** Processes that the given one started itself, and whose command line or executable has the text in it. */
export function childrenWith(parent: number, text: string): number[] {
  return [...parentsOfAll()].filter(([pid, at]) => at === parent && commandOf(pid).includes(text)).map(([pid]) => pid);
}

function parentsOfAll(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  return parents;
}

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") + readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return "";
  }
}

/** Waits until the process has ended, or is only still to be collected by its parent. */
export async function ended(pid: number, timeoutMs = 30_000): Promise<void> {
  const until = Date.now() + timeoutMs;
  while (isRunning(pid)) {
    if (Date.now() > until) throw new Error(`process ${pid} still runs: ${commandOf(pid).replaceAll("\0", " ")}`);
    await sleep(50);
  }
}

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
