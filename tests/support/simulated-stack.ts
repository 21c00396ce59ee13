/**
 * Changes a stack as the engine does: which calls a provider gets, under which name of the resource, with which values of the
 * state, and in which order. It follows engine 3.250 (`pkg/resource/deploy`: step_generator.go, step.go, step_executor.go);
 * tests/engine/grants/calls.test.ts compares its calls with those of the real engine.
 */
import type { Values } from "../../provider/core/unknown";

/** A resource of a program. */
export interface Declaration {
  type: string;
  inputs: Values;
  /** Names that the resource had before. */
  aliases?: readonly string[];
  deleteBeforeReplace?: boolean;
  protect?: boolean;
  /** The name of an explicit provider. */
  provider?: string;
}

/** The name of the provider of resources without an explicit one. */
export const DEFAULT = "default";

/** By the name of the resource, in the order of registration. */
export type Program = Record<string, Declaration>;

/** What a call is about: the URN without what all resources of a stack have in common. */
export interface Named {
  type: string;
  name: string;
}

/** A resource in the state. */
export interface Held extends Named {
  provider: string;
  id: string;
  inputs: Values;
  outputs: Values;
  /** The last create or update ended before the resource was ready. */
  isNotReady?: boolean;
  isProtected?: boolean;
  /** Its replacement was made, and it is not deleted yet (the state's `delete`). */
  isReplaced?: boolean;
  /** It was deleted, and its replacement is not made yet (the state's `pendingReplacement`). */
  isPendingReplacement?: boolean;
}

/** The engine's view of a provider process. Failed calls throw. */
export interface Front {
  /** The inputs as the language's SDK registers them. */
  register(of: Named, inputs: Values): Values;
  check(of: Named, olds: Values, news: Values): Promise<{ inputs: Values; failures: readonly string[] }>;
  diff(of: Named, old: Held, news: Values): Promise<Difference>;
  create(of: Named, inputs: Values, isPreview: boolean): Promise<Made>;
  update(of: Named, old: Held, news: Values, isPreview: boolean): Promise<Values>;
  delete(of: Named, old: Held): Promise<void>;
  /** Of a refresh; undefined if the resource is gone. */
  read(of: Named, old: Held): Promise<Current | undefined>;
}

export interface Current extends Made {
  inputs: Values;
}

export interface Made {
  id: string;
  outputs: Values;
}

export interface Difference {
  isChange: boolean;
  isReplacement: boolean;
  deleteBeforeReplace: boolean;
}

/** A failed create or update that leaves a resource in the state. */
export class NotReady extends Error {
  constructor(
    message: string,
    readonly id: string,
    readonly outputs: Values,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** One call of a run. */
export interface StackCall extends Named {
  method: "check" | "diff" | "create" | "update" | "delete";
  old?: Values;
  news?: Values;
}

export interface RunOptions {
  /** The provider processes of the run, by the name of the provider. */
  fronts: Record<string, Front>;
  /**
   * How many resources change at the same time, after all were checked: the engine checks one resource after the other, and
   * does not wait for their changes. Default: a resource changes before the next one is checked, as when it depends on it.
   */
  parallel?: number;
  /** Continues after a failed call, as `pulumi up --continue-on-error` does. */
  continueOnError?: boolean;
  isPreview?: boolean;
  /** Is called before each create, update and delete. */
  before?: (call: StackCall) => void;
}

export interface RunResult {
  calls: StackCall[];
  /** Why checks and calls failed. Empty after a run that succeeded. */
  errors: string[];
  /** What the failed calls threw. */
  causes: Error[];
}

/** A stack: its state, between runs of the engine. */
export class SimulatedStack {
  private state: Held[] = [];
  private kills = 0;

  get resources(): readonly Held[] {
    return this.state;
  }

  /** `pulumi state unprotect --all` */
  unprotect(): void {
    for (const held of this.state) held.isProtected = false;
  }

  /** Ends the process of the run that is under way: nothing that it still does reaches the state. */
  kill(): void {
    this.kills += 1;
  }

  /** `pulumi refresh`. @throws NotReady for a resource that is not ready, after the state has it */
  async refresh(fronts: Record<string, Front>): Promise<void> {
    const { kills } = this;
    const failed: NotReady[] = [];
    const refreshed = this.state.map(async (held) => {
      try {
        const current = await frontOf(fronts, held.provider).read(nameOf(held), held);
        return current ? [{ ...held, ...current, isNotReady: false }] : [];
      } catch (error) {
        if (!(error instanceof NotReady)) throw error;
        failed.push(error);
        return [{ ...held, id: error.id, outputs: error.outputs, isNotReady: true }];
      }
    });
    const state = (await Promise.all(refreshed)).flat();
    if (kills === this.kills) this.state = state;
    if (failed[0]) throw failed[0];
  }

  /**
   * A preview or an update. `pulumi up` is a preview and then an update, each with provider processes of its own. An update
   * with an empty program is `pulumi destroy`.
   */
  async run(program: Program, options: RunOptions): Promise<RunResult> {
    const { kills } = this;
    // A preview leaves the state as it is.
    const run = new Run(options.isPreview ? structuredClone(this.state) : this.state, options);
    try {
      await run.register(program);
      await run.deleteTheRest();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    if (!options.isPreview && kills === this.kills) this.state = run.state();
    return run;
  }
}

/** Ends a run, or one change of it, after a failure that is among the run's errors. */
class Stopped extends Error {}

/** A resource of the program, before it is made. */
type Next = Omit<Held, "id" | "outputs">;

class Run implements RunResult {
  readonly calls: StackCall[] = [];
  readonly errors: string[] = [];
  readonly causes: Error[] = [];
  /** What the run made or left unchanged, as the state has it. */
  private readonly made: Held[] = [];
  /** The rest of the state. */
  private readonly left: Set<Held>;
  /** The resources of the state that the program continues. */
  private readonly kept = new Set<Held>();
  private isStopped = false;

  constructor(
    private readonly before: readonly Held[],
    private readonly options: RunOptions,
  ) {
    this.left = new Set(before);
  }

  state(): Held[] {
    return [...this.made, ...this.before.filter((held) => this.left.has(held))];
  }

  async register(program: Program): Promise<void> {
    const changes: (() => Promise<void>)[] = [];
    for (const [name, declared] of Object.entries(program)) {
      const change = await this.plan({ type: declared.type, name }, declared);
      if (this.options.parallel === undefined) await this.carryOut([change]);
      else changes.push(change);
    }
    await this.carryOut(changes);
  }

  /** Deletes what was replaced, and what the program no longer has. */
  async deleteTheRest(): Promise<void> {
    const rest = this.before.filter((held) => this.left.has(held) && (held.isReplaced || !this.kept.has(held)));
    // The engine deletes resources that do not depend on each other in any order.
    await this.carryOut(rest.reverse().map((held) => () => this.deleteLeft(held)));
  }

  private async deleteLeft(held: Held): Promise<void> {
    // A protected resource does not stop the run.
    if (held.isProtected && !held.isReplaced) this.errors.push(`${held.name} is protected, so it cannot be deleted`);
    else if (held.isPendingReplacement) this.left.delete(held);
    else await this.delete(held, () => this.left.delete(held));
  }

  /** Carries changes out. After a failure, those that have begun end, and the run stops. */
  private async carryOut(changes: readonly (() => Promise<void>)[]): Promise<void> {
    const attempts = changes.map((change) => async () => {
      await change().catch((error: unknown) => {
        if (!(error instanceof Stopped)) throw error;
      });
    });
    await inParallel(this.options.parallel ?? 1, attempts);
    if (this.isStopped) throw new Stopped();
  }

  /** Checks and diffs a resource. @returns the change that follows. */
  private async plan(of: Named, declared: Declaration): Promise<() => Promise<void>> {
    const { provider = DEFAULT, aliases = [], protect = false } = declared;
    const front = this.front(provider);
    const goal = front.register(of, declared.inputs);
    const old = [of.name, ...aliases].map((name) => this.find({ ...of, name })).find((held) => held !== undefined);
    const inputs = await this.check(front, of, old?.inputs ?? {}, goal);
    const next: Next = { ...of, provider, isProtected: protect, inputs };
    if (!old) return () => this.create(front, next);
    this.kept.add(old);
    // For another provider, the engine decides without asking for a diff.
    const difference = old.provider === provider ? await this.diff(front, of, old, inputs) : MOVED;
    const { isChange, isReplacement } = difference;
    if (isReplacement || old.isPendingReplacement) {
      if (protect && old.isProtected) this.stop(`${of.name} is protected, so it cannot be replaced`);
      // A replacement does not inherit defaults from the old resource.
      const replacement = { ...next, inputs: await this.check(front, of, {}, goal) };
      const deletesFirst = declared.deleteBeforeReplace ?? difference.deleteBeforeReplace;
      return () => this.replace(front, replacement, old, deletesFirst);
    }
    if (isChange || old.isNotReady) return () => this.update(front, next, old);
    return () => Promise.resolve(this.keep(next, old));
  }

  private keep(next: Next, old: Held): void {
    this.left.delete(old);
    this.made.push({ ...next, id: old.id, outputs: old.outputs });
  }

  private async replace(front: Front, next: Next, old: Held, deletesFirst: boolean): Promise<void> {
    if (deletesFirst && !old.isPendingReplacement) await this.delete(old, () => (old.isPendingReplacement = true));
    await this.create(front, next, () => {
      if (deletesFirst) this.left.delete(old);
      else old.isReplaced = true;
    });
  }

  /** Finds a resource of the state that the program can continue. */
  private find({ type, name }: Named): Held | undefined {
    return this.before.find((held) => held.type === type && held.name === name && !held.isReplaced);
  }

  private front(provider: string): Front {
    return frontOf(this.options.fronts, provider);
  }

  private async check(front: Front, of: Named, olds: Values, news: Values): Promise<Values> {
    this.calls.push({ method: "check", ...of, news });
    const { inputs, failures } = await front.check(of, olds, news).catch((error: unknown) => this.stop(error));
    if (failures.length > 0) this.stop(`check ${of.name}: ${failures.join("; ")}`);
    return inputs;
  }

  private async diff(front: Front, of: Named, old: Held, news: Values): Promise<Difference> {
    this.calls.push({ method: "diff", ...of, old: old.outputs, news });
    return front.diff(of, old, news).catch((error: unknown) => this.stop(error));
  }

  private create(front: Front, next: Next, then: () => void = () => {}): Promise<void> {
    return this.change({ method: "create", ...nameOf(next), news: next.inputs }, async (isPreview) => {
      const { made, notReady } = await keepingNotReady(front.create(nameOf(next), next.inputs, isPreview));
      this.made.push({ ...next, ...made, isNotReady: notReady !== undefined });
      then();
      if (notReady) throw notReady;
    });
  }

  private update(front: Front, next: Next, old: Held): Promise<void> {
    const call: StackCall = { method: "update", ...nameOf(next), old: old.outputs, news: next.inputs };
    return this.change(call, async (isPreview) => {
      const updating = front.update(nameOf(next), old, next.inputs, isPreview);
      const { made, notReady } = await keepingNotReady(updating.then((outputs) => ({ id: old.id, outputs })));
      this.left.delete(old);
      // After an update that did not end, the state has the old inputs.
      const inputs = notReady ? old.inputs : next.inputs;
      this.made.push({ ...next, id: old.id, inputs, outputs: made.outputs, isNotReady: notReady !== undefined });
      if (notReady) throw notReady;
    });
  }

  /** The call has the name of the state: after an alias, the old one. */
  private async delete(old: Held, then: () => void): Promise<void> {
    if (this.options.isPreview) return;
    await this.change({ method: "delete", ...nameOf(old), old: old.outputs }, async () => {
      await this.front(old.provider).delete(nameOf(old), old);
      then();
    });
  }

  private async change(call: StackCall, make: (isPreview: boolean) => Promise<void>): Promise<void> {
    if (this.isStopped) throw new Stopped();
    this.calls.push(call);
    this.options.before?.(call);
    try {
      await make(this.options.isPreview ?? false);
    } catch (error) {
      this.errors.push(`${call.method} ${call.name}: ${(error as Error).message}`);
      this.causes.push(error as Error);
      this.isStopped ||= !this.options.continueOnError;
      throw new Stopped();
    }
  }

  private stop(error: unknown): never {
    const cause = error instanceof Error ? error : new Error(String(error));
    this.errors.push(cause.message);
    this.causes.push(cause);
    this.isStopped = true;
    throw new Stopped();
  }
}

const MOVED: Difference = { isChange: true, isReplacement: true, deleteBeforeReplace: false };

function frontOf(fronts: Record<string, Front>, provider: string): Front {
  const front = fronts[provider];
  if (!front) throw new Error(`the run has no provider ${provider}`);
  return front;
}

const nameOf = ({ type, name }: Named): Named => ({ type, name });

/** The result of a create or update, also of one that leaves the resource in the state as not ready. */
async function keepingNotReady(making: Promise<Made>): Promise<{ made: Made; notReady?: NotReady }> {
  try {
    return { made: await making };
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    return { made: { id: error.id, outputs: error.outputs }, notReady: error };
  }
}

/** Runs tasks, so many at a time, in their order: as the engine does. */
export async function inParallel<T>(most: number, tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results = new Array<T>(tasks.length);
  let next = 0;
  const worker = async () => {
    while (next < tasks.length) {
      const at = next++;
      results[at] = await (tasks[at] as () => Promise<T>)();
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, tasks.length) }, worker));
  return results;
}
