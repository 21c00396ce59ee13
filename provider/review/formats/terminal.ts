import type { ReviewResult } from "../result";

export interface TerminalOptions {
  /** Columns of the terminal. */
  width: number;
  colour: boolean;
}

export function terminalText(result: ReviewResult, _options: TerminalOptions): string {
  return `${result.summary.lost} lost, ${result.summary.gained} gained\n`;
}
