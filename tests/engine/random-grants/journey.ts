/** One seed: two stacks, whose programs change in steps, while others write the policies, requests fail and runs are killed. */
import { missingHost } from "../../support/engine";
import type { RunResult } from "../../support/engine-run";
import { Random } from "../../support/grants-random";
import { changed, firstProgram, refusable } from "./changes";
import { Cloud } from "./cloud";
import type { Variety } from "./draft";
import { lostInFailure, wrongGrants, type Transition } from "./oracle";
import { Others } from "./others";
import { allGrants, JOB, shown, type Front, type GrantText, type Program } from "./program";
import { Stack } from "./stack";
import { targeted } from "./targeted";
import { Trouble } from "./trouble";

const STEPS = 7;
const TARGETS = ["east", "west", JOB];

/** Lines of the engine that say nothing about a resource. */
const NOISE = /^@ updating|warning: using pulumi-resource-perimeter from/;

/** What a seed stands for. */
interface Scene {
  front: Front;
  mode: Variety["mode"];
}

function sceneOf(seed: number): Scene {
  const random = new Random(seed * 31);
  const chance = random.next();
  const plugin: Front = chance < 0.3 ? "the script for Node.js" : "the executable";
  return {
    front: chance < 0.15 || missingHost("yaml") !== undefined ? "npm" : plugin,
    mode: random.next() < 0.75 ? "merge" : "replace",
  };
}

export interface Ending {
  scene: Scene;
  /** What was wrong, at the end of the story. */
  wrong: readonly string[];
  /** The programs, what others did, and the policies, step by step. */
  story: readonly string[];
  /** How often the seed did what: a test of updates that only succeed would prove little. */
  figures: Figures;
}

export interface Figures {
  updates: number;
  /** Updates that failed or were killed, as they should. */
  failures: number;
  /** Programs that were refused, as they should be. */
  refusals: number;
  /** Previews after an update. */
  previews: number;
}

/** Runs a seed until something is wrong, or to its end. */
export async function journey(seed: number): Promise<Ending> {
  const cloud = await Cloud.start(TARGETS);
  const run = new Journey(seed, cloud);
  try {
    await run.run();
  } catch (error) {
    run.wrong.push(`the test failed: ${(error as Error).stack}`);
  } finally {
    await run.dispose();
    await cloud.emulator.stop();
  }
  return run;
}

/** What is known of a stack and its policies before a step. */
type Start = Pick<Transition, "mode" | "before" | "live" | "takenAway" | "ofOtherStack">;

class Journey {
  readonly story: string[] = [];
  readonly wrong: string[] = [];
  readonly figures: Figures = { updates: 0, failures: 0, refusals: 0, previews: 0 };
  readonly scene: Scene;
  private readonly stacks: Stack[] = [];
  private readonly variety: Variety;
  private readonly others: Others;

  constructor(
    private readonly seed: number,
    private readonly cloud: Cloud,
  ) {
    this.scene = sceneOf(seed);
    const targets = TARGETS.slice(0, 1 + new Random(seed * 7919).below(TARGETS.length));
    this.variety = { mode: this.scene.mode, hasProviders: this.scene.front !== "npm", targets };
    this.others = new Others(cloud, targets);
  }

  async run(): Promise<void> {
    for (const name of ["one", "two"]) {
      this.stacks.push(await Stack.create(name, this.scene.front, this.scene.mode, this.cloud));
    }
    this.tell(this.others.begin(new Random(this.seed * 104_729)));
    for (let step = 0; step < STEPS && this.wrong.length === 0; step++) {
      // Each step has choices of its own, so that the end of an earlier step does not change them.
      await this.step(new Random(this.seed * 1009 + step * 31 + 1), step);
    }
    for (const stack of this.stacks) if (this.wrong.length === 0) await this.destroy(stack);
  }

  async dispose(): Promise<void> {
    for (const stack of this.stacks) await stack.dispose();
  }

  private async step(random: Random, number: number): Promise<void> {
    const [first, second] = this.stacks as [Stack, Stack];
    const stack = number > 0 && random.next() < 0.35 ? second : first;
    if (number > 0 && random.next() < 0.5) this.othersWrite(random);
    const isFirst = Object.keys(stack.settled).length === 0;
    const program = isFirst ? firstProgram(random, this.variety) : changed(stack.settled, random, this.variety);
    this.tell(`--- step ${number}: stack ${stack.name}`, shown(program));
    const chance = random.next();
    if (chance < 0.12) await this.refusedProgram(stack, random);
    if (this.wrong.length > 0) return;
    if (chance > 0.94) await this.updateTargets(stack, program, random);
    else await this.update(stack, program, chance > 0.45, random);
  }

  /** Brings the stack to the program, perhaps through trouble and, after a failure, with another update. */
  private async update(stack: Stack, program: Program, hasTrouble: boolean, random: Random): Promise<void> {
    const start = this.startOf(stack);
    const isRefreshed = random.next() < 0.2;
    const args = isRefreshed ? ["--refresh"] : [];
    stack.declare(program);
    if (!hasTrouble) return this.upAndCheck(stack, { ...start, failed: [], after: program, isRefreshed }, random);
    const target = this.troubled(stack.settled, program, random);
    const trouble = new Trouble(this.cloud, this.others, random, target, [stack.settled, program]);
    const result = await trouble.up(stack, args);
    const { meanwhile } = trouble;
    this.tellRun(`up ${args.join(" ")} (${trouble.text})`, result);
    if (meanwhile.size > 0) this.tell(`others granted meanwhile ${[...meanwhile].join()}`);
    if (result.code === 0) {
      return this.settle(stack, { ...start, failed: [], after: program, isRefreshed, meanwhile }, random);
    }
    if (!trouble.mayFail) return this.fail("the update failed, although a repeated write succeeds");
    this.figures.failures++;
    const failed = [program];
    this.check(lostInFailure({ ...start, failed, isRefreshed, meanwhile }, this.cloud.grants()));
    if (this.wrong.length > 0) return;
    // After a kill, only the same program finds a grant that the state does not contain.
    const isProtected = [stack.settled, program].some((each) => Object.values(each).some(({ protect }) => protect));
    const isOther = !trouble.mayForget && !isProtected && random.next() < 0.3;
    const after = isOther ? changed(program, random, this.variety) : program;
    if (isOther) this.tell("then", shown(after));
    stack.declare(after);
    await this.upAndCheck(stack, { ...start, failed, after, isRefreshed }, random);
  }

  /** Updates some resources alone, and then all. */
  private async updateTargets(stack: Stack, program: Program, random: Random): Promise<void> {
    const part = targeted(stack.settled, program, this.variety.mode, random);
    if (!part) return this.update(stack, program, false, random);
    const start = this.startOf(stack);
    stack.declare(program);
    const result = await stack.upOf(part.names, [stack.settled, program]);
    this.tellRun(`up --target ${part.names.join(", ")}`, result);
    const { uncertain } = part;
    if (result.code === 0) {
      const transition = { ...start, failed: [], after: part.program, isRefreshed: false, uncertain };
      await this.compare(stack, { ...transition, meanwhile: new Set() });
      if (this.wrong.length > 0) return;
      return this.update(stack, program, false, random);
    }
    // A delete may be refused, because a resource that is no target declares the grant and is not made.
    await this.upAndCheck(
      stack,
      { ...start, failed: [part.program], after: program, isRefreshed: false, uncertain },
      random,
    );
  }

  private async upAndCheck(stack: Stack, transition: Omit<Transition, "meanwhile">, random: Random): Promise<void> {
    const args = transition.isRefreshed ? ["--refresh"] : [];
    const result = await stack.up(args);
    this.tellRun(`up ${args.join(" ")}`, result);
    if (result.code !== 0) return this.fail("the update failed");
    await this.settle(stack, { ...transition, meanwhile: new Set() }, random);
  }

  /** A target whose grants change, so that the update writes its policy. */
  private troubled(before: Program, after: Program, random: Random): string {
    const [old, next] = [before, after].map((program) =>
      Object.entries(program).map(([name, each]) => [each.on, JSON.stringify([name, each])] as const),
    );
    const isIn = (list: typeof old, text: string) => list?.some(([, other]) => other === text);
    const targets = [
      ...(old ?? []).filter(([, text]) => !isIn(next, text)),
      ...(next ?? []).filter(([, text]) => !isIn(old, text)),
    ].map(([on]) => on);
    return random.pick(targets.length > 0 ? targets : this.variety.targets);
  }

  private startOf(stack: Stack): Start {
    return {
      mode: this.scene.mode,
      before: stack.settled,
      live: this.cloud.grants(),
      takenAway: new Set(stack.takenAway),
      ofOtherStack: allGrants(this.otherThan(stack).settled),
    };
  }

  /** Compares the policies after a successful update, and looks for changes that a preview still finds. */
  private async settle(stack: Stack, transition: Transition, random: Random): Promise<void> {
    await this.compare(stack, transition);
    if (this.wrong.length > 0 || random.next() < 0.5) return;
    this.figures.previews++;
    const isQuiet = transition.isRefreshed && transition.meanwhile.size === 0;
    const result = await stack.preview(["--expect-no-changes", ...(isQuiet ? ["--refresh"] : [])]);
    if (result.code === 0) return;
    this.tellRun("preview", result);
    this.fail("the preview after the update shows changes");
  }

  /** Compares policies and state with what they must have. From then on, the program is what the stack has. */
  private async compare(stack: Stack, transition: Transition): Promise<void> {
    this.figures.updates++;
    const { after, live } = transition;
    const now = this.cloud.grants();
    this.check(wrongGrants(transition, now));
    const [inState, declared] = [await stack.inState(), Object.keys(after).sort()].map((names) => names.join(", "));
    if (inState !== declared) this.fail(`the state has ${inState}, and the program ${declared}`);
    stack.settled = after;
    stack.takenAway = new Set([...allGrants(after)].filter((grant) => !now.has(grant)));
    this.noteTakenAway(this.otherThan(stack), live, now);
  }

  /** A stack whose grants are gone does not know it until its next refresh. */
  private noteTakenAway(stack: Stack, before: ReadonlySet<GrantText>, now: ReadonlySet<GrantText>): void {
    for (const grant of allGrants(stack.settled)) {
      if (now.has(grant)) stack.takenAway.delete(grant);
      else if (before.has(grant)) stack.takenAway.add(grant);
    }
  }

  /** A program that must be refused, at the preview or later. Nobody loses access. */
  private async refusedProgram(stack: Stack, random: Random): Promise<void> {
    const program = refusable(stack.settled, random, this.variety);
    if (!program) return;
    const before = this.cloud.grants();
    this.tell("a program that must be refused", shown(program));
    stack.declare(program);
    const result = await stack.upWithPreview();
    this.tellRun("up with a preview", result);
    const now = this.cloud.grants();
    const lost = [...before].filter((grant) => !now.has(grant));
    this.check(lost.map((grant) => `MISSING ${grant}: the program must be refused`));
    if (result.code === 0) this.fail("a program was accepted that must be refused");
    else this.figures.refusals++;
    if (this.wrong.length > 0) return;
    // What the refused program made goes again.
    await this.update(stack, stack.settled, false, random);
  }

  private othersWrite(random: Random): void {
    const before = this.cloud.grants();
    this.tell(
      this.others.write(
        random,
        this.stacks.map(({ settled }) => settled),
      ),
    );
    for (const stack of this.stacks) this.noteTakenAway(stack, before, this.cloud.grants());
  }

  private async destroy(stack: Stack): Promise<void> {
    this.tell(`--- the end of stack ${stack.name}`);
    const start = this.startOf(stack);
    if (Object.values(stack.settled).some(({ protect }) => protect)) await stack.unprotect();
    const result = await stack.destroy();
    this.tellRun("destroy", result);
    if (result.code !== 0) return this.fail("the destroy failed");
    await this.compare(stack, { ...start, failed: [], after: {}, isRefreshed: false, meanwhile: new Set() });
  }

  private otherThan(stack: Stack): Stack {
    return this.stacks.find((each) => each !== stack) as Stack;
  }

  private check(wrong: readonly string[]): void {
    this.wrong.push(...wrong, ...this.cloud.wrongAudits());
  }

  private fail(reason: string): void {
    this.wrong.push(reason);
  }

  private tell(...lines: string[]): void {
    this.story.push(...lines);
  }

  private tellRun(what: string, { code, signal, stdout, stderr }: RunResult): void {
    const lines = code === 0 ? [] : [stdout, stderr].join("\n").split("\n");
    const output = lines.filter((line) => line.trim() !== "" && !NOISE.test(line)).map((line) => `    ${line}`);
    const policies = [...this.cloud.grants()].sort().map((grant) => `    ${grant}`);
    this.tell(`${what}: ${signal ?? `exit ${code}`}`, ...output, "  policies:", ...policies);
  }
}
