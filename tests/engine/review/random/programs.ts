/** Random programs of grants, and random changes of them from one update to the next. */
import type { Values } from "../../../../provider/core/unknown";
import type { Random } from "../../../support/grants-random";
import { condition, MEMBERS, ROLES } from "./policies";

/** A grant of a program: a member grant, or a role binding if its inputs have `members`. */
export interface Declared {
  inputs: Values;
  /** The program reads this grant (`get`), and does not manage it. */
  isRead?: boolean;
  /** The program takes over what is in the cloud (`import`). */
  isImported?: boolean;
  /** The member is a secret. */
  isSecret?: boolean;
  /** Names of grants that it depends on. */
  dependsOn?: string[];
  /** Name of a grant or a parent that takes it along when it is deleted. */
  deletedWith?: string;
  deleteBeforeReplace?: boolean;
  retainOnDelete?: boolean;
  /** What it was called before. */
  alias?: string;
  /** An explicit provider's name. */
  provider?: string;
  /** A grant of `@pulumi/gcp`: of a member, of all members of a role, or the whole policy. */
  gcp?: "Member" | "Binding" | "Policy";
}

/** A resource of another provider that grants are on. It takes its access policies along when it is deleted. */
export interface Parent {
  /** Its relative name in the cloud. */
  id: string;
  /** A change replaces it. */
  version: number;
  retainOnDelete: boolean;
}

export interface Program {
  grants: Record<string, Declared>;
  parents: Record<string, Parent>;
}

export type Mode = "merge" | "replace";

/** What the programs of a stack may contain. */
export interface Variety {
  mode: Mode;
  /** Relative names of the stores that the grants are on. */
  stores: readonly string[];
  /** Names of providers to choose from; `undefined` is the default provider. */
  providers: readonly (string | undefined)[];
  /** Grants in the cloud of a provider that the program may read or import, in the form of inputs. */
  readable: (provider: string | undefined) => Values[];
  /** Whether resources depend on others, are deleted with others, or have aliases. */
  hasLinks: boolean;
  /** Resources that another provider may manage: relative names by the names of the program. */
  parents: Readonly<Record<string, string>>;
}

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** A program with a few changes; in replace mode it declares one grant for each store, perhaps by several resources. */
export class RandomProgram {
  private program: Program = { grants: {}, parents: {} };
  /** Names that another resource is deleted with. They are not renamed with an alias. */
  private readonly owners = new Set<string>();

  constructor(
    private readonly random: Random,
    private readonly variety: Variety,
  ) {}

  /** Drops what cannot be read or imported any more, after an update that failed. */
  dropReads(): void {
    const { grants } = this.program;
    for (const [name, { isRead, isImported }] of Object.entries(grants)) if (isRead || isImported) delete grants[name];
  }

  /** The program with a few random changes. */
  next(): Program {
    const { random } = this;
    // An alias names what the resource was called one update ago, and the engine accepts no alias of what is in the program.
    // It replaces no grant that keeps the option `import`.
    // What a program reads does not stay there for long.
    const stays = ([, { isRead }]: [string, Declared]) => isRead !== true || random.next() < 0.6;
    const grants: Record<string, Declared> = Object.fromEntries(
      Object.entries(this.program.grants)
        .filter(stays)
        .map(([name, { alias: _alias, isImported: _imported, ...rest }]) => [name, rest]),
    );
    const changes = Object.keys(grants).length === 0 ? 4 : 1 + random.below(4);
    for (let at = 0; at < changes; at++) this.changeOne(grants);
    const parents = this.parents();
    const linked = () => this.withOwners(withDependencies(random, grants), Object.keys(parents));
    this.program = { grants: this.variety.hasLinks ? linked() : grants, parents };
    return this.program;
  }

  private changeOne(grants: Record<string, Declared>): void {
    const { random } = this;
    const names = Object.keys(grants);
    const name = names.length > 0 ? random.pick(names) : undefined;
    const unused = NAMES.find((each) => !(each in grants) && !(each in this.program.grants));
    if (random.next() < 0.1) {
      if (random.next() < 0.4) this.import(grants, name, unused);
      else this.readOrManage(grants, name, unused);
      return;
    }
    const chance = random.next();
    if (name === undefined || chance < 0.3) {
      if (unused !== undefined) grants[unused] = this.declared(grants);
      return;
    }
    const old = grants[name] as Declared;
    const move = (more: Partial<Declared> = {}) => {
      if (unused === undefined) return;
      delete grants[name];
      grants[unused] = { ...old, ...more };
    };
    // The engine looks for no alias of what it reads.
    const mayHaveAlias =
      this.variety.hasLinks && name in this.program.grants && !old.isRead && !old.isImported && !this.owners.has(name);
    if (chance < 0.45) delete grants[name];
    else if (chance < 0.6) this.change(grants, name);
    else if (chance < 0.7) move();
    else if (chance < 0.77) move(mayHaveAlias ? { alias: name } : {});
    else if (chance < 0.87) {
      // Only one of the two can be what had the former name.
      if (unused !== undefined) {
        const { alias: _alias, ...twin } = old;
        grants[unused] = { ...twin, isImported: false };
      }
    } else if (chance < 0.91) grants[name] = { ...old, deleteBeforeReplace: !old.deleteBeforeReplace };
    else if (chance < 0.95) grants[name] = { ...old, retainOnDelete: !old.retainOnDelete };
    else grants[name] = this.withProvider(old);
  }

  /** The resources of another provider: mostly as they were. */
  private parents(): Record<string, Parent> {
    const { random, program } = this;
    const parents: [string, Parent][] = [];
    for (const [name, id] of Object.entries(this.variety.parents)) {
      const old = program.parents[name];
      const chance = random.next();
      if (!old && chance < 0.3) parents.push([name, { id, version: 1, retainOnDelete: random.next() < 0.2 }]);
      if (old && chance > 0.2) parents.push([name, { ...old, version: old.version + (chance < 0.35 ? 1 : 0) }]);
    }
    return Object.fromEntries(parents);
  }

  /** Each grant is deleted with one that stands before it, with a parent, or on its own. */
  private withOwners(grants: Record<string, Declared>, parents: readonly string[]): Record<string, Declared> {
    const { random } = this;
    const names = [...parents, ...Object.keys(grants)];
    return Object.fromEntries(
      Object.entries(grants).map(([name, { deletedWith: _old, ...declared }]) => {
        const owner = random.pick(names);
        if (names.indexOf(owner) >= names.indexOf(name) || declared.isRead || random.next() < 0.75)
          return [name, declared];
        this.owners.add(owner);
        return [name, { ...declared, deletedWith: owner }];
      }),
    );
  }

  /** Lets the program take over a grant that is there, perhaps in place of one that it manages. */
  private import(grants: Record<string, Declared>, name: string | undefined, unused: string | undefined): void {
    const { random } = this;
    const old = name === undefined || random.next() < 0.3 ? undefined : grants[name];
    const { inputs, ...provider } = this.readable();
    const key = old ? name : unused;
    if (!inputs || key === undefined || old?.isRead || old?.alias !== undefined) return;
    const others = Object.fromEntries(Object.entries(grants).filter(([each]) => each !== key));
    if (this.rivalOf(others, inputs)) return;
    grants[key] = { ...(old ?? {}), ...provider, inputs, isImported: true, isSecret: false };
  }

  /** Lets the program read a grant that it managed, manage one that it read, or read another one. */
  private readOrManage(grants: Record<string, Declared>, name: string | undefined, unused: string | undefined): void {
    const { random } = this;
    const { inputs: other, ...provider } = this.readable();
    const old = name === undefined ? undefined : grants[name];
    if (name === undefined || !old || random.next() < 0.4) {
      if (unused !== undefined && other) grants[unused] = { ...provider, inputs: other, isRead: true };
      return;
    }
    if (old.isRead) {
      grants[name] = { ...old, isRead: false, inputs: this.rivalOf(grants, old.inputs)?.inputs ?? old.inputs };
      return;
    }
    if (!other) return;
    const { alias: _alias, deletedWith: _owner, ...rest } = old;
    grants[name] = { ...rest, ...provider, inputs: other, isRead: true, isSecret: false };
  }

  /** A grant of the cloud and the provider of that cloud, if there is one. */
  private readable(): { inputs?: Values; provider?: string } {
    const { random, variety } = this;
    const provider = random.pick(variety.providers);
    const all = variety.readable(provider);
    return { ...(all.length > 0 ? { inputs: random.pick(all) } : {}), ...(provider === undefined ? {} : { provider }) };
  }

  /** In replace mode, the grant that the program declares on the same store. */
  private rivalOf(grants: Record<string, Declared>, inputs: Values): Declared | undefined {
    if (this.variety.mode === "merge") return undefined;
    return Object.values(grants).find((each) => !each.isRead && each.inputs.name === inputs.name);
  }

  private declared(grants: Record<string, Declared>): Declared {
    const { random } = this;
    const inputs = this.grant();
    const declared = this.withProvider({ inputs });
    const rival = this.rivalOf(grants, inputs);
    // As in `change`.
    const isContest = rival && rival.provider !== declared.provider && random.next() < 0.3;
    return {
      ...declared,
      inputs: isContest ? inputs : (rival?.inputs ?? inputs),
      ...(this.variety.mode === "merge" && random.next() < 0.04 ? { isSecret: true } : {}),
      ...(random.next() < 0.1 ? { deleteBeforeReplace: true } : {}),
      ...(random.next() < 0.1 ? { retainOnDelete: true } : {}),
    };
  }

  private withProvider({ provider: _old, ...declared }: Declared): Declared {
    const provider = this.random.pick(this.variety.providers);
    return provider === undefined ? declared : { ...declared, provider };
  }

  private grant(name = this.random.pick(this.variety.stores)): Values {
    return { name, role: this.random.pick(ROLES), member: this.random.pick(MEMBERS), ...condition(this.random) };
  }

  /** Changes a grant: its member, its role, its condition, or all of them and its store. */
  private change(grants: Record<string, Declared>, name: string): void {
    const { random } = this;
    const old = grants[name] as Declared;
    if (old.isRead) return;
    const other = this.grant(random.next() < 0.8 ? String(old.inputs.name) : undefined);
    const { condition: _condition, ...plain } = old.inputs;
    const inputs = random.pick([
      other,
      { ...old.inputs, member: other.member },
      { ...old.inputs, role: other.role },
      { ...plain, ...condition(random) },
    ]);
    // Two providers may each replace the policy, and the last one decides.
    const isContest = ({ provider }: Declared) => provider !== old.provider && random.next() < 0.3;
    for (const [each, declared] of Object.entries(grants)) {
      const isRival =
        this.variety.mode === "replace" &&
        !declared.isRead &&
        [old.inputs.name, inputs.name].includes(declared.inputs.name);
      const wanted = isRival && isContest(declared) ? this.grant(String(inputs.name)) : inputs;
      if (each === name || isRival) grants[each] = { ...declared, inputs: wanted, isImported: false };
    }
  }
}

/** Each depends on one that stands before it, or on none. */
function withDependencies(random: Random, grants: Record<string, Declared>): Record<string, Declared> {
  const names = Object.keys(grants);
  return Object.fromEntries(
    Object.entries(grants).map(([name, { dependsOn: _old, ...declared }], at) => [
      name,
      { ...declared, ...(at > 0 && random.next() < 0.2 ? { dependsOn: [names[random.below(at)] as string] } : {}) },
    ]),
  );
}
