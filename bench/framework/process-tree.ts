import { readFileSync } from "node:fs";
import { commandOf, descendantsWith } from "../../tests/support/processes";

/** Linux's unit of processor time. */
const TICKS_PER_SECOND = 100;
const EVERY_MS = 100;

/** User and system time of a process in seconds, and its memory in MB; nothing if the system does not report it. */
export function usageOf(pid: number): { cpuSeconds?: number; memoryMb?: number; peakMb?: number } {
  try {
    // proc(5): the name in parentheses may contain any character; after it come the state, the parent, …, 14 utime, 15 stime.
    const [, fields = ""] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const [user, system] = fields.split(" ").slice(11);
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    // A process that has ended, and waits for its parent, has no memory any more.
    const mb = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024;
    return {
      cpuSeconds: (Number(user) + Number(system)) / TICKS_PER_SECOND,
      memoryMb: mb("VmRSS"),
      peakMb: mb("VmHWM"),
    };
  } catch {
    return {};
  }
}

/**
 * Watches a process and all its descendants until the returned function is called. Misses the usage after the last sample,
 * at most a tenth of a second. Empty if the system has no /proc.
 *
 * @returns the processor time of all, and the peak memory of a process with a matching command line
 */
export function watchTree(root: number, command: RegExp): () => { cpuSeconds?: number; peakMb?: number } {
  if (process.platform !== "linux") return () => ({});
  const cpu = new Map<number, number>();
  let peak = 0;
  const look = () => {
    for (const pid of descendantsWith(root, "")) {
      const { cpuSeconds = 0, peakMb = 0 } = usageOf(pid);
      cpu.set(pid, Math.max(cpuSeconds, cpu.get(pid) ?? 0));
      if (command.test(commandOf(pid))) peak = Math.max(peak, peakMb);
    }
  };
  look();
  const timer = setInterval(look, EVERY_MS);
  return () => {
    look();
    clearInterval(timer);
    return { cpuSeconds: [...cpu.values()].reduce((sum, each) => sum + each, 0), peakMb: peak || undefined };
  };
}
