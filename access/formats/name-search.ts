import { getOrCompute } from "../../provider/core/once";

/**
 * Finds names in texts as whole words, whatever their letter case and whatever separates their words: `ada.lovelace` is also in
 * `Ada Lovelace` and `ada-lovelace-reads`. One scan looks for all names at once: its time depends on the
 * length of the text, and hardly on the number of names.
 */
export class NameSearch {
  private readonly root: Node = { next: new Map() };

  /**
   * @param stands the text that replaces the name
   * @param otherwise the text that replaces a name that was added with two different texts
   */
  add(name: string, stands: string, otherwise: string): void {
    const words = wordsOf(name).map(keyOf);
    let node = this.root;
    for (const [index, word] of words.entries()) {
      node = getOrCompute(node.next, word, (): Node => ({ next: new Map() }));
      const isName = index === words.length - 1 || index >= LONGEST;
      if (isName) node.stands = node.stands === undefined || node.stands === stands ? stands : otherwise;
    }
  }

  /** Writes the stand-ins of all names. Where several names match, the longest is taken. */
  replacedIn(text: string): string {
    if (this.root.next.size === 0) return text;
    const words = wordsOf(text);
    let result = "";
    let written = 0;
    for (let at = 0; at < words.length;) {
      const found = this.longestAt(words, at, text);
      if (found) {
        result += text.slice(written, words[at]?.index) + found.stands;
        written = endOf(words[found.end - 1]);
      }
      at = found?.end ?? at + 1;
    }
    return result + text.slice(written);
  }

  private longestAt(words: readonly Word[], at: number, text: string): { stands: string; end: number } | undefined {
    let found: { stands: string; end: number } | undefined;
    let node: Node | undefined = this.root;
    for (let end = at; end < words.length && (end === at || isJoined(words, end, text));) {
      node = node.next.get(keyOf(words[end] as Word));
      if (node === undefined) break;
      end += 1;
      if (node.stands !== undefined) found = { stands: node.stands, end };
    }
    return found;
  }
}

interface Node {
  next: Map<string, Node>;
  /** Present at the end of a name. */
  stands?: string;
}

type Word = RegExpExecArray;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** The number of words after which a longer name counts as found, so that a search reads few words at each place. */
const LONGEST = 32;
/** What may be between two words of a name: up to three characters, and no line break. */
const BETWEEN_WORDS = /^[^\p{L}\p{N}\n]{1,3}$/u;

function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)];
}

function keyOf([word]: Word): string {
  return word.normalize("NFKC").toLowerCase();
}

function endOf(word: Word | undefined): number {
  return word === undefined ? 0 : word.index + word[0].length;
}

function isJoined(words: readonly Word[], at: number, text: string): boolean {
  return BETWEEN_WORDS.test(text.slice(endOf(words[at - 1]), words[at]?.index).slice(0, 4));
}
