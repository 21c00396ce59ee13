/**
 * Names come from policies, plans and servers, so they may hold anything: a sequence that clears the terminal, a mark
 * that turns the text around it, a line that looks like ours. What is not seen as itself is written as its number.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|[^\S ]|\p{Default_Ignorable_Code_Point}/gu;

/** The text in one line, each character of it one that can be seen: others as `\u{1b}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A sentence in one line: the line breaks of a message or of a YAML text are blanks. */
export function oneLine(text: string): string {
  return visibleLines(text).join(" ");
}

/** Text of several lines, e.g. the message of an error: the lines that are not blank. */
export function visibleLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => visible(line).trim())
    .filter((line) => line !== "");
}

/** `ada-reads (DatasetFhirStoreIamMember)` of a URN; any other text as it is. */
export function stepName(urn: string): string {
  const [prefix, , types, ...name] = urn.split("::");
  if (!prefix?.startsWith("urn:") || types === undefined || name.length === 0) {
    return visible(urn);
  }
  const type = types.slice(types.lastIndexOf("$") + 1);
  return visible(`${name.join("::")} (${type.slice(type.lastIndexOf(":") + 1)})`);
}

/** `1 grant`, `2 grants`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? singular : plural}`;
}

/** The start of a text, and how much of it is left out. */
export function shortened(text: string, limit: number): string {
  const characters = [...text];
  return characters.length <= limit
    ? text
    : `${characters.slice(0, limit).join("")}… (${counted(characters.length - limit, "more character")})`;
}
