/**
 * Random programs on the real engine: a few of them side by side, each with stores of its own.
 * tests/lifecycle/review-random.test.ts does the same in hundreds of runs with more steps, on a model of the engine.
 * `REVIEW_SEED` repeats other choices.
 */
import type { Policy } from "../../../provider/iam/policy";
import { storeName } from "../../support/grants";
import { Random } from "../../support/grants-random";
import type { ModelProgram } from "../../support/review-model-program";
import type { Front, Grants } from "../../support/review-fronts";
import { drifted, RandomProgram, randomPolicy, STORES, type Mode } from "../../support/review-programs";
import { type Reviewed, type ReviewWorld } from "../../support/review-world";

const SEED = Number(process.env.REVIEW_SEED ?? 12);
const PROGRAMS = 4;
/** Each stack has other programs. */
const STACKS = ["plugin merge", "plugin replace", "npm merge", "npm replace"];

const stores = Array.from({ length: PROGRAMS * STORES }, (_, at) => storeName(at));
/** The stores of one of the programs. */
const storesOf = (number: number) => stores.slice(number * STORES, (number + 1) * STORES);

export interface Settings extends Record<string, string | boolean> {
  project: string;
  grantMode: Mode;
  allowLockout: boolean;
}

export class RandomPrograms {
  /** What they declare, with names of their own. */
  grants: Grants = {};
  /** The npm front has no explicit providers. */
  providers: ModelProgram["providers"] = {};
  /** What was predicted wrongly or not at all, with the programs. */
  readonly wrong: unknown[] = [];
  private current: unknown[] = [];
  private readonly all: { number: number; random: Random; programs: RandomProgram }[];

  constructor(
    private readonly front: Front,
    settings: Settings,
  ) {
    const first = SEED + STACKS.indexOf(`${front} ${settings.grantMode}`) * PROGRAMS;
    this.all = Array.from({ length: PROGRAMS }, (_, number) => {
      const random = new Random((first + number) * 7919);
      return { number, random, programs: new RandomProgram(random, settings.grantMode, { settings: () => settings }) };
    });
  }

  /** Makes the stores, with what others have on them. */
  makeStores(world: ReviewWorld): void {
    for (const { number, random } of this.all) {
      for (const name of storesOf(number)) world.others(randomPolicy(random).bindings ?? [], name);
    }
  }

  /** Changes the programs. */
  next(): void {
    const programs = this.all.map(({ number, programs: each }) => ({ number, program: each.next() }));
    this.current = programs;
    this.grants = Object.assign({}, ...programs.map((each) => grantsOf(each, this.front))) as Grants;
    this.providers = Object.assign(
      {},
      ...(this.front === "plugin" ? programs.map(({ program }) => program.providers) : []),
    ) as ModelProgram["providers"];
  }

  /** Compares what the review of a whole plan said with what is now. */
  check(world: ReviewWorld, reviewed: Reviewed): void {
    const wrong = world.wrong(reviewed, stores);
    const unknown = reviewed.result.resources.filter(
      ({ resource, unknown: some }) => stores.includes(resource) && some.length > 0,
    );
    if (wrong.length + unknown.length > 0) this.wrong.push({ seed: SEED, wrong, unknown, programs: this.current });
  }

  /** Somebody else changes a policy, perhaps. */
  drift(world: ReviewWorld): void {
    for (const { number, random } of this.all) {
      const name = random.pick(storesOf(number));
      const policy: Policy = world.emulator.resource(name)?.policy ?? {};
      if (random.next() < 0.3) world.emulator.mutate(name, { policy: drifted(random, policy) });
    }
  }
}

/** A program of the model, as a front declares it, with names and stores of its own. */
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
