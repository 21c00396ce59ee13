/**
 * A review predicts what the update then does, or says that it does not know: random programs and policies, renames,
 * duplicates, conditions, replacements, reads, imports and deletes in both modes, providers and stacks whose settings differ,
 * another environment than the update's, resources that another provider deletes, policies above the resources, and role bindings.
 * `REVIEW_SEED` repeats a run's choices, `REVIEW_RUNS` says how many runs there are, and `REVIEW_RUN` makes one of them alone.
 */
import { startEmulator, type Emulator } from "../../emulator";
import type { Values } from "../../provider/core/unknown";
import { grantsOf, type Policy } from "../../provider/iam/policy";
import { review, type ReviewResult } from "../../access";
import { planOfCommand, readPlan, withSavedProviders } from "../../access/plan/plan";
import { reviewPlan } from "../../access/review";
import { Provider } from "../../provider/runtime/provider";
import { storeName } from "../support/grants";
import { Random } from "../support/grants-random";
import { aboveSeed, grantsAbove, randomizeAbove } from "../support/review-above";
import { RandomBindings } from "../support/review-bindings";
import { BINDING_NAMES } from "../support/review-model-json";
import { ModelStack, type Connect, type Failure, type ModelPlan } from "../support/review-model";
import { grantTexts, without, wrongPredictions, type Policies } from "../support/review-outcome";
import { drifted, RandomProgram, randomPolicy, STORES, type Mode } from "../support/review-programs";

const SEED = Number(process.env.REVIEW_SEED ?? 12);
const RUNS = Number(process.env.REVIEW_RUNS ?? 120);
const ONLY = process.env.REVIEW_RUN === undefined ? undefined : Number(process.env.REVIEW_RUN);
const STEPS = 3;

const stores = Array.from({ length: STORES }, (_, at) => storeName(at));

/** Two clouds with the same stores. The first one is that of the environment. */
let clouds: Emulator[];
beforeAll(async () => {
  const seed = [...stores.map((name) => ({ service: "healthcare", name, body: { version: "R4" } })), ...aboveSeed];
  clouds = [await startEmulator({ seed }), await startEmulator({ seed })];
});
afterAll(() => Promise.all(clouds.map((each) => each.stop())));

/** A dataset and two of its stores: another provider may delete or replace them in the first cloud. */
const PARENTS = {
  "store-0": storeName(0),
  "store-1": storeName(1),
  dataset: storeName(0).replace(/\/fhirStores.*/, ""),
};
const isInside = (store: string, parents: readonly string[]) =>
  parents.some((each) => `${store}/`.startsWith(`${each}/`));

function takeAway(id: string): void {
  for (const name of stores) if (isInside(name, [id])) clouds[0]?.mutate(name, { policy: {} });
}

/** Environment variables that decide what a grant does, where a provider's own settings do not. */
type Variables = Record<string, string>;

/** The settings of a provider that decide what its grants do. */
function decisive({ grantMode, emulatorHost }: Values, variables: Variables): string {
  const { PERIMETER_GRANT_MODE: mode = "replace", PERIMETER_EMULATOR_HOST: host } = variables;
  return JSON.stringify([grantMode ?? mode, emulatorHost ?? host]);
}

const policyOf = (cloud: Emulator, name: string): Policy => cloud.resource(name)?.policy ?? {};
const policiesOf = (cloud: Emulator): Policies =>
  Object.fromEntries(stores.map((name) => [name, policyOf(cloud, name)]));
const policies = () => clouds.map(policiesOf);
const writes = () =>
  clouds.flatMap((each) => each.requests()).filter(({ path }) => path.includes(":setIamPolicy")).length;

const figures = {
  runs: 0,
  reviews: 0,
  grants: 0,
  bindings: 0,
  reads: 0,
  changes: 0,
  losses: 0,
  inherited: 0,
  noAccessLeft: 0,
  refusals: 0,
  targeted: 0,
  drifts: 0,
  unknown: 0,
  imports: 0,
  otherStates: 0,
  otherEnvironments: 0,
  takenAway: 0,
  contested: 0,
  interrupted: 0,
};
afterAll(() => console.log(`review-random: seed ${SEED}, ${JSON.stringify(figures)}`));

/** How a plan reaches the review: `stack` is a preview that the review runs itself, with all that Pulumi can tell. */
interface Way {
  isStack: boolean;
  showSames: boolean;
  /** `foreign`: of another project. */
  state: "own" | "foreign" | "none";
}

/** @param needs what a plan that is piped in cannot be reviewed right without, as docs/review.md says. */
function wayOf(random: Random, needs?: "stack" | "state" | false): Way {
  if (random.next() < 0.5 || needs === "stack") return { isStack: true, showSames: true, state: "own" };
  const showSames = random.next() < 0.7;
  const chance = random.next();
  return { isStack: false, showSames, state: chance < 0.7 || needs ? "own" : chance < 0.8 ? "foreign" : "none" };
}

/** A step of a stack that is reviewed and then carried out. */
interface Step {
  operation: "update" | "destroy";
  plan: ModelPlan;
  state: string;
  /** Of the review. */
  environment: Variables;
  /** Relative names of the resources whose grants are in the state or the program. */
  managed: readonly string[];
  /** Whether a provider works with other settings in the review's environment than in the update's. */
  differs: boolean;
  carryOut: () => Promise<Failure | undefined>;
}

function resultOf({ operation, plan: { text, saved }, state, environment }: Step, way: Way): Promise<ReviewResult> {
  const given = way.state === "own" ? state : state.replaceAll("::p::", "::another-project::");
  const options = { environment, ...(way.state === "none" ? {} : { state: given }) };
  if (!way.isStack) return review({ plan: text, ...options });
  const plan = readPlan(text);
  return reviewPlan(planOfCommand(saved === undefined ? plan : withSavedProviders(plan, saved), operation), options);
}

/** Reviews a plan, carries it out and compares. @returns what was predicted wrongly. */
async function reviewed(step: Step, way: Way): Promise<string[]> {
  const before = policies();
  for (const each of clouds) each.clearRequests();
  const result = await resultOf(step, way);
  if (writes() > 0) return ["the review wrote a policy"];
  const failed = await step.carryOut();
  const after = policies();
  figures.reviews++;
  figures.changes += result.resources.flatMap(({ changes }) => changes).length;
  figures.noAccessLeft += result.summary.noAccessLeft;
  figures.inherited += result.resources.flatMap(({ inherited = [] }) => inherited).length;
  const loses = (cloud: Policies, at: number) =>
    stores.some((name) => without(grantTexts(cloud[name]), grantTexts(after[at]?.[name])).length > 0);
  if (before.some(loses)) figures.losses++;
  if (step.plan.failed) return wrongOfFailedPlan(result, step.plan.failed, failed);
  const isKnown = result.summary.unknown === 0;
  if (!isKnown) figures.unknown++;
  const wrong = [
    ...(isKnown || result.verdict.exitCode !== 0 ? [] : ["exit code 0 for a review that does not know everything"]),
    ...(way.state === "foreign" && isKnown ? ["nothing is unknown with the state of another project"] : []),
    ...(way.isStack ? needlessUnknown(result, step) : []),
  ];
  if (failed || result.refused.length > 0) return [...wrong, ...(isKnown ? wrongRefusals(result, failed) : [])];
  const predicted = wrongOfKnown(result, step, before, after);
  // Without the unchanged grants, what one of them also declares seems to go.
  const isSafe = (each: string) => !way.showSames && way.state === "none" && !SAYS_LESS.test(each);
  return [...wrong, ...predicted.filter((each) => !isSafe(each))];
}

/** Of `wrongPredictions`: somebody loses access, and the review does not say so. */
const SAYS_LESS = /(lost|without any access|not in the review): .* is not predicted$/;

/** What a review does not know although it ran the preview itself. */
function needlessUnknown({ unknown, resources }: ReviewResult, { plan, differs }: Step): string[] {
  const isUnclear = (name: string) => differs || isInside(name, plan.takenAway) || plan.contested.includes(name);
  const needless = [
    // What else is in a deleted dataset.
    ...unknown.filter(({ code }) => code !== "deleted resource" || plan.takenAway.length === 0),
    ...resources.filter(({ resource }) => !isUnclear(resource)).flatMap((each) => each.unknown),
  ];
  return needless.map(({ message }) => `unknown although the review ran the preview itself: ${message}`);
}

/** What was predicted wrongly of the policies of which the review knows everything. */
function wrongOfKnown(
  result: ReviewResult,
  { plan, managed }: Step,
  before: readonly Policies[],
  after: readonly Policies[],
): string[] {
  if (result.unknown.length > 0) return [];
  const unknown = new Set(result.resources.filter((each) => each.unknown.length > 0).map(({ resource }) => resource));
  // A review is of the resources that the stack has grants on.
  const isOthers = (name: string) => isInside(name, plan.takenAway) && !managed.includes(name);
  const known = stores.filter((name) => !unknown.has(name) && !isOthers(name));
  const part = { ...result, resources: result.resources.filter(({ resource }) => known.includes(resource)) };
  const of = (policies: Policies = {}) =>
    Object.fromEntries(Object.entries(policies).filter(([name]) => known.includes(name)));
  const wrong = clouds.flatMap((cloud, at) =>
    wrongPredictions(part, of(before[at]), of(after[at]), { address: `${cloud.url}/`, above: grantsAbove(cloud) }),
  );
  // The summary is about all resources.
  return known.length === stores.length ? wrong : wrong.filter((each) => !each.startsWith("summary"));
}

/** A preview that fails shows a part of the plan: what else happens is unknown, and the review has to say so. */
function wrongOfFailedPlan(result: ReviewResult, planned: Failure, failed: Failure | undefined): string[] {
  figures.refusals++;
  return [
    ...(failed ? [] : [`the preview failed (${planned.error.message}), and the update did not`]),
    ...(result.verdict.exitCode === 0 ? ["exit code 0 for a preview that failed"] : []),
    ...(result.unknown.some(({ code }) => code === "incomplete plan") ? [] : ["no word of the incomplete plan"]),
  ];
}

function wrongRefusals({ refused }: ReviewResult, failed: Failure | undefined): string[] {
  figures.refusals++;
  if (!failed) return [`refusals are predicted, and the update went through: ${JSON.stringify(refused)}`];
  // Of two resources that are refused alike, the engine may begin with either.
  const { urn, error } = failed;
  const isAlike = (reason: string) => reason.split(":")[0] === error.message.split(":")[0];
  if (refused.some(({ step, reason }) => step === urn || isAlike(reason))) return [];
  return [`${failed.urn} failed (${failed.error.message}); predicted refusals: ${JSON.stringify(refused)}`];
}

/** Names of the providers of one run. An explicit provider called `default` takes the place of the default provider. */
const NAMES = [
  [undefined, undefined, undefined, "eu"],
  [undefined, undefined, "eu", "us"],
  [undefined, undefined, "eu", "default-eu"],
  [undefined, "default_1_0_0"],
  ["default", "eu"],
];

/** Grants in the first cloud that a program may read. */
function readable(): Values[] {
  const [first] = clouds;
  return stores.flatMap((name) =>
    grantsOf(first ? policyOf(first, name) : {})
      .filter(({ member }) => !member.startsWith("deleted:"))
      .map((grant): Values => ({ name, ...grant })),
  );
}

async function run(
  random: Random,
  ofAbove: Random,
  ofBindings: Random,
): Promise<{ wrong: string[]; story: unknown[] }> {
  for (const cloud of clouds) for (const name of stores) cloud.mutate(name, { policy: randomPolicy(random) });
  for (const cloud of clouds) randomizeAbove(cloud, ofAbove);
  const mode: Mode = random.next() < 0.5 ? "merge" : "replace";
  const allowLockout = mode === "replace" && random.next() < 0.7;
  const variables: Variables = {
    ...clouds[0]?.env,
    ...(random.next() < 0.5 ? { PERIMETER_GRANT_MODE: mode, GOOGLE_PROJECT: "demo-project" } : {}),
  };
  const otherVariables = (): Variables => ({
    ...random.pick(clouds).env,
    ...random.pick<Variables>([
      {},
      { PERIMETER_GRANT_MODE: "merge" },
      { PERIMETER_GRANT_MODE: "replace", GOOGLE_PROJECT: "other" },
    ]),
  });
  const ofEnvironment = () => variables.PERIMETER_GRANT_MODE !== undefined && random.next() < 0.5;
  const settings = (): Values => ({
    ...(ofEnvironment() ? {} : { project: "demo-project" }),
    // In the mode `replace`, a program declares one grant for each store, which suits both modes.
    ...(ofEnvironment() ? {} : { grantMode: mode === "replace" && random.next() < 0.3 ? "merge" : mode }),
    ...(allowLockout ? { allowLockout: true } : {}),
    ...(random.next() < 0.25 ? { emulatorHost: `${clouds[1]?.host}:${clouds[1]?.port}` } : {}),
  });
  let ofStack = settings();
  const connect: Connect = (values, facts, planned) => new Provider(values, variables, { facts }, planned);
  const world = { connect, settings: () => ofStack, takeAway, random, hasOutputs: random.next() < 0.5 };
  const stack = new ModelStack(world);
  const providers = random.pick(NAMES);
  const parents = random.next() < 0.6 ? { parents: PARENTS } : {};
  const grants = new RandomProgram(random, mode, { settings, providers, readable, ...parents });
  const bindings = new RandomBindings(ofBindings, providers);
  // In the mode `replace`, no member grant may be beside a binding.
  const programs = { next: () => (mode === "merge" ? bindings.beside(grants.next()) : grants.next()) };
  const story: unknown[] = [policies()];

  /** @returns what was predicted wrongly. */
  const carryOut = async (
    operation: Step["operation"],
    plan: ModelPlan,
    way: Way,
    act: Step["carryOut"],
    wanted: string[] = [],
  ) => {
    const { operation: shown, otherReadings } = readPlan(plan.text);
    const state = stack.exportState();
    const managed = [...stack.resources(), ...wanted];
    // Only a preview says with which settings it worked: no plan shows those of a provider that only deletes.
    const isOther = plan.changing.every(({ isHeard }) => isHeard) && random.next() < 0.2;
    const environment = isOther ? otherVariables() : variables;
    const differs = plan.changing.some(({ settings: own }) => decisive(own, environment) !== decisive(own, variables));
    if (differs) figures.otherEnvironments++;
    if (way.state === "foreign") figures.otherStates++;
    if (plan.takenAway.length > 0) figures.takenAway++;
    if (plan.contested.length > 0) figures.contested++;
    story.push({ operation, way, environment, shown, otherReadings, state, plan: plan.text });
    return reviewed({ operation, plan, state, environment, managed, differs, carryOut: act }, way);
  };
  for (let step = 0; step < STEPS; step++) {
    const program = programs.next();
    if (random.next() < 0.25) ofStack = settings();
    const known = [...new Set([...stack.names(), ...Object.keys(program.grants)])];
    const { grants } = program;
    // The engine takes all providers for targets.
    const isAlone = Object.values(grants).every((each) => !each.dependsOn && !each.alias && !each.deletedWith);
    const mayTarget = step > 0 && isAlone && stack.isSimple && Object.keys(program.parents ?? {}).length === 0;
    const targets = mayTarget && random.next() < 0.3 ? known.filter(() => random.next() < 0.5) : undefined;
    if (targets) figures.targeted++;
    figures.grants += Object.keys(grants).length;
    figures.bindings += Object.keys(grants).filter((name) => BINDING_NAMES.includes(name)).length;
    figures.reads += Object.values(grants).filter(({ isRead }) => isRead).length;
    figures.imports += Object.values(grants).filter(({ isImported }) => isImported).length;
    story.push({ settings: ofStack, program, targets });
    // In a plan, an explicit provider with such a name looks like the engine's own.
    const isHidden = providers.includes("default") || providers.includes("default_1_0_0");
    // Only the state says what was deleted before.
    const way = wayOf(random, isHidden ? "stack" : stack.isInterrupted && "state");
    const plan = await stack.preview(program, { targets, showSames: way.showSames });
    const wanted = Object.values(grants).flatMap(({ isRead, inputs }) => (isRead ? [] : String(inputs.name)));
    const wrong = await carryOut("update", plan, way, () => stack.up(program, targets), wanted);
    if (wrong.length > 0) return { wrong, story };
    if (random.next() < 0.2) {
      const name = random.pick(stores);
      const cloud = random.pick(clouds);
      cloud.mutate(name, { policy: drifted(random, policyOf(cloud, name)) });
      story.push({ drifted: name, policy: policyOf(cloud, name) });
      figures.drifts++;
    }
    if (random.next() < 0.15) {
      const interrupted = programs.next();
      await stack.preview(interrupted);
      await stack.up(interrupted, undefined, true);
      story.push({ interrupted, state: stack.exportState() });
      if (stack.isInterrupted) figures.interrupted++;
    }
  }
  if (random.next() < 0.5) ofStack = settings();
  const some = stack.isInterrupted ? [] : stack.withDependents(stack.names().filter(() => random.next() < 0.4));
  for (const targets of [...(some.length > 0 ? [some] : []), undefined]) {
    const way = wayOf(random, stack.isInterrupted && "state");
    story.push({ settings: ofStack, destroy: targets ?? "everything" });
    const plan = stack.destroyPlan({ targets, showSames: way.showSames });
    const wrong = await carryOut("destroy", plan, way, () => stack.destroy(targets));
    if (wrong.length > 0) return { wrong, story };
  }
  return { wrong: [], story };
}

/** For a run: the choices of policies above, and of bindings, which leave the other choices of the seed as they are. */
const others = (at: number) => [new Random(-SEED * 10_000 - at), new Random(SEED * 20_000 + at)] as const;

test(`a review predicts what happens or says that it does not know, in ${RUNS} runs`, async () => {
  const failures: string[] = [];
  let first: unknown[] = [];
  for (let at = ONLY ?? 0; at < (ONLY === undefined ? RUNS : ONLY + 1); at++) {
    const { wrong, story } = await run(new Random(SEED * 10_000 + at), ...others(at));
    figures.runs++;
    if (wrong.length === 0) continue;
    if (failures.length === 0) first = story;
    failures.push(`run ${at} of seed ${SEED}:`, ...wrong);
  }
  if (failures.length > 0) {
    throw new Error(`${failures.join("\n")}\nThe first of these runs: ${JSON.stringify(first, null, 1)}`);
  }
  if (ONLY !== undefined) return;
  // Runs in which nobody loses anything, or in which the review knows nothing, would prove nothing.
  expect(figures.losses).toBeGreaterThan(RUNS / 2);
  expect(figures.unknown).toBeLessThan(figures.reviews / 5);
  expect(figures.inherited).toBeGreaterThan(RUNS);
  expect(figures.bindings).toBeGreaterThan(RUNS);
  expect(figures.noAccessLeft).toBeGreaterThan(RUNS / 2);
}, 300_000);
