import { InputError } from "../../provider/core/errors";
import type { Answer, ReviewedResource, StackAnswer, StackNames } from "../result/result";
import { partOf, together } from "../result/stacks";
import { stackLabel } from "../result/urn";

/** The part of an earlier answer that another one is compared with. */

/**
 * The part of an answer that is about a stack.
 *
 * @throws InputError if the answer is about several other stacks
 */
export function partAbout(earlier: Answer, names: StackNames): StackAnswer {
  const part = partOf(earlier, names);
  const has = earlier.stacks.map(stackLabel).join(", ");
  if (!part) throw wrongReview("stacks", `must have ${stackLabel(names)}, and has ${has}`);
  return part;
}

/** What an answer has of some resources, whatever stack they are of. */
export function partOfNoStack(earlier: Answer, isWanted: (resource: ReviewedResource) => boolean): Answer {
  const { resources, ...all } = together(earlier.stacks);
  const stacks = earlier.stacks.slice(0, 1).map(({ summary, verdict }) => ({
    ...all,
    resources: resources.filter(isWanted),
    summary,
    verdict,
  }));
  return { ...earlier, stacks };
}

/**
 * The part of a review that is about a stack.
 *
 * @param problem of the operation that the review is about, as the rest of a sentence; undefined without one
 * @throws InputError for a review of another stack or project, or with this problem
 */
export function reviewAbout(
  review: Answer,
  now: StackNames,
  problem: (operation: Answer["operation"]) => string | undefined,
): StackAnswer {
  const part = partAbout(review, now);
  for (const path of ["stack", "project"] as const) {
    const [theirs, ours] = [part[path], now[path]];
    if (theirs !== undefined && ours !== undefined && theirs !== ours) {
      throw wrongReview(path, `must be ${ours}, as in the stack that it is compared with, and is ${theirs}`);
    }
  }
  const reason = problem(review.operation);
  if (reason !== undefined) throw wrongReview("operation", reason);
  return part;
}

function wrongReview(path: string, reason: string): InputError {
  return new InputError("The expected review", [{ path, reason }]);
}
