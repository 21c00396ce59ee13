import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import * as z from "zod";
import { isDecisiveKey } from "../../provider/core/config/definition";
import { PACKAGE_NAME } from "../../provider/core/definition";
import { InputError } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { projectAbove } from "../../provider/runtime/pulumi-project";
import { FOLLOWED, packageOf } from "../result/packages";
import { objectIn } from "./json-text";
import { readPlan, withSavedPlan, type Command, type Plan } from "./plan";
import { isSecret, SECRET } from "./plan-values";
import { outputOf, pulumiFailed, PulumiError, runPulumi, type PulumiOptions, type PulumiOutput } from "./run-pulumi";

/** The inputs of a review besides the plan. */
export interface StackInputs {
  /** The output of `pulumi stack export --show-secrets`. */
  state: string;
  /** The providers' settings by full key, secrets in plain text. */
  configuration: Values;
}

export interface PreviewOptions extends PulumiOptions {
  /** The stack's name, as `pulumi --stack` takes it. */
  stack: string;
  /** Review `pulumi destroy` instead of `pulumi up`. @default false */
  destroy?: boolean;
  /** More arguments for `pulumi preview` or `pulumi destroy`, such as `--target`. */
  args?: readonly string[];
}

/**
 * Previews a stack and reads its state and settings. When a preview fails, the plan has the steps until then and the errors.
 *
 * @throws PulumiError when Pulumi cannot be run, or prints no plan.
 */
export async function previewStack(options: PreviewOptions): Promise<StackInputs & { plan: Plan }> {
  const { stack, destroy = false, args = [] } = options;
  const place = placeIn(args);
  const verb = destroy ? ["destroy", "--preview-only"] : ["preview"];
  const command = [...verb, "--json", "--show-sames", `--stack=${stack}`, ...args];
  const { output, saved } = destroy
    ? { output: await runPulumi(command, options) }
    : await previewed(command, options, savedPlanIn(options));
  const shown = planIn(output.stdout, destroy ? "destroy" : "update", () => pulumiFailed(command, output, options));
  const plan = saved === undefined ? shown : withSavedPlan(shown, saved);
  const errors =
    output.exitCode !== 0 && plan.errors.length === 0 ? [pulumiFailed(command, output, options).message] : [];
  // A plan shows all settings but secret ones. To read these takes as long as a start of Pulumi.
  const isComplete = !Object.entries(plan.config)
    .filter(isOfProvider)
    .some(([, value]) => isSecret(value));
  const [state, settings] = await Promise.all([
    readState(stack, options, place),
    isComplete ? NO_SETTINGS : readSettings(stack, options, place),
  ]);
  const names = plan.stack === undefined ? await namesOfStack(stack, projectFolder(options)) : {};
  return {
    plan: { ...plan, ...names, errors: [...plan.errors, ...errors] },
    state,
    configuration: secretsOf(plan, settings).values,
  };
}

/**
 * The names of a stack and its project where no resource has them.
 *
 * @param stack as `pulumi --stack` takes it: `organization/project/stack`, `organization/stack` or `stack`
 * @param folder of the project, or below
 */
export async function namesOfStack(stack: string, folder: string): Promise<Pick<Plan, "stack" | "project">> {
  const parts = stack.split("/");
  const project = parts.length > 2 ? parts.at(-2) : (await projectAbove(folder))?.name;
  return { stack: parts.at(-1) ?? stack, ...(project === undefined ? {} : { project }) };
}

/** The folder of the project of a preview, which the arguments may name. */
export function projectFolder({ args = [], cwd = "" }: Pick<PreviewOptions, "args" | "cwd">): string {
  return path.resolve(cwd, placeIn(args).folder ?? "");
}

/** The arguments of a Pulumi command that select its project and its file of settings. */
interface StackPlace {
  project: string[];
  settings: string[];
  /** The folder that `project` names, if any. */
  folder?: string;
}

const THIS_PLACE: StackPlace = { project: [], settings: [] };

/**
 * The folder that `--cwd` among the arguments of a preview names; undefined without it.
 *
 * @param args as in `PreviewOptions`.
 * @throws PulumiError when they also name a stack.
 */
export function projectFolderIn(args: readonly string[]): string | undefined {
  return placeIn(args).folder;
}

/** Finds these among the arguments of a preview, so that the review reads the same state and settings as the preview. */
function placeIn(args: readonly string[]): StackPlace {
  const place: StackPlace = { project: [], settings: [] };
  args.forEach((argument, at) => {
    const [, name = "", value] =
      /^(--cwd|--config-file|--stack|-C|-s)(?:=(.*)|(?<=^-[Cs])(.+))?$/s.exec(argument) ?? [];
    if (name === "--stack" || name === "-s") throw new PulumiError(TWO_STACKS);
    const isComplete = value !== undefined || /^-C./.test(argument);
    const found = isComplete ? [argument] : args.slice(at, at + 2);
    if (name === "--cwd" || name === "-C") {
      place.project.push(...found);
      place.folder = (isComplete ? argument.replace(/^(--cwd=|-C=?)/, "") : found[1]) ?? place.folder;
    }
    if (name === "--config-file") place.settings.push(...found);
  });
  return place;
}

const TWO_STACKS = "The stack is named twice: remove --stack from the arguments for pulumi";

/**
 * Runs a preview. `saved` has what the output omits. A failed preview saves nothing.
 *
 * @param theirs the file in which its arguments save the plan: of two files, Pulumi writes the last.
 */
async function previewed(
  [verb = "", ...args]: readonly string[],
  options: PulumiOptions,
  theirs: string | undefined,
): Promise<{ output: PulumiOutput; saved?: string | undefined }> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "perimeter-review-"));
  const ours = path.join(folder, "plan.json");
  try {
    const output = await runPulumi([verb, `--save-plan=${ours}`, ...args], options);
    return { output, saved: await fs.readFile(theirs ?? ours, "utf8").catch(() => undefined) };
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

/** The file in which the arguments of a preview save the plan. */
function savedPlanIn(options: PreviewOptions): string | undefined {
  const { args = [] } = options;
  const at = args.findLastIndex((each) => /^--save-plan(=|$)/.test(each));
  const file = at < 0 ? undefined : (/^--save-plan=(.*)$/s.exec(args[at] ?? "")?.[1] ?? args[at + 1]);
  return file === undefined ? undefined : path.resolve(projectFolder(options), file);
}

function planIn(stdout: string, command: Command, failed: () => PulumiError): Plan {
  try {
    return readPlan(stdout, command);
  } catch (error) {
    throw error instanceof InputError ? failed() : error;
  }
}

const settingShape = z.looseObject({ value: z.string().optional(), secret: z.boolean().optional() });

/**
 * Reads a stack's state and the providers' settings. They contain secrets in plain text, for `review`, which does not show
 * them.
 *
 * @throws PulumiError when Pulumi cannot be run, or cannot read the stack.
 */
export async function readStack(stack: string, options: PulumiOptions = {}): Promise<StackInputs> {
  const { state, configuration } = await readStackAsPlan(stack, options);
  return { state, configuration };
}

/** The same, and the secret settings as in a plan: `SECRET`. */
export async function readStackAsPlan(
  stack: string,
  options: PulumiOptions,
): Promise<StackInputs & Pick<Plan, "config">> {
  const [state, settings] = await Promise.all([readState(stack, options), readSettings(stack, options)]);
  const hidden = [...settings].filter(([, { secret }]) => secret);
  return { state, configuration: valuesOf(settings), config: Object.fromEntries(hidden.map(([key]) => [key, SECRET])) };
}

function readState(stack: string, options: PulumiOptions, { project } = THIS_PLACE): Promise<string> {
  return outputOf(["stack", "export", "--show-secrets", `--stack=${stack}`, ...project], options);
}

/**
 * Reads the providers' settings of a stack by full key, secrets in plain text.
 *
 * @throws PulumiError like `readStack`.
 */
export async function readStackSettings(stack: string, options: PulumiOptions = {}): Promise<Values> {
  return valuesOf(await readSettings(stack, options));
}

/** Settings by full key. */
type StackSettings = ReadonlyMap<string, { value: string; secret: boolean }>;

const NO_SETTINGS: StackSettings = new Map();

function valuesOf(settings: StackSettings): Values {
  return Object.fromEntries([...settings].map(([key, { value }]) => [key, value]));
}

async function readSettings(
  stack: string,
  options: PulumiOptions,
  { project, settings } = THIS_PLACE,
): Promise<StackSettings> {
  const command = ["config", "--json", "--show-secrets", `--stack=${stack}`, ...project, ...settings];
  const all = Object.entries(
    objectIn(await outputOf(command, options), "The stack's settings cannot be read", "pulumi config --json"),
  );
  return new Map(
    all.filter(isOfProvider).flatMap(([key, setting]) => {
      const { value, secret = false } = settingShape.safeParse(setting).data ?? {};
      return value === undefined ? [] : [[key, { value, secret }]];
    }),
  );
}

function isOfProvider([key]: readonly [string, unknown]): boolean {
  return [PACKAGE_NAME, ...FOLLOWED].includes(packageOf(key));
}

/**
 * The secret settings of a plan, which the plan does not show. When `settings` differ from the plan's, they come from another
 * file; then only the settings for reading are used.
 *
 * @returns `different`: the keys that only one of the two has, and those with different values.
 */
function secretsOf({ config }: Plan, settings: StackSettings): { values: Values; different: string[] } {
  const planned = new Map(Object.entries(config).filter(isOfProvider));
  const isDifferent = (key: string) => {
    const [inPlan, now] = [planned.get(key), settings.get(key)];
    return isSecret(inPlan) ? now?.secret !== true : now?.secret !== false || inPlan !== now.value;
  };
  const different = [...new Set([...planned.keys(), ...settings.keys()])].filter(isDifferent).sort();
  const hidden = [...settings].filter(([key]) => {
    const name = key.slice(key.indexOf(":") + 1);
    return isSecret(planned.get(key)) && (different.length === 0 || !isDecisiveKey(name));
  });
  return { values: Object.fromEntries(hidden.map(([key, { value }]) => [key, value])), different };
}

/** What a review of a plan takes from the plan's stack. */
type StackOfPlan = Partial<StackInputs> & { notes: string[]; stateProblem?: string };

/**
 * Reads the state and the providers' settings of the stack of a plan, if its project is in the folder or in one above. If they
 * cannot be read, `stateProblem` says why: the review then counts the state as unknown.
 */
export async function readStackOfPlan(plan: Plan, options: PulumiOptions = {}): Promise<StackOfPlan> {
  const { stack, project } = plan;
  if (stack === undefined || project === undefined) return notRead(NO_NAME);
  const here = await projectAbove(options.cwd ?? process.cwd());
  if (here?.name !== project) return notRead(`the project ${project} of the plan is not in this folder`);
  try {
    const [state, settings] = await Promise.all([readState(stack, options), readSettings(stack, options)]);
    const { values, different } = secretsOf(plan, settings);
    const note =
      `The plan was made with other settings than the stack ${stack} has in this folder (${different.join(", ")}): the review ` +
      "used the plan's. Run the update with the same --config-file and --cwd";
    return { state, configuration: values, notes: different.length > 0 ? [note] : [] };
  } catch (error) {
    if (error instanceof PulumiError || error instanceof InputError)
      return notRead(`the stack ${stack} could not be read: ${error.message}`);
    throw error;
  }
}

const NO_NAME =
  "the plan has no step that names its stack. Print it with --show-sames, or let the review run the preview (--stack)";

function notRead(stateProblem: string): StackOfPlan {
  return { notes: [], stateProblem };
}
