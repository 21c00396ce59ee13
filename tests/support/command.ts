/** Runs the command `perimeter` in the process of the test. In a process of its own, each run takes half a second more. */
import { createRequire } from "node:module";
import * as path from "node:path";
import { run } from "../../cli/program";
import { repositoryRoot } from "./engine";

export interface CommandEnd {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command with these arguments in the folder of a project. */
export async function runCommand(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<CommandEnd> {
  let stdout = "";
  let stderr = "";
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const code = await run(["node", "perimeter", ...args], {
      load: createRequire(path.join(repositoryRoot, "cli/main.ts")),
      write: (text) => (stdout += text),
      writeError: (text) => (stderr += text),
      screen: {},
      environment: env,
    });
    return { code, stdout, stderr };
  } finally {
    process.chdir(before);
  }
}
