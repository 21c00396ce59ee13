import { Command, CommanderError } from "commander";
import { logText } from "../access/result/visible";
import { COMMAND } from "../provider/command";
import { VERSION } from "../provider/version";
import { addDoctor, addVersion } from "./doctor/options";
import { addEmulator } from "./emulator-options";
import { addApproved, addPublish } from "./publish/options";
import { addAccess, addReview } from "./review-options";
import type { Terminal } from "./terminal";

const HELP = `
Start here:
  ${COMMAND} doctor               check what a program needs, and how to fix what is missing
  ${COMMAND} emulator             the APIs on this machine, to try a program without a cloud

Run the program against the emulator: PERIMETER_EMULATOR_HOST=127.0.0.1:8790 pulumi up

Before a change, and afterwards:
  ${COMMAND} review --stack dev   who gains and who loses access if the plan is carried out?
  ${COMMAND} access --stack dev   who has access to the stack's resources now?

To report a bug:
  ${COMMAND} version              the versions that belong in the report

Help for one command: ${COMMAND} help review
`;

/**
 * Runs the command that the arguments name. Mistakes are reported on standard error.
 *
 * @param argv as `process.argv`: the first two are Node.js and the script.
 * @param terminal where to write to; by default the standard streams of the process.
 * @returns the exit code: 0, a command's result (2 or 3), or 1 after an error.
 */
export async function run(argv: readonly string[], terminal: Partial<Terminal> = {}): Promise<number> {
  const { write = (text) => void process.stdout.write(text) } = terminal;
  const { writeError: toStderr = (text: string) => void process.stderr.write(text) } = terminal;
  // Messages quote plans, servers and files. They must not control the terminal, or be commands of the log that they are in.
  const writeError = (text: string): void => toStderr(logText(text));
  const streams: Terminal = { ...terminal, write, writeError };
  let exitCode = 0;
  const program = new Command("perimeter")
    .description("Tools of the Perimeter provider for Google Cloud preview APIs")
    .addHelpText("after", HELP)
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: writeError });
  const context = { terminal: streams, exit: (code: number) => (exitCode = code) };
  addEmulator(program, context);
  addReview(program, context);
  addAccess(program, context);
  addPublish(program, context);
  addApproved(program, context);
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
