/**
 * A review predicts what the update then does, or says that it does not know: random programs and policies, renames,
 * duplicates, conditions, replacements, reads and deletes in both modes, and providers and stacks whose settings differ.
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
  const seed = stores.map((name) => ({ service: "healthcare", name, body: { version: "R4" } }));
  clouds = [await startEmulator({ seed }), await startEmulator({ seed })];
});
afterAll(() => Promise.all(clouds.map((each) => each.stop())));

const environment = () => ({ ...clouds[0]?.env });
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
  reads: 0,
  changes: 0,
  losses: 0,
  refusals: 0,
  targeted: 0,
  drifts: 0,
  unknown: 0,
};
afterAll(() => console.log(`review-random: seed ${SEED}, ${JSON.stringify(figures)}`));

/** How a plan reaches the review: `stack` is a preview that the review runs itself, with all that Pulumi can tell. */
interface Way {
  isStack: boolean;
  showSames: boolean;
  hasState: boolean;
}

/** @param needsStack where a plan that is piped in cannot be reviewed right, as docs/review.md says. */
function wayOf(random: Random, needsStack = false): Way {
  if (random.next() < 0.5 || needsStack) return { isStack: true, showSames: true, hasState: true };
  return { isStack: false, showSames: random.next() < 0.7, hasState: random.next() < 0.8 };
}

/** A step of a stack that is reviewed and then carried out. */
interface Step {
  operation: "update" | "destroy";
  plan: ModelPlan;
  state: string;
  carryOut: () => Promise<Failure | undefined>;
}

function resultOf({ operation, plan: { text, saved }, state }: Step, way: Way): Promise<ReviewResult> {
  const options = { environment: environment(), ...(way.hasState ? { state } : {}) };
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
  const loses = (cloud: Policies, at: number) =>
    stores.some((name) => without(grantTexts(cloud[name]), grantTexts(after[at]?.[name])).length > 0);
  if (before.some(loses)) figures.losses++;
  if (step.plan.failed) return wrongOfFailedPlan(result, step.plan.failed, failed);
  if (result.summary.unknown > 0) {
    figures.unknown++;
    return [
      ...(result.verdict.exitCode === 0 ? ["exit code 0 for a review that does not know everything"] : []),
      ...(way.isStack ? [`unknown although the review ran the preview itself: ${unknownOf(result)}`] : []),
    ];
  }
  if (failed || result.refused.length > 0) return wrongRefusals(result, failed);
  return clouds.flatMap((cloud, at) => wrongPredictions(result, before[at] ?? {}, after[at] ?? {}, `${cloud.url}/`));
}

function unknownOf({ unknown, resources }: ReviewResult): string {
  return JSON.stringify([...unknown, ...resources.flatMap((each) => each.unknown)].map(({ message }) => message));
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

async function run(random: Random): Promise<{ wrong: string[]; story: unknown[] }> {
  for (const cloud of clouds) for (const name of stores) cloud.mutate(name, { policy: randomPolicy(random) });
  const mode: Mode = random.next() < 0.5 ? "merge" : "replace";
  const allowLockout = mode === "replace" && random.next() < 0.7;
  const settings = (): Values => ({
    project: "demo-project",
    // In the mode `replace`, a program declares one grant for each store, which suits both modes.
    grantMode: mode === "replace" && random.next() < 0.3 ? "merge" : mode,
    ...(allowLockout ? { allowLockout: true } : {}),
    ...(random.next() < 0.25 ? { emulatorHost: `${clouds[1]?.host}:${clouds[1]?.port}` } : {}),
  });
  let ofStack = settings();
  const connect: Connect = (values, facts, planned) => new Provider(values, environment(), { facts }, planned);
  const stack = new ModelStack(connect, () => ofStack, random, random.next() < 0.5);
  const providers = random.pick(NAMES);
  const programs = new RandomProgram(random, mode, { settings, providers, readable });
  const story: unknown[] = [policies()];

  /** @returns what was predicted wrongly. */
  const carryOut = async (operation: Step["operation"], plan: ModelPlan, way: Way, act: Step["carryOut"]) => {
    const { operation: shown, otherReadings } = readPlan(plan.text);
    story.push({ operation, way, shown, otherReadings, state: stack.exportState(), plan: plan.text });
    return reviewed({ operation, plan, state: stack.exportState(), carryOut: act }, way);
  };
  for (let step = 0; step < STEPS; step++) {
    const program = programs.next();
    if (random.next() < 0.25) ofStack = settings();
    const known = [...new Set([...stack.names(), ...Object.keys(program.grants)])];
    const { grants } = program;
    // The engine takes all providers for targets.
    const mayTarget = step > 0 && Object.values(grants).every(({ dependsOn, alias }) => !dependsOn && !alias);
    const targets = mayTarget && random.next() < 0.3 ? known.filter(() => random.next() < 0.5) : undefined;
    if (targets) figures.targeted++;
    figures.grants += Object.keys(grants).length;
    figures.reads += Object.values(grants).filter(({ isRead }) => isRead).length;
    story.push({ settings: ofStack, program, targets });
    // In a plan, an explicit provider with such a name looks like the engine's own.
    const way = wayOf(random, providers.includes("default") || providers.includes("default_1_0_0"));
    const plan = await stack.preview(program, { targets, showSames: way.showSames });
    const wrong = await carryOut("update", plan, way, () => stack.up(program, targets));
    if (wrong.length > 0) return { wrong, story };
    if (random.next() < 0.2) {
      const name = random.pick(stores);
      const cloud = random.pick(clouds);
      cloud.mutate(name, { policy: drifted(random, policyOf(cloud, name)) });
      story.push({ drifted: name, policy: policyOf(cloud, name) });
      figures.drifts++;
    }
  }
  if (random.next() < 0.5) ofStack = settings();
  const some = stack.withDependents(stack.names().filter(() => random.next() < 0.4));
  for (const targets of [...(some.length > 0 ? [some] : []), undefined]) {
    const way = wayOf(random);
    story.push({ settings: ofStack, destroy: targets ?? "everything" });
    const text = stack.destroyPlan({ targets, showSames: way.showSames });
    const wrong = await carryOut("destroy", { text }, way, () => stack.destroy(targets));
    if (wrong.length > 0) return { wrong, story };
  }
  return { wrong: [], story };
}

test(`a review predicts what happens or says that it does not know, in ${RUNS} runs`, async () => {
  const failures: string[] = [];
  let first: unknown[] = [];
  for (let at = ONLY ?? 0; at < (ONLY === undefined ? RUNS : ONLY + 1); at++) {
    const { wrong, story } = await run(new Random(SEED * 10_000 + at));
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
  expect(figures.unknown).toBeLessThan(figures.reviews / 10);
}, 300_000);
