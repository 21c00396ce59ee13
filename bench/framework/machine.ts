import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";

/** The load average of the last minute. */
export const load = (): string => (loadavg()[0] ?? NaN).toFixed(1);

/** The machine and its load, for readers of the figures. @param before the load before the bench */
export function describeMachine(before: string): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `${new Date().toISOString().slice(0, 10)}, ${commit()}: ${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ` +
    `${memory} GB, ${process.platform} ${process.arch}, Node ${process.versions.node}; load ${before} before and ${load()} after.`
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
