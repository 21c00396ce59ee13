import { aboutText } from "../provider/doctor";
import type { Terminal } from "./terminal";

/** Prints the versions of the package and of what it works with. */
export function runVersion(terminal: Terminal): void {
  terminal.write(aboutText());
}
