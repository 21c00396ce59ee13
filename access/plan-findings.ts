import { PACKAGE_NAME } from "../provider/core/definition";
import type { Values } from "../provider/core/unknown";
import { foreignSteps } from "./plan/foreign-steps";
import { HiddenValues } from "./plan/hidden-values";
import { NewResources } from "./plan/new-resources";
import type { Plan } from "./plan/plan";
import { planLimits } from "./plan/plan-limits";
import { sourcesOf } from "./plan/sources";
import { stepsOf } from "./plan/steps";
import { projectFolder, type previewStack } from "./plan/stack";
import { readStackState, whyOfAnotherPlan, withReadableSecrets } from "./plan/state";
import type { Declaration } from "./rehearsal/owners";
import { rehearse } from "./rehearsal/rehearse";
import type { Taking } from "./rehearsal/takings";
import type { RehearsalRequest } from "./rehearsal/tasks";
import { differInDestroy, providerSettings } from "./plan/provider-settings";
import { NOT_READ } from "./result/notes";
import type { Found } from "./result/result";
import { stackIn } from "./result/urn";
import type { ReviewOptions, ReviewStackOptions } from "./review-options";

/** The options of a review besides its plan. */
export interface PlanOptions extends Omit<ReviewOptions, "plan" | "destroy">, Pick<RehearsalRequest, "live"> {
  /** The reason for a missing state, as a clause. */
  stateProblem?: string;
  /** Sentences for the result's `notes`. */
  notes?: readonly string[];
}

export type ScopeOptions = Pick<ReviewOptions, "rules" | "environment" | "inherited" | "all">;

export function scopeOf({ rules, environment, inherited, all }: ScopeOptions): ScopeOptions {
  return { inherited, all, ...(rules ? { rules } : {}), ...(environment ? { environment } : {}) };
}

/** The plan of a preview, and the options of its review. */
export function inputsOf(
  { plan, ...inputs }: Awaited<ReturnType<typeof previewStack>>,
  options: ReviewStackOptions,
): { plan: Plan; options: PlanOptions } {
  return { plan, options: { ...inputs, ...scopeOf(options), cwd: projectFolder(options) } };
}

/** What a review of a plan finds, before the verdict of rules. */
export interface PlanFindings {
  found: Found;
  declared: Declaration[];
  takes: Taking[];
  /** The values that must leave the review only through `scrubbed`. */
  hidden: HiddenValues;
}

export async function foundIn(shown: Plan, options: PlanOptions): Promise<PlanFindings> {
  const { environment = process.env, inherited, all, live } = options;
  const exported = options.state === undefined ? undefined : readStackState(options.state);
  // A preview that ended before its first step names no stack.
  const plan = { ...stackIn(exported?.resources ?? []), ...shown };
  const whyNot = exported && whyOfAnotherPlan(plan, exported);
  const state = whyNot === undefined ? exported : undefined;
  const resources = state?.resources;
  const given = withNamespace(options.configuration ?? {});
  const hidden = new HiddenValues(plan, exported?.resources, given);
  const readable = withReadableSecrets(plan, resources ?? []);
  const sources = { state: resources, given };
  const settings = providerSettings(readable, sources);
  const steps = stepsOf(plan, resources);
  const created = new NewResources(steps);
  const foreign = foreignSteps(plan, steps, created);
  const scope = { created, inherited, all, foreign, ...(live && { live }) };
  const request = {
    plan: readable,
    steps: stepsOf(readable, resources),
    settings,
    state: resources,
    hidden,
    environment,
    ...scope,
  };
  const rehearsal = await rehearse(request).catch((error: unknown) => {
    throw hidden.scrubbedError(error);
  });
  const { result: rehearsed, declared, takes } = rehearsal;
  const limits = planLimits(plan, state, whyNot ?? options.stateProblem, differInDestroy(readable, sources), steps);
  const unknown = [...limits.unknown, ...rehearsed.unknown];
  const found = {
    ...rehearsed,
    ...(options.cwd !== undefined && (await sourcesOf({ ...rehearsed, unknown }, plan, resources ?? [], options.cwd))),
    unknown,
    notes: [
      ...limits.notes,
      ...foreign.flatMap(({ note }) => note ?? []),
      ...rehearsed.notes,
      ...(options.notes ?? []),
      NOT_READ,
    ],
  };
  return { found, declared, takes, hidden };
}

function withNamespace(configuration: Readonly<Values>): Values {
  const entries = Object.entries(configuration);
  return Object.fromEntries(entries.map(([key, value]) => [key.includes(":") ? key : `${PACKAGE_NAME}:${key}`, value]));
}
