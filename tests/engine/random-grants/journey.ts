/** One seed: two stacks, whose programs change in steps, while others write the policies, requests fail and runs are killed. */
import type { RunResult } from "../../support/engine-run";
import { Random } from "../../support/grants-random";
import { leftOut } from "../../support/test-all";
import { canRevert, countOtherIds, wrongAssociations } from "./associations";
import { changed, firstProgram, givenUp, refusable } from "./changes";
import { GrantCloud } from "./cloud";
import type { Variety } from "./draft";
import { dangling, lostInFailure, strayGrants, type Failure } from "./failures";
import { refreshBefore } from "./identities";
import { wrongGrants, type Transition } from "./oracle";
import { Others } from "./others";
import { allGrants, secretsIn, shown, type Program } from "./program";
import { leaks, repeatedRefresh, repeatedUpdate, type Repetition } from "./repetitions";
import { noFigures, sceneOf, TARGETS, type Figures, type DrawnScene } from "./scene";
import { EngineStack } from "./stack";
import { Story } from "./story";
import { targeted } from "./targeted";
import { changedTargets, isLate, Trouble } from "./trouble";

const STEPS = 7;
/** How often an update is started that runs out of time on a busy machine. */
const TRIES = 3;
/** The stacks, with the ids of the associations that their programs may have. */
const STACKS = { one: ["prod", "lab"], two: ["edge"] };

export interface Ending {
  scene: DrawnScene;
  wrong: readonly string[];
  story: readonly string[];
  figures: Figures;
}

/** Runs a seed until something is wrong, or to its end. */
export async function journey(seed: number): Promise<Ending> {
  const cloud = await GrantCloud.start(TARGETS);
  const run = new Journey(seed, cloud);
  const { scene, figures, story } = run;
  try {
    await run.run();
  } catch (error) {
    story.fail(`the test failed: ${(error as Error).stack}`);
  } finally {
    await run.dispose();
    await cloud.emulator.stop();
  }
  return { scene, figures, wrong: story.wrong, story: story.lines };
}

class Journey {
  readonly story: Story;
  readonly figures = noFigures();
  readonly scene: DrawnScene;
  private readonly stacks: EngineStack[] = [];
  private readonly others: Others;

  constructor(
    private readonly seed: number,
    private readonly cloud: GrantCloud,
  ) {
    this.story = new Story(cloud);
    this.scene = sceneOf(seed);
    this.others = new Others(cloud, this.scene.targets);
  }

  async run(): Promise<void> {
    const { front, mode } = this.scene;
    for (const [name, associations] of Object.entries(STACKS)) {
      this.stacks.push(await EngineStack.create(name, front, mode, this.cloud, associations));
    }
    this.story.tell(this.others.begin(new Random(this.seed * 104_729)));
    for (let step = 0; step < STEPS && !this.story.isOver; step++) {
      // Each step has choices of its own, so that the end of an earlier step does not change them.
      await this.step(new Random(this.seed * 1009 + step * 31 + 1), step);
    }
    for (const stack of this.stacks) if (!this.story.isOver) await this.destroy(stack);
  }

  async dispose(): Promise<void> {
    for (const stack of this.stacks) await stack.dispose();
  }

  private async step(random: Random, number: number): Promise<void> {
    const [first, second] = this.stacks as [EngineStack, EngineStack];
    const stack = number > 0 && random.next() < 0.35 ? second : first;
    this.cloud.latencyMs = random.next() < 0.4 ? 20 + random.below(21) : 0;
    this.cloud.setFaults([]);
    this.story.tell(`--- step ${number}: stack ${stack.name}, latency ${this.cloud.latencyMs} ms`);
    if (number > 0 && random.next() < 0.5) this.othersWrite(random);
    const { recovered, refresh } = await refreshBefore(stack, this.cloud, random);
    if (recovered !== undefined) this.figures.recoveries++;
    if (refresh) this.repeat(refresh, stack.settled);
    if (this.story.isOver) return;
    const isFirst = Object.keys(stack.settled).length === 0;
    const variety = this.varietyOf(stack);
    const before = recovered === undefined ? stack.settled : givenUp(stack.settled, recovered, random, variety);
    const program = isFirst ? firstProgram(random, variety) : changed(before, random, variety, stack.settled);
    this.story.tell("the program", shown(program));
    const chance = random.next();
    if (chance < 0.12) await this.refusedProgram(stack, random);
    if (this.story.isOver) return;
    if (chance > 0.94) await this.updateTargets(stack, program, random);
    else await this.update(stack, program, chance > 0.4, random);
  }

  private varietyOf(stack: EngineStack): Variety {
    const { mode, front, targets } = this.scene;
    return { mode, hasProviders: front !== "npm", targets, associations: stack.associations };
  }

  /** Brings the stack to the program, perhaps through trouble and, after a failure, with another update. */
  private async update(stack: EngineStack, wanted: Program, hasTrouble: boolean, random: Random): Promise<void> {
    const start = this.startOf(stack);
    const isRefreshed = random.next() < 0.2;
    const args = isRefreshed ? ["--refresh"] : [];
    if (!hasTrouble) return this.upAndCheck(stack, { ...start, failed: [], after: wanted, isRefreshed }, args, random);
    const programs = [stack.settled, wanted] as const;
    const target = random.pick(changedTargets(...programs) ?? this.scene.targets);
    const trouble = new Trouble(this.cloud, this.others, random, target, programs);
    const program = trouble.prepared(wanted);
    stack.declare(program);
    const result = await trouble.up(stack, args);
    const { meanwhile } = trouble;
    this.tellUpdate(`up ${args.join(" ")} (${trouble.text})`, result, program);
    if (meanwhile.size > 0) this.story.tell(`others granted meanwhile ${[...meanwhile].join()}`);
    if (result.code === 0) {
      return this.settle(stack, { ...start, failed: [], after: program, isRefreshed, meanwhile }, random);
    }
    if (!trouble.mayFail && !isLate(result, [stack.settled, program])) {
      return this.story.fail("the update failed, although a repeated write succeeds");
    }
    if (trouble.refusesDelete) this.figures.undeletable++;
    const failure = { ...start, failed: [program], isRefreshed, meanwhile };
    await this.checkFailure(stack, failure, result, trouble.mayForget);
    if (this.story.isOver) return;
    const after = this.programAfterFailure(stack, program, trouble.mayForget, random);
    await this.upAndCheck(stack, { ...start, failed: [program], after, isRefreshed }, args, random);
  }

  /** The same program again, the one before, or another one. */
  private programAfterFailure(stack: EngineStack, failed: Program, mayForget: boolean, random: Random): Program {
    const { settled } = stack;
    const chance = random.next();
    const isProtected = [settled, failed].some((each) => Object.values(each).some(({ protect }) => protect));
    // After a kill, only the same program finds what the state does not contain.
    if (mayForget || isProtected || chance > 0.65) return failed;
    if (chance < 0.4 && canRevert(settled, failed)) {
      this.figures.reverts++;
      this.story.tell("then the program before");
      return settled;
    }
    const after = changed(failed, random, { ...this.varietyOf(stack), associations: [] });
    this.story.tell("then", shown(after));
    return after;
  }

  /** Checks the policies and the state after an update that failed. @param mayForget after a kill */
  private async checkFailure(
    stack: EngineStack,
    failure: Failure,
    result: RunResult,
    mayForget: boolean,
  ): Promise<void> {
    this.figures.failures++;
    if (isLate(result, [failure.before, ...failure.failed])) this.figures.late++;
    const now = this.cloud.grants();
    const held = mayForget ? undefined : await stack.held();
    this.story.check([
      ...lostInFailure(failure, now),
      ...(held ? [...strayGrants(failure, now, held), ...dangling(failure, now, held, result)] : []),
    ]);
  }

  /** Updates some resources alone, and then all. */
  private async updateTargets(stack: EngineStack, program: Program, random: Random): Promise<void> {
    // What a refresh removed from the state is made again only if it is a target.
    const isWhole = stack.forgotten.size === 0;
    const part = isWhole ? targeted(stack.settled, program, this.scene.mode, random) : undefined;
    if (!part) return this.update(stack, program, false, random);
    const start = this.startOf(stack);
    stack.declare(program);
    const result = await stack.upOf(part.names, [stack.settled, program]);
    this.tellUpdate(`up --target ${part.names.join(", ")}`, result, program);
    const { uncertain } = part;
    if (result.code === 0) {
      const transition = { ...start, failed: [], after: part.program, isRefreshed: false, uncertain };
      await this.compare(stack, { ...transition, meanwhile: new Set() });
      if (this.story.isOver) return;
      return this.update(stack, program, false, random);
    }
    // A delete may be refused, because a resource that is no target declares the grant and is not made.
    const transition = { ...start, failed: [part.program], after: program, isRefreshed: false, uncertain };
    await this.upAndCheck(stack, transition, [], random);
  }

  /** An update that must succeed. */
  private async upAndCheck(
    stack: EngineStack,
    transition: Omit<Transition, "meanwhile">,
    args: readonly string[],
    random: Random,
  ): Promise<void> {
    const { before, after, failed } = transition;
    stack.declare(after);
    const what = `up ${args.join(" ")}`;
    if (!(await this.succeeds(what, () => stack.up(args), [before, ...failed, after]))) return;
    await this.settle(stack, { ...transition, meanwhile: new Set() }, random);
  }

  /** What is known of a stack and its policies before an update. */
  private startOf(stack: EngineStack) {
    return { ...stack.start(this.cloud.grants()), ofOtherStack: allGrants(this.otherThan(stack).settled) };
  }

  /** Compares the policies after a successful update. Then the same update and a refresh must change nothing. */
  private async settle(stack: EngineStack, transition: Transition, random: Random): Promise<void> {
    await this.compare(stack, transition);
    const isRepeated = random.next() < 0.5 || leftOut === undefined;
    if (this.story.isOver || !isRepeated) return;
    const { after } = transition;
    this.figures.repetitions++;
    const update = await repeatedUpdate(stack, this.cloud);
    if (!isLate(update.result, [after])) this.repeat(update, after);
    if (!this.story.isOver) this.repeat(await repeatedRefresh(stack, this.cloud, after), after);
  }

  private repeat({ what, result, wrong }: Repetition, program: Program): void {
    if (what !== "up again" && secretsIn(program).length > 0) this.figures.secrets++;
    this.story.tellRun(what, result);
    this.story.check(wrong);
  }

  /** Compares policies and state with what they must have. From then on, the program is what the stack has. */
  private async compare(stack: EngineStack, transition: Transition): Promise<void> {
    this.figures.updates++;
    const { before, after, live } = transition;
    const now = this.cloud.grants();
    const other = this.otherThan(stack);
    this.story.check([
      ...wrongGrants(transition, now),
      ...wrongAssociations([after, other.settled], this.cloud.associations()),
    ]);
    const [inState, declared] = [await stack.inState(), Object.keys(after).sort()].map((names) => names.join(", "));
    if (inState !== declared) this.story.fail(`the state has ${inState}, and the program ${declared}`);
    this.figures.ids += countOtherIds(before, after);
    stack.settle(after, now);
    other.noteTakenAway(live, now);
  }

  /** A program that must be refused, at the preview or later. Nobody loses access. */
  private async refusedProgram(stack: EngineStack, random: Random): Promise<void> {
    const program = refusable(stack.settled, random, this.varietyOf(stack));
    if (!program) return;
    const before = this.cloud.grants();
    this.story.tell("a program that must be refused", shown(program));
    stack.declare(program);
    const result = await stack.upWithPreview();
    this.story.tellRun("up with a preview", result);
    const now = this.cloud.grants();
    const lost = [...before].filter((grant) => !now.has(grant));
    this.story.check(lost.map((grant) => `MISSING ${grant}: the program must be refused`));
    if (result.code === 0) this.story.fail("a program was accepted that must be refused");
    else this.figures.refusals++;
    if (this.story.isOver) return;
    // What the refused program made goes again.
    await this.update(stack, stack.settled, false, random);
  }

  private othersWrite(random: Random): void {
    const before = this.cloud.grants();
    const programs = this.stacks.map(({ settled }) => settled);
    this.story.tell(this.others.write(random, programs));
    for (const stack of this.stacks) stack.noteTakenAway(before, this.cloud.grants());
  }

  private async destroy(stack: EngineStack): Promise<void> {
    this.story.tell(`--- the end of stack ${stack.name}`);
    const start = this.startOf(stack);
    const { settled } = stack;
    if (Object.values(settled).some(({ protect }) => protect)) await stack.unprotect();
    if (!(await this.succeeds("destroy", () => stack.destroy(), [settled, {}]))) return;
    await this.compare(stack, { ...start, failed: [], after: {}, isRefreshed: false, meanwhile: new Set() });
  }

  private otherThan(stack: EngineStack): EngineStack {
    return this.stacks.find((each) => each !== stack) as EngineStack;
  }

  /** Runs a command again if calls with little time run out of it, on a busy machine. @param programs the last is declared */
  private async succeeds(what: string, run: () => Promise<RunResult>, programs: readonly Program[]): Promise<boolean> {
    for (let tries = 1; tries <= TRIES; tries++) {
      const result = await run();
      this.tellUpdate(what, result, programs.at(-1) ?? {});
      if (result.code === 0) return true;
      if (!isLate(result, programs)) break;
    }
    this.story.fail(`failed, and must succeed: ${what}`);
    return false;
  }

  private tellUpdate(what: string, result: RunResult, program: Program): void {
    this.story.tellRun(what, result);
    this.story.check(leaks(program, result));
  }
}
