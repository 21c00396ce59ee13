import { summaryOf, type ReviewedResource, type ReviewResult, type Uncertainty } from "./result";
import { stackLabel } from "./urn";

/** The unknown facts of a stack for the review of several. A fact that belongs to no step says of which stack it is. */
export function unknownOf(unknown: readonly Uncertainty[], name: string): Uncertainty[] {
  return unknown.map((each) => (each.step === undefined ? { ...each, message: `${name}: ${each.message}` } : each));
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
  const ofStack = <T extends { stack?: string | undefined }>(all: readonly T[]) =>
    all.filter(isOfStack).map(({ stack: _, ...each }) => each);
  const { violations, warnings, ...verdict } = result.verdict;
  const [project, stack] = name.split("/");
  const found = {
    ...result,
    project,
    stack,
    resources: ofStack(result.resources),
    refused: ofStack(result.refused),
    unknown: ofStack(result.unknown),
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
