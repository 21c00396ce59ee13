/** A program that is being changed, with what random changes need: unused names, other members, the order of resources. */
import type { Random } from "../../support/grants-random";
import { CONDITION_NAMES, keyOf, targetOf, type Declaration, type Mode, type Program } from "./program";

export const MEMBERS = ["user:a@example.com", "user:b@example.com", "group:c@example.com", "user:d@example.com"];
const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"];
const PROVIDERS = ["first", "second"];

/** What the programs of a seed may contain. */
export interface Variety {
  mode: Mode;
  /** Only the plugin has explicit providers. */
  hasProviders: boolean;
  /** The short names of the targets that the programs use. */
  targets: readonly string[];
}

export class Draft {
  private entries: [string, Declaration][];

  /** @param before the program of the update before, whose names mean its resources */
  constructor(
    program: Program,
    private readonly before: Program,
    readonly random: Random,
    private readonly variety: Variety,
  ) {
    this.entries = Object.entries(program).map(([name, declaration]) => {
      const { alias, ...rest } = declaration;
      // An alias of the program before has done its work. It may stay.
      const isDone = alias !== undefined && before[name]?.alias === alias;
      return [name, isDone && random.next() < 0.7 ? rest : declaration];
    });
  }

  get size(): number {
    return this.entries.length;
  }

  /** The program. A dependency on a resource that is gone or comes later is left out. */
  program(): Program {
    const seen = new Set<string>();
    const all = this.entries.map(([name, { dependsOn, ...rest }]) => {
      const isEarlier = dependsOn !== undefined && seen.has(dependsOn);
      seen.add(name);
      return [name, withoutUnset(isEarlier ? { ...rest, dependsOn } : rest)];
    });
    return Object.fromEntries(all) as Program;
  }

  get(name: string): Declaration {
    const declaration = this.entries.find(([each]) => each === name)?.[1];
    if (!declaration) throw new Error(`no resource ${name}`);
    return declaration;
  }

  set(name: string, declaration: Declaration): void {
    this.entries = this.entries.map(([each, old]) => [each, each === name ? declaration : old]);
  }

  /** Adds a resource at a random place. */
  add(declaration: Declaration, name = this.unusedName()): void {
    const { dependsOn } = declaration;
    const first = dependsOn === undefined ? 0 : this.entries.findIndex(([each]) => each === dependsOn) + 1;
    const at = first + this.random.below(this.size - first + 1);
    this.entries.splice(at, 0, [name, declaration]);
  }

  remove(name: string): void {
    this.entries = this.entries.filter(([each]) => each !== name);
  }

  /** @returns the new name */
  rename(name: string, hasAlias: boolean): string {
    const to = this.unusedName();
    const { alias: _alias, ...declaration } = this.get(name);
    // The alias names a resource of the state, which a resource that is new in this program does not have.
    const isInState = this.before[name]?.kind === declaration.kind;
    const renamed = hasAlias && isInState ? { ...declaration, alias: name } : declaration;
    this.entries = this.entries.map((entry) => (entry[0] === name ? [to, renamed] : entry));
    return to;
  }

  names(): string[] {
    return this.entries.map(([name]) => name);
  }

  /** Whether the resource may be replaced and deleted: neither the program nor the state protects it. */
  isFree(name: string): boolean {
    return !this.get(name).protect && !this.before[name]?.protect;
  }

  /** A resource that may be replaced and deleted. */
  any(): string | undefined {
    return this.pick(() => true);
  }

  /** A resource that may be replaced and deleted, and that matches. */
  pick(matches: (declaration: Declaration, name: string) => boolean): string | undefined {
    const names = this.names().filter((name) => this.isFree(name) && matches(this.get(name), name));
    return names.length === 0 ? undefined : this.random.pick(names);
  }

  /** The resources with the same role and condition on the same target. */
  namesOfKey(declaration: Declaration): string[] {
    return this.entries.filter(([, each]) => keyOf(each) === keyOf(declaration)).map(([name]) => name);
  }

  declaration(): Declaration {
    const { random, variety } = this;
    const kind = random.next() < 0.5 ? "member" : "binding";
    const on = random.pick(variety.targets);
    const provider = variety.hasProviders && random.next() < 0.3 ? random.pick(PROVIDERS) : undefined;
    return {
      kind,
      on,
      role: random.pick(targetOf(on).roles),
      members: this.otherMembers([], kind),
      condition: random.next() < 0.25 ? random.pick(CONDITION_NAMES) : undefined,
      byNumber: random.next() < 0.2,
      provider,
      deleteBeforeReplace: random.next() < 0.15,
      dependsOn: random.next() < 0.2 ? this.any() : undefined,
    };
  }

  /** Members that differ from these. */
  otherMembers(members: readonly string[], kind: Declaration["kind"]): string[] {
    const { random } = this;
    for (;;) {
      const some = MEMBERS.filter(() => random.next() < 0.5);
      const chosen = kind === "member" ? [random.pick(MEMBERS)] : some;
      if (chosen.length > 0 && chosen.join() !== [...members].sort(byOrder).join()) return chosen;
    }
  }

  /** The role if the target has it; otherwise one that it has. */
  roleOn(on: string, role: string): string {
    const { roles } = targetOf(on);
    return roles.includes(role) ? role : this.random.pick(roles);
  }

  private unusedName(): string {
    const taken = new Set([
      ...Object.keys(this.before),
      ...this.entries.flatMap(([name, { alias }]) => [name, ...(alias === undefined ? [] : [alias])]),
    ]);
    return this.random.pick(NAMES.filter((name) => !taken.has(name)));
  }
}

const byOrder = (left: string, right: string): number => MEMBERS.indexOf(left) - MEMBERS.indexOf(right);

function withoutUnset(declaration: Declaration): Declaration {
  const set = Object.entries(declaration).filter(([, value]) => value !== undefined && value !== false);
  return Object.fromEntries(set) as unknown as Declaration;
}
