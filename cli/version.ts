import { aboutText } from "../provider/doctor";
import type { Terminal } from "./terminal";

/** Prints the versions of the package, its plugin protocol and Node.js. */
export function runVersion(terminal: Terminal): void {
  terminal.write(aboutText());
}
