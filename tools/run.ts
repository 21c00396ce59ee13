import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const ROOT = join(__dirname, "..");

/**
 * Runs a command, in the root of the repository where no other folder is given, and returns what it prints to stdout.
 *
 * @throws Error with all that it printed, when it fails
 */
export function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
}
