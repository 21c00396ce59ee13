import { writeSync } from "node:fs";
import { engineAddressOf, watchEngine } from "../runtime/engine-watch";
import { startPlugin } from "./server";
import { answerToFlags } from "./usage";

/**
 * `pulumi-resource-perimeter [flags] [ENGINE]` serves the engine at that address, `host:port`. A person starts it without an
 * address: `PULUMI_DEBUG_PROVIDERS=perimeter:PORT` then makes engines attach to it, one after the other. `--help` and
 * `--version` answer that person.
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
  if (engineAddress !== undefined) {
    watchEngine(engineAddress, () => {
      plugin.abandon();
      process.exit(0);
    });
  }
  // The engine reads the port from the first line.
  // Past `process.stdout`: to make that stream takes as long as a tenth of the start.
  writeSync(1, `${plugin.port}\n`);
  plugin.warmUp();
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`pulumi-resource-perimeter: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
