import { Option, type Command } from "commander";
import { COMMAND } from "../../provider/command";
import { once, repeatable } from "../option-values";
import type { CommandContext } from "../terminal";
import type { ApprovedOptions } from "./approved";
import type { PublishOptions } from "./publish";

const HELP = `
It runs in a job of GitHub, GitLab, Azure Pipelines or Bitbucket, after the review, in a step of its own: only this step
needs the token that writes (PERIMETER_TOKEN or GITHUB_TOKEN, REVIEW_TOKEN, SYSTEM_ACCESSTOKEN; none on Bitbucket).
The comment is that with the same first line, by a member of the project or a bot. A run that is not about the last commit of the pull
request changes nothing. Requests are sent with curl.

Examples:
  ${COMMAND} publish --answer review.json --stack dev
  ${COMMAND} publish --answer access.json --stack dev --of access --as issue

docs/review-ci.md has the jobs.
`;

export function addPublish(program: Command, { terminal, exit }: CommandContext): void {
  program
    .command("publish")
    .description("keep an answer as one comment on the pull request of a job, or as one issue")
    .argument("[pulumi-arguments...]", "after --: those of the review")
    .addOption(
      once(
        "--answer <file>",
        "the answer (--output review.json). If it does not exist, the comment says that there is none",
      ),
    )
    .addOption(repeatable("--stack <name>", "the stack of the answer, as the review takes it"))
    .addOption(new Option("--of <command>", "what the answer is of").choices(["review", "access"]).default("review"))
    .addOption(
      new Option("--as <form>", "comment; issue: an issue that is open while the exit code is not 0")
        .choices(["comment", "issue"])
        .default("comment"),
    )
    .addHelpText("after", HELP)
    .action(async (pulumiArguments: string[], options: PublishOptions) => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { runPublish } = require("./publish") as typeof import("./publish");
      exit(await runPublish(options, pulumiArguments, terminal));
    });
}

export function addApproved(program: Command, { terminal, exit }: CommandContext): void {
  program
    .command("approved")
    .description(
      "in a job of GitLab: get the review of the merge request that this commit merged, for `review --expect`",
    )
    .requiredOption("--output <file>", "where the review is written")
    .option("--job <name>", "the job that made the review", "access-review")
    .addHelpText("after", "\nThe token is REVIEW_TOKEN. docs/review-deployment.md has the job.\n")
    .action(async (options: ApprovedOptions) => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { runApproved } = require("./approved") as typeof import("./approved");
      exit(await runApproved(options, terminal));
    });
}
