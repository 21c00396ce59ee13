import { InvalidArgumentError, Option, type Command } from "commander";
import { noColor, repeatable, type ColorOption } from "./option-values";
import { FORMATS, parseOutput, type Format, type Output } from "./outputs";

/** The options that `perimeter review` and `perimeter access` have in common. */

/** Options of both commands, with commander's names. */
export interface AnswerOptions extends ColorOption {
  /** Default: that of the ending of each output, and otherwise `terminal`. */
  format?: Format;
  output?: Output[];
  /** False with `--no-inherited`. */
  inherited: boolean;
  maskPrincipals?: boolean;
  maskServiceAccounts?: boolean;
  allowLoss: string[];
  allowGain: string[];
  /** False with `--no-new-access`. */
  newAccess: boolean;
  /** Path of a file; so is the default. */
  policy?: string;
  /** A git revision. */
  policyFrom?: string;
}

export function withAnswerOptions(command: Command): Command {
  return command
    .addOption(new Option("--format <form>", "format of the result (default: terminal)").choices(FORMATS))
    .option(
      "--output <file>",
      "write the result to this file (atomically); - is standard output. The ending selects the form: .md, .json, .html, " +
        ".sarif, .xml (junit). FORM=FILE names the form: codequality=quality.json. Can be repeated",
      parseOutput,
    )
    .addOption(repeatable("--allow-loss <name>", "a principal, role or resource whose losses are expected", grantName))
    .option("--no-new-access", "a gain gives exit code 2, as a loss does, unless it is expected")
    .addOption(repeatable("--allow-gain <name>", "a principal, role or resource whose gains are expected", grantName))
    .option(
      "--policy <file>",
      "rules (default: each .perimeter-review.yaml from the root of the repository to this folder)",
    )
    .option(
      "--policy-from <revision>",
      "take the rules from this git revision, such as origin/main, instead of this folder",
    )
    .option("--no-inherited", "do not read the policies above the resources (dataset, project, folders, organization)")
    .option("--mask-principals", "replace the names of people and groups: user:a…1@example.com. The domain stays")
    .addOption(
      new Option("--mask-service-accounts", "replace the names of service accounts, too").implies({
        maskPrincipals: true,
      }),
    )
    .addOption(noColor());
}

/**
 * Refuses a value that cannot be a name. Without this check, `--allow-loss --policy=rules.yaml` would use the next option as
 * its value.
 *
 * @throws InvalidArgumentError, which commander reports with the option's name
 */
function grantName(text: string): string {
  if (/^[a-z*]|^\/\//i.test(text)) return text;
  throw new InvalidArgumentError("It must be a principal, a role or a resource.");
}
