/** Runs the command `perimeter`: in the process of the test or, which takes up to half a second more, in another one. */
import { spawn } from "node:child_process";
import * as path from "node:path";
import { Readable } from "node:stream";
import { run } from "../../cli/program";
import { repositoryRoot } from "./engine";
import { builtPlugin } from "./plugin";

/** The forms in which a release has the command. Names of tests and suites that run with each form have these words in them. */
export const COMMAND_FORMS = ["the npm package", "the executable"] as const;
export type CommandForm = (typeof COMMAND_FORMS)[number];

/** A program and its first arguments: the arguments of the command follow. */
export function commandOf(form: CommandForm): string[] {
  if (form === "the executable") return [builtPlugin(form)];
  const hook = path.join(repositoryRoot, "tools/register.cjs");
  return [process.execPath, "-r", hook, path.join(repositoryRoot, "cli/main.ts")];
}

export interface CommandEnd {
  /** Null for a process that a signal ended. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command with these arguments in the folder of a project. @param options `input`: its standard input */
export async function runCommand(
  args: readonly string[],
  { cwd, env, input = "" }: { cwd: string; env: Record<string, string>; input?: string },
): Promise<CommandEnd> {
  let stdout = "";
  let stderr = "";
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const code = await run(["node", "perimeter", ...args], {
      write: (text) => (stdout += text),
      writeError: (text) => (stderr += text),
      screen: {},
      environment: env,
      input: Readable.from([input]),
    });
    return { code, stdout, stderr };
  } finally {
    process.chdir(before);
  }
}

/**
 * Runs the command as a process.
 *
 * @param form by default that which needs no build
 * @param shell a script of bash with the command as its arguments, such as `"$@" | head -n 1`
 */
export async function spawnCommand(
  args: readonly string[],
  {
    cwd,
    env,
    input = "",
    shell = '"$@"',
    form = "the npm package",
  }: { cwd: string; env: Record<string, string>; input?: string; shell?: string; form?: CommandForm },
): Promise<CommandEnd> {
  const child = spawn("bash", ["-o", "pipefail", "-c", shell, "bash", ...commandOf(form), ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const text = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (text.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (text.stderr += chunk.toString()));
  // A command that checks its options first may end before it reads its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, ...text };
}
