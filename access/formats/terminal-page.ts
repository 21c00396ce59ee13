import { logLine } from "../result/visible";

export interface TerminalOptions {
  /** Columns of the terminal. */
  width: number;
  /** Whether to use colors. The caller knows the stream, and checks NO_COLOR. */
  color: boolean;
}

export type Style = "strong" | "soft" | "good" | "bad" | "warn";

const CODES: Readonly<Record<Style, number>> = { strong: 1, soft: 2, bad: 31, good: 32, warn: 33 };
const NARROWEST = 20;

/** Collects the lines of a text for a terminal, each broken to its width. Texts come without control characters. */
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
   * @param lead the beginning of the first line, e.g. a sign
   * @param hanging the indent of further lines. Only the page's own words may continue without one: a name could imitate a
   * headline there.
   */
  add(lead: string, text: string, style?: Style, hanging = columnsOf(lead) + (lead === "" ? 0 : 2)): void {
    const hang = " ".repeat(hanging);
    const [first = "", ...others] = wrapped(text, this.width - hanging);
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
    const line = logLine(text);
    return this.options.color && style && line !== "" ? `\u001b[${CODES[style]}m${line}\u001b[0m` : line;
  }
}

/** The width of a text in columns of a terminal: a combining mark takes no column, a wide character two. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isWide = WIDE.some(([from, to]) => code >= from && code <= to);
    columns += /\p{M}/u.test(character) ? 0 : isWide ? 2 : 1;
  }
  return columns;
}

/** East Asian characters and pictures, of Unicode's table of widths (UAX #11), in blocks. */
const WIDE: ReadonlyArray<readonly [from: number, to: number]> = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

/**
 * Breaks a text into lines of a largest width: between words, or between the parts of a word that is too long. Nothing is
 * omitted.
 */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((word) => piecesOf(word, width))) {
    const joined = line === "" ? word.text : `${line}${word.continues ? "" : " "}${word.text}`;
    if (line !== "" && columnsOf(joined) > width) {
      lines.push(line);
      line = word.text;
    } else {
      line = joined;
    }
  }
  return [...lines, line];
}

interface Piece {
  text: string;
  /** Whether the piece follows the one before it without a blank. */
  continues: boolean;
}

function piecesOf(word: string, width: number): Piece[] {
  const characters = [...word];
  const pieces: Piece[] = [];
  const add = (from: number, to: number) => {
    pieces.push({ text: characters.slice(from, to).join(""), continues: from > 0 });
  };
  let start = 0;
  for (let end = endOfLine(characters, start, width); end < characters.length;) {
    // A break after one of these is easier to read, unless it would leave half of the line empty.
    const line = characters.slice(start, end);
    const good = line.findLastIndex((character) => "/.:@-_".includes(character)) + 1;
    const at = start + (good > line.length / 2 ? good : line.length);
    add(start, at);
    start = at;
    end = endOfLine(characters, start, width);
  }
  add(start, characters.length);
  return pieces;
}

/** The index after the characters that fit into a line, at least one. */
function endOfLine(characters: readonly string[], start: number, width: number): number {
  let end = start;
  for (let columns = 0; end < characters.length; end++) {
    columns += columnsOf(characters[end] ?? "");
    if (columns > width && end > start) break;
  }
  return end;
}
