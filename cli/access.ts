import { access, accessOfStack, type ReviewResult } from "../access";
import { answer, readAnswer, withMaskedMessages } from "./answer";
import type { AnswerOptions } from "./answer-options";
import { readRules } from "./policy-file";
import type { Terminal } from "./terminal";

/** Options of `perimeter access`, with commander's names. */
export interface AccessCommandOptions extends AnswerOptions {
  stack?: string;
  /** Path of a file. */
  diff?: string;
  /** Path of a file. */
  expect?: string;
}

/**
 * Prints who has access now.
 *
 * @param names of resources
 * @returns the exit code of the gate: 0, 2 or 3
 * @throws Error for a name that does not name a resource with a policy, and for files that cannot be read or written
 */
export function runAccess(
  names: readonly string[],
  options: AccessCommandOptions,
  terminal: Terminal,
): Promise<number> {
  return withMaskedMessages(options, terminal, (masked) => shown(names, options, masked));
}

async function shown(names: readonly string[], options: AccessCommandOptions, terminal: Terminal): Promise<number> {
  const { stack, diff, expect, inherited } = options;
  const { environment = process.env } = terminal;
  if (stack !== undefined && names.length > 0) {
    throw new Error("RESOURCE and --stack exclude each other: --stack shows all that the stack manages");
  }
  if (expect !== undefined && (stack === undefined || diff !== undefined)) {
    throw new Error("--expect needs --stack, and excludes --diff: it compares the stack with a review of its update");
  }
  const rules = readRules(options);
  const earlier = diff === undefined ? undefined : readAnswer(diff);
  const expected = expect === undefined ? undefined : readAnswer(expect);
  let result: ReviewResult;
  if (stack !== undefined) {
    result = await accessOfStack({ stack, earlier, expected, rules, inherited, environment });
  } else if (names.length > 0 || earlier) {
    result = await access({ resources: names, earlier, rules, inherited, environment });
  } else {
    throw new Error("Name a RESOURCE, a stack (--stack dev), or a file with an earlier result (--diff FILE)");
  }
  answer(result, options, terminal);
  return result.verdict.exitCode;
}
