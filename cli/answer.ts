import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { htmlPage, jsonText, markdownText, terminalText } from "../access/formats";
import { checkedResult, type ReviewResult } from "../access";
import { formatOf, type AnswerOptions } from "./answer-options";
import { readText, unusable } from "./files";
import { textStyle, type Terminal } from "./terminal";

/** The results of `perimeter review` and `perimeter access`. */

/** An earlier result in JSON. @throws Error that says what is wrong with the file */
export function readAnswer(path: string): ReviewResult {
  const text = readText(path);
  try {
    return checkedResult(JSON.parse(text));
  } catch {
    throw new Error(
      `${path} is not what \`perimeter access --format json\` or \`perimeter review --format json\` prints`,
    );
  }
}

/** Prints the result, or writes the files. All of them show the same result. */
export function answer(result: ReviewResult, { format, output, color }: AnswerOptions, terminal: Terminal): void {
  // A file never has colors.
  const style = textStyle(terminal, color && output === undefined);
  const forms = {
    terminal: () => terminalText(result, style),
    markdown: () => markdownText(result),
    json: () => jsonText(result),
    html: () => htmlPage(result),
  };
  if (output === undefined) terminal.write(forms[format ?? "terminal"]());
  else for (const path of output) writeAtomically(path, forms[format ?? formatOf(path)]());
}

/** Writes to another name first, so that a reader of the file finds the old or the new result, never a part. */
function writeAtomically(path: string, text: string): void {
  const part = `${path}.${randomUUID()}.part`;
  try {
    writeFileSync(part, text);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw unusable(path, "written", error);
  }
}
