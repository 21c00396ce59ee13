/**
 * Random programs on the real engine: each stack goes through a few of them and is destroyed, and each plan is reviewed
 * before it is carried out. tests/lifecycle/review-random.test.ts does the same in hundreds of runs, on a model of the
 * engine. `REVIEW_SEED` repeats other choices.
 */
import type { Policy } from "../../../provider/iam/policy";
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { storeName } from "../../support/grants";
import { Random } from "../../support/grants-random";
import type { ModelProgram } from "../../support/review-model";
import { grantTexts, without } from "../../support/review-outcome";
import { drifted, RandomProgram, randomPolicy, STORES, type Mode } from "../../support/review-programs";
import { ReviewWorld, type Front, type Grants, type Reviewed } from "../../support/review-world";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const SEED = Number(process.env.REVIEW_SEED ?? 12);
const STEPS = 3;
const missing = missingHost("yaml");
const ALL: [Front, Mode][] = [
  ["plugin", "merge"],
  ["plugin", "merge"],
  ["plugin", "merge"],
  ["plugin", "replace"],
  ["npm", "merge"],
  ["npm", "replace"],
];
const STACKS = ALL.map(([front, mode], at): [number, Front, Mode] => [SEED + at, front, mode]).filter(
  ([, front]) => front === "npm" || missing === undefined,
);
const stores = Array.from({ length: STORES }, (_, at) => storeName(at));

const figures = { stacks: 0, reviews: 0, grants: 0, changes: 0, losses: 0, refusals: 0 };
afterAll(() => console.log(`review on the real engine: seed ${SEED}, ${JSON.stringify(figures)}`));

let world: ReviewWorld;
afterEach(() => world?.dispose());

test.each(STACKS)("seed %d, %s, %s", async (seed, front, mode) => {
  const random = new Random(seed * 7919);
  const settings = { project: "demo-project", grantMode: mode, allowLockout: mode === "replace" };
  world = await ReviewWorld.create(front, {}, { config: { ...configOf(settings) } });
  world.emulator.seed(
    stores.map((name) => ({ service: "healthcare", name, body: { version: "R4" }, policy: randomPolicy(random) })),
  );
  const programs = new RandomProgram(random, mode, settings);
  for (let step = 0; step < STEPS; step++) {
    const program = programs.next();
    world.declare(grantsOf(program, front), front === "plugin" ? program.providers : {});
    const reviewed = await world.review();
    const failed = reviewed.result.unknown.some(({ code }) => code === "incomplete plan");
    const done = await world.project.up({ fail: "maybe" });
    // What the update refuses, the review or the preview refused before it; and the other way round.
    const refused = failed || reviewed.result.refused.length > 0;
    expect({ step, refused }).toEqual({ step, refused: done.code !== 0 });
    figures.grants += Object.keys(program.grants).length;
    if (refused) figures.refusals++;
    else expectPredicted(reviewed, { step, program });
    const name = random.pick(stores);
    if (random.next() < 0.3) world.emulator.mutate(name, { policy: drifted(random, policyOf(name)) });
  }
  const reviewed = await world.reviewDestroy();
  await world.project.destroy();
  expectPredicted(reviewed, "destroy");
  figures.stacks++;
});

function expectPredicted(reviewed: Reviewed, story: unknown): void {
  const { result, before } = reviewed;
  const after = world.policies();
  figures.reviews++;
  figures.changes += result.resources.flatMap(({ changes }) => changes).length;
  if (stores.some((name) => without(grantTexts(before[name]), grantTexts(after[name])).length > 0)) figures.losses++;
  expect({ story, wrong: world.wrong(reviewed), unknown: result.summary.unknown }).toEqual({
    story,
    wrong: [],
    unknown: 0,
  });
}

const policyOf = (name: string): Policy => world.emulator.resource(name)?.policy ?? {};

function configOf(settings: Record<string, string | boolean>): Record<string, string | boolean> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [`perimeter:${key}`, value]));
}

/** A program of the model, as a front declares it. The npm front has no explicit providers. */
function grantsOf({ grants }: ModelProgram, front: Front): Grants {
  return Object.fromEntries(
    Object.entries(grants).map(([name, { inputs, provider, ...options }]) => [
      name,
      {
        ...options,
        name: String(inputs.name),
        role: String(inputs.role),
        member: String(inputs.member),
        ...(isCondition(inputs.condition) ? { condition: inputs.condition } : {}),
        ...(provider !== undefined && front === "plugin" ? { provider } : {}),
      },
    ]),
  );
}

function isCondition(value: unknown): value is NonNullable<Grants[string]["condition"]> {
  return typeof value === "object" && value !== null && "expression" in value;
}
