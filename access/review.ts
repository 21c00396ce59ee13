import * as path from "node:path";
import type { Environment } from "../provider/core/environment";
import { InputError } from "../provider/core/errors";
import { judged } from "./gate/judge";
import type { Rules } from "./gate/rules";
import { verdictOnNamed } from "./gate/foreign-rule";
import type { LiveReads } from "./live/access-policies";
import { mapBounded } from "./live/reads";
import { readPlan, type Plan } from "./plan/plan";
import type { PulumiOptions } from "./plan/run-pulumi";
import { previewStack, projectFolder, readStackOfPlan, type PreviewOptions } from "./plan/stack";
import { acrossStacks, withTaken } from "./rehearsal/conflicts";
import { foundIn, type PlanContext } from "./rehearsal/found-in-plan";
import type { Answer } from "./result/result";
import { answerOf } from "./result/stacks";
import { stackLabel } from "./result/urn";

export interface ReviewOptions {
  /** The output of `pulumi preview --json` or `pulumi destroy --preview-only --json`, best with `--show-sames`. */
  plan: string;
  /** Whether the plan is of `pulumi destroy`, which a plan does not say. @default false */
  destroy?: boolean;
  /**
   * The output of `pulumi stack export` before the plan is carried out. With `--show-secrets`, the review also follows grants
   * with a secret member, without showing it. Without a state, facts that the plan does not show are unknown.
   */
  state?: string;
  /**
   * Settings of the stack with secrets in plain text, which a plan does not have: `{ "perimeter:accessToken": "…" }`. A key
   * without a namespace belongs to the provider. These settings override the plan's.
   */
  configuration?: Readonly<Record<string, unknown>>;
  /** Environment variables from which the provider takes settings and credentials. @default process.env */
  environment?: Environment;
  /** The rules for the verdict. @default no loss is expected, and nothing may be unknown */
  rules?: Rules;
  /** Whether the policies above the resources are read, too: of the dataset, the project, folders, the organization. @default true */
  inherited?: boolean;
  /** Whether resources whose grants do not change are reviewed, too. @default false */
  all?: boolean;
  /** The folder of the plan's project, or a folder below. With it, the result names the lines of the program. */
  cwd?: string;
}

export interface ReviewInFolderOptions
  extends Pick<ReviewOptions, "plan" | "destroy" | "rules" | "inherited" | "all">, PulumiOptions {}

export interface ReviewStackOptions extends PreviewOptions, Pick<ReviewOptions, "rules" | "inherited" | "all"> {}

/** A stack, and where its project is. */
export interface StackInFolder {
  /** The stack's name, as `pulumi --stack` takes it. */
  stack: string;
  /** The folder of the project. @default the current folder */
  cwd?: string;
  /** The rules for this stack's verdict. @default no loss is expected, and nothing may be unknown */
  rules?: Rules;
}

export interface ReviewStacksOptions extends Omit<ReviewStackOptions, "stack" | "cwd" | "rules"> {
  stacks: readonly StackInFolder[];
}

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
  return reviewPlan(plan, { ...options, ...(await readStackOfPlan(plan, options)), cwd });
}

/**
 * Previews a stack, and predicts who gains and who loses access when the plan is carried out, as `review` does. When the
 * preview fails, it reviews the steps until then, and the errors are in the result's `unknown`.
 *
 * @throws PulumiError when Pulumi cannot be run, or prints no plan.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function reviewStack(options: ReviewStackOptions): Promise<Answer> {
  const { plan, options: of } = await previewed(options);
  return reviewPlan(plan, of);
}

/** Without the option, the plan itself may say that it is of an update. */
function commandOf({ destroy }: Pick<ReviewOptions, "destroy">): "destroy" | undefined {
  return destroy ? "destroy" : undefined;
}

/** Like `review`, for a parsed plan. */
async function reviewPlan(plan: Plan, { rules = {}, ...options }: PlanOptions): Promise<Answer> {
  const { found, hidden } = await foundIn(plan, { ...options, verdictOn: verdictOnNamed(rules) });
  return answerOf(found, [hidden.scrubbed(judged(found, rules))]);
}

/** More previews at once would wait for the same processors. */
const PREVIEWS_AT_ONCE = 4;

/**
 * Like `reviewStack`, for several stacks in one answer: each change is judged by the rules of its own stack, the exit code is that
 * of the worst, and each policy is read once. Where two stacks write one role, the result names both.
 *
 * @throws PulumiError when Pulumi cannot be run, or prints no plan of one of them.
 * @throws InputError when two of them are one stack.
 * @throws ConfigurationError when a provider's settings are wrong.
 */
export async function reviewStacks({ stacks, ...common }: ReviewStacksOptions): Promise<Answer> {
  // Before any preview. The stack of a project can also have the names of its organization and its project in front.
  checkDistinct(stacks.map(({ stack, cwd = "" }) => path.join(path.resolve(cwd), stack)));
  const previews = await mapBounded(
    stacks,
    async (place) => ({ rules: place.rules ?? {}, ...(await previewed({ ...common, ...place })) }),
    PREVIEWS_AT_ONCE,
  );
  const live: LiveReads = new Map();
  const found = [];
  for (const { rules, plan, options } of previews) {
    const findings = await foundIn(plan, { ...options, live, verdictOn: verdictOnNamed(rules) });
    found.push({ ...findings, rules, label: stackLabel(findings.found) });
  }
  checkDistinct(found.map(({ label }) => label));
  const together = acrossStacks(found);
  const answers = found.map(({ label, hidden, rules, found: own }) => {
    const unknown = [...own.unknown, ...(together.unknown.get(label) ?? [])];
    const resources = withTaken(own.resources, together.taken.get(label) ?? []);
    return hidden.scrubbed(judged({ ...own, resources, unknown }, rules));
  });
  // Each stack's own values are hidden in its part. A note about two of them could contain those of both.
  const notes = found.reduce((all, { hidden }) => hidden.scrubbed(all), together.notes);
  return answerOf({ operation: found[0]?.found.operation ?? "update" }, answers, notes);
}

function checkDistinct(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  const reason = `must be different ones, and ${repeated} is named twice`;
  throw new InputError("The stacks of the review", [{ path: "stacks", reason }]);
}

type PlanOptions = PlanContext & Pick<ReviewOptions, "rules">;

/** The plan of a preview, and the options of its review. */
async function previewed(options: ReviewStackOptions): Promise<{ plan: Plan; options: PlanOptions }> {
  const { plan, ...inputs } = await previewStack(options);
  return { plan, options: { ...options, ...inputs, cwd: projectFolder(options) } };
}
