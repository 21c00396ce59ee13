import { Option, type Command } from "commander";
import { withColourOption, type ColourOption } from "./colour-option";
import { repeatable } from "./option-values";

/** The options that `perimeter review` and `perimeter access` have in common. */

const FORMATS = ["terminal", "markdown", "json", "html"] as const;

/** Options of both commands, with commander's names. */
export interface AnswerOptions extends ColourOption {
  format: (typeof FORMATS)[number];
  /** Path of a file. */
  output?: string;
  allowLoss: string[];
  /** Path of a file; so is the default. */
  policy?: string;
}

export function withAnswerOptions(command: Command): Command {
  command
    .addOption(new Option("--format <form>", "how to print the answer").choices(FORMATS).default("terminal"))
    .option("--output <file>", "write the answer there, whole or not at all")
    .addOption(repeatable("--allow-loss <name>", "a principal, role or resource whose losses are meant"))
    .option("--policy <file>", "rules (default: .perimeter-review.yaml in the current folder, if it is there)");
  return withColourOption(command);
}
