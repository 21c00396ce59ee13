import type { Terminal } from "./terminal";

/** What the commands need of the program: `require`, the streams, and a place for the exit code. */
export interface CommandContext {
  /** Loads a command's module when the command is asked for. */
  load: NodeJS.Require;
  terminal: Terminal;
  /** Sets the exit code of a command that went to its end. */
  exit(code: number): void;
}
