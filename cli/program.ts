import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import type * as emulatorCommand from "./emulator";

export interface Surroundings {
  /** `require` of the entry point. */
  load: NodeJS.Require;
  /** Standard output. @default process.stdout */
  write?: (text: string) => void;
  /** Standard error. @default process.stderr */
  complain?: (text: string) => void;
  /** Ends a command that runs until it is stopped. @default Ctrl-C or SIGTERM */
  stop?: AbortSignal;
}

/**
 * Runs the command line.
 *
 * @param argv as `process.argv`
 * @returns the exit code: 0, or 1 after a mistake that has been reported
 */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const write = surroundings.write ?? ((text) => void process.stdout.write(text));
  const complain = surroundings.complain ?? ((text) => void process.stderr.write(text));
  const program = new Command("perimeter")
    .description("Tools of the Perimeter provider for Google Cloud preview APIs")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: complain });
  addEmulator(program, surroundings, write, complain);
  try {
    await program.parseAsync([...argv]);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode;
    }
    complain(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function addEmulator(
  program: Command,
  { load, stop }: Surroundings,
  write: (text: string) => void,
  complain: (text: string) => void,
): void {
  program
    .command("emulator")
    .description("serve the six APIs on this machine, without a cloud")
    .option("--port <number>", "port to listen on; 0 takes a free one", wholeNumber(65_535), 8790)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--seed <file>", "YAML or JSON list of {service, name, body, policy?} (default: a small demo project)")
    .option("--empty", "start without the demo project")
    .option("--operation-ms <number>", "how long operations take", wholeNumber(86_400_000), 0)
    .option("--data <folder>", "keep the state in this folder, across restarts")
    .option("--faults <file>", "YAML or JSON fault plan")
    .option("--config <file>", "YAML or JSON map of further switches")
    .option("--verbose", "one line for each request")
    .action(async (options: emulatorCommand.EmulatorCommandOptions) => {
      const { runEmulator } = load("./emulator") as typeof emulatorCommand;
      await runEmulator(options, { write, complain, stop });
    });
}

function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number > max) {
      throw new InvalidArgumentError(`It must be a whole number from 0 to ${max}.`);
    }
    return number;
  };
}

/** Of the package that this file is in: the built file is two folders below its root, the source one. */
function packageVersion(): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "package.json");
    if (existsSync(path)) {
      return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
    }
  }
  return "unknown";
}
