import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const ROOT = join(__dirname, "..");

/**
 * Runs a command, by default in the root of the repository, and returns its standard output.
 *
 * @throws Error with its output, when it fails
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

/** Runs a program of tools/ with the process's arguments. After an error, prints one line and exits with 1. */
export function runTool(name: string, main: (args: string[]) => Promise<void>): void {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  });
}
