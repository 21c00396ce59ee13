import type { Command } from "commander";
import { COMMAND } from "../../provider/command";
import type { CommandContext } from "../terminal";
import type { DoctorCommandOptions } from "./command";
import { noColor } from "../option-values";

const DOCTOR_HELP = `
Checks Node.js, the Pulumi CLI, its language hosts and the plugin. Shows the configuration, the credentials and the project
with their sources. Checks whether each API responds and allows the caller's requests. Changes nothing, and shows no token,
key or password.

Without RESOURCE, lists the locations of the project in each API, which only reads. With the name of a resource on which you
grant roles, checks the permissions that a grant needs (testIamPermissions).

Examples:
  ${COMMAND} doctor                   with the settings of the environment
  ${COMMAND} doctor --stack dev       with the settings of the stack; run it in the project's folder
  ${COMMAND} doctor --stack dev projects/p/locations/us-central1/datasets/clinic/fhirStores/records
  ${COMMAND} doctor --json            for programs: docs/doctor.schema.json

Exit codes:
  0  nothing that programs need is missing; there may be warnings and notes
  1  something is missing: the lines marked "error" say what to do
`;

export function addDoctor(program: Command, { terminal, exit }: CommandContext): void {
  program
    .command("doctor")
    .description("check everything that a program needs, and say how to fix what is missing")
    .argument("[RESOURCE...]", "names of resources on which you grant roles")
    .option("--stack <name>", "use the configuration of this stack of the project in the current folder")
    .option("--json", "print the results as JSON")
    .addOption(noColor())
    .addHelpText("after", DOCTOR_HELP)
    .action(async (resources: string[], options: DoctorCommandOptions) => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { runDoctor } = require("./command") as typeof import("./command");
      exit(await runDoctor(resources, options, terminal));
    });
}

export function addVersion(program: Command, { terminal }: CommandContext): void {
  program
    .command("version")
    .description("print the versions of the package, its plugin protocol and its runtime")
    .action(() => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { runVersion } = require("../version") as typeof import("../version");
      runVersion(terminal);
    });
}
