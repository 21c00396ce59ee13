/**
 * A small model of the engine, for many runs in little time: it keeps a state, plans in the JSON of `pulumi preview --json`
 * and updates in the engine's order, with the real provider over HTTP. What the JSON shows was measured on the real engine;
 * tests/engine/review holds the two together.
 */
import { SharedFacts, type FactLog } from "../../provider/core/facts";
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
  typeOf,
  urnNamed,
  type Held,
  type HeldProvider,
  type Said,
  type ModelStep,
  type PlanContext,
} from "./review-model-json";
import { goesLast, ModelParents, type ParentStep } from "./review-model-parents";
import { randomOrder, usesDefault, type Declared, type ModelProgram } from "./review-model-program";

/** What the engine is about to do with a grant. */
type Move = { name: string; next: Declared; provider: string; inputs: Values } & (
  | { op: "create" }
  | { op: "same" | "update"; old: Held }
  | { op: "read"; old?: Held | undefined; id: string }
  | { op: "replace"; old: Held; deleteFirst: boolean; keys: string[]; id?: string; isImport?: boolean }
  | { op: "import"; id: string; isImport: boolean }
);

export interface Failure {
  urn: string;
  error: Error;
}

export interface ModelPlan {
  text: string;
  /** The providers whose grants change. */
  changing: ChangingProvider[];
  /** Relative names of the resources whose access policies another provider takes away. */
  takenAway: string[];
  /** Relative names of the stores of which several providers write the access policy. */
  contested: string[];
  /** What `--save-plan` saves; nothing where the preview fails. */
  saved?: string;
  failed?: Failure;
}

export interface ChangingProvider {
  settings: Values;
  /** Whether the preview said with which settings it worked, or what they change. */
  isHeard: boolean;
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
  settingsOf(reference: string): Values;
  process(reference: string): Provider;
}

/** What a stack works with. */
export interface World {
  connect: Connect;
  /** The stack's settings. */
  settings: () => Values;
  /** Another provider deletes a resource, and its access policy with it. */
  takeAway: (id: string) => void;
  random: Random;
  hasOutputs: boolean;
}

export class ModelStack {
  private held = new Map<string, Held>();
  /** Of the state: the newest one of a name stands last. */
  private providers: HeldProvider[] = [];
  private readonly parents: ModelParents;
  /** Replaced grants that an update which failed did not delete. */
  private left: Held[] = [];
  private updates = 0;
  /** Grants that the last preview was to read and did not find. */
  private readonly missing = new Set<string>();
  /** Names in the order in which the last preview took them. */
  private planned: string[] = [];

  private readonly random: Random;

  constructor(private readonly world: World) {
    this.random = world.random;
    this.parents = new ModelParents(world.takeAway);
  }

  names(): string[] {
    return [...this.held.keys()];
  }

  /** Relative names of the resources whose grants the stack manages. */
  resources(): string[] {
    return [...this.held.values()]
      .filter((each) => !each.isRead && !isPending(each))
      .map(({ inputs }) => String(inputs.name));
  }

  /** Whether the state has nothing that `--target` leaves out otherwise than a grant. */
  get isSimple(): boolean {
    const isOwned = [...this.held.values()].some(({ deletedWith }) => deletedWith !== undefined);
    return this.parents.all.size === 0 && !isOwned && !this.isInterrupted;
  }

  /** Whether an update that failed left something that only the state shows. */
  get isInterrupted(): boolean {
    return this.left.length > 0 || [...this.held.values()].some(isPending);
  }

  /** These grants of the state and all that depend on them: without them, the engine destroys none (`--target`). */
  withDependents(names: readonly string[]): string[] {
    const all = new Set(names);
    for (const name of all) {
      for (const each of this.held.values()) {
        if (each.dependsOn.includes(name) || each.deletedWith === name) all.add(each.name);
      }
    }
    return [...all];
  }

  /** The state as text, as `pulumi stack export` prints it. */
  exportState(): string {
    return stateJson([...this.held.values(), ...this.left], this.parents.all, this.providers, this.hasShownOutputs);
  }

  async preview(program: ModelProgram, { targets, showSames = true }: PreviewOptions = {}): Promise<ModelPlan> {
    const run = this.run(program);
    const steps: ModelStep[] = [];
    const said: Said[] = [];
    const heard = new Set<string>();
    const parents = this.parents.steps(program.parents);
    const context = (errors: string[] = []): PlanContext => ({
      ...this.context(showSames),
      now: run.explicit,
      errors,
      parents,
      said,
    });
    const facts = () => ({ ...effectsOf(steps, parents), changing: this.changing(steps, run, heard) });
    const failed = (name: string, error: Error) => ({
      ...facts(),
      text: planJson(steps, context([error.message])),
      failed: { urn: urnNamed(name), error },
    });
    this.missing.clear();
    this.planned = randomOrder(program, this.random);
    for (const name of this.planned) {
      const { alias, provider } = program.grants[name] ?? {};
      const identity = urnNamed(name);
      if (targets && !targets.includes(name)) {
        const old = this.held.get(name) ?? (alias === undefined ? undefined : this.held.get(alias));
        steps.push({ op: "left out", name: old?.name ?? name, old, provider: run.referenceOf(provider) });
        continue;
      }
      const moved = await this.move(name, program, run);
      if (moved instanceof Error) return failed(name, moved);
      const { isRead = false } = moved.next;
      const isThere = isRead || isImport(moved);
      if (
        isThere &&
        !(await run.process(moved.provider).read(typeOf(name), this.idOf(moved, run), undefined, OPTIONS))
      ) {
        this.missing.add(name);
        return failed(name, new Error(`resource '${name}' does not exist`));
      }
      steps.push({ ...moved, isRead });
      if (isThere || moved.op === "same") continue;
      const say = (severity: Said["severity"]) => (message: string) => {
        heard.add(moved.provider);
        said.push({ urn: identity, message, severity });
      };
      const reporter = { status: () => {}, info: say("info"), warning: say("warning") };
      const process = run.process(moved.provider);
      const token = typeOf(name);
      const settings = process.unplannedSettings(token);
      if (settings !== undefined) reporter.info(settings);
      const options = { ...OPTIONS, identity, reporter };
      try {
        if (moved.op === "update") await process.previewUpdate(token, prior(moved.old), moved.inputs, options);
        else await process.previewCreate(token, moved.inputs, options);
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
    return { ...facts(), text: planJson(steps, context()), saved: savedPlanJson(context(), usesDefault(program)) };
  }

  /**
   * @param isInterrupted the update fails where it replaces something: it makes no replacement of what it deleted before, and
   * deletes nothing at the end.
   * @returns the first step that failed; the engine begins no other after it.
   */
  async up(program: ModelProgram, targets?: readonly string[], isInterrupted = false): Promise<Failure | undefined> {
    const run = this.run(program);
    const late = this.left;
    const removals = this.deletes(program).filter(({ name }) => !targets || targets.includes(name));
    const parents = this.parents.steps(program.parents);
    try {
      this.parents.make(parents);
      // Of two resources with one grant, the order decides which delete before a replacement is refused.
      const keepsOrder = Object.values(program.grants).some((each) => each.deleteBeforeReplace);
      for (const name of keepsOrder ? this.planned : randomOrder(program, this.random)) {
        if (targets && !targets.includes(name)) continue;
        const moved = await this.move(name, program, run);
        if (moved instanceof Error) return { urn: urnNamed(name), error: moved };
        const failed = await this.make(moved, run, late, isInterrupted);
        if (failed) return failed;
      }
      if (isInterrupted) return { urn: "", error: new Error("interrupted") };
      const lastParents = parents.filter(goesLast);
      const goLast = new Set([...late, ...removals, ...lastParents].map(({ name }) => name));
      const isEarly = this.random.next() < 0.5;
      if (isEarly) this.parents.remove(lastParents);
      for (const old of this.dependentsFirst([...late, ...removals])) {
        const failed = await this.remove(old, run, goLast);
        if (failed) return failed;
        this.left = this.left.filter((each) => each !== old);
        if (this.held.get(old.name) === old) this.held.delete(old.name);
      }
      const isForgotten = (old: Held) => isPending(old) && !(old.name in program.grants) && !targets;
      for (const old of [...this.held.values()].filter(isForgotten)) this.held.delete(old.name);
      if (!isEarly) this.parents.remove(lastParents);
      return undefined;
    } finally {
      this.updates++;
      const current = [
        ...run.explicit,
        ...(usesDefault(program) ? [{ name: "default", reference: DEFAULT, inputs: this.world.settings() }] : []),
      ];
      const isNew = ({ reference }: HeldProvider) => !current.some((each) => each.reference === reference);
      this.providers = [...this.providers.filter(isNew).filter((each) => this.isUsed(each)), ...current];
    }
  }

  /** @param targets names of `--target`; without, everything. */
  destroyPlan({ targets, showSames = true }: PreviewOptions = {}): ModelPlan {
    const isTarget = ({ name }: Held) => !targets || targets.includes(name);
    const all = this.dependentsFirst([...this.held.values()].filter((each) => !isPending(each)));
    const leftOut = all.filter((each) => !isTarget(each));
    const steps = [
      ...leftOut.map((old): ModelStep => ({ op: "left out", name: old.name, old, provider: old.provider })),
      ...all.filter(isTarget).map(deleteStep),
    ];
    const parents = this.parents.destroySteps(targets !== undefined);
    const context = { ...this.context(showSames), now: undefined, deletesStack: targets === undefined, parents };
    return {
      ...effectsOf(steps, parents),
      changing: this.changing(steps, this.run(undefined), new Set()),
      text: planJson(steps, context),
    };
  }

  async destroy(targets?: readonly string[]): Promise<Failure | undefined> {
    const run = this.run(undefined);
    const all = [...this.held.values(), ...(targets ? [] : this.left)];
    const goes = this.dependentsFirst(all).filter(({ name }) => !targets || targets.includes(name));
    const parents = targets ? [] : this.parents.destroySteps(false);
    const goLast = new Set([...goes, ...parents].map(({ name }) => name));
    for (const old of goes) {
      const failed = await this.remove(old, run, goLast);
      if (failed) return failed;
      this.left = this.left.filter((each) => each !== old);
      if (this.held.get(old.name) === old) this.held.delete(old.name);
    }
    this.parents.remove(parents);
    if (!targets) this.providers = [];
    return undefined;
  }

  /** @param heard references of the providers of which the preview has a message. */
  private changing(steps: readonly ModelStep[], run: Run, heard: ReadonlySet<string>): ChangingProvider[] {
    const changes = steps.filter(({ op }) => !["same", "left out", "discard"].includes(op));
    const sides = changes.flatMap((step) => [step, ...(step.old ? [step.old] : [])]);
    const references = new Set([...sides, ...this.left].map(({ provider }) => provider));
    return [...references].map((each) => ({ settings: run.settingsOf(each), isHeard: heard.has(each) }));
  }

  private get hasShownOutputs(): boolean {
    return this.world.hasOutputs && this.updates > 0;
  }

  private context(showSames: boolean): Omit<PlanContext, "now"> {
    return {
      settings: this.world.settings(),
      before: this.providers,
      deletesStack: false,
      hasOutputs: this.hasShownOutputs,
      showSames,
      errors: [],
    };
  }

  private isUsed({ reference }: HeldProvider): boolean {
    return [...this.held.values(), ...this.left].some(({ provider }) => provider === reference);
  }

  /** @param program undefined for a destroy, which runs none. */
  private run(program: ModelProgram | undefined): Run {
    const explicit = Object.entries(program?.providers ?? {}).map(([name, inputs]): HeldProvider => {
      const ofState = this.providers.filter(({ reference }) => reference !== DEFAULT);
      const old = program?.replaced?.includes(name) ? undefined : newest(ofState, name);
      return { name, reference: old?.reference ?? referenceOf(name, `id-${this.updates}-of-${name}`), inputs };
    });
    const ofStack = { reference: DEFAULT, inputs: this.world.settings() };
    const own = program && usesDefault(program) ? [ofStack] : [];
    const all = [...explicit, ...own, ...this.providers, ofStack];
    const settingsOf = (reference: string) => all.find((each) => each.reference === reference)?.inputs ?? {};
    const processes = new Map<string, Provider>();
    const facts = new SharedFacts();
    const ofName = (name: string) => explicit.find((each) => each.name === name)?.reference ?? DEFAULT;
    return {
      explicit,
      referenceOf: (name) => (name === undefined ? DEFAULT : ofName(name)),
      settingsOf,
      process: (reference) => {
        const known = processes.get(reference);
        if (known) return known;
        const inputs = settingsOf(reference);
        const planned = isOfDefaultName(reference) ? this.world.settings() : inputs;
        const provider = this.world.connect(inputs, facts, planned);
        processes.set(reference, provider);
        return provider;
      },
    };
  }

  private idOf({ name, provider, inputs }: Pick<Move, "name" | "provider" | "inputs">, run: Run): string {
    return run.process(provider).idOf(typeOf(name), inputs) ?? "";
  }

  private async move(name: string, program: ModelProgram, run: Run): Promise<Move | Error> {
    const next = program.grants[name] as Declared;
    const reference = run.referenceOf(next.provider);
    const provider = run.process(reference);
    const identity = urnNamed(name);
    const token = typeOf(name);
    const old = this.held.get(name) ?? (next.alias === undefined ? undefined : this.held.get(next.alias));
    const common = { name, next, provider: reference };
    if (next.isRead) {
      const id = provider.idOf(token, next.inputs) ?? "";
      const { inputs } = next;
      if (old && isPending(old)) return { ...common, op: "read", inputs, id };
      if (!old || old.isRead || old.id === id) return { ...common, op: "read", inputs, old, id };
      return { ...common, op: "replace", inputs, old, id, deleteFirst: false, keys: [] };
    }
    const { inputs, problems } = await provider.check(token, next.inputs, { identity });
    if (problems.length > 0) return new Error(problems.map((each) => `${each.path} ${each.reason}`).join("; "));
    const id = provider.idOf(token, inputs) ?? "";
    if (next.isImported && !old) return { ...common, op: "import", inputs, id, isImport: true };
    if (!old) return { ...common, op: "create", inputs };
    if (old.isRead) return { ...common, op: "replace", inputs, old, deleteFirst: false, keys: [] };
    const diff = provider.compare(token, prior(old), inputs, { identity }).diff;
    const isMoved = old.provider !== reference && !(isOfDefaultName(old.provider) && isOfDefaultName(reference));
    const replaced = { ...common, op: "replace", inputs, old } as const;
    const keys = diff.action === "none" ? [] : diff.changes.map(({ path }) => String(path[0]));
    if (isPending(old)) return { ...replaced, deleteFirst: true, keys };
    // The engine deletes the old grant of an import last.
    if (next.isImported && old.id !== id) return { ...replaced, id, deleteFirst: false, keys: [], isImport: true };
    // The engine does not ask the provider where the provider itself changes.
    if (isMoved) return { ...replaced, deleteFirst: next.deleteBeforeReplace === true, keys: ["provider"] };
    // An update makes a grant again that a delete before it, of another resource, took away.
    if (diff.action !== "replace") return { ...common, op: diff.action === "update" ? "update" : "same", inputs, old };
    const deleteFirst = next.deleteBeforeReplace === true || diff.deleteBeforeReplace;
    return { ...replaced, deleteFirst, keys };
  }

  /** @param late takes the old grants that go at the end. */
  private async make(moved: Move, run: Run, late: Held[], isInterrupted: boolean): Promise<Failure | undefined> {
    const { name, next, inputs } = moved;
    const provider = run.process(moved.provider);
    const token = typeOf(name);
    const options = { ...OPTIONS, identity: urnNamed(name) };
    const kept = {
      name,
      inputs,
      dependsOn: next.dependsOn ?? [],
      provider: moved.provider,
      retainOnDelete: next.retainOnDelete ?? false,
      deletedWith: next.deletedWith,
      isRead: next.isRead ?? false,
    };
    if (next.isRead) {
      if (this.missing.has(name)) return { urn: urnNamed(name), error: new Error(`resource '${name}' does not exist`) };
      const id = this.idOf(moved, run);
      // A step of this update may have taken away what the preview found. The engine would fail; the model goes on.
      await provider.read(token, id, undefined, OPTIONS);
      if (moved.op === "replace" && !moved.old.isRead) late.push({ ...moved.old, unfinished: "left" });
      this.held.set(name, { ...kept, id, outputs: inputs });
      return undefined;
    }
    if (isImport(moved)) {
      const id = this.idOf(moved, run);
      if (this.missing.has(name)) return { urn: urnNamed(name), error: new Error(`resource '${id}' does not exist`) };
      const current = await provider.read(token, id, undefined, OPTIONS);
      const outputs = current?.state ?? inputs;
      provider.compare(token, { id, inputs, state: outputs }, inputs, { identity: urnNamed(name) });
      if (moved.op === "replace") late.push({ ...moved.old, unfinished: "left" });
      this.held.set(name, { ...kept, id, outputs });
      return undefined;
    }
    const isFirst = moved.op === "replace" && moved.deleteFirst;
    try {
      if (moved.op === "same" || moved.op === "update") {
        const { old } = moved;
        this.held.delete(old.name);
        const outputs = moved.op === "same" ? old.outputs : await provider.update(token, prior(old), inputs, options);
        this.held.set(name, { ...kept, id: old.id, outputs });
        return undefined;
      }
      if (moved.op === "replace") {
        const failed = isFirst && !isPending(moved.old) ? await this.remove(moved.old, run) : undefined;
        if (failed) return failed;
        this.held.delete(moved.old.name);
        if (isFirst && isInterrupted) throw new Error("interrupted");
      }
      const made = await provider.create(token, inputs, options);
      this.held.set(name, { ...kept, id: made.id, outputs: made.state });
    } catch (error) {
      if (isFirst) this.held.set(moved.old.name, { ...moved.old, unfinished: "pending" });
      return { urn: urnNamed(name), error: error as Error };
    }
    if (moved.op === "replace" && !isFirst) late.push({ ...moved.old, unfinished: "left" });
    return undefined;
  }

  /** @param goLast names of what the engine deletes last. */
  private async remove(old: Held, run: Run, goLast: ReadonlySet<string> = new Set()): Promise<Failure | undefined> {
    if (old.retainOnDelete || old.isRead || isPending(old)) return undefined;
    if (old.deletedWith !== undefined && goLast.has(old.deletedWith)) return undefined;
    try {
      await run
        .process(old.provider)
        .delete(typeOf(old.name), prior(old), { ...OPTIONS, identity: urnNamed(old.name) });
      return undefined;
    } catch (error) {
      return { urn: urnNamed(old.name), error: error as Error };
    }
  }

  /** What the program no longer has. */
  private deletes({ grants }: ModelProgram): Held[] {
    // The engine looks at aliases where the state has no resource of the name itself.
    const renamed = Object.entries(grants).filter(([name]) => !this.held.has(name));
    const aliased = new Set(renamed.map(([, { alias }]) => alias));
    const goes = (old: Held) => !(old.name in grants) && !aliased.has(old.name) && !isPending(old);
    return this.dependentsFirst([...this.held.values()].filter(goes));
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

/** Whether an update deleted it and then failed. */
function isPending({ unfinished }: Held): boolean {
  return unfinished === "pending";
}

function isImport(moved: Move): boolean {
  return "isImport" in moved && moved.isImport === true;
}

function effectsOf(steps: readonly ModelStep[], parents: readonly ParentStep[]) {
  const gone = parents.filter(({ op, old }) => (op === "delete" || op === "replace") && old?.retainOnDelete === false);
  const makes = ({ op, isRead, isImport: takesOver }: ModelStep) =>
    (op === "create" || op === "replace") && !isRead && !takesOver;
  const writers = steps.filter(makes).map(({ provider, inputs }) => ({ provider, name: String(inputs?.name) }));
  const isContested = ({ name, provider }: (typeof writers)[number]) =>
    writers.some((each) => each.name === name && each.provider !== provider);
  return {
    takenAway: gone.flatMap(({ old }) => old?.id ?? []),
    contested: [...new Set(writers.filter(isContested).map(({ name }) => name))],
  };
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
