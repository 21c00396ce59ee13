import type { Command } from "commander";
import type * as accessCommand from "./access";
import { withAnswerOptions } from "./answer-options";
import type { CommandContext } from "./terminal";
import { checkedPeriod, once, repeatable } from "./option-values";
import type * as reviewCommand from "./review";

const EXIT_CODES = `
Exit codes:
  0  nobody loses access, and nothing violates a rule of the policy file
  2  somebody loses access, or gains it with --no-new-access; something violates a rule, or the provider would refuse a step;
     with --expect: a change is not in the approved review
  3  something is unknown (and nobody is known to lose)
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
  pulumi preview --json --show-sames | npx pulumi-perimeter review
  pulumi destroy --preview-only --json | npx pulumi-perimeter review
  npx pulumi-perimeter review --stack dev
  npx pulumi-perimeter review --stack infra/network/prod --stack infra/data/prod     several stacks in one answer
  npx pulumi-perimeter review --stack dev -- --target 'urn:pulumi:dev::shop::…::viewer'
  npx pulumi-perimeter review --plan plan.json --format markdown --output review.md
  npx pulumi-perimeter review --stack dev --all --output review.md --output review.json
  npx pulumi-perimeter review --stack dev --output markdown=comment.txt --output review.sarif --output -
  npx pulumi-perimeter review --stack dev --expect approved.json     before the update: nothing more than was approved
  npx pulumi-perimeter review --stack dev --no-new-access --allow-gain group:oncall@example.com
  npx pulumi-perimeter review --stack dev --allow-loss user:ada@example.com --allow-loss roles/healthcare.fhirStoreViewer
${EXIT_CODES}
docs/review.md explains this command, docs/review-rules.md the policy file, docs/review-ci.md how to run it in CI.
`;

const ACCESS_HELP = `
A RESOURCE is the relative name, the full name or the URL of a resource. Settings and credentials are those of the
environment, or with --stack those of the stack.

Examples:
  npx pulumi-perimeter access projects/p/locations/us-central1/datasets/clinic/fhirStores/records
  npx pulumi-perimeter access --stack dev                       everything that the stack manages, and its unmanaged access
  npx pulumi-perimeter access --stack dev --format json --output monday.json
  npx pulumi-perimeter access --stack dev --diff monday.json    what has changed since Monday; exit code 2 where somebody lost
  npx pulumi-perimeter access --stack dev --expect review.json  after the update: what is not as the review expected
  npx pulumi-perimeter access --stack dev --expires-within 2w   what expires within two weeks, and what never expires
  npx pulumi-perimeter access --stack dev --expect review.json --any-endpoint     the same on the emulator
  npx pulumi-perimeter access --stack dev --adopt adopt.json --only 'roles/healthcare.*'
${ACCESS_EXIT_CODES}
docs/access.md explains this command, and docs/review-rules.md the policy file.
`;

export function addReview(program: Command, { load, terminal, exit }: CommandContext): void {
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
        "run the preview of this stack: its name, in the current folder, or the folder of its project, a slash and its name " +
          "(infra/network/prod)",
      ),
    )
    .option("--destroy", "with --stack: review `pulumi destroy` instead of `pulumi up`")
    .option("--state <file>", "for an existing plan: output of `pulumi stack export`")
    .option(
      "--expect <file>",
      "an approved review of the same update (--format json): exit code 2 for every change that it does not have",
    )
    .option("--all", "also review resources whose grants do not change; for `access --expect` after the update");
  withAnswerOptions(command)
    .addHelpText("after", REVIEW_HELP)
    .action(async (pulumiArguments: string[], options: reviewCommand.ReviewCommandOptions) => {
      const { runReview } = load("./review") as typeof reviewCommand;
      exit(await runReview(options, pulumiArguments, terminal));
    });
}

export function addAccess(program: Command, { load, terminal, exit }: CommandContext): void {
  const command = program
    .command("access")
    .description("show who has access now")
    .argument("[RESOURCE...]", "names of resources")
    .addOption(once("--stack <name>", "all resources whose access this stack manages"))
    .option("--diff <file>", "show the changes since an earlier result (--format json)")
    .option(
      "--expect <file>",
      "with --stack, after an update: show what is not as this review expected (--format json)",
    )
    .option(
      "--any-endpoint",
      "with --diff or --expect: also compare resources that the file has at another endpoint, such as an emulator's",
    )
    .option(
      "--adopt <file>",
      "with --stack: write the file with which `pulumi import --file` takes over unmanaged grants",
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
      "write a copy of the resources and policies, with --stack of all that the stack has, for `perimeter emulator --seed`",
    );
  withAnswerOptions(command)
    .addHelpText("after", ACCESS_HELP)
    .action(async (names: string[], options: accessCommand.AccessCommandOptions) => {
      const { runAccess } = load("./access") as typeof accessCommand;
      exit(await runAccess(names, options, terminal));
    });
}
