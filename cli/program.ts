import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command, CommanderError } from "commander";
import { logText } from "../access/result/visible";
import { addDoctor, addVersion } from "./doctor/options";
import { addEmulator } from "./emulator-options";
import { addAccess, addReview } from "./review-options";
import type { Terminal } from "./terminal";

export interface RunOptions extends Partial<Terminal> {
  /** `require` of the entry point: loads a command's module when the command runs. */
  load: NodeJS.Require;
}

const HELP = `
Start here:
  npx pulumi-perimeter doctor                        check what a program needs, and how to fix what is missing
  npx pulumi-perimeter emulator                      the APIs on this machine, to try a program without a cloud
  PERIMETER_EMULATOR_HOST=127.0.0.1:8790 pulumi up   run the program against it

Before a change, and afterwards:
  npx pulumi-perimeter review --stack dev            who gains and who loses access if the plan is carried out?
  npx pulumi-perimeter access --stack dev            who has access to the stack's resources now?

To report a bug:
  npx pulumi-perimeter version                       the versions that belong in the report

Help for one command: npx pulumi-perimeter help review
`;

/**
 * Runs the command that the arguments name. Mistakes are reported on standard error.
 *
 * @param argv as `process.argv`: the first two are Node.js and the script.
 * @param options where to write to; by default the standard streams of the process.
 * @returns the exit code: 0, a command's result (2 or 3), or 1 after an error.
 */
export async function run(argv: readonly string[], { load, ...terminal }: RunOptions): Promise<number> {
  const { write = (text) => void process.stdout.write(text) } = terminal;
  const { writeError: toStderr = (text: string) => void process.stderr.write(text) } = terminal;
  // Messages quote plans, servers and files. They must not control the terminal, or be commands of the log that they are in.
  const writeError = (text: string): void => toStderr(logText(text));
  const streams: Terminal = { ...terminal, write, writeError };
  let exitCode = 0;
  const program = new Command("perimeter")
    .description("Tools of the Perimeter provider for Google Cloud preview APIs")
    .addHelpText("after", HELP)
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: writeError });
  const context = { load, terminal: streams, exit: (code: number) => (exitCode = code) };
  addEmulator(program, context);
  addReview(program, context);
  addAccess(program, context);
  addDoctor(program, context);
  addVersion(program, context);
  try {
    await program.parseAsync([...argv]);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode;
    }
    writeError(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** The version in the nearest package.json: two folders above a built file, one above a source file. */
function packageVersion(): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "package.json");
    if (existsSync(path)) {
      return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
    }
  }
  return "unknown";
}
