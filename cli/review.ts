import {
  projectFolderIn,
  review,
  reviewInFolder,
  reviewStack,
  reviewStacks,
  unusedAllowances,
  type Answer,
  type Rules,
  type StackInFolder,
} from "../access";
import { COMMAND } from "../provider/command";
import { answer, readAnswer, withMaskedMessages } from "./answer";
import type { AnswerOptions } from "./answer-options";
import { readText, textIn, unusable } from "./files";
import { projectFile, stackNamed } from "./folders";
import { prepareOutputs } from "./outputs";
import { readRules } from "./policy-file";
import type { Terminal } from "./terminal";

/** Options of `perimeter review`, with commander's names. */
export interface ReviewCommandOptions extends AnswerOptions {
  /** Path of a file; so is `state`. */
  plan?: string;
  state?: string;
  /** Names, or folders of projects with names. */
  stack: string[];
  destroy?: boolean;
  /** Path of a file. */
  expect?: string;
  all?: boolean;
}

/**
 * Reviews a plan, and prints the result.
 *
 * @param pulumiArguments the arguments after `--`
 * @returns the exit code of the gate: 0, 2 or 3
 * @throws Error for an invalid plan, for a failed preview, and for files that cannot be read or written
 */
export function runReview(
  options: ReviewCommandOptions,
  pulumiArguments: readonly string[],
  terminal: Terminal,
): Promise<number> {
  return withMaskedMessages(options, terminal, (masked) => reviewed(options, pulumiArguments, masked));
}

async function reviewed(
  options: ReviewCommandOptions,
  pulumiArguments: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { plan, state, expect, policy } = options;
  prepareOutputs(options, { read: { "--plan": plan, "--state": state, "--expect": expect, "--policy": policy } });
  checkOptions(options, pulumiArguments);
  const folder = projectFolderIn(pulumiArguments);
  const approved = expect === undefined ? {} : { approved: readAnswer(expect) };
  const stacks = options.stack.map((each): StackInFolder => {
    const { stack, cwd } = stackNamed(each);
    return {
      stack,
      ...(cwd === undefined ? {} : { cwd }),
      rules: { ...readRules(options, cwd ?? folder), ...approved },
    };
  });
  const rules = stacks[0]?.rules ?? { ...readRules(options, folder), ...approved };
  const result = await resultOf(options, pulumiArguments, { stacks, rules }, terminal);
  for (const option of unusedAllowances(result, rules)) {
    terminal.writeError(
      `warning: ${option} names no principal, role or resource of this review; patterns belong in the policy file\n`,
    );
  }
  answer(
    result,
    options,
    terminal,
    stacks.length > 0 ? stacks.map(({ cwd }) => projectFile(cwd ?? folder)) : projectFile(folder),
  );
  return result.exitCode;
}

function checkOptions({ plan, stack, state }: ReviewCommandOptions, pulumiArguments: readonly string[]): void {
  if (stack.length === 0) {
    if (pulumiArguments.length > 0) {
      throw new Error(`Arguments for pulumi (${pulumiArguments.join(" ")}) need --stack: without it, no preview runs`);
    }
  } else {
    if (plan !== undefined) throw new Error("--plan and --stack exclude each other: --stack makes the plan itself");
    if (state !== undefined) throw new Error("--state and --stack exclude each other: --stack reads the state itself");
    if (stack.length > 1 && projectFolderIn(pulumiArguments) !== undefined) {
      throw new Error("--cwd needs a single --stack: name the folder in front of each stack (infra/network/prod)");
    }
  }
}

async function resultOf(
  { destroy, plan: path, state, inherited, all }: ReviewCommandOptions,
  pulumiArguments: readonly string[],
  { stacks, rules }: { stacks: readonly StackInFolder[]; rules: Rules },
  terminal: Terminal,
): Promise<Answer> {
  const { environment = process.env } = terminal;
  const [first] = stacks;
  const common = { destroy, args: pulumiArguments, inherited, all, environment };
  if (first) return stacks.length === 1 ? reviewStack({ ...common, ...first }) : reviewStacks({ ...common, stacks });
  const text = path === undefined || path === "-" ? await readInput(terminal) : readText(path);
  const options = { plan: text, rules, inherited, all, environment, ...(destroy !== undefined && { destroy }) };
  // A given state needs no Pulumi: the plan may be from another machine.
  return state === undefined
    ? reviewInFolder(options)
    : review({ ...options, state: readText(state), cwd: process.cwd() });
}

/** @throws Error with a remedy if standard input is a terminal */
async function readInput({ input = process.stdin }: Terminal): Promise<string> {
  if (input.isTTY) {
    throw new Error(
      `There is no plan: standard input is a terminal. Pipe a plan in (pulumi preview --json | ${COMMAND} review), ` +
        "name a file (--plan plan.json), or let the review run the preview (--stack dev)",
    );
  }
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  try {
    return textIn(Buffer.concat(chunks));
  } catch (error) {
    throw unusable("Standard input", "read", error);
  }
}
