/**
 * Random programs on the real engine: a few of them side by side in a stack, each with stores of its own, are changed and
 * destroyed, and each plan is reviewed before it is carried out. tests/lifecycle/review-random.test.ts does the same in
 * hundreds of runs with more steps, on a model of the engine. `REVIEW_SEED` repeats other choices.
 */
import type { Policy } from "../../../provider/iam/policy";
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { storeName } from "../../support/grants";
import { Random } from "../../support/grants-random";
import type { ModelProgram } from "../../support/review-model";
import type { Front, Grants } from "../../support/review-fronts";
import { grantTexts, without } from "../../support/review-outcome";
import { drifted, RandomProgram, randomPolicy, STORES, type Mode } from "../../support/review-programs";
import { type Reviewed, ReviewWorld } from "../../support/review-world";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const SEED = Number(process.env.REVIEW_SEED ?? 12);
const PROGRAMS = 4;
const STEPS = 2;
const missing = missingHost("yaml");
const ALL: [Front, Mode][] = [
  ["plugin", "merge"],
  ["plugin", "replace"],
  ["npm", "merge"],
  ["npm", "replace"],
];
const STACKS = ALL.map(([front, mode], at): [number, Front, Mode] => [SEED + at * PROGRAMS, front, mode]).filter(
  ([, front]) => front === "npm" || missing === undefined,
);
const programNumbers = Array.from({ length: PROGRAMS }, (_, at) => at);
const stores = Array.from({ length: PROGRAMS * STORES }, (_, at) => storeName(at));

const figures = { stacks: 0, reviews: 0, grants: 0, changes: 0, losses: 0, refusals: 0 };
afterAll(() => console.log(`review on the real engine: seed ${SEED}, ${JSON.stringify(figures)}`));

let world: ReviewWorld;
afterEach(() => world?.dispose());

test.each(STACKS)("seed %d and the next, %s, %s", async (seed, front, mode) => {
  const settings = { project: "demo-project", grantMode: mode, allowLockout: mode === "replace" };
  world = await ReviewWorld.create(front, {}, { config: { ...configOf(settings) } });
  const all = programNumbers.map((number) => {
    const random = new Random((seed + number) * 7919);
    return { number, random, programs: new RandomProgram(random, mode, settings) };
  });
  for (const { number, random } of all) {
    for (const name of storesOf(number)) world.others(randomPolicy(random).bindings ?? [], name);
  }
  for (let step = 0; step < STEPS; step++) {
    const programs = all.map(({ number, programs: each }) => ({ number, program: each.next() }));
    const grants = Object.assign({}, ...programs.map((each) => grantsOf(each, front))) as Grants;
    const providers = Object.assign(
      {},
      ...programs.map(({ program }) => program.providers),
    ) as ModelProgram["providers"];
    world.declare(grants, front === "plugin" ? providers : {});
    const reviewed = await world.review();
    const failed = reviewed.result.unknown.some(({ code }) => code === "incomplete plan");
    const done = await world.project.up({ fail: "maybe" });
    // What the update refuses, the review or the preview refused before it; and the other way round.
    const refused = failed || reviewed.result.refused.length > 0;
    expect({ step, refused }).toEqual({ step, refused: done.code !== 0 });
    figures.grants += Object.keys(grants).length;
    if (refused) figures.refusals++;
    else expectPredicted(reviewed, { step, programs });
    for (const { number, random } of all) {
      const name = random.pick(storesOf(number));
      if (random.next() < 0.3) world.emulator.mutate(name, { policy: drifted(random, policyOf(name)) });
    }
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
  figures.losses += stores.filter(
    (name) => without(grantTexts(before[name]), grantTexts(after[name])).length > 0,
  ).length;
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

/** The stores of one of the programs. */
function storesOf(number: number): string[] {
  return stores.slice(number * STORES, (number + 1) * STORES);
}

/**
 * A program of the model, as a front declares it, with names and stores of its own. The npm front has no explicit
 * providers.
 */
function grantsOf({ number, program }: { number: number; program: ModelProgram }, front: Front): Grants {
  const named = (name: string) => `${name}-${number}`;
  return Object.fromEntries(
    Object.entries(program.grants).map(([name, { inputs, provider, alias, dependsOn, ...options }]) => [
      named(name),
      {
        ...options,
        ...(alias === undefined ? {} : { alias: named(alias) }),
        ...(dependsOn ? { dependsOn: dependsOn.map(named) } : {}),
        name: storesOf(number)[stores.indexOf(String(inputs.name))] ?? "",
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
