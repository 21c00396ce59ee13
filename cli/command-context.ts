import type { Terminal } from "./terminal";

/** What the program gives to its commands: `require`, the streams, and a place for the exit code. */
export interface CommandContext {
  /** Loads a command's module when the command runs. */
  load: NodeJS.Require;
  terminal: Terminal;
  /** Sets the exit code of a command that finished. */
  exit(code: number): void;
}
