import {
  ANSWER_VERSION,
  isIncomplete,
  summaryOf,
  type Answer,
  type ReviewedResource,
  type StackAnswer,
  type StackNames,
} from "./result";
import { stackLabel } from "./urn";

/** The stacks of an answer, which stay apart: each has its own findings, sources and verdict. */

/** The answer about these stacks. @param notes about all of them together */
export function answerOf(
  { operation, expiresWithin }: Pick<Answer, "operation" | "expiresWithin">,
  stacks: StackAnswer[],
  notes: string[] = [],
): Answer {
  const codes = stacks.map(({ verdict }) => verdict.exitCode);
  const worst = ([2, 3] as const).find((code) => codes.includes(code)) ?? 0;
  return {
    version: ANSWER_VERSION,
    operation,
    ...(expiresWithin === undefined ? {} : { expiresWithin }),
    stacks,
    notes,
    summary: summaryOf(together(stacks)),
    exitCode: stacks.some((each) => isIncomplete(operation, each)) ? 3 : worst,
  };
}

/** What was found about several stacks, where it does not matter in which one. */
export function together(
  stacks: readonly StackAnswer[],
): Pick<StackAnswer, "resources" | "refused" | "unknown" | "notes"> {
  return {
    resources: stacks.flatMap(({ resources }) => resources),
    refused: stacks.flatMap(({ refused }) => refused),
    unknown: stacks.flatMap(({ unknown }) => unknown),
    notes: stacks.flatMap(({ notes }) => notes),
  };
}

/** The part of an answer about a stack; undefined if it is about several stacks, and not about this one. */
export function partOf({ stacks }: Answer, names: StackNames): StackAnswer | undefined {
  const [first, ...others] = stacks;
  return others.length === 0 ? first : stacks.find((each) => stackLabel(each) === stackLabel(names));
}

/** The resources of all stacks of an answer but this one. Empty for an answer that has no part of this stack. */
export function resourcesBeside(answer: Answer, names: StackNames): ReviewedResource[] {
  const part = partOf(answer, names);
  return part ? answer.stacks.filter((each) => each !== part).flatMap(({ resources }) => resources) : [];
}

/** The name of a stack among several, as forms write it: `network/prod`; undefined if the answer is about one. */
export function nameAmong({ stacks }: Answer, stack: StackNames): string | undefined {
  return stacks.length > 1 ? stackLabel(stack) : undefined;
}

/** A sentence about one stack, with its name if the answer is about several. */
export function sentenceOf(answer: Answer, stack: StackNames, sentence: string): string {
  const name = nameAmong(answer, stack);
  return name === undefined ? sentence : `${name}: ${sentence}`;
}
