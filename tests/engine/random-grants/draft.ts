/** A program that is being changed, with what random changes need: unused names, other members, the order of resources. */
import type { Random } from "../../support/grants-random";
import { CONDITION_NAMES, keyOf, targetOf } from "./grant-text";
import {
  isGrant,
  type AssociationDeclaration,
  type Declaration,
  type GrantDeclaration,
  type Mode,
  type Program,
} from "./program";

export const MEMBERS = ["user:a@example.com", "user:b@example.com", "group:c@example.com", "user:d@example.com"];
const NAMES = [..."abcdefghijklmnopqrst"].flatMap((letter) => [letter, `${letter}2`]);
const ASSOCIATION_NAMES = ["v", "w", "x", "y", "z"];
const PROVIDERS = ["first", "second"];
/** Of members that a program marks as secret. */
const SECRET = "user:hidden";

/** What the programs of a seed may contain. */
export interface Variety {
  mode: Mode;
  /** Only the plugin has explicit providers. */
  hasProviders: boolean;
  /** The short names of the targets that the programs use. */
  targets: readonly string[];
  /** The ids of the associations that a stack may have, each with its own networks. No other stack has them. */
  associations: readonly string[];
}

export class Draft {
  private entries: [string, Declaration][];

  /** @param before the program of the update before, whose names mean its resources */
  constructor(
    program: Program,
    readonly before: Program,
    readonly random: Random,
    readonly variety: Variety,
  ) {
    this.entries = Object.entries(program).map(([name, declaration]) => {
      const { alias, ...rest } = declaration;
      // An alias of the program before has done its work. It may stay. An association cannot be made a second time, so it keeps
      // the alias in case the update before failed.
      const isDone = isGrant(declaration) && alias !== undefined && before[name]?.alias === alias;
      return [name, isDone && random.next() < 0.7 ? rest : declaration];
    });
  }

  /** The number of grants and bindings. */
  get size(): number {
    return this.names().length;
  }

  /** The program. A dependency on a resource that is gone or comes later is left out. */
  program(): Program {
    const seen = new Set<string>();
    const all = this.entries.map(([name, declaration]) => {
      if (!isGrant(declaration)) return [name, withoutUnset(declaration)];
      const { dependsOn, ...rest } = declaration;
      const isEarlier = dependsOn !== undefined && seen.has(dependsOn);
      seen.add(name);
      return [name, withoutUnset(isEarlier ? { ...rest, dependsOn } : rest)];
    });
    return Object.fromEntries(all) as Program;
  }

  get(name: string): GrantDeclaration {
    const declaration = this.entries.find(([each]) => each === name)?.[1];
    if (!declaration || !isGrant(declaration)) throw new Error(`no grant ${name}`);
    return declaration;
  }

  set(name: string, declaration: Declaration): void {
    this.entries = this.entries.map(([each, old]) => [each, each === name ? withOwnSecret(declaration) : old]);
  }

  /** Adds a grant or a binding at a random place. */
  add(declaration: GrantDeclaration, name = this.unusedName(NAMES)): void {
    const { dependsOn } = declaration;
    const first = dependsOn === undefined ? 0 : this.entries.findIndex(([each]) => each === dependsOn) + 1;
    const at = first + this.random.below(this.entries.length - first + 1);
    this.entries.splice(at, 0, [name, withOwnSecret(declaration)]);
  }

  addAssociation(declaration: AssociationDeclaration): void {
    this.entries.push([this.unusedName(ASSOCIATION_NAMES), declaration]);
  }

  /** The associations by name. */
  associations(): [string, AssociationDeclaration][] {
    return this.entries.flatMap(([name, each]) => (isGrant(each) ? [] : [[name, each]]));
  }

  remove(name: string): void {
    this.entries = this.entries.filter(([each]) => each !== name);
  }

  /** @returns the new name */
  rename(name: string, hasAlias: boolean): string {
    const old = this.entries.find(([each]) => each === name)?.[1];
    if (!old) throw new Error(`no resource ${name}`);
    const to = this.unusedName(isGrant(old) ? NAMES : ASSOCIATION_NAMES);
    const { alias: _alias, ...declaration } = old;
    // The alias names a resource of the state, which a resource that is new in this program does not have.
    const isInState = this.before[name]?.kind === declaration.kind;
    const renamed: Declaration = hasAlias && isInState ? { ...declaration, alias: name } : declaration;
    this.entries = this.entries.map((entry) => (entry[0] === name ? [to, renamed] : entry));
    return to;
  }

  /** The names of the grants and bindings. */
  names(): string[] {
    return this.entries.flatMap(([name, each]) => (isGrant(each) ? [name] : []));
  }

  /** Whether the resource may be replaced and deleted: neither the program nor the state protects it. */
  isFree(name: string): boolean {
    return !this.get(name).protect && !this.before[name]?.protect;
  }

  /** A grant or a binding that may be replaced and deleted. */
  any(): string | undefined {
    return this.pick(() => true);
  }

  /** A grant or a binding that may be replaced and deleted, and that matches. */
  pick(matches: (declaration: GrantDeclaration, name: string) => boolean): string | undefined {
    const names = this.names().filter((name) => this.isFree(name) && matches(this.get(name), name));
    return names.length === 0 ? undefined : this.random.pick(names);
  }

  /** The resources with the same role and condition on the same target. */
  namesOfKey(declaration: GrantDeclaration): string[] {
    return this.names().filter((name) => keyOf(this.get(name)) === keyOf(declaration));
  }

  declaration(): GrantDeclaration {
    const { random, variety } = this;
    const kind = random.next() < 0.5 ? "member" : "binding";
    const on = random.pick(variety.targets);
    const provider = variety.hasProviders && random.next() < 0.3 ? random.pick(PROVIDERS) : undefined;
    const declaration: GrantDeclaration = {
      kind,
      on,
      role: random.pick(targetOf(on).roles),
      members: this.otherMembers([], kind),
      condition: random.next() < 0.25 ? random.pick(CONDITION_NAMES) : undefined,
      byNumber: random.next() < 0.2,
      provider,
      deleteBeforeReplace: random.next() < 0.15,
      dependsOn: random.next() < 0.2 ? this.any() : undefined,
      isShort: random.next() < 0.2,
    };
    return kind === "binding" && random.next() < 0.25 ? this.withSecret(declaration) : declaration;
  }

  /** Members that differ from these. */
  otherMembers(members: readonly string[], kind: GrantDeclaration["kind"]): string[] {
    const { random } = this;
    for (;;) {
      const some = MEMBERS.filter(() => random.next() < 0.5);
      const chosen = kind === "member" ? [random.pick(MEMBERS)] : some;
      if (chosen.length > 0 && chosen.join() !== [...members].sort(byOrder).join()) return chosen;
    }
  }

  /** The binding with a new member, at any place of the list, that the program marks as secret. */
  withSecret(declaration: GrantDeclaration): GrantDeclaration {
    const { random } = this;
    const secret = `${SECRET}-${random.below(1_000_000)}@example.com`;
    const members = declaration.members.filter((member) => member !== declaration.secret);
    members.splice(random.below(members.length + 1), 0, secret);
    return { ...declaration, members, secret };
  }

  /** The role if the target has it; otherwise one that it has. */
  roleOn(on: string, role: string): string {
    const { roles } = targetOf(on);
    return roles.includes(role) ? role : this.random.pick(roles);
  }

  private unusedName(names: readonly string[]): string {
    const taken = new Set([
      ...Object.keys(this.before),
      ...this.entries.flatMap(([name, { alias }]) => [name, ...(alias === undefined ? [] : [alias])]),
    ]);
    return this.random.pick(names.filter((name) => !taken.has(name)));
  }
}

const byOrder = (left: string, right: string): number => MEMBERS.indexOf(left) - MEMBERS.indexOf(right);

/** Secret members stay with the binding that marks them: nothing else may show them. */
function withOwnSecret(declaration: Declaration): Declaration {
  if (!isGrant(declaration)) return declaration;
  const { kind, secret } = declaration;
  const members = declaration.members.filter(
    (member) => !member.startsWith(SECRET) || (kind === "binding" && member === secret),
  );
  const own = secret !== undefined && members.includes(secret) ? secret : undefined;
  return { ...declaration, members: members.length > 0 ? members : MEMBERS.slice(0, 1), secret: own };
}

function withoutUnset(declaration: Declaration): Declaration {
  const set = Object.entries(declaration).filter(([, value]) => value !== undefined && value !== false);
  return Object.fromEntries(set) as unknown as Declaration;
}
