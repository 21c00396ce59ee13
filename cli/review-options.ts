import { Option, type Command } from "commander";
import { COMMAND } from "../provider/command";
import type { AccessCommandOptions } from "./access";
import { withAnswerOptions } from "./answer-options";
import type { CommandContext } from "./terminal";
import { checkedPeriod, once, repeatable } from "./option-values";
import type { ReviewCommandOptions } from "./review";

const EXIT_CODES = `
Exit codes:
  0  nobody loses access, and nothing violates a rule of the policy file
  2  somebody loses access, or gains it with --no-new-access; something violates a rule, or the provider would refuse a step;
     with --expect: a change is not in the approved review
  3  something is unknown (and exit code 2 does not apply)
  1  the command could not do its work: the message says why
`;

const ACCESS_EXIT_CODES = `
Exit codes:
  0  every policy was read; with --diff, nobody lost access; nothing violates a rule of the policy file
  2  somebody lost access since the earlier answer (--diff), something is not as expected (--expect), or violates a rule
  3  a policy cannot be read, or the review of --expect did not know everything (and exit code 2 does not apply)
  1  the command could not do its work: the message says why
`;

const REVIEW_HELP = `
The plan is taken from standard input, from --plan, or made by --stack. Policies are read live, with the stack's own
settings and credentials. Nothing is changed.

Examples:
  pulumi preview --json --show-sames | ${COMMAND} review
  pulumi destroy --preview-only --json | ${COMMAND} review --destroy
  ${COMMAND} review --stack dev
  ${COMMAND} review --stack infra/network/prod --stack infra/data/prod     several stacks in one answer
  ${COMMAND} review --stack dev -- --target 'urn:pulumi:dev::shop::…::viewer'
  ${COMMAND} review --plan plan.json --format markdown --output review.md
  ${COMMAND} review --stack dev --all --output review.md --output review.json
  ${COMMAND} review --stack dev --output markdown=comment.txt --output review.sarif --output -
  ${COMMAND} review --stack dev --expect approved.json     before the update: nothing more than was approved
  ${COMMAND} review --stack dev --no-new-access --allow-gain group:oncall@example.com
  ${COMMAND} review --stack dev --allow-loss user:ada@example.com --allow-loss roles/healthcare.fhirStoreViewer
${EXIT_CODES}
docs/review.md explains this command, docs/review-rules.md the policy file, docs/review-ci.md how to run it in CI.
`;

const ACCESS_HELP = `
A RESOURCE is the relative name, the full name or the URL of a resource. With --stack, it is a name in which * stands for
any text, and selects resources of the stack. Settings and credentials are those of the environment, or with --stack
those of the stack.

Examples:
  ${COMMAND} access projects/p/locations/us-central1/datasets/clinic/fhirStores/records
  ${COMMAND} access --stack dev                       everything that the stack manages, and its unmanaged access
  ${COMMAND} access --stack dev '//pubsub.googleapis.com/*'     those resources of the stack
  ${COMMAND} access --stack dev --format json --output monday.json
  ${COMMAND} access --stack dev --diff monday.json    what has changed since Monday; exit code 2 if somebody lost access
  ${COMMAND} access --stack dev --expect review.json  after the update: the differences from the review
  ${COMMAND} access --stack dev --expires-within 2w   what expires within two weeks, and what never expires
  ${COMMAND} access --stack dev --expect review.json --any-endpoint     the same on the emulator
  ${COMMAND} access --stack dev --adopt adopt.json --only 'roles/healthcare.*'
${ACCESS_EXIT_CODES}
docs/access.md explains this command, and docs/review-rules.md the policy file.
`;

export function addReview(program: Command, { terminal, exit }: CommandContext): void {
  const command = program
    .command("review")
    .description("show who gains and who loses access in a plan, before the update")
    .argument(
      "[pulumi-arguments...]",
      "after --, with --stack: more arguments for `pulumi preview` or `pulumi destroy`",
    )
    .option("--plan <file>", "output of `pulumi preview --json`; - is standard input")
    .addOption(
      repeatable(
        "--stack <name>",
        "run the preview of this stack: of the project in the current folder (prod), or in another folder (infra/network/prod)",
      ),
    )
    .option(
      "--destroy",
      "review `pulumi destroy` instead of `pulumi up`; a plan in a pipe or a file does not say which",
    )
    .option("--state <file>", "for an existing plan: output of `pulumi stack export`")
    .option(
      "--expect <file>",
      "an approved review of the same update (--format json): exit code 2 for every change that it does not have",
    )
    .option("--all", "also review resources whose grants do not change; for `access --expect` after the update");
  withAnswerOptions(command)
    .addHelpText("after", REVIEW_HELP)
    .action(async (pulumiArguments: string[], options: ReviewCommandOptions) => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { runReview } = require("./review") as typeof import("./review");
      exit(await runReview(options, pulumiArguments, terminal));
    });
}

export function addAccess(program: Command, { terminal, exit }: CommandContext): void {
  const command = program
    .command("access")
    .description("show who has access now")
    .argument("[RESOURCE...]", "names of resources; with --stack, patterns of names")
    .addOption(once("--stack <name>", "all resources whose access this stack manages"))
    .option("--diff <file>", "show the changes since an earlier result (--format json)")
    .option("--expect <file>", "with --stack, after an update: show the differences from this review (--format json)")
    .option(
      "--any-endpoint",
      "with --diff or --expect: also compare resources that the file has at another endpoint, such as an emulator's",
    )
    .option(
      "--adopt <file>",
      "with --stack: write the file with which `pulumi import --file` takes over unmanaged grants",
    )
    .addOption(
      new Option(
        "--adopt-as <provider>",
        "with --adopt: the provider whose types the file has (default: the provider of the stack's grants on the resource)",
      ).choices(["perimeter", "gcp"]),
    )
    .addOption(repeatable("--only <glob>", "with --adopt: only grants whose principal, role or resource matches"))
    .addOption(
      repeatable("--associations <location>", "with --adopt: also the firewall endpoint associations in this location"),
    )
    .option(
      "--expires-within <time>",
      "list the grants that expire within this time (default: 30d), and those that never expire",
      checkedPeriod,
    )
    .option(
      "--seed <file>",
      "write a copy of the resources and policies (with --stack: of the whole stack) for `perimeter emulator --seed`",
    );
  withAnswerOptions(command)
    .addHelpText("after", ACCESS_HELP)
    .action(async (names: string[], options: AccessCommandOptions) => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { runAccess } = require("./access") as typeof import("./access");
      exit(await runAccess(names, options, terminal));
    });
}
