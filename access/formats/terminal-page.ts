import { columnsOf, wrapped } from "./wrap";

export interface TerminalOptions {
  /** Columns of the terminal. */
  width: number;
  /** Whether to use colors. The caller knows the stream, and checks NO_COLOR. */
  color: boolean;
}

export type Style = "strong" | "soft" | "good" | "bad" | "warn";

const CODES: Readonly<Record<Style, number>> = { strong: 1, soft: 2, bad: 31, good: 32, warn: 33 };
const NARROWEST = 20;

/** Collects the lines of a text for a terminal, each broken to its width. */
export class TerminalPage {
  private readonly lines: string[] = [];
  private readonly width: number;

  constructor(private readonly options: TerminalOptions) {
    this.width = Math.max(NARROWEST, Math.floor(options.width) || 0);
  }

  blank(): void {
    this.lines.push("");
  }

  /**
   * @param lead the beginning of the first line, e.g. a sign. Further lines are indented by its width plus two.
   * @param text without control characters
   */
  add(lead: string, text: string, style?: Style): void {
    const indent = columnsOf(lead);
    const hang = " ".repeat(indent + (indent > 0 ? 2 : 0));
    const [first = "", ...others] = wrapped(text, this.width - hang.length);
    this.lines.push(this.styled(`${lead}${first}`, style));
    this.lines.push(...others.map((line) => this.styled(`${hang}${line}`, style)));
  }

  /** Writes texts beside each other if they fit, or else each on its own line. */
  addPair(lead: string, [left, right]: readonly [string, string], leftWidth: number, style?: Style): void {
    const padding = leftWidth - columnsOf(left);
    const together = columnsOf(lead) + leftWidth + 2 + columnsOf(right);
    if (padding >= 0 && together <= this.width) {
      this.lines.push(this.styled(`${lead}${left}${" ".repeat(padding)}  ${right}`.trimEnd(), style));
    } else {
      this.add(lead, left, style);
      this.add(" ".repeat(columnsOf(lead) + 2), right, style);
    }
  }

  toString(): string {
    return `${this.lines.join("\n").trimEnd()}\n`;
  }

  private styled(text: string, style: Style | undefined): string {
    return this.options.color && style && text !== "" ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
  }
}
