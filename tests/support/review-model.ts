/**
 * A small model of the engine, for many runs in little time: it keeps a state, plans in the JSON of `pulumi preview --json`
 * and updates in the engine's order, with the real provider over HTTP. What the JSON shows was measured on the real engine;
 * tests/engine/review holds the two together.
 */
import type { NoteSharing, Note } from "../../provider/core/note";
import type { Values } from "../../provider/core/unknown";
import type { Provider } from "../../provider/runtime/provider";
import { OPTIONS } from "./grants";
import type { Random } from "./grants-random";
import { planJson, type Held, type ModelStep } from "./review-model-json";
import { STORE_GRANT, urnOf } from "./tokens";

/** A grant of a program. */
export interface Declared {
  inputs: Values;
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
}

/** What the engine is about to do with a grant. */
type Move =
  | { op: "create"; name: string; next: Declared; inputs: Values }
  | { op: "same" | "update"; name: string; next: Declared; inputs: Values; old: Held }
  | { op: "replace"; name: string; next: Declared; inputs: Values; old: Held; deleteFirst: boolean; keys: string[] };

export interface Failure {
  urn: string;
  error: Error;
}

export type Connect = (settings: Values, notes: NoteSharing) => Provider;

export class ModelStack {
  private held = new Map<string, Held>();
  /** Settings of explicit providers of the last update: a delete needs them after the program dropped them. */
  private providers: Record<string, Values> = {};

  constructor(
    private readonly connect: Connect,
    private readonly settings: () => Values,
    private readonly random: Random,
  ) {}

  names(): string[] {
    return [...this.held.keys()];
  }

  /** The plan as text, as `--show-sames` prints it. @param targets names of `--target`; without, everything. */
  async preview(program: ModelProgram, targets?: readonly string[]): Promise<{ text: string; failed?: Failure }> {
    const run = this.run(program);
    const steps: ModelStep[] = [];
    const text = (errors: string[] = []) => planJson(steps, this.settings(), this.providers, program.providers, errors);
    for (const name of this.order(program)) {
      if (targets && !targets.includes(name)) {
        const { alias, provider } = program.grants[name] ?? {};
        const old = this.held.get(name) ?? (alias === undefined ? undefined : this.held.get(alias));
        steps.push({ op: "left out", name: old?.name ?? name, old, provider });
        continue;
      }
      const moved = await this.move(name, program, run);
      if (moved instanceof Error) {
        return { text: text([moved.message]), failed: { urn: urnOf(name), error: moved } };
      }
      steps.push({ ...moved, provider: moved.next.provider });
      if (moved.op === "same" || moved.op === "update") continue;
      try {
        await run(moved.next.provider).previewCreate(STORE_GRANT, moved.inputs, [], {
          ...OPTIONS,
          identity: urnOf(name),
        });
      } catch (error) {
        const failure = error as Error;
        return { text: text([failure.message]), failed: { urn: urnOf(name), error: failure } };
      }
    }
    const deletes = this.deletes(program);
    const isTarget = ({ name }: Held) => !targets || targets.includes(name);
    for (const old of deletes.filter((each) => !isTarget(each))) {
      steps.push({ op: "left out", name: old.name, old, provider: old.provider });
    }
    for (const old of deletes.filter(isTarget)) {
      steps.push({ op: "delete", name: old.name, old, provider: old.provider });
    }
    return { text: text() };
  }

  /** @returns the first step that failed; the engine begins no other after it. */
  async up(program: ModelProgram, targets?: readonly string[]): Promise<Failure | undefined> {
    const run = this.run(program);
    const late: Held[] = [];
    const removals = this.deletes(program).filter(({ name }) => !targets || targets.includes(name));
    try {
      for (const name of this.order(program)) {
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
      const used = new Set([...this.held.values()].map(({ provider }) => provider));
      const kept = Object.entries(this.providers).filter(([name]) => used.has(name));
      this.providers = { ...Object.fromEntries(kept), ...program.providers };
    }
  }

  destroyPlan(): string {
    const deletes = this.dependentsFirst([...this.held.values()]);
    const steps = deletes.map((old): ModelStep => ({ op: "delete", name: old.name, old, provider: old.provider }));
    return planJson(steps, this.settings(), this.providers, undefined, []);
  }

  async destroy(): Promise<Failure | undefined> {
    const run = this.run({ grants: {}, providers: {} });
    for (const old of this.dependentsFirst([...this.held.values()])) {
      const failed = await this.remove(old, run);
      if (failed) return failed;
      this.held.delete(old.name);
    }
    this.providers = {};
    return undefined;
  }

  /** The provider processes of one run, made at first use: each knows what the others note. */
  private run(program: ModelProgram): (name: string | undefined) => Provider {
    const made = new Map<string | undefined, Provider>();
    const notes: { note: Note; by: number }[] = [];
    return (name) => {
      const known = made.get(name);
      if (known) return known;
      const settings =
        name === undefined ? this.settings() : { ...this.providers[name], ...(program.providers[name] ?? {}) };
      const provider = this.connect(settings, shared(notes, made.size));
      made.set(name, provider);
      return provider;
    };
  }

  private async move(
    name: string,
    program: ModelProgram,
    run: (name: string | undefined) => Provider,
  ): Promise<Move | Error> {
    const next = program.grants[name] as Declared;
    const provider = run(next.provider);
    const identity = urnOf(name);
    const { inputs, problems } = await provider.check(STORE_GRANT, next.inputs, { identity });
    if (problems.length > 0) return new Error(problems.map((each) => `${each.path} ${each.reason}`).join("; "));
    const old = this.held.get(name) ?? (next.alias === undefined ? undefined : this.held.get(next.alias));
    if (!old) return { op: "create", name, next, inputs };
    const diff = provider.diff(STORE_GRANT, prior(old), inputs, { identity });
    // An update makes a grant again that a delete before it, of another resource, took away.
    if (diff.action !== "replace") {
      return { op: diff.action === "update" ? "update" : "same", name, next, inputs, old };
    }
    const keys = diff.changes.map(({ path }) => String(path[0]));
    const deleteFirst = next.deleteBeforeReplace === true || diff.deleteBeforeReplace;
    return { op: "replace", name, next, inputs, old, deleteFirst, keys };
  }

  /** @param late takes the old grants that go at the end. */
  private async make(
    moved: Move,
    run: (name: string | undefined) => Provider,
    late: Held[],
  ): Promise<Failure | undefined> {
    const { name, next, inputs } = moved;
    const kept = {
      name,
      inputs,
      dependsOn: next.dependsOn ?? [],
      provider: next.provider,
      retainOnDelete: next.retainOnDelete ?? false,
    };
    if (moved.op === "same" || moved.op === "update") {
      const { old } = moved;
      const options = { ...OPTIONS, identity: urnOf(name) };
      const provider = run(next.provider);
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
    try {
      const made = await run(next.provider).create(STORE_GRANT, inputs, { ...OPTIONS, identity: urnOf(name) });
      this.held.set(name, { ...kept, id: made.id, outputs: made.state });
    } catch (error) {
      return { urn: urnOf(name), error: error as Error };
    }
    if (moved.op === "replace" && !moved.deleteFirst) late.push(moved.old);
    return undefined;
  }

  private async remove(old: Held, run: (name: string | undefined) => Provider): Promise<Failure | undefined> {
    if (old.retainOnDelete) return undefined;
    try {
      await run(old.provider).delete(STORE_GRANT, prior(old), { ...OPTIONS, identity: urnOf(old.name) });
      return undefined;
    } catch (error) {
      return { urn: urnOf(old.name), error: error as Error };
    }
  }

  /** What the program no longer has. */
  private deletes({ grants }: ModelProgram): Held[] {
    const aliased = new Set(Object.values(grants).map(({ alias }) => alias));
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

function prior({ id, inputs, outputs }: Held) {
  return { id, inputs, state: outputs };
}

function shared(notes: { note: Note; by: number }[], by: number): NoteSharing {
  let seen = 0;
  return {
    digest: (text) => text,
    share: (note) => void notes.push({ note, by }),
    news: () => {
      const fresh = notes.slice(seen).filter((each) => each.by !== by);
      seen = notes.length;
      return fresh.map(({ note }) => note);
    },
  };
}
