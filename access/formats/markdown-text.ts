import { counted, oneLine, visible } from "../visible";

/**
 * Escapes foreign texts for Markdown, so that they contain no markup, links or mentions. Only in code spans do GitHub and
 * GitLab look for neither links nor mentions.
 */

/** Formats a name as a code span that is also valid in a table: there, an unescaped pipe ends the cell even in code. */
export function code(text: string, place: "table" | "text" = "text"): string {
  const shown = visible(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  // Blanks at both ends separate a backtick of the name from the fence. They are not part of the code.
  const padding = /^[` ]|[` ]$/.test(shown) || shown === "" ? " " : "";
  const span = `${fence}${padding}${shown}${padding}${fence}`;
  return place === "table" ? span.replace(/\\\|/g, "\\\\u{7c}").replaceAll("|", "\\|") : span;
}

/** Words that have no special meaning in Markdown. */
const PLAIN = /^[\p{L}\p{N}.,;:'"()“”‘’…→/?-]+$/u;
/** Words that GitHub or GitLab still interpret: links, `GH-12`, commits, `:emoji:`, lists, GitLab's `/commands`. */
const SPECIAL = /:\/\/|www\.|GH-\d|:[\w-]+:|^\W*[0-9a-f]{7,40}\W*$|^-+$|^\d+[.)]$|^\//i;

/** Formats a sentence. Possible markup, mentions and links become code spans. */
export function sentence(text: string, place: "table" | "text" = "text"): string {
  return oneLine(text)
    .split(" ")
    .map((word) => (word === "" || (PLAIN.test(word) && !SPECIAL.test(word)) ? word : wordInCode(word, place)))
    .join(" ");
}

/** Punctuation at the end belongs to the sentence, not to the name. */
function wordInCode(word: string, place: "table" | "text"): string {
  const [, name = word, end = ""] = /^([^:].*[^.,;:])([.,;:]+)$/.exec(word) ?? [];
  return `${code(name, place)}${end}`;
}

/** Builds a text of lists within a limit of characters, and counts the entries that did not fit. */
export class BoundedText {
  private text = "";
  private leftOut = 0;

  add(text: string): void {
    this.text += text;
  }

  /**
   * Adds the entries of a list that fit. An empty list adds nothing.
   *
   * @param limit the largest number of characters of the whole text after this list
   */
  addList(head: string, lines: readonly string[], end: string, limit: number): void {
    let room = limit - this.text.length - head.length - end.length;
    let fitting = 0;
    while (fitting < lines.length && (room -= lines[fitting]?.length ?? 0) >= 0) {
      fitting += 1;
    }
    this.leftOut += lines.length - fitting;
    if (fitting > 0) {
      this.text += head + lines.slice(0, fitting).join("") + end;
    }
  }

  toString(): string {
    const left = counted(this.leftOut, "entry is", "entries are");
    return this.leftOut === 0 ? this.text : `${this.text}\n${left} left out here: \`--format json\` has all.\n`;
  }
}
