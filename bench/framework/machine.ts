import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";

/** The machine and its load, for readers of the figures. */
export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  /** The load average of the last minute, before and after. */
  load: [before: number, after: number];
  date: string;
  commit: string;
}

const round = (value: number) => Math.round(value * 10) / 10;

export const load = (): number => round(loadavg()[0] ?? NaN);

export function machine(before: number): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    load: [before, load()],
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
  };
}

export function describeMachine({ processor, cores, memoryGb, system, node, load, date, commit }: Machine): string {
  return (
    `${date}, ${commit}: ${cores} × ${processor}, ${memoryGb} GB, ${system}, Node ${node}; ` +
    `load ${load[0]} before and ${load[1]} after.`
  );
}

/** The commit that was measured; with a plus sign where files differ from it. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: __dirname, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    const changed = git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":!/docs") !== "";
    return `commit ${git("rev-parse", "--short", "HEAD")}${changed ? "+" : ""}`;
  } catch {
    return "outside of a repository";
  }
}
