import { summaryOf, type ReviewedResource, type ReviewResult, type Uncertainty } from "./result";
import { stackIn, stackLabel } from "./urn";

/** The beginning of a fact of a stack that belongs to no step and no resource. */
const beginning = (name: string) => `${name}: `;

/** The unknown facts of a stack for the review of several. A fact that belongs to no step begins with the stack's name. */
export function unknownOf(unknown: readonly Uncertainty[], name: string): Uncertainty[] {
  return unknown.map((each) => (each.step === undefined ? { ...each, message: beginning(name) + each.message } : each));
}

/** The parts of a review of several stacks, each as a review of its stack alone; a review of one stack as it is. */
export function partsOf(result: ReviewResult): ReviewResult[] {
  return result.stacks?.map(({ name }) => partNamed(result, name)) ?? [result];
}

/** The part of a stack; undefined if the review is of several stacks, and not of this one. */
export function partOf(
  result: ReviewResult,
  { stack, project }: Pick<ReviewResult, "stack" | "project">,
): ReviewResult | undefined {
  if (!result.stacks || stack === undefined || project === undefined) return result;
  const name = stackLabel({ stack, project });
  return result.stacks.some((each) => each.name === name) ? partNamed(result, name) : undefined;
}

/** The resources of all stacks of a review but this one. Empty for a review that has no part of this stack. */
export function resourcesBeside(
  result: ReviewResult,
  stack: Pick<ReviewResult, "stack" | "project">,
): ReviewedResource[] {
  if (partOf(result, stack) === result) return [];
  return result.resources.filter((each) => each.stack !== stackLabel(stack));
}

function partNamed({ stacks = [], ...result }: ReviewResult, name: string): ReviewResult {
  const isOfStack = (each: { stack?: string | undefined }) => each.stack === name;
  const isOfStep = ({ step = "", message = "" }: { step?: string | undefined; message?: string }) =>
    step === "" ? message.startsWith(beginning(name)) : stackLabel(stackIn([{ urn: step }])) === name;
  const { violations, warnings, ...verdict } = result.verdict;
  const [project, stack] = name.split("/");
  const found = {
    ...result,
    project,
    stack,
    resources: result.resources.filter(isOfStack).map(({ stack: _, ...each }) => each),
    refused: result.refused.filter(isOfStep),
    unknown: result.unknown.filter(isOfStep),
  };
  return {
    ...found,
    summary: summaryOf(found),
    verdict: {
      ...verdict,
      exitCode: stacks.find((each) => each.name === name)?.exitCode ?? verdict.exitCode,
      violations: violations.filter(isOfStack),
      ...(warnings && { warnings: warnings.filter(isOfStack) }),
    },
  };
}
