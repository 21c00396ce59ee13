import { judged } from "./gate/judge";
import { readPlan, type Plan } from "./plan/plan";
import { previewStack, readStackOfPlan } from "./plan/stack";
import { foundIn, inputsOf, scopeOf, type PlanOptions } from "./plan-findings";
import type { ReviewInFolderOptions, ReviewOptions, ReviewStackOptions } from "./review-options";
import type { Answer } from "./result/result";
import { answerOf } from "./result/stacks";

/**
 * Predicts who gains and who loses access when a plan is carried out. It reads the live policies with the stack's own
 * settings, and applies the plan's steps to copies of them. It changes nothing. Unknown facts are part of the result, not
 * errors.
 *
 * @example
 * ```ts
 * const { stdout } = await exec("pulumi preview --json --show-sames");
 * const result = await review({ plan: stdout });
 * process.exitCode = result.exitCode;
 * ```
 * @throws InputError when `plan` or `state` is not an output of Pulumi.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function review(options: ReviewOptions): Promise<Answer> {
  return reviewPlan(readPlan(options.plan, commandOf(options)), options);
}

/**
 * Like `review`, with the state and the settings of the plan's stack, if its project is in the folder or in one above. If they
 * cannot be read, the state is unknown, and the result says why.
 *
 * @throws InputError when `plan` is not an output of Pulumi.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function reviewInFolder({ plan: text, ...options }: ReviewInFolderOptions): Promise<Answer> {
  const plan = readPlan(text, commandOf(options));
  const { cwd = process.cwd() } = options;
  return reviewPlan(plan, { ...(await readStackOfPlan(plan, options)), ...scopeOf(options), cwd });
}

/**
 * Previews a stack, and predicts who gains and who loses access when the plan is carried out, as `review` does. When the
 * preview fails, it reviews the steps until then, and the errors are in the result's `unknown`.
 *
 * @throws PulumiError when Pulumi cannot be run, or prints no plan.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function reviewStack(options: ReviewStackOptions): Promise<Answer> {
  const { plan, options: of } = inputsOf(await previewStack(options), options);
  return reviewPlan(plan, of);
}

/** Without the option, the plan itself may say that it is of an update. */
function commandOf({ destroy }: Pick<ReviewOptions, "destroy">): "destroy" | undefined {
  return destroy ? "destroy" : undefined;
}

/** Like `review`, for a parsed plan. */
async function reviewPlan(plan: Plan, options: PlanOptions): Promise<Answer> {
  const { found, hidden } = await foundIn(plan, options);
  return answerOf(found, [hidden.scrubbed(judged(found, options.rules ?? {}))]);
}
