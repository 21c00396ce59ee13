import { Option, type Command } from "commander";

/** What `withColourOption` adds, with commander's names. */
export interface ColourOption {
  /** False for `--no-colour`, in either spelling. */
  colour: boolean;
}

export function withColourOption(command: Command): Command {
  return command
    .option("--no-colour", "print no colours; so do NO_COLOR, and an output that is no terminal")
    .addOption(new Option("--no-color").hideHelp().implies({ colour: false } satisfies ColourOption));
}
