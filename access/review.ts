import * as path from "node:path";
import { PACKAGE_NAME } from "../provider/core/definition";
import type { Environment } from "../provider/core/environment";
import type { Values } from "../provider/core/unknown";
import { foreignSteps } from "./plan/foreign-steps";
import { judged } from "./gate/judge";
import type { Rules } from "./gate/rules";
import { HiddenValues } from "./plan/hidden-values";
import { readPlan, type Plan } from "./plan/plan";
import { planLimits } from "./plan/plan-limits";
import type { PulumiOptions } from "./plan/run-pulumi";
import { previewStack, projectFolderIn, readStackOfPlan, type PreviewOptions } from "./plan/stack";
import { sourcesOf } from "./plan/sources";
import { readStackState, whyOfAnotherPlan, withReadableSecrets } from "./plan/state";
import { NOT_READ } from "./result/notes";
import { rehearseReadings, type Scope } from "./rehearsal/readings";
import type { ReviewResult, Unjudged } from "./result/result";

export interface ReviewOptions {
  /** The output of `pulumi preview --json` or `pulumi destroy --preview-only --json`, best with `--show-sames`. */
  plan: string;
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

/**
 * Predicts who gains and who loses access when a plan is carried out. It reads the live policies with the stack's own
 * settings, and applies the plan's steps to copies of them. It changes nothing. Unknown facts are part of the result, not
 * errors.
 *
 * @example
 * ```ts
 * const { stdout } = await exec("pulumi preview --json --show-sames");
 * const result = await review({ plan: stdout });
 * process.exitCode = result.verdict.exitCode;
 * ```
 * @throws InputError when `plan` or `state` is not an output of Pulumi.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function review(options: ReviewOptions): Promise<ReviewResult> {
  return reviewPlan(readPlan(options.plan), options);
}

export interface ReviewInFolderOptions
  extends Pick<ReviewOptions, "plan" | "rules" | "inherited" | "all">, PulumiOptions {}

/**
 * Like `review`, with the state and the settings of the plan's stack, if its project is in the folder or in one above. If they
 * cannot be read, the state is unknown, and the result says why.
 *
 * @throws InputError when `plan` is not an output of Pulumi.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function reviewInFolder({ plan: text, ...options }: ReviewInFolderOptions): Promise<ReviewResult> {
  const plan = readPlan(text);
  const { cwd = process.cwd() } = options;
  return reviewPlan(plan, { ...(await readStackOfPlan(plan, options)), ...scopeOf(options), cwd });
}

export interface ReviewStackOptions extends PreviewOptions, Pick<ReviewOptions, "rules" | "inherited" | "all"> {}

/**
 * Previews a stack, and predicts who gains and who loses access when the plan is carried out, as `review` does. When the
 * preview fails, it reviews the steps until then, and the errors are in the result's `unknown`.
 *
 * @throws PulumiError when Pulumi cannot be run, or prints no plan.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function reviewStack(options: ReviewStackOptions): Promise<ReviewResult> {
  const { plan, options: of } = inputsOf(await previewStack(options), options);
  return reviewPlan(plan, of);
}

/** The plan of a preview, and the options of its review. */
export function inputsOf(
  { plan, ...inputs }: Awaited<ReturnType<typeof previewStack>>,
  options: ReviewStackOptions,
): { plan: Plan; options: PlanOptions } {
  const cwd = path.resolve(options.cwd ?? "", projectFolderIn(options.args ?? []) ?? "");
  return { plan, options: { ...inputs, ...scopeOf(options), cwd } };
}

type ScopeOptions = Pick<ReviewOptions, "rules" | "environment" | "inherited" | "all">;

function scopeOf({ rules, environment, inherited, all }: ScopeOptions): ScopeOptions {
  return { inherited, all, ...(rules ? { rules } : {}), ...(environment ? { environment } : {}) };
}

/** The options of a review besides its plan. */
export interface PlanOptions extends Omit<ReviewOptions, "plan">, Pick<Scope, "live" | "onDeclared"> {
  /** The reason for a missing state, as a clause. */
  stateProblem?: string;
  /** Sentences for the result's `notes`. */
  notes?: readonly string[];
}

/** Like `review`, for a parsed plan. */
async function reviewPlan(plan: Plan, options: PlanOptions): Promise<ReviewResult> {
  const { found, hidden } = await foundIn(plan, options);
  return hidden.scrubbed(judged(found, options.rules ?? {}));
}

/** What a review of a plan finds, before the verdict of rules, and the values that must leave it only through `scrubbed`. */
export async function foundIn(plan: Plan, options: PlanOptions): Promise<{ found: Unjudged; hidden: HiddenValues }> {
  const { environment = process.env, inherited, all, live, onDeclared } = options;
  const exported = options.state === undefined ? undefined : readStackState(options.state);
  const whyNot = exported && whyOfAnotherPlan(plan, exported);
  const state = whyNot === undefined ? exported : undefined;
  const resources = state?.resources;
  const given = withNamespace(options.configuration ?? {});
  const hidden = new HiddenValues(plan, exported?.resources, given);
  const readable = withReadableSecrets(plan, resources ?? []);
  const settings = { state: resources, given };
  const several = { ...(live && { live }), ...(onDeclared && { onDeclared }) };
  const scope = { inherited, all, foreign: foreignSteps(plan, resources), ...several };
  const rehearsed = await rehearseReadings(readable, settings, hidden, environment, scope).catch((error: unknown) => {
    throw hidden.scrubbedError(error);
  });
  const limits = planLimits(plan, state, whyNot ?? options.stateProblem);
  const unknown = [...limits.unknown, ...rehearsed.unknown];
  const found = {
    ...rehearsed,
    ...(options.cwd !== undefined && (await sourcesOf({ ...rehearsed, unknown }, plan, resources ?? [], options.cwd))),
    unknown,
    notes: [...limits.notes, ...rehearsed.notes, ...(options.notes ?? []), NOT_READ],
  };
  return { found, hidden };
}

function withNamespace(configuration: Readonly<Values>): Values {
  const entries = Object.entries(configuration);
  return Object.fromEntries(entries.map(([key, value]) => [key.includes(":") ? key : `${PACKAGE_NAME}:${key}`, value]));
}
