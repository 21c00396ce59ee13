/** Random programs of grants, random policies, and random changes of both. */
import type { Values } from "../../provider/core/unknown";
import type { Policy } from "../../provider/iam/policy";
import { ADMIN_ROLE, ROLE, storeName } from "./grants";
import type { Random } from "./grants-random";
import type { Parent } from "./review-model-parents";
import type { Declared, ModelProgram } from "./review-model-program";
import { EXPIRED } from "./review-outcome";

export const STORES = 3;

export const MEMBERS = [
  "user:ada@example.com",
  "user:bob@example.com",
  "user:Bob@Example.com",
  "group:nurses@example.com",
  "serviceAccount:ci@demo-project.iam.gserviceaccount.com",
  "domain:example.org",
  "principal://iam.googleapis.com/locations/global/workforcePools/staff/subject/sam",
];
const FOREIGN_MEMBERS = [...MEMBERS, "deleted:user:bob@example.com?uid=123456789", "user:zoe@example.com"];
export const ROLES = [ROLE, "roles/healthcare.fhirStoreViewer", ADMIN_ROLE];
export const CONDITIONS = [
  { title: "until-july", expression: EXPIRED },
  { title: "until-july", expression: 'request.time < timestamp("2127-07-01T00:00:00Z")' },
  { title: "on-call", description: "night shifts", expression: "true" },
];
const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"];

export type Mode = "merge" | "replace";

function condition(random: Random): { condition?: (typeof CONDITIONS)[number] } {
  return random.next() < 0.35 ? { condition: random.pick(CONDITIONS) } : {};
}

/** What others have granted. */
export function randomPolicy(random: Random): Policy {
  const bindings = Array.from({ length: random.below(4) }, () => {
    const members = FOREIGN_MEMBERS.filter(() => random.next() < 0.35);
    const role = random.pick(ROLES);
    return { role, members: members.length > 0 ? members : [random.pick(FOREIGN_MEMBERS)], ...condition(random) };
  });
  return bindings.length > 0 ? { bindings } : {};
}

/** A change that somebody else makes. */
export function drifted(random: Random, policy: Policy): Policy {
  const bindings = (policy.bindings ?? []).map((each) => ({
    ...each,
    members: (each.members ?? []).filter(() => random.next() < 0.8),
  }));
  const added = randomPolicy(random).bindings ?? [];
  return { ...policy, bindings: [...bindings.filter(({ members }) => members.length > 0), ...added.slice(0, 1)] };
}

/** What a program may have beside grants of the default provider. */
export interface Variety {
  /** Settings of an explicit provider, asked for at its first use and at each change. */
  settings: () => Values;
  /** Names of providers to choose from; `undefined` is the default provider. */
  providers?: readonly (string | undefined)[];
  /** Grants that the program may read or import. Without, it does neither, and replaces no provider. */
  readable?: () => Values[];
  /**
   * Resources that another provider may manage: relative names by the names of the program. Without, no grant is deleted with
   * another resource either.
   */
  parents?: Readonly<Record<string, string>>;
}

/** Explicit providers are rarer than the default one. */
const PROVIDERS = [undefined, undefined, undefined, undefined, "eu"];

/** A program with a few changes; in replace mode it declares one grant for each store, perhaps by several resources. */
export class RandomProgram {
  private program: ModelProgram = { grants: {}, providers: {} };
  /** Names that another resource is deleted with. This model does not rename these. */
  private readonly owners = new Set<string>();

  constructor(
    private readonly random: Random,
    private readonly mode: Mode,
    private readonly variety: Variety,
  ) {}

  /** The program with a few random changes. */
  next(): ModelProgram {
    const { random } = this;
    // An alias names what the resource was called one update ago, and the engine accepts no alias of what is in the program.
    // It replaces no grant that keeps the option `import`.
    const grants: Record<string, Declared> = Object.fromEntries(
      Object.entries(this.program.grants).map(([name, { alias: _alias, isImported: _imported, ...rest }]) => [
        name,
        rest,
      ]),
    );
    const free = () => NAMES.filter((name) => !(name in grants) && !(name in this.program.grants));
    const changes = Object.keys(grants).length === 0 ? 4 : 1 + random.below(4);
    for (let at = 0; at < changes; at++) {
      const names = Object.keys(grants);
      const name = names.length > 0 ? random.pick(names) : undefined;
      const [unused] = free();
      if (this.variety.readable && random.next() < 0.2) {
        if (random.next() < 0.3) this.import(grants, name, unused);
        else this.readOrManage(grants, name, unused);
        continue;
      }
      const chance = random.next();
      if (name === undefined || chance < 0.3) {
        if (unused !== undefined) grants[unused] = this.declared(grants);
        continue;
      }
      const old = grants[name] as Declared;
      const move = (more: Partial<Declared> = {}) => {
        if (unused === undefined || name in (this.program.grants[unused] ?? {})) return;
        delete grants[name];
        grants[unused] = { ...old, ...more };
      };
      if (chance < 0.45) delete grants[name];
      else if (chance < 0.6) this.change(grants, name);
      else if (chance < 0.7) move();
      // The engine looks for no alias of what it reads.
      else if (chance < 0.77)
        move(
          name in this.program.grants && !old.isRead && !old.isImported && !this.owners.has(name)
            ? { alias: name }
            : {},
        );
      else if (chance < 0.87) {
        // Only one of the two can be what had the former name.
        if (unused !== undefined) grants[unused] = { ...old, alias: undefined, isImported: false };
      } else if (chance < 0.91) grants[name] = { ...old, deleteBeforeReplace: !old.deleteBeforeReplace };
      else if (chance < 0.95) grants[name] = { ...old, retainOnDelete: !old.retainOnDelete };
      else grants[name] = { ...old, provider: this.provider() };
    }
    const parents = this.parents();
    const dependent = this.withOwners(withDependencies(random, grants), Object.keys(parents));
    this.program = { grants: dependent, parents, ...this.providersOf(Object.values(dependent)) };
    return this.program;
  }

  /** The resources of another provider: mostly as they were. */
  private parents(): Record<string, Parent> {
    const { random, program } = this;
    const parents: [string, Parent][] = [];
    for (const [name, id] of Object.entries(this.variety.parents ?? {})) {
      const old = program.parents?.[name];
      const chance = random.next();
      if (!old && chance < 0.1) {
        const options = { deleteBeforeReplace: random.next() < 0.5, retainOnDelete: random.next() < 0.2 };
        parents.push([name, { id, version: 1, ...options }]);
      }
      if (old && chance > 0.2) parents.push([name, { ...old, version: old.version + (chance < 0.35 ? 1 : 0) }]);
    }
    return Object.fromEntries(parents);
  }

  /** Each grant is deleted with one that stands before it, with a parent, or on its own. */
  private withOwners(grants: Record<string, Declared>, parents: readonly string[]): Record<string, Declared> {
    const { random, variety } = this;
    if (!variety.parents) return grants;
    const names = [...parents, ...Object.keys(grants)];
    return Object.fromEntries(
      Object.entries(grants).map(([name, { deletedWith: _old, ...declared }]) => {
        const owner = random.pick(names);
        if (names.indexOf(owner) >= names.indexOf(name) || declared.isRead || random.next() < 0.5)
          return [name, declared];
        this.owners.add(owner);
        return [name, { ...declared, deletedWith: owner }];
      }),
    );
  }

  /** Lets the program take over a grant that is there, perhaps in place of one that it manages. */
  private import(grants: Record<string, Declared>, name: string | undefined, unused: string | undefined): void {
    const { random } = this;
    const readable = this.variety.readable?.() ?? [];
    const old = name === undefined || random.next() < 0.3 ? undefined : grants[name];
    const key = old ? name : unused;
    if (readable.length === 0 || key === undefined || old?.isRead || old?.alias !== undefined) return;
    const inputs = random.pick(readable);
    const others = Object.fromEntries(Object.entries(grants).filter(([each]) => each !== key));
    if (this.rivalOf(others, inputs)) return;
    grants[key] = { ...(old ?? { provider: this.provider() }), inputs, isImported: true };
  }

  /** The explicit providers in use: mostly with the settings that they had. */
  private providersOf(grants: readonly Declared[]): Omit<ModelProgram, "grants"> {
    const { random, variety, program } = this;
    const names = new Set(grants.flatMap(({ provider }) => provider ?? []));
    const isNew = (name: string) => !(name in program.providers) || (variety.readable && random.next() < 0.25);
    const providers = [...names].map((name) => [name, isNew(name) ? variety.settings() : program.providers[name]]);
    return {
      providers: Object.fromEntries(providers) as ModelProgram["providers"],
      ...(variety.readable
        ? {
            replaced: [...names].filter((name) => name in program.providers && random.next() < 0.2),
            looksUp: !variety.providers?.includes("default") && random.next() < 0.1,
          }
        : {}),
    };
  }

  private provider(): string | undefined {
    return this.random.pick(this.variety.providers ?? PROVIDERS);
  }

  /** Lets the program read a grant that it managed, manage one that it read, or read another one. */
  private readOrManage(grants: Record<string, Declared>, name: string | undefined, unused: string | undefined): void {
    const { random } = this;
    const readable = this.variety.readable?.() ?? [];
    const other = readable.length > 0 ? random.pick(readable) : undefined;
    const old = name === undefined ? undefined : grants[name];
    if (name === undefined || !old || random.next() < 0.4) {
      if (unused !== undefined && other) grants[unused] = { inputs: other, isRead: true, provider: this.provider() };
      return;
    }
    if (old.isRead && random.next() < 0.7) {
      grants[name] = { ...old, isRead: false, inputs: this.rivalOf(grants, old.inputs)?.inputs ?? old.inputs };
      return;
    }
    const inputs = other && random.next() < 0.5 ? other : old.inputs;
    grants[name] = { ...old, inputs, isRead: true, alias: undefined };
  }

  /** In replace mode, the grant that the program declares on the same store. */
  private rivalOf(grants: Record<string, Declared>, inputs: Values): Declared | undefined {
    if (this.mode === "merge") return undefined;
    return Object.values(grants).find((each) => !each.isRead && each.inputs.name === inputs.name);
  }

  private declared(grants: Record<string, Declared>): Declared {
    const { random } = this;
    const inputs = this.grant();
    const provider = this.provider();
    const rival = this.rivalOf(grants, inputs);
    // As in `change`.
    const isContest = this.variety.readable && rival && rival.provider !== provider && random.next() < 0.5;
    return {
      inputs: isContest ? inputs : (rival?.inputs ?? inputs),
      ...(random.next() < 0.1 ? { deleteBeforeReplace: true } : {}),
      ...(random.next() < 0.1 ? { retainOnDelete: true } : {}),
      ...(provider === undefined ? {} : { provider }),
    };
  }

  private grant(name = storeName(this.random.below(STORES))): Values {
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
    const isContest = ({ provider }: Declared) =>
      this.variety.readable && provider !== old.provider && random.next() < 0.5;
    for (const [each, declared] of Object.entries(grants)) {
      const isRival =
        this.mode === "replace" && !declared.isRead && [old.inputs.name, inputs.name].includes(declared.inputs.name);
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
      { ...declared, ...(at > 0 && random.next() < 0.25 ? { dependsOn: [names[random.below(at)] as string] } : {}) },
    ]),
  );
}
