/**
 * A small model of the engine, for many runs in little time: it keeps a state, plans in the JSON of `pulumi preview --json`
 * and updates in the engine's order, with the real provider over HTTP. What the JSON shows was measured on the real engine;
 * tests/engine/review holds the two together.
 */
import { SharedFacts, type FactLog } from "../../provider/core/claims";
import type { Values } from "../../provider/core/unknown";
import type { Provider } from "../../provider/runtime/provider";
import { OPTIONS } from "./grants";
import type { Random } from "./grants-random";
import {
  DEFAULT,
  isDefaultName,
  newest,
  planJson,
  referenceOf,
  savedPlanJson,
  stateJson,
  type Held,
  type HeldProvider,
  type Said,
  type ModelStep,
  type PlanContext,
} from "./review-model-json";
import { STORE_GRANT, urnOf } from "./tokens";

/** A grant of a program. */
export interface Declared {
  inputs: Values;
  /** The program reads this grant (`get`), and does not manage it. */
  isRead?: boolean;
  /** Names of grants that it depends on. */
  dependsOn?: string[];
  deleteBeforeReplace?: boolean;
  retainOnDelete?: boolean;
  /** What it was called before. */
  alias?: string;
  /** An explicit provider's name. */
  provider?: string;
}

export interface ModelProgram {
  grants: Record<string, Declared>;
  /** Settings of the explicit providers by name. */
  providers: Record<string, Values>;
  /** Explicit providers that this update replaces (`--replace`). */
  replaced?: string[];
  /** The program looks something up with the default provider, which no plan shows. */
  looksUp?: boolean;
}

/** What the engine is about to do with a grant. */
type Move = { name: string; next: Declared; provider: string; inputs: Values } & (
  | { op: "create" }
  | { op: "same" | "update"; old: Held }
  | { op: "read"; old?: Held | undefined; id: string }
  | { op: "replace"; old: Held; deleteFirst: boolean; keys: string[]; id?: string }
);

export interface Failure {
  urn: string;
  error: Error;
}

export interface ModelPlan {
  text: string;
  /** What `--save-plan` saves; nothing where the preview fails. */
  saved?: string;
  failed?: Failure;
}

export interface PreviewOptions {
  /** Names of `--target`; without, everything. */
  targets?: readonly string[] | undefined;
  /** @default true */
  showSames?: boolean;
}

/** @param planned the settings that a plan shows. */
export type Connect = (settings: Values, facts: FactLog, planned: Values) => Provider;

/** The providers of a program, and the processes of one run by `URN::ID`, made at first use. */
interface Run {
  explicit: HeldProvider[];
  referenceOf(name: string | undefined): string;
  process(reference: string): Provider;
}

export class ModelStack {
  private held = new Map<string, Held>();
  /** Of the state: the newest one of a name stands last. */
  private providers: HeldProvider[] = [];
  private updates = 0;
  /** Grants that the last preview was to read and did not find. */
  private readonly missing = new Set<string>();
  /** Names in the order in which the last preview took them. */
  private planned: string[] = [];

  constructor(
    private readonly connect: Connect,
    private readonly settings: () => Values,
    private readonly random: Random,
    private readonly hasOutputs: boolean,
  ) {}

  names(): string[] {
    return [...this.held.keys()];
  }

  /** These grants of the state and all that depend on them: without them, the engine destroys none (`--target`). */
  withDependents(names: readonly string[]): string[] {
    const all = new Set(names);
    for (const name of all) {
      for (const each of this.held.values()) if (each.dependsOn.includes(name)) all.add(each.name);
    }
    return [...all];
  }

  /** The state as text, as `pulumi stack export` prints it. */
  exportState(): string {
    return stateJson([...this.held.values()], this.providers, this.hasOutputs && this.updates > 0);
  }

  async preview(program: ModelProgram, { targets, showSames = true }: PreviewOptions = {}): Promise<ModelPlan> {
    const run = this.run(program);
    const steps: ModelStep[] = [];
    const said: Said[] = [];
    const context = (errors: string[] = []): PlanContext => ({
      ...this.context(showSames),
      now: run.explicit,
      errors,
      said,
    });
    const failed = (name: string, error: Error) => ({
      text: planJson(steps, context([error.message])),
      failed: { urn: urnOf(name), error },
    });
    this.missing.clear();
    this.planned = this.order(program);
    for (const name of this.planned) {
      const { alias, provider } = program.grants[name] ?? {};
      const identity = urnOf(name);
      if (targets && !targets.includes(name)) {
        const old = this.held.get(name) ?? (alias === undefined ? undefined : this.held.get(alias));
        steps.push({ op: "left out", name: old?.name ?? name, old, provider: run.referenceOf(provider) });
        continue;
      }
      const moved = await this.move(name, program, run);
      if (moved instanceof Error) return failed(name, moved);
      const { isRead = false } = moved.next;
      if (isRead && !(await run.process(moved.provider).read(STORE_GRANT, this.idOf(moved, run), undefined, OPTIONS))) {
        this.missing.add(name);
        return failed(name, new Error(`resource '${name}' does not exist`));
      }
      steps.push({ ...moved, isRead });
      if (isRead || moved.op === "same" || moved.op === "update") continue;
      const say = (severity: Said["severity"]) => (message: string) =>
        void said.push({ urn: identity, message, severity });
      const reporter = { status: () => {}, info: say("info"), warning: say("warning") };
      const process = run.process(moved.provider);
      const settings = process.unplannedSettings(STORE_GRANT);
      if (settings !== undefined) reporter.info(settings);
      try {
        await process.previewCreate(STORE_GRANT, moved.inputs, [], {
          ...OPTIONS,
          identity,
          reporter,
        });
      } catch (error) {
        return failed(name, error as Error);
      }
    }
    const deletes = this.deletes(program);
    const isTarget = ({ name }: Held) => !targets || targets.includes(name);
    for (const old of deletes.filter((each) => !isTarget(each))) {
      steps.push({ op: "left out", name: old.name, old, provider: old.provider });
    }
    steps.push(...deletes.filter(isTarget).map(deleteStep));
    return { text: planJson(steps, context()), saved: savedPlanJson(context(), usesDefault(program)) };
  }

  /** @returns the first step that failed; the engine begins no other after it. */
  async up(program: ModelProgram, targets?: readonly string[]): Promise<Failure | undefined> {
    const run = this.run(program);
    const late: Held[] = [];
    const removals = this.deletes(program).filter(({ name }) => !targets || targets.includes(name));
    try {
      // Of two resources with one grant, the order decides which delete before a replacement is refused.
      const keepsOrder = Object.values(program.grants).some((each) => each.deleteBeforeReplace);
      for (const name of keepsOrder ? this.planned : this.order(program)) {
        if (targets && !targets.includes(name)) continue;
        const moved = await this.move(name, program, run);
        if (moved instanceof Error) return { urn: urnOf(name), error: moved };
        const failed = await this.make(moved, run, late);
        if (failed) return failed;
      }
      for (const old of this.dependentsFirst([...late, ...removals])) {
        const failed = await this.remove(old, run);
        if (failed) return failed;
        if (this.held.get(old.name) === old) this.held.delete(old.name);
      }
      return undefined;
    } finally {
      this.updates++;
      const current = [
        ...run.explicit,
        ...(usesDefault(program) ? [{ name: "default", reference: DEFAULT, inputs: this.settings() }] : []),
      ];
      const isNew = ({ reference }: HeldProvider) => !current.some((each) => each.reference === reference);
      this.providers = [...this.providers.filter(isNew).filter((each) => this.isUsed(each)), ...current];
    }
  }

  /** @param targets names of `--target`; without, everything. */
  destroyPlan({ targets, showSames = true }: PreviewOptions = {}): string {
    const isTarget = ({ name }: Held) => !targets || targets.includes(name);
    const all = this.dependentsFirst([...this.held.values()]);
    const leftOut = all.filter((each) => !isTarget(each));
    const steps = [
      ...leftOut.map((old): ModelStep => ({ op: "left out", name: old.name, old, provider: old.provider })),
      ...all.filter(isTarget).map(deleteStep),
    ];
    return planJson(steps, { ...this.context(showSames), now: undefined, deletesStack: targets === undefined });
  }

  async destroy(targets?: readonly string[]): Promise<Failure | undefined> {
    const run = this.run(undefined);
    for (const old of this.dependentsFirst([...this.held.values()])) {
      if (targets && !targets.includes(old.name)) continue;
      const failed = await this.remove(old, run);
      if (failed) return failed;
      this.held.delete(old.name);
    }
    if (!targets) this.providers = [];
    return undefined;
  }

  private context(showSames: boolean): Omit<PlanContext, "now"> {
    return {
      settings: this.settings(),
      before: this.providers,
      deletesStack: false,
      hasOutputs: this.hasOutputs && this.updates > 0,
      showSames,
      errors: [],
    };
  }

  private isUsed({ reference }: HeldProvider): boolean {
    return [...this.held.values()].some(({ provider }) => provider === reference);
  }

  /** @param program undefined for a destroy, which runs none. */
  private run(program: ModelProgram | undefined): Run {
    const explicit = Object.entries(program?.providers ?? {}).map(([name, inputs]): HeldProvider => {
      const ofState = this.providers.filter(({ reference }) => reference !== DEFAULT);
      const old = program?.replaced?.includes(name) ? undefined : newest(ofState, name);
      return { name, reference: old?.reference ?? referenceOf(name, `id-${this.updates}-of-${name}`), inputs };
    });
    const own = program && usesDefault(program) ? [{ reference: DEFAULT, inputs: this.settings() }] : [];
    const all = [...explicit, ...own, ...this.providers, { reference: DEFAULT, inputs: this.settings() }];
    const processes = new Map<string, Provider>();
    const facts = new SharedFacts();
    const ofName = (name: string) => explicit.find((each) => each.name === name)?.reference ?? DEFAULT;
    return {
      explicit,
      referenceOf: (name) => (name === undefined ? DEFAULT : ofName(name)),
      process: (reference) => {
        const known = processes.get(reference);
        if (known) return known;
        const { inputs = {} } = all.find((each) => each.reference === reference) ?? {};
        const provider = this.connect(inputs, facts, isOfDefaultName(reference) ? this.settings() : inputs);
        processes.set(reference, provider);
        return provider;
      },
    };
  }

  private idOf({ provider, inputs }: Pick<Move, "provider" | "inputs">, run: Run): string {
    return run.process(provider).idOf(STORE_GRANT, inputs) ?? "";
  }

  private async move(name: string, program: ModelProgram, run: Run): Promise<Move | Error> {
    const next = program.grants[name] as Declared;
    const reference = run.referenceOf(next.provider);
    const provider = run.process(reference);
    const identity = urnOf(name);
    const old = this.held.get(name) ?? (next.alias === undefined ? undefined : this.held.get(next.alias));
    const common = { name, next, provider: reference };
    if (next.isRead) {
      const id = provider.idOf(STORE_GRANT, next.inputs) ?? "";
      const { inputs } = next;
      if (!old || old.isRead || old.id === id) return { ...common, op: "read", inputs, old, id };
      return { ...common, op: "replace", inputs, old, id, deleteFirst: false, keys: [] };
    }
    const { inputs, problems } = await provider.check(STORE_GRANT, next.inputs, { identity });
    if (problems.length > 0) return new Error(problems.map((each) => `${each.path} ${each.reason}`).join("; "));
    if (!old) return { ...common, op: "create", inputs };
    if (old.isRead) return { ...common, op: "replace", inputs, old, deleteFirst: false, keys: [] };
    const diff = provider.compare(STORE_GRANT, prior(old), inputs, { identity }).diff;
    const isMoved = old.provider !== reference && !(isOfDefaultName(old.provider) && isOfDefaultName(reference));
    const replaced = { ...common, op: "replace", inputs, old } as const;
    // The engine does not ask the provider where the provider itself changes.
    if (isMoved) return { ...replaced, deleteFirst: next.deleteBeforeReplace === true, keys: ["provider"] };
    // An update makes a grant again that a delete before it, of another resource, took away.
    if (diff.action !== "replace") return { ...common, op: diff.action === "update" ? "update" : "same", inputs, old };
    const keys = diff.changes.map(({ path }) => String(path[0]));
    const deleteFirst = next.deleteBeforeReplace === true || diff.deleteBeforeReplace;
    return { ...replaced, deleteFirst, keys };
  }

  /** @param late takes the old grants that go at the end. */
  private async make(moved: Move, run: Run, late: Held[]): Promise<Failure | undefined> {
    const { name, next, inputs } = moved;
    const provider = run.process(moved.provider);
    const options = { ...OPTIONS, identity: urnOf(name) };
    const kept = {
      name,
      inputs,
      dependsOn: next.dependsOn ?? [],
      provider: moved.provider,
      retainOnDelete: next.retainOnDelete ?? false,
      isRead: next.isRead ?? false,
    };
    if (next.isRead) {
      if (this.missing.has(name)) return { urn: urnOf(name), error: new Error(`resource '${name}' does not exist`) };
      const id = this.idOf(moved, run);
      // A step of this update may have taken away what the preview found. The engine would fail; the model goes on.
      await provider.read(STORE_GRANT, id, undefined, OPTIONS);
      if (moved.op === "replace" && !moved.old.isRead) late.push(moved.old);
      this.held.set(name, { ...kept, id, outputs: inputs });
      return undefined;
    }
    try {
      if (moved.op === "same" || moved.op === "update") {
        const { old } = moved;
        this.held.delete(old.name);
        const outputs =
          moved.op === "same" ? old.outputs : await provider.update(STORE_GRANT, prior(old), inputs, options);
        this.held.set(name, { ...kept, id: old.id, outputs });
        return undefined;
      }
      if (moved.op === "replace") {
        const failed = moved.deleteFirst ? await this.remove(moved.old, run) : undefined;
        if (failed) return failed;
        this.held.delete(moved.old.name);
      }
      const made = await provider.create(STORE_GRANT, inputs, options);
      this.held.set(name, { ...kept, id: made.id, outputs: made.state });
    } catch (error) {
      return { urn: urnOf(name), error: error as Error };
    }
    if (moved.op === "replace" && !moved.deleteFirst) late.push(moved.old);
    return undefined;
  }

  private async remove(old: Held, run: Run): Promise<Failure | undefined> {
    if (old.retainOnDelete || old.isRead) return undefined;
    try {
      await run.process(old.provider).delete(STORE_GRANT, prior(old), { ...OPTIONS, identity: urnOf(old.name) });
      return undefined;
    } catch (error) {
      return { urn: urnOf(old.name), error: error as Error };
    }
  }

  /** What the program no longer has. */
  private deletes({ grants }: ModelProgram): Held[] {
    // The engine looks at aliases where the state has no resource of the name itself.
    const renamed = Object.entries(grants).filter(([name]) => !this.held.has(name));
    const aliased = new Set(renamed.map(([, { alias }]) => alias));
    return this.dependentsFirst([...this.held.values()].filter(({ name }) => !(name in grants) && !aliased.has(name)));
  }

  /** The program's grants, in a random order in which each comes after those that it depends on. */
  private order({ grants }: ModelProgram): string[] {
    const left = new Map(Object.entries(grants));
    const order: string[] = [];
    while (left.size > 0) {
      const ready = [...left].filter(([, { dependsOn = [] }]) => dependsOn.every((other) => !left.has(other)));
      const [name] = this.random.pick(ready);
      order.push(name);
      left.delete(name);
    }
    return order;
  }

  private dependentsFirst(olds: readonly Held[]): Held[] {
    const left = [...olds];
    const order: Held[] = [];
    while (left.length > 0) {
      const ready = left.filter(({ name }) => !left.some(({ dependsOn }) => dependsOn.includes(name)));
      const next = this.random.pick(ready.length > 0 ? ready : left);
      order.push(next);
      left.splice(left.indexOf(next), 1);
    }
    return order;
  }
}

/** Whether the engine makes or uses the stack's default provider. */
function usesDefault({ grants, looksUp = false }: ModelProgram): boolean {
  return looksUp || Object.values(grants).some(({ provider }) => provider === undefined);
}

function isOfDefaultName(reference: string): boolean {
  return isDefaultName(reference.split("::").at(-2) ?? "");
}

function deleteStep(old: Held): ModelStep {
  return { op: old.isRead ? "discard" : "delete", name: old.name, old, provider: old.provider };
}

function prior({ id, inputs, outputs }: Held) {
  return { id, inputs, state: outputs };
}
