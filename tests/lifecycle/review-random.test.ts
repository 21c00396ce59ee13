/**
 * A review predicts what the update then does: random programs and policies, renames, duplicates, conditions, replacements
 * and deletes in both modes. `REVIEW_SEED` repeats a run's choices, `REVIEW_RUNS` says how many runs there are.
 */
import { startEmulator, type Emulator } from "../../emulator";
import type { Values } from "../../provider/core/unknown";
import type { Policy } from "../../provider/iam/policy";
import { review, type ReviewResult } from "../../provider/review";
import { Provider } from "../../provider/runtime/provider";
import { storeName } from "../support/grants";
import { Random } from "../support/grants-random";
import { ModelStack, type Connect, type Failure } from "../support/review-model";
import { grantTexts, without, wrongPredictions, type Policies } from "../support/review-outcome";
import { drifted, RandomProgram, randomPolicy, STORES, type Mode } from "../support/review-programs";

const SEED = Number(process.env.REVIEW_SEED ?? 12);
const RUNS = Number(process.env.REVIEW_RUNS ?? 120);
const STEPS = 3;

let emulator: Emulator;
beforeAll(async () => {
  const seed = Array.from({ length: STORES }, (_, at) => ({
    service: "healthcare",
    name: storeName(at),
    body: { version: "R4" },
  }));
  emulator = await startEmulator({ seed });
});
afterAll(() => emulator.stop());

const stores = Array.from({ length: STORES }, (_, at) => storeName(at));
const policies = (): Policies => Object.fromEntries(stores.map((name) => [name, policyOf(name)]));
const policyOf = (name: string): Policy => emulator.resource(name)?.policy ?? {};
const writes = () => emulator.requests().filter(({ path }) => path.includes(":setIamPolicy")).length;

const figures = { runs: 0, reviews: 0, grants: 0, changes: 0, losses: 0, refusals: 0, targeted: 0, drifts: 0 };
afterAll(() => console.log(`review-random: seed ${SEED}, ${JSON.stringify(figures)}`));

/** Reviews a plan, carries it out and compares. @returns what was predicted wrongly. */
async function reviewed(
  plan: { text: string; failed?: Failure },
  carryOut: () => Promise<Failure | undefined>,
): Promise<string[]> {
  const before = policies();
  emulator.clearRequests();
  const result = await review({ plan: plan.text, environment: emulator.env });
  if (writes() > 0) return ["the review wrote a policy"];
  const failed = await carryOut();
  const after = policies();
  figures.reviews++;
  const reports = result.resources.flatMap(({ changes }) => changes);
  figures.changes += reports.length;
  if (stores.some((name) => without(grantTexts(before[name]), grantTexts(after[name])).length > 0)) figures.losses++;
  if (plan.failed) return wrongOfFailedPlan(result, plan.failed, failed);
  if (failed || result.refused.length > 0) return wrongRefusals(result, failed);
  if (result.unknown.length > 0) return [`unknown: ${JSON.stringify(result.unknown)}`];
  const hidden = result.resources.flatMap(({ unknown }) => unknown);
  if (hidden.length > 0) return [`unknown: ${JSON.stringify(hidden)}`];
  return wrongPredictions(result, before, after);
}

/** A preview that fails shows a part of the plan: nobody can tell the rest, and the review has to say so. */
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
  if (refused.some(({ step }) => step === failed.urn)) return [];
  return [`${failed.urn} failed (${failed.error.message}); predicted refusals: ${JSON.stringify(refused)}`];
}

async function run(random: Random): Promise<{ wrong: string[]; story: unknown[] }> {
  for (const name of stores) emulator.mutate(name, { policy: randomPolicy(random) });
  const mode: Mode = random.next() < 0.6 ? "merge" : "replace";
  const settings: Values = {
    project: "demo-project",
    grantMode: mode,
    ...(mode === "replace" && random.next() < 0.7 ? { allowLockout: true } : {}),
  };
  const connect: Connect = (values, notes) => new Provider(values, { ...emulator.env }, { notes });
  const stack = new ModelStack(connect, () => settings, random);
  const programs = new RandomProgram(random, mode, settings);
  const story: unknown[] = [settings, policies()];
  for (let step = 0; step < STEPS; step++) {
    const program = programs.next();
    const known = [...new Set([...stack.names(), ...Object.keys(program.grants)])];
    const mayTarget = step > 0 && Object.values(program.grants).every(({ dependsOn, alias }) => !dependsOn && !alias);
    const targets = mayTarget && random.next() < 0.3 ? known.filter(() => random.next() < 0.5) : undefined;
    if (targets) figures.targeted++;
    figures.grants += Object.keys(program.grants).length;
    story.push({ program, targets });
    const plan = await stack.preview(program, targets);
    const wrong = await reviewed(plan, () => stack.up(program, targets));
    if (wrong.length > 0) return { wrong, story: [...story, plan.text] };
    if (random.next() < 0.2) {
      const name = random.pick(stores);
      emulator.mutate(name, { policy: drifted(random, policyOf(name)) });
      story.push({ drifted: name, policy: policyOf(name) });
      figures.drifts++;
    }
  }
  const text = stack.destroyPlan();
  const wrong = await reviewed({ text }, () => stack.destroy());
  return { wrong, story: [...story, "destroy", text] };
}

test(`what a review predicts is what happens, in ${RUNS} runs`, async () => {
  for (let at = 0; at < RUNS; at++) {
    const { wrong, story } = await run(new Random(SEED * 10_000 + at));
    if (wrong.length > 0) {
      throw new Error(`run ${at} of seed ${SEED}:\n${wrong.join("\n")}\n${JSON.stringify(story, null, 1)}`);
    }
    figures.runs++;
  }
  // A run of programs in which nobody loses anything would prove nothing.
  expect(figures.losses).toBeGreaterThan(RUNS / 2);
}, 300_000);
