import type { Command } from "commander";
import { COMMAND } from "../provider/command";
import type { CommandContext } from "./terminal";
import type { EmulatorCommandOptions } from "./emulator";
import { address, collect, listeningHost, repeatable, wholeNumber } from "./option-values";

const EMULATOR_HELP = `
It runs until Ctrl-C. Its first lines say how programs use it. Its address shows the console in a browser.

Examples:
  ${COMMAND} emulator
  ${COMMAND} emulator --port 0 --operation-ms 2000           a free port; operations take two seconds
  ${COMMAND} emulator --seed team.yaml --export after.yaml   start with your resources, save the final ones
  ${COMMAND} emulator --data .emulator                       the state survives a restart

docs/emulator.md explains seeds and fault plans, docs/emulator-reference.md the control routes.
`;

export function addEmulator(program: Command, { terminal }: CommandContext): void {
  program
    .command("emulator")
    .description("serve the APIs on this machine, without a cloud")
    .option("--port <number>", "port to listen on; 0 takes a free one", wholeNumber(65_535), 8790)
    .option("--host <address>", "address to listen on", listeningHost, "127.0.0.1")
    .addOption(
      repeatable(
        "--allow-host <name>",
        "additional host name that clients may use",
        address("host with or without port"),
      ),
    )
    .option(
      "--seed <file>",
      "YAML or JSON list of {service, name, body?, policy?}; can be repeated (default: a small demo project)",
      collect,
    )
    .option("--export <file>", "write the resources to this file at the end, as a seed: JSON to *.json, else YAML")
    .option(
      "--permissions-used <file>",
      "write the permissions that the requests needed, by resource, to this file at the end: JSON to *.json, else YAML",
    )
    .option("--empty", "start without the demo project")
    .option(
      "--any-resource",
      "if the emulator has only the access policy of a kind, resources of this kind exist with any name",
    )
    .option(
      "--operation-ms <number>",
      "how long operations take, in milliseconds (default: 0)",
      wholeNumber(86_400_000),
    )
    .option("--data <folder>", "keep the state in this folder across restarts")
    .option("--faults <file>", "YAML or JSON fault plan: which requests fail, and how")
    .option("--config <file>", "YAML or JSON map of the emulator's other settings")
    .option("--verbose", "print a line for each request")
    .addHelpText("after", EMULATOR_HELP)
    .action(async (options: EmulatorCommandOptions) => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { runEmulator } = require("./emulator") as typeof import("./emulator");
      await runEmulator(options, terminal);
    });
}
