import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { htmlPage, jsonText, markdownText, terminalText } from "../provider/review/formats";
import { checkedResult, readPolicy, type ReviewPolicy, type ReviewResult, type Rules } from "../provider/review";
import type { AnswerOptions } from "./answer-options";
import { readText, unusable } from "./files";
import { textStyle, type Terminal } from "./terminal";

/** What `perimeter review` and `perimeter access` have in common: the rules that they read, and the answer they print. */

/** Read from the current folder where it is there, and no other is named. */
export const POLICY_FILE = ".perimeter-review.yaml";

/** @throws Error for a policy file that is named and not there, or has mistakes */
export function readRules({ allowLoss, policy }: Pick<AnswerOptions, "allowLoss" | "policy">): Rules {
  return { allowLoss, policy: policy === undefined ? defaultPolicy() : readPolicy(readText(policy), policy) };
}

function defaultPolicy(): ReviewPolicy | undefined {
  return existsSync(POLICY_FILE) ? readPolicy(readText(POLICY_FILE), POLICY_FILE) : undefined;
}

/** An earlier answer in JSON. @throws Error that says what is wrong with the file */
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

/** Prints the answer, or writes the file. */
export function answer(result: ReviewResult, { format, output, colour }: AnswerOptions, terminal: Terminal): void {
  // A file has no colours, whoever looks at it later.
  const style = textStyle(terminal, colour && output === undefined);
  const text = {
    terminal: () => terminalText(result, style),
    markdown: () => markdownText(result),
    json: () => jsonText(result),
    html: () => htmlPage(result),
  }[format]();
  if (output === undefined) terminal.write(text);
  else writeWhole(output, text);
}

/** Under another name first: whoever reads the file at any time finds the old answer, or the new one, never half of one. */
function writeWhole(path: string, text: string): void {
  const part = `${path}.${randomUUID()}.part`;
  try {
    writeFileSync(part, text);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw unusable(path, "written", error);
  }
}
