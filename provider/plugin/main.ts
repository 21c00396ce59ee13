import "../../require-node.cjs";
import { writeSync } from "node:fs";
import { isOneFile } from "../command";
import { engineAddressOf, watchEngine } from "../runtime/engine-watch";
import { VERSION } from "../version";
import { startPlugin } from "./server";

/**
 * `pulumi-resource-perimeter [flags] [ENGINE]` serves the engine at that address, `host:port`. For debugging, a person
 * starts it without an address: with `PULUMI_DEBUG_PROVIDERS=perimeter:PORT`, engines attach to it, one after the other.
 * `--help` and `--version` are for people.
 */
async function main(args: readonly string[]): Promise<void> {
  const [word = ""] = args;
  // An executable has loaded the command for a word. Nobody would ever connect to the plugin that a person takes for the command.
  if (/^[a-z][a-z-]*$/i.test(word)) {
    throw new Error(
      `the plugin's script for Node.js has no command ${word}: install the command perimeter, and run perimeter ${word}`,
    );
  }
  const engineAddress = engineAddressOf(args);
  const answer = engineAddress === undefined ? answerToFlags(args) : undefined;
  if (answer !== undefined) {
    process.stdout.write(answer);
    return;
  }
  const plugin = await startPlugin({ engineAddress, environment: process.env });
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    void plugin.stop().then(() => process.exit(0));
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  // The signal of engines on Windows, in place of SIGINT.
  process.on("SIGBREAK", end);
  if (engineAddress !== undefined) {
    watchEngine(engineAddress, () => {
      plugin.abandon();
      process.exit(0);
    });
  }
  // The engine reads the port from the first line. Does not use `process.stdout`, because creating that stream takes a tenth
  // of the start time.
  writeSync(1, `${plugin.port}\n`);
  plugin.warmUp();
}

const COMMAND_HELP = `
It is also the command perimeter, which reviews plans, shows access, and has an emulator:
  pulumi-resource-perimeter help
`;

const HELP = `usage: pulumi-resource-perimeter [flags] [ENGINE]

Pulumi's resource plugin "perimeter", version ${VERSION}. Engines start it if it is on PATH or installed:
  pulumi plugin install resource perimeter ${VERSION} --file pulumi-resource-perimeter

Without ENGINE (host:port of the engine) it prints the port that it serves, for engines to attach to:
  PULUMI_DEBUG_PROVIDERS=perimeter:PORT pulumi up
${isOneFile() ? COMMAND_HELP : ""}
  -h, --help     prints this help and exits
  --version      prints the version and exits

Flags that engines pass (--logtostderr, -v=9, --tracing=URL) are accepted and have no effect.
`;

/** The text to print instead of serving; undefined without a flag for it. Other flags, which engines pass, have no effect. */
function answerToFlags(args: readonly string[]): string | undefined {
  if (args.some((each) => ["-h", "-help", "--help"].includes(each))) return HELP;
  if (args.some((each) => ["-version", "--version"].includes(each))) return `${VERSION}\n`;
  return undefined;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`pulumi-resource-perimeter: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
