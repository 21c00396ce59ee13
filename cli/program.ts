import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command, CommanderError } from "commander";
import type * as emulatorCommand from "./emulator";
import { collect, wholeNumber } from "./option-values";
import { addAccess, addReview } from "./review-options";
import type { Terminal } from "./terminal";

export interface RunOptions extends Partial<Terminal> {
  /** `require` of the entry point: loads a command's module when the command is asked for. */
  load: NodeJS.Require;
}

/**
 * Runs the command that the arguments name. Mistakes are reported on standard error.
 *
 * @param argv as `process.argv`: the first two are Node.js and the script.
 * @param options where to write to; by default the standard streams of the process.
 * @returns the exit code: 0, what the command's own rules say (2 or 3), or 1 after a mistake.
 */
export async function run(argv: readonly string[], { load, ...terminal }: RunOptions): Promise<number> {
  const { write = (text) => void process.stdout.write(text) } = terminal;
  const { writeError = (text) => void process.stderr.write(text) } = terminal;
  const streams: Terminal = { ...terminal, write, writeError };
  let exitCode = 0;
  const program = new Command("perimeter")
    .description("Tools of the Perimeter provider for Google Cloud preview APIs")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: writeError });
  const context = { load, terminal: streams, exit: (code: number) => (exitCode = code) };
  addEmulator(program, load, streams);
  addReview(program, context);
  addAccess(program, context);
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

function addEmulator(program: Command, load: NodeJS.Require, terminal: Terminal): void {
  program
    .command("emulator")
    .description("serve the six APIs on this machine, without a cloud")
    .option("--port <number>", "port to listen on; 0 takes a free one", wholeNumber(65_535), 8790)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--allow-host <name>", "host name that clients may reach it by; can be repeated", collect, [])
    .option(
      "--seed <file>",
      "YAML or JSON list of {service, name, body?, policy?}; can be repeated (default: a small demo project)",
      collect,
    )
    .option("--export <file>", "write the resources there at the end, as a seed: YAML, or JSON to *.json")
    .option("--empty", "start without the demo project")
    .option(
      "--operation-ms <number>",
      "how long operations take, in milliseconds (default: 0)",
      wholeNumber(86_400_000),
    )
    .option("--data <folder>", "keep the state in this folder, so that it survives a restart")
    .option("--faults <file>", "YAML or JSON fault plan: which requests fail, and how")
    .option("--config <file>", "YAML or JSON map of the emulator's other settings")
    .option("--verbose", "print a line for each request")
    .action(async (options: emulatorCommand.EmulatorCommandOptions) => {
      const { runEmulator } = load("./emulator") as typeof emulatorCommand;
      await runEmulator(options, terminal);
    });
}

/** The version in the nearest package.json above: a built file is two folders below it, a source file one. */
function packageVersion(): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "package.json");
    if (existsSync(path)) {
      return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
    }
  }
  return "unknown";
}
