/** One seed: a stack whose random programs change in steps, while others write the policies and some updates are cut short. */
import type { Values } from "../../../../provider/core/unknown";
import { grantsOf } from "../../../../provider/iam/policy";
import { Random } from "../../../support/grants-random";
import { randomizeAbove } from "./above";
import { RandomBindings } from "./bindings";
import { RandomGcpGrants } from "./gcp";
import { isUnseenCondition, wrongOf, type Step, type Way } from "./check";
import { datasetOf, parentsOf, storesOf } from "./files";
import { isGrant, type ShownState } from "./plan";
import { drifted, randomPolicy } from "./policies";
import { RandomProgram, type Mode, type Program, type Variety } from "./programs";
import { RandomStack, type Planned } from "./stack";

const PROGRAMS = 4;
const STEPS = 4;
const numbers = Array.from({ length: PROGRAMS }, (_, at) => at);

/** Names of the providers of one stack. An explicit provider called `default` takes the place of the default provider. */
const NAMES = [
  [undefined, undefined, undefined, "eu"],
  [undefined, undefined, "eu", "us"],
  [undefined, undefined, "eu", "default-eu"],
  [undefined, "default_1_0_0"],
  ["default", "eu"],
];

/** How often the seeds did what: reviews in which nobody loses anything, or nothing is known, would prove little. */
export const FIGURES = {
  steps: 0,
  reviews: 0,
  ofStacks: 0,
  changes: 0,
  losses: 0,
  inherited: 0,
  noAccessLeft: 0,
  unknown: 0,
  failedPreviews: 0,
  failedSteps: 0,
  refusals: 0,
  targeted: 0,
  refreshed: 0,
  grants: 0,
  bindings: 0,
  ofGcp: 0,
  reads: 0,
  imports: 0,
  secrets: 0,
  takenAway: 0,
  contested: 0,
  otherEnvironments: 0,
  interrupted: 0,
  brokenStates: 0,
};
export type Figures = typeof FIGURES;

export interface Ending {
  wrong: readonly string[];
  /** The programs, plans and policies, step by step. */
  story: readonly unknown[];
  figures: Figures;
}

/**
 * What the engine prints when it wrote a state that it cannot read, which it calls its own bug. The engine's own random tests leave out
 * about twenty kinds of stacks for it (`DefaultExclusionRules` in pulumi's lifecycletest/fuzzing/exclude.go). Two of these can be in our stories:
 * what is `deletedWith` a resource that waits for its delete (pulumi#21433), and, since 3.260, the update of some resources alone that
 * replaces one and deletes with it another which the program does not have any more (pulumi#24989).
 */
const BROKEN_STATE = "snapshot integrity error";

/** Runs a seed until something is wrong, until the engine breaks the state of the stack, or to its end. */
export async function journey(seed: number): Promise<Ending> {
  const journey = new Journey(seed);
  try {
    await journey.run();
  } catch (error) {
    const { stack = "" } = error as Error;
    if (stack.includes(BROKEN_STATE)) journey.figures.brokenStates++;
    else journey.wrong.push(`the test failed: ${stack}`);
  } finally {
    await journey.stack?.dispose();
  }
  return journey;
}

class Journey {
  readonly wrong: string[] = [];
  readonly story: unknown[] = [];
  readonly figures = { ...FIGURES };
  stack: RandomStack | undefined;
  private readonly random: Random;
  private readonly mode: Mode;
  private readonly names: readonly (string | undefined)[];
  private readonly programs: {
    number: number;
    member: RandomProgram;
    bindings: RandomBindings;
    gcp: RandomGcpGrants;
    random: Random;
  }[];
  private readonly hasOutputs: boolean;
  /** Whether another provider manages datasets and stores: it has one cloud, and then the grants are in that one. */
  private readonly hasParents: boolean;
  /** Whether `@pulumi/gcp` has grants on the same policies: its cloud is the first one. */
  private readonly hasGcp: boolean;
  /** Without links, an update of some resources alone cannot fail for what it leaves out. */
  private readonly hasLinks: boolean;
  private readonly variables: Record<string, string>;
  private settings: Values = {};
  private readonly providers: Record<string, Values> = {};
  private readonly secret = new Set<string>();

  constructor(private readonly seed: number) {
    const random = (this.random = new Random(seed * 7919));
    this.mode = random.next() < 0.6 ? "merge" : "replace";
    this.names = random.pick(NAMES);
    this.hasOutputs = random.next() < 0.5;
    this.hasParents = random.next() < 0.4;
    this.hasGcp = this.mode === "merge" && this.hasParents;
    this.hasLinks = this.hasParents || random.next() < 0.5;
    this.variables = random.next() < 0.5 ? { PERIMETER_GRANT_MODE: this.mode, GOOGLE_PROJECT: "demo-project" } : {};
    this.programs = numbers.map((number) => {
      const own = new Random(seed * 10_000 + number);
      const variety: Variety = {
        mode: this.mode,
        stores: storesOf(number),
        providers: this.names,
        readable: (provider) => this.readable(number, provider),
        hasLinks: this.hasLinks,
        parents: this.hasParents ? parentsOf(number) : {},
      };
      const bindings = new RandomBindings(new Random(seed * 20_000 + number), variety);
      const gcp = new RandomGcpGrants(new Random(seed * 30_000 + number), variety);
      return { number, random: own, member: new RandomProgram(own, variety), bindings, gcp };
    });
  }

  async run(): Promise<void> {
    const stack = (this.stack = await RandomStack.create(PROGRAMS, this.variables));
    for (const cloud of stack.clouds) {
      for (const name of stack.stores) cloud.mutate(name, { policy: randomPolicy(this.random) });
      randomizeAbove(cloud, numbers.map(datasetOf), this.random);
    }
    this.settings = this.randomSettings(this.random);
    for (let number = 0; number < STEPS && this.wrong.length === 0; number++) {
      // Each step has choices of its own, so that the end of an earlier step does not change them.
      const random = new Random(this.seed * 1009 + number * 31 + 1);
      if (number > 0) this.drift(random);
      if (number > 0 && random.next() < 0.2) await this.interrupt(stack, random);
      await this.update(stack, random, number > 0);
    }
    for (const isPart of [true, false]) {
      if (this.wrong.length === 0) await this.destroy(stack, new Random(this.seed * 1013 + Number(isPart)), isPart);
    }
  }

  private async update(stack: RandomStack, random: Random, mayTarget: boolean): Promise<void> {
    const programs = await this.change(stack, random);
    const state = await stack.state();
    const mayReplace = (name: string) => this.isUsed(programs, name) && state.urns.includes(stack.providerUrn(name));
    const replaced = Object.keys(this.providers).filter((name) => mayReplace(name) && random.next() < 0.1);
    const isRefreshed = random.next() < 0.15;
    // The engine refuses targets of a provider that it replaces.
    const isTargeted = mayTarget && !this.hasLinks && replaced.length === 0 && random.next() < 0.3;
    const args = [
      ...replaced.flatMap((name) => ["--replace", stack.providerUrn(name)]),
      ...(isRefreshed ? ["--refresh"] : []),
      ...(isTargeted ? targets(state, random) : []),
    ];
    if (isRefreshed) this.figures.refreshed++;
    await this.reviewed(stack, random, false, args, programs);
  }

  private async destroy(stack: RandomStack, random: Random, isPart: boolean): Promise<void> {
    const args = isPart ? targets(await stack.state(), random) : [];
    if (isPart && args.length === 0) return;
    await this.reviewed(stack, random, true, args, []);
  }

  /** Reviews a step in several ways, carries it out and compares. */
  private async reviewed(
    stack: RandomStack,
    random: Random,
    isDestroy: boolean,
    args: readonly string[],
    programs: readonly Program[],
  ): Promise<void> {
    // In a plan, an explicit provider with such a name looks like the engine's own.
    const isHidden = this.names.includes("default") || this.names.includes("default_1_0_0");
    const isOfStack = isHidden || random.next() < 0.35;
    const before = stack.policies;
    stack.clearRequests();
    const planned = await (isOfStack ? stack.planOfReview(isDestroy, args) : stack.plan(isDestroy, args));
    const reviews: { way: Way; result: ReviewOf }[] = [];
    if (planned.result)
      reviews.push({ way: { isStack: true, showsSames: true, state: "own" }, result: planned.result });
    for (const way of isHidden ? [] : this.ways(planned, isDestroy, random)) {
      const environment = way.isElsewhere ? this.elsewhere(stack, random) : undefined;
      reviews.push({ way, result: await stack.review(planned, way, environment) });
    }
    if (stack.writes.length > 0) this.wrong.push(`the review wrote: ${JSON.stringify(stack.writes)}`);
    const failed = await stack.carryOut(isDestroy, args);
    const { plan, state } = planned;
    const declared = programs.flatMap(({ grants }) =>
      Object.values(grants).flatMap(({ isRead, inputs }) => (isRead ? [] : String(inputs.name))),
    );
    const step: Step = {
      plan,
      state,
      clouds: stack.clouds,
      before,
      after: stack.policies,
      takenAway: [...plan.takenAway, ...state.leftToDelete],
      programs: numbers,
      managed: new Set([...state.stores, ...declared]),
      secret: this.secret,
      failed,
    };
    this.count(step, reviews, programs, args);
    const wrong = reviews.flatMap(({ way, result }) => {
      const found = wrongOf(result, way, step);
      return found.length > 0 ? [`reviewed with ${JSON.stringify(way)}:`, ...found.map((each) => `  ${each}`)] : [];
    });
    this.story.push({ isDestroy, args, settings: this.settings, providers: this.providers, programs, before });
    if (wrong.length > 0) {
      this.wrong.push(...wrong);
      this.story.push({
        state: JSON.parse(state.text) as unknown,
        plan: JSON.parse(plan.text) as unknown,
        after: step.after,
        failed,
      });
    }
    if (failed !== undefined) for (const { member } of this.programs) member.dropReads();
  }

  /** Further ways in which a plan may reach a review. */
  private ways({ state, result, plan }: Planned, isDestroy: boolean, random: Random): Way[] {
    const own: Way = { isStack: false, showsSames: true, state: "own" };
    const others: Way[] = [
      { ...own, showsSames: false },
      // The state of an empty stack names no project.
      ...(state.urns.length > 0 ? [{ ...own, state: "foreign" as const }] : []),
      // Only the state says what was deleted before.
      ...(state.isInterrupted
        ? []
        : ([
            { ...own, state: "none" },
            { ...own, showsSames: false, state: "none" },
          ] satisfies Way[])),
      // Only a preview says with which settings it worked: no plan shows those of a provider that only deletes.
      ...(plan.isHeard && !isDestroy ? [{ ...own, isElsewhere: true }] : []),
    ];
    return [...(result ? [] : [own]), random.pick(others)];
  }

  /** The environment of a reviewer with other settings. */
  private elsewhere(stack: RandomStack, random: Random): Record<string, string> {
    this.figures.otherEnvironments++;
    const { PERIMETER_GRANT_MODE: _mode, GOOGLE_PROJECT: _project, ...environment } = stack.environment;
    return {
      ...environment,
      ...random.pick(stack.clouds).env,
      ...random.pick<Record<string, string>>([
        {},
        { PERIMETER_GRANT_MODE: "merge" },
        { PERIMETER_GRANT_MODE: "replace", GOOGLE_PROJECT: "other" },
      ]),
    };
  }

  /** Changes the programs, and perhaps the settings. */
  private async change(stack: RandomStack, random: Random): Promise<Program[]> {
    if (random.next() < 0.25) this.settings = this.randomSettings(random);
    const programs = this.programs.map(({ number, member, bindings, gcp }) => {
      const program = member.next();
      // In the mode `replace`, no member grant may be beside a binding.
      if (this.mode === "replace") return program;
      const mixed = bindings.beside(program);
      return this.hasGcp && number % 2 === 0 ? gcp.beside(mixed) : mixed;
    });
    for (const name of this.names) {
      if (name === undefined || !this.isUsed(programs, name)) continue;
      if (!this.providers[name] || random.next() < 0.2) this.providers[name] = this.randomSettings(random);
    }
    for (const { grants } of programs) {
      for (const { isSecret, inputs } of Object.values(grants)) if (isSecret) this.secret.add(String(inputs.name));
    }
    await stack.declare(programs, { providers: this.providers, hasOutputs: this.hasOutputs }, this.settings);
    return programs;
  }

  private isUsed(programs: readonly Program[], name: string): boolean {
    return programs.some(({ grants }) => Object.values(grants).some(({ provider }) => provider === name));
  }

  private randomSettings(random: Random): Values {
    const [, second] = this.stack?.clouds ?? [];
    const isOfEnvironment = () => this.variables.PERIMETER_GRANT_MODE !== undefined && random.next() < 0.5;
    return {
      ...(isOfEnvironment() ? {} : { project: "demo-project" }),
      // In the mode `replace`, a program declares one grant for each store, which suits both modes.
      ...(isOfEnvironment() ? {} : { grantMode: this.mode === "replace" && random.next() < 0.3 ? "merge" : this.mode }),
      ...(this.mode === "replace" && random.next() < 0.9 ? { allowLockout: true } : {}),
      ...(!this.hasParents && random.next() < 0.25 ? { emulatorHost: `${second?.host}:${second?.port}` } : {}),
    };
  }

  /** Grants in the cloud of a provider that a program may read. */
  private readable(number: number, provider: string | undefined): Values[] {
    const settings = provider === undefined ? this.settings : this.providers[provider];
    const cloud = this.stack?.clouds[settings?.emulatorHost === undefined ? 0 : 1];
    return storesOf(number).flatMap((name) =>
      grantsOf(cloud?.resource(name)?.policy ?? {})
        .filter(({ member }) => !member.startsWith("deleted:"))
        .map((grant): Values => ({ name, ...grant })),
    );
  }

  /** Somebody else changes policies. */
  private drift(random: Random): void {
    const { clouds, stores } = this.stack as RandomStack;
    for (const name of stores) {
      if (random.next() > 0.15) continue;
      const cloud = random.pick(clouds);
      cloud.mutate(name, { policy: drifted(random, cloud.resource(name)?.policy ?? {}) });
    }
  }

  /** An update that is refused at some store, so that it leaves what only the state shows. */
  private async interrupt(stack: RandomStack, random: Random): Promise<void> {
    const programs = await this.change(stack, random);
    const rule = {
      match: { path: `**/${random.pick(stack.stores)}:setIamPolicy` },
      skip: random.below(2),
      times: 0,
      fault: { status: 403, message: "no" },
    };
    for (const each of stack.clouds) each.setFaults([rule]);
    const failed = await stack.carryOut(false, []);
    for (const each of stack.clouds) each.setFaults([]);
    const state = await stack.state();
    if (state.isInterrupted) this.figures.interrupted++;
    this.story.push({ interrupted: programs, rule, failed: failed !== undefined });
  }

  private count(
    { plan, before, after, failed, takenAway }: Step,
    reviews: readonly { way: Way; result: ReviewOf }[],
    programs: readonly Program[],
    args: readonly string[],
  ): void {
    const { figures } = this;
    figures.steps++;
    figures.reviews += reviews.length;
    if (plan.errors.length > 0) figures.failedPreviews++;
    else if (failed !== undefined) figures.failedSteps++;
    if (args.includes("--target") || args.includes("--exclude")) figures.targeted++;
    if (takenAway.length > 0) figures.takenAway++;
    if (this.stack?.stores.some((name) => plan.isContested(name))) figures.contested++;
    if (JSON.stringify(before) !== JSON.stringify(after)) figures.changes++;
    for (const { grants } of programs) {
      const all = Object.values(grants);
      figures.grants += all.length;
      figures.ofGcp += all.filter(({ gcp }) => gcp !== undefined).length;
      figures.bindings += all.filter(({ inputs }) => "members" in inputs).length;
      figures.reads += all.filter(({ isRead }) => isRead).length;
      figures.imports += all.filter(({ isImported }) => isImported).length;
      figures.secrets += all.filter(({ isSecret }) => isSecret).length;
    }
    for (const { way, result } of reviews) {
      if (way.isStack) figures.ofStacks++;
      const doubts = [...result.unknown, ...result.resources.flatMap((each) => each.unknown)];
      if (doubts.some((each) => !isUnseenCondition(each))) figures.unknown++;
      if (result.refused.length > 0) figures.refusals++;
      figures.losses += result.summary.lost;
      figures.noAccessLeft += result.summary.noAccessLeft;
      figures.inherited += result.resources.flatMap(({ inherited = [] }) => inherited).length;
    }
  }
}

type ReviewOf = NonNullable<Planned["result"]>;

/** Arguments that leave out some of the grants of a state. */
function targets(state: ShownState, random: Random): string[] {
  const [grants, others] = [state.urns.filter(isGrant), state.urns.filter((urn) => !isGrant(urn))];
  const isTarget = random.next() < 0.5;
  const some = grants.filter(() => random.next() < (isTarget ? 0.6 : 0.3));
  if (some.length === 0) return [];
  if (!isTarget) return some.flatMap((urn) => ["--exclude", urn]);
  const providers = others.filter((urn) => urn.includes("::pulumi:providers:"));
  return [...[...some, ...providers].flatMap((urn) => ["--target", urn]), "--target-dependents"];
}
