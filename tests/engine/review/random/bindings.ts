/** Random role bindings in the programs, beside their member grants. */
import type { Values } from "../../../../provider/core/unknown";
import type { Random } from "../../../support/grants-random";
import { CONDITIONS, MEMBERS, ROLES } from "./policies";
import type { Declared, Program, Variety } from "./programs";

const BINDING_NAMES = ["whole-a", "whole-b", "whole-c"];

/** Adds, changes, renames and removes role bindings from one update to the next. */
export class RandomBindings {
  private bindings: Record<string, Declared> = {};

  constructor(
    private readonly random: Random,
    private readonly variety: Pick<Variety, "stores" | "providers">,
  ) {}

  /** The program with bindings. No binding is in it whose role and condition a member grant of the program has, too. */
  beside(program: Program): Program {
    const { random } = this;
    for (const name of BINDING_NAMES) {
      const chance = random.next();
      const old = this.bindings[name];
      if (!old && chance < 0.35) this.bindings[name] = this.declared();
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
    return { ...program, grants: { ...program.grants, ...this.bindings } };
  }

  private declared(): Declared {
    const { random, variety } = this;
    const provider = random.pick(variety.providers);
    const inputs = this.changed({ name: random.pick(variety.stores), role: random.pick(ROLES) });
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
      name: chance > 0.95 ? random.pick(this.variety.stores) : name,
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
