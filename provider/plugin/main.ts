import "../../require-node.cjs";
import { writeSync } from "node:fs";
import { engineAddressOf, watchEngine } from "../runtime/engine-watch";
import { startPlugin } from "./server";
import { answerToFlags } from "./usage";

/**
 * `pulumi-resource-perimeter [flags] [ENGINE]` serves the engine at that address, `host:port`. For debugging, a person
 * starts it without an address: with `PULUMI_DEBUG_PROVIDERS=perimeter:PORT`, engines attach to it, one after the other.
 * `--help` and `--version` are for people.
 */
async function main(args: readonly string[]): Promise<void> {
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

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`pulumi-resource-perimeter: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
