import * as z from "zod";
import { InputError } from "../core/errors";
import type { Values } from "../core/unknown";
import type { Rules } from "./gate/rules";
import { objectIn } from "./json-text";
import { readPlan, type Plan } from "./plan";
import { projectAbove } from "./project";
import type { ReviewResult } from "./result";
import { reviewPlan } from "./review";
import { outputOf, pulumiFailed, PulumiError, runPulumi, type PulumiOptions } from "./run-pulumi";

/** What a review takes from a stack beside the plan. */
export interface StackInputs {
  /** What `pulumi stack export --show-secrets` printed. */
  state: string;
  /** The providers' settings by full key, secrets in plain text. */
  configuration: Values;
}

export interface ReviewStackOptions extends PulumiOptions {
  /** The stack's name, as `pulumi --stack` takes it. */
  stack: string;
  /** Review `pulumi destroy` instead of `pulumi up`. @default false */
  destroy?: boolean;
  /** More arguments for `pulumi preview` or `pulumi destroy`, such as `--target`. */
  args?: readonly string[];
  /** What is allowed and what is not. @default every loss bites, and all that cannot be told */
  rules?: Rules;
}

/**
 * Previews a stack and tells who gains and who loses access when it is carried out, as `review` does. A preview that
 * fails is reviewed as far as it came, with its errors among what is not known.
 *
 * @throws PulumiError where Pulumi cannot be run, or prints no plan.
 * @throws ConfigurationError where the provider's settings are wrong.
 */
export async function reviewStack(options: ReviewStackOptions): Promise<ReviewResult> {
  const { stack, destroy = false, args = [], rules, environment } = options;
  const verb = destroy ? ["destroy", "--preview-only"] : ["preview", "--show-sames"];
  const command = [...verb, "--json", `--stack=${stack}`, ...args];
  const output = await runPulumi(command, options);
  const plan = planIn(output.stdout, () => pulumiFailed(command, output, options));
  const errors =
    output.exitCode !== 0 && plan.errors.length === 0 ? [pulumiFailed(command, output, options).message] : [];
  const inputs = await readStack(stack, options);
  return reviewPlan(
    { ...plan, operation: destroy ? "destroy" : "update", errors: [...plan.errors, ...errors] },
    { ...inputs, ...(rules ? { rules } : {}), ...(environment ? { environment } : {}) },
  );
}

function planIn(stdout: string, failed: () => PulumiError): Plan {
  try {
    return readPlan(stdout);
  } catch (error) {
    throw error instanceof InputError ? failed() : error;
  }
}

const settingShape = z.looseObject({ value: z.string().optional() });

/**
 * Reads a stack's state and the providers' settings. Secrets are in them in plain text: for `review`, which does not show
 * them.
 *
 * @throws PulumiError where Pulumi cannot be run, or cannot read the stack.
 */
export async function readStack(stack: string, options: PulumiOptions = {}): Promise<StackInputs> {
  const [state, configuration] = await Promise.all([
    outputOf(["stack", "export", "--show-secrets", `--stack=${stack}`], options),
    readStackSettings(stack, options),
  ]);
  return { state, configuration };
}

/**
 * Reads the providers' settings of a stack by full key, secrets in plain text.
 *
 * @throws PulumiError as `readStack`.
 */
export async function readStackSettings(stack: string, options: PulumiOptions = {}): Promise<Values> {
  const text = await outputOf(["config", "--json", "--show-secrets", `--stack=${stack}`], options);
  const all = Object.entries(objectIn(text, "The stack's settings cannot be read", "pulumi config --json"));
  const ours = all.filter(([key]) => /^(perimeter|google-native):/.test(key));
  const given = ours.map(([key, setting]): [string, unknown] => [key, settingShape.safeParse(setting).data?.value]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** What of a stack could be read, for `review`: `review({ plan, ...(await readStackOfPlan({ plan })) })`. */
export type StackOfPlan = Partial<StackInputs> & { notes: string[] };

/**
 * Reads the state and the providers' settings of the stack that a plan is of, where its project is in the folder or above
 * it. Where they cannot be read, a note says so, and no error.
 *
 * @throws InputError where `plan` is not what Pulumi printed.
 */
export async function readStackOfPlan({
  plan: text,
  ...options
}: PulumiOptions & { plan: string }): Promise<StackOfPlan> {
  const { stack, project } = readPlan(text);
  if (stack === undefined || project === undefined) return { notes: [] };
  const here = await projectAbove(options.cwd ?? process.cwd());
  if (here?.name !== project) return notRead(stack, `the project ${project} is not in this folder`);
  try {
    return { ...(await readStack(stack, options)), notes: [] };
  } catch (error) {
    if (error instanceof PulumiError || error instanceof InputError) return notRead(stack, error.message);
    throw error;
  }
}

function notRead(stack: string, why: string): StackOfPlan {
  return { notes: [`The state and the settings of the stack ${stack} could not be read: ${why}`] };
}
