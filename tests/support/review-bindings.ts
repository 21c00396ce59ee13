/** Random role bindings in the programs of the model, beside their member grants. */
import type { Values } from "../../provider/core/unknown";
import { storeName } from "./grants";
import type { Random } from "./grants-random";
import { BINDING_NAMES } from "./review-model-json";
import type { Declared, ModelProgram } from "./review-model-program";
import { CONDITIONS, MEMBERS, ROLES, STORES } from "./review-programs";

/** Adds, changes, renames and removes role bindings from one update to the next. */
export class RandomBindings {
  private bindings: Record<string, Declared> = {};

  /** @param providers names of providers that a program may have; `undefined` is the default provider. */
  constructor(
    private readonly random: Random,
    private readonly providers: readonly (string | undefined)[],
  ) {}

  /** The program with bindings. No binding is in it whose role and condition a member grant of the program has, too. */
  beside(program: ModelProgram): ModelProgram {
    const { random } = this;
    for (const name of BINDING_NAMES) {
      const chance = random.next();
      const old = this.bindings[name];
      const usable = this.providers.filter((each) => each === undefined || each in program.providers);
      if (!old && chance < 0.35 && usable.length > 0) this.bindings[name] = this.declared(random.pick(usable));
      else if (old && chance < 0.15) delete this.bindings[name];
      else if (old && chance < 0.55) this.bindings[name] = { ...old, inputs: this.changed(old.inputs) };
      else if (old && chance < 0.65) this.rename(name);
    }
    const taken = new Set(
      Object.values(program.grants)
        .filter(({ isRead }) => !isRead)
        .map(({ inputs }) => ownedBy(inputs)),
    );
    for (const [name, { inputs }] of Object.entries(this.bindings)) {
      const owned = ownedBy(inputs);
      if (taken.has(owned)) delete this.bindings[name];
      taken.add(owned);
    }
    const isKnown = ([, { provider }]: [string, Declared]) => provider === undefined || provider in program.providers;
    const bindings = Object.fromEntries(Object.entries(this.bindings).filter(isKnown));
    return { ...program, grants: { ...program.grants, ...bindings } };
  }

  private declared(provider: string | undefined): Declared {
    const { random } = this;
    const inputs = this.changed({ name: storeName(random.below(STORES)), role: random.pick(ROLES) });
    return {
      inputs,
      ...(random.next() < 0.2 ? { deleteBeforeReplace: true } : {}),
      ...(random.next() < 0.1 ? { retainOnDelete: true } : {}),
      ...(provider === undefined ? {} : { provider }),
    };
  }

  /** Other members, mostly; and perhaps another role, condition or store. */
  private changed({ name, role, condition, members = [] }: Values): Values {
    const { random } = this;
    const [old, chance] = [members as string[], random.next()];
    const kept = old.filter(() => random.next() < 0.7);
    const added = MEMBERS.filter((each) => random.next() < 0.25 && !kept.some((one) => isOne(one, each)));
    const all = [...kept, ...added];
    const other = random.next() < 0.35 ? random.pick(CONDITIONS) : undefined;
    const conditional = chance < 0.2 ? other : condition;
    return {
      name: chance > 0.95 ? storeName(random.below(STORES)) : name,
      role: chance > 0.8 && chance < 0.95 ? random.pick(ROLES) : role,
      members: all.length > 0 ? onceEach(all) : [random.pick(MEMBERS)],
      ...(conditional === undefined ? {} : { condition: conditional }),
    };
  }

  /** Gives a binding the name of no other, without an alias. */
  private rename(name: string): void {
    const free = BINDING_NAMES.find((each) => !(each in this.bindings));
    if (free === undefined) return;
    const { [name]: old, ...others } = this.bindings;
    if (old) this.bindings = { ...others, [free]: old };
  }
}

function isOne(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function onceEach(members: readonly string[]): string[] {
  return members.filter((each, at) => members.findIndex((other) => isOne(other, each)) === at);
}

/** What a binding owns, and a member grant has a part of. */
function ownedBy({ name, role, condition }: Values): string {
  return JSON.stringify([name, role, condition]);
}
