import {
  checkedAnswer,
  codeQualityText,
  githubText,
  htmlPage,
  jsonText,
  junitText,
  markdownText,
  maskMessage,
  maskPrincipals,
  sarifText,
  terminalText,
  type Answer,
  type MaskOptions,
} from "../access";
import type { AnswerOptions } from "./answer-options";
import { readText, writeAtomically } from "./files";
import { isStandardOutput, outputsOf, type Format } from "./outputs";
import { textStyle, type Terminal } from "./terminal";

/** The results of `perimeter review` and `perimeter access`. */

/** An earlier answer in JSON, to compare with. @throws Error that says what is wrong with the file */
export function readAnswer(path: string): Answer {
  const result = readAnyAnswer(path);
  if (!result.masked) return result;
  throw new Error(`${path} cannot be compared: it was written with --mask-principals. Write one without that option`);
}

/** An answer in JSON, which may be masked. @throws Error for another file */
export function readAnyAnswer(path: string): Answer {
  const text = readText(path);
  try {
    return checkedAnswer(JSON.parse(text));
  } catch {
    throw new Error(
      `${path} is not what \`perimeter access --format json\` or \`perimeter review --format json\` prints`,
    );
  }
}

/**
 * Runs a command, and masks the names in its warnings and errors where the options mask them.
 *
 * @throws the command's error, with a masked message
 */
export async function withMaskedMessages(
  options: AnswerOptions,
  terminal: Terminal,
  run: (terminal: Terminal) => Promise<number>,
): Promise<number> {
  const mask = maskOf(options);
  if (mask === undefined) return run(terminal);
  const masked = (text: string): string => maskMessage(text, mask, principalsIn(options));
  const writeError = (text: string): void => terminal.writeError(masked(text));
  return run({ ...terminal, writeError }).catch((error: unknown) => {
    throw error instanceof Error ? Object.assign(error, { message: masked(error.message) }) : error;
  });
}

/** The values of `--allow-loss` and `--allow-gain` that are neither roles nor resources. */
function principalsIn({ allowLoss, allowGain }: AnswerOptions): string[] {
  return [...allowLoss, ...allowGain].filter((each) => !/^(?:roles|projects|folders|organizations|)\//.test(each));
}

/** How names are masked; undefined if they are not. */
export function maskOf({ maskPrincipals: wanted, maskServiceAccounts }: AnswerOptions): MaskOptions | undefined {
  return wanted ? { serviceAccounts: maskServiceAccounts === true } : undefined;
}

/**
 * Writes the result to all outputs. If one of them fails, no file is replaced and nothing is printed.
 *
 * @param projectFile the file of the Pulumi project of each stack, relative to the root of the repository
 */
export function answer(
  full: Answer,
  options: AnswerOptions,
  terminal: Terminal,
  projectFile: string | readonly string[],
): void {
  const mask = maskOf(options);
  const result = mask === undefined ? full : maskPrincipals(full, mask);
  const outputs = outputsOf(options).map((output) => {
    // A file never has colors.
    const style = textStyle(terminal, options.color && isStandardOutput(output));
    const forms: Record<Format, () => string> = {
      terminal: () => terminalText(result, style),
      markdown: () => markdownText(result),
      json: () => jsonText(result),
      html: () => htmlPage(result),
      sarif: () => sarifText(result, { projectFile }),
      junit: () => junitText(result),
      github: () => githubText(result),
      codequality: () => codeQualityText(result, { projectFile }),
    };
    return { ...output, text: forms[output.format]() };
  });
  writeAtomically(outputs.filter((each) => !isStandardOutput(each)));
  for (const { text } of outputs.filter(isStandardOutput)) terminal.write(text);
}
