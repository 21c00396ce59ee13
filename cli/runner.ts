import { spawnSync } from "node:child_process";
import { isNativeError } from "node:util/types";
import { isPluginRun } from "../provider/command";
import type { Terminal } from "./terminal";

/** The shell command that npm runs for this command. */
const THIS_COMMAND_ALONE = /^["']?(pulumi-)?perimeter["']?( [^&;|]*)?$/;
/** Milliseconds. */
const WATCH_EVERY_MS = 300;

/** Process ids: of the program that runs this command, and of the parent of this process (the program, or its shell). */
export interface Runner {
  program: number;
  parent: number;
}

/**
 * Finds the program that runs this command, as in `npx pulumi-perimeter emulator` or in `pulumi plugin run`; undefined when
 * a user runs it. Call this first: after its parent has ended, a process cannot find out which process it was.
 */
export function runnerOfThisCommand(environment: NonNullable<Terminal["environment"]>): Runner | undefined {
  const parent = process.ppid;
  if (isPluginRun()) return { parent, program: parent };
  if (!THIS_COMMAND_ALONE.test(environment.npm_lifecycle_script ?? "")) return undefined;
  return { parent, program: parentOfShell(parent) ?? parent };
}

/**
 * Calls `end` when the program or its shell has ended. A signal that ends npm (`kill` of `npx pulumi-perimeter emulator &` in a
 * script), and Ctrl-C in `pulumi plugin run`, do not reach this process.
 */
export function watchRunner({ program, parent }: Runner, end: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === parent && isRunning(program)) return;
    clearInterval(timer);
    end();
  }, WATCH_EVERY_MS).unref();
}

/** The parent of a process that is `sh -c …`. Undefined for another program, and on a machine without `ps`. */
function parentOfShell(pid: number): number | undefined {
  const { stdout } = spawnSync("ps", ["-o", "ppid=", "-o", "args=", "-p", String(pid)], { encoding: "utf8" });
  const [, parent] = /^\s*(\d+)\s+\S*sh -c\b/.exec(stdout ?? "") ?? [];
  return parent === undefined ? undefined : Number(parent);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user counts as running, too.
    return isNativeError(error) && (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
