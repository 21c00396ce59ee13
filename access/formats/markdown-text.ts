import { counted, oneLine, visible } from "../visible";

/**
 * Texts of others in Markdown: nothing in them is markup, and nothing notifies or links anybody. A code span is the
 * one place where GitHub and GitLab look for neither.
 */

/**
 * A name as a code span. In a table, too: a pipe ends a cell even within code, unless it is escaped; and what stands
 * before it must not escape that.
 */
export function code(text: string, place: "table" | "text" = "text"): string {
  const shown = visible(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  // A blank at each side, which is not a part of the code, keeps a backtick at an end from joining the fence.
  const padding = /^[` ]|[` ]$/.test(shown) || shown === "" ? " " : "";
  const span = `${fence}${padding}${shown}${padding}${fence}`;
  return place === "table" ? span.replace(/\\\|/g, "\\\\u{7c}").replaceAll("|", "\\|") : span;
}

/** Words of a sentence that mean nothing but themselves in Markdown. */
const PLAIN = /^[\p{L}\p{N}.,;:'"()“”‘’…→/?-]+$/u;
/** Of these, what the sites make something of: links, `GH-12`, commits, `:emoji:`, lists, GitLab's `/commands`. */
const SPECIAL = /:\/\/|www\.|GH-\d|:[\w-]+:|^\W*[0-9a-f]{7,40}\W*$|^-+$|^\d+[.)]$|^\//i;

/** A sentence: what could be markup, a mention or a link is in code spans. */
export function sentence(text: string, place: "table" | "text" = "text"): string {
  return oneLine(text)
    .split(" ")
    .map((word) => (word === "" || (PLAIN.test(word) && !SPECIAL.test(word)) ? word : wordInCode(word, place)))
    .join(" ");
}

/** The punctuation at its end is the sentence's, not the name's. */
function wordInCode(word: string, place: "table" | "text"): string {
  const [, name = word, end = ""] = /^([^:].*[^.,;:])([.,;:]+)$/.exec(word) ?? [];
  return `${code(name, place)}${end}`;
}

/** A text of lists, which stays below a number of characters and counts the entries that did not fit. */
export class BoundedText {
  private text = "";
  private leftOut = 0;

  add(text: string): void {
    this.text += text;
  }

  /**
   * Adds a list, as much of it as fits; nothing of an empty one.
   *
   * @param limit characters that the whole text may have with this list
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
