import { shortNameOf, typeIn } from "./urn";

/**
 * Names from policies, plans and servers may contain anything: a sequence that clears the terminal, a mark that reverses the
 * text, a line that imitates the output. Characters that are invisible or not shown as themselves are written as numbers.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|[^\S ]|\p{Default_Ignorable_Code_Point}/gu;

/**
 * Logs of Azure and TeamCity, and GitHub's for its old commands, take this for a command anywhere in a line. What is before
 * the bracket is looked at where there is one: to look back at each character takes thirty times as long.
 */
const COMMAND = /\[(?<=##\w{0,30}\[)/g;
/** GitHub's logs take a line with this beginning for a command, also after blanks. */
const COMMAND_LINE = /^(\s*):(?=:)/;

/** Returns the text in one line of visible characters. Others are written like `\u{1b}`. */
export function visible(text: string): string {
  return withoutUnseen(text, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Replaces invisible characters, and the bracket of what a log may take for a command. */
export function withoutUnseen(text: string, written: (character: string) => string): string {
  return text.replace(UNSEEN, written).replace(COMMAND, written);
}

/** A whole line of visible characters that no log takes for a command. */
export function logLine(line: string): string {
  return line.replace(COMMAND_LINE, "$1\\u{3a}");
}

/** A message of several lines for a terminal or a log: line breaks and tabs stay. */
export function logText(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.split("\t").map(visible).join("\t"));
  return lines.map(logLine).join("\n");
}

/** Returns a sentence in one line. Line breaks become blanks. */
export function oneLine(text: string): string {
  return visibleLines(text).join(" ");
}

/** Returns the lines of a text that are not blank, e.g. of an error message. */
export function visibleLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => visible(line).trim())
    .filter((line) => line !== "");
}

/** Returns `ada-reads (DatasetFhirStoreIamMember)` for a URN, and other texts unchanged. */
export function stepName(urn: string): string {
  const isUrn = urn.startsWith("urn:") && urn.split("::").length > 3;
  return visible(isUrn ? `${shortNameOf(urn)} (${typeIn(urn).split(":").at(-1)})` : urn);
}

/** A name inside a comment of HTML: the characters that could end the comment are encoded. */
export function inHtmlComment(name: string): string {
  return encodeURIComponent(name).replace(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
}

/** A sentence as a part of another one: without its full stop. */
export function asClause(sentence: string): string {
  return sentence.replace(/[.\s]+$/, "");
}

/** A text with a capital letter at its beginning. */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** ` (and 2 more)`; empty for none. */
export function andMore(count: number): string {
  return count > 0 ? ` (and ${count} more)` : "";
}

/** `ada, bob (and 2 more)` */
export function firstOf(names: readonly string[], most: number): string {
  return names.slice(0, most).join(", ") + andMore(names.length - most);
}

/** `1 grant`, `2 grants`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? singular : plural}`;
}

/** Returns the beginning of a text, with the number of omitted characters. */
export function shortened(text: string, limit: number): string {
  const characters = [...text];
  return characters.length <= limit
    ? text
    : `${characters.slice(0, limit).join("")}… (${counted(characters.length - limit, "more character")})`;
}
