/** Random changes of a program of grants. */
import type { Random } from "../../support/grants-random";
import { Draft, type Variety } from "./draft";
import { conflictIn, CONDITION_NAMES, grantsOf, targetOf, type Declaration, type Program } from "./program";

const FEWEST = 2;
const MOST = 9;
/** So many changes that break a rule are thrown away before the program stays as it is. */
const TRIES = 40;

/** Returns a program to begin with. */
export function firstProgram(random: Random, variety: Variety): Program {
  const size = 3 + random.below(4);
  return drafted({}, size, random, variety, () => add);
}

/** Returns the next program: the given one with one to three changes. It is never one that must be refused. */
export function changed(program: Program, random: Random, variety: Variety): Program {
  const next = drafted(program, 1 + random.below(3), random, variety, (size) => {
    if (size < FEWEST) return add;
    return size > MOST ? remove : random.pick(CHANGES);
  });
  return next;
}

type Change = (draft: Draft) => void;

function drafted(
  program: Program,
  changes: number,
  random: Random,
  variety: Variety,
  choose: (size: number) => Change,
): Program {
  let current = program;
  for (let made = 0, tries = 0; made < changes && tries < TRIES; tries++) {
    // Each change sees the names of the program before it, so that a new name is not an old one by accident.
    const draft = new Draft(current, program, random, variety);
    choose(draft.size)(draft);
    const next = draft.program();
    if (conflictIn(next, variety.mode) !== undefined) continue;
    current = next;
    made++;
  }
  return current;
}

/** Returns a program that must be refused: a protected resource is gone, or two resources undo each other. */
export function refusable(program: Program, random: Random, variety: Variety): Program | undefined {
  const kept = Object.keys(program).filter((name) => program[name]?.protect);
  if (kept.length === 0) return conflicting(program, random, variety);
  const draft = new Draft(program, program, random, variety);
  draft.remove(random.pick(kept));
  return draft.program();
}

/** Adds a resource that undoes another one. */
function conflicting(program: Program, random: Random, variety: Variety): Program | undefined {
  for (let tries = 0; tries < TRIES; tries++) {
    const draft = new Draft(program, program, random, variety);
    const name = draft.any();
    if (name === undefined) return undefined;
    const { on, role, condition, provider, byNumber = false } = draft.get(name);
    const own = draft.declaration();
    draft.add({
      ...own,
      on,
      role,
      condition,
      byNumber: random.next() < 0.4 ? !byNumber : byNumber,
      // In the mode `replace`, the provider does not know what grants of other explicit providers replace.
      provider: variety.mode === "replace" ? provider : own.provider,
      // The order of the two is certain, so that the check of the second can know of the first.
      dependsOn: name,
    });
    const next = draft.program();
    if (conflictIn(next, variety.mode) !== undefined) return next;
  }
  return undefined;
}

function add(draft: Draft): void {
  draft.add(draft.declaration());
}

/** Two resources for one grant, perhaps under two spellings of the project or two providers. */
function duplicate(draft: Draft): void {
  const name = draft.pick(({ kind }) => kind === "member");
  if (name === undefined) return;
  const { dependsOn: _order, alias: _alias, ...same } = draft.get(name);
  const { random } = draft;
  const { provider, byNumber } = draft.declaration();
  draft.add({
    ...same,
    provider,
    deleteBeforeReplace: random.next() < 0.5,
    byNumber: random.next() < 0.3 ? byNumber : same.byNumber,
  });
}

function remove(draft: Draft): void {
  const name = draft.any();
  if (name !== undefined) draft.remove(name);
}

/** Changes that keep the kind and the name of a resource. */
const VALUES: ((declaration: Declaration, draft: Draft) => Partial<Declaration>)[] = [
  ({ on, role }, { random }) => ({ role: random.pick(targetOf(on).roles.filter((each) => each !== role)) }),
  ({ members, kind }, draft) => ({ members: draft.otherMembers(members, kind) }),
  ({ members, kind }, draft) => ({ members: draft.otherMembers(members, kind) }),
  ({ condition }, { random }) => ({
    condition: random.pick([undefined, ...CONDITION_NAMES].filter((each) => each !== condition)),
  }),
  (_, draft) => {
    const { on, role } = draft.declaration();
    return { on, role };
  },
  ({ byNumber }) => ({ byNumber: !byNumber }),
];

/** @param name the resource; default: any */
function changeValues(draft: Draft, name = draft.any()): void {
  if (name === undefined) return;
  const before = draft.get(name);
  draft.set(name, { ...before, ...draft.random.pick(VALUES)(before, draft) });
}

/** One of two resources with the same grant changes. If it is deleted first, its delete removes the grant of the other one. */
function changeOfTwo(draft: Draft): void {
  const isOfTwo = (declaration: Declaration, name: string) =>
    draft.names().some((other) => other !== name && sharesGrant(draft.get(other), declaration));
  const name = draft.pick(isOfTwo);
  if (name === undefined) return duplicate(draft);
  draft.set(name, { ...draft.get(name), deleteBeforeReplace: draft.random.next() < 0.7 });
  changeValues(draft, name);
}

function sharesGrant(left: Declaration, right: Declaration): boolean {
  const grants = grantsOf(right);
  return grantsOf(left).some((grant) => grants.includes(grant));
}

function rename(draft: Draft, has: { alias: boolean; change: boolean }): void {
  const name = draft.any();
  if (name === undefined) return;
  const renamed = draft.rename(name, has.alias);
  if (has.change) changeValues(draft, renamed);
}

function membersToBinding(draft: Draft): void {
  const name = draft.pick(({ kind }) => kind === "member");
  if (name === undefined) return;
  const { random } = draft;
  const first = draft.get(name);
  const { dependsOn: _order, alias: _alias, ...rest } = first;
  const all = draft.namesOfKey(first);
  if (!all.every((each) => draft.isFree(each))) return;
  const members = [...new Set(all.flatMap((each) => draft.get(each).members))];
  for (const each of all) draft.remove(each);
  const binding: Declaration = {
    ...rest,
    kind: "binding",
    members: random.next() < 0.4 ? draft.otherMembers(members, "binding") : members,
    byNumber: random.next() < 0.3 ? !first.byNumber : first.byNumber,
    provider: random.next() < 0.3 ? draft.declaration().provider : first.provider,
  };
  draft.add(binding, random.next() < 0.3 ? name : undefined);
}

function bindingToMembers(draft: Draft): void {
  const name = draft.pick(({ kind }) => kind === "binding");
  if (name === undefined) return;
  const { random } = draft;
  const { dependsOn: _order, alias: _alias, ...binding } = draft.get(name);
  const byNumber = random.next() < 0.3 ? !binding.byNumber : binding.byNumber;
  draft.remove(name);
  for (const [at, member] of binding.members.entries()) {
    if (at > 0 && random.next() < 0.2) continue;
    draft.add(
      { ...binding, byNumber, kind: "member", members: [member] },
      at === 0 && random.next() < 0.3 ? name : undefined,
    );
  }
}

/** Some members of a binding get a binding of another role or condition. */
function split(draft: Draft): void {
  const name = draft.pick(({ kind, members }) => kind === "binding" && members.length > 1);
  if (name === undefined) return;
  const { random } = draft;
  const binding = draft.get(name);
  const at = 1 + random.below(binding.members.length - 1);
  const own = draft.declaration();
  const role = draft.roleOn(binding.on, own.role);
  draft.set(name, { ...binding, members: binding.members.slice(0, at) });
  draft.add({ ...own, kind: "binding", on: binding.on, role, members: binding.members.slice(at) });
}

/** A binding takes over the members of another one. */
function join(draft: Draft): void {
  const into = draft.pick(({ kind }) => kind === "binding");
  if (into === undefined) return;
  const target = draft.get(into);
  const from = draft.pick(({ kind, on }, name) => kind === "binding" && name !== into && on === target.on);
  if (from === undefined) return;
  draft.set(into, { ...target, members: [...new Set([...target.members, ...draft.get(from).members])] });
  draft.remove(from);
}

/** Another explicit provider, with another name, or with the same one: then the engine replaces the resource. */
function move(draft: Draft): void {
  let name = draft.any();
  if (name === undefined) return;
  if (draft.random.next() < 0.6) name = draft.rename(name, false);
  draft.set(name, { ...draft.get(name), provider: draft.declaration().provider });
}

function changeOptions(draft: Draft): void {
  const name = draft.random.pick(draft.names());
  const declaration = draft.get(name);
  const option = draft.random.pick([
    "deleteBeforeReplace",
    "deleteBeforeReplace",
    "retainOnDelete",
    "protect",
  ] as const);
  draft.set(name, { ...declaration, [option]: !declaration[option] });
}

/** The same member in another letter case. */
function respell(draft: Draft): void {
  const name = draft.any();
  if (name === undefined) return;
  const declaration = draft.get(name);
  const at = draft.random.below(declaration.members.length);
  const members = declaration.members.map((member, each) => (each === at ? otherCase(member) : member));
  draft.set(name, { ...declaration, members });
}

function otherCase(member: string): string {
  const small = member.toLowerCase();
  return member === small ? member.replace("example", "Example") : small;
}

const CHANGES: Change[] = [
  add,
  add,
  duplicate,
  duplicate,
  remove,
  remove,
  (draft) => changeValues(draft),
  (draft) => changeValues(draft),
  (draft) => changeValues(draft),
  changeOfTwo,
  changeOfTwo,
  (draft) => rename(draft, { alias: false, change: false }),
  (draft) => rename(draft, { alias: false, change: true }),
  (draft) => rename(draft, { alias: true, change: false }),
  (draft) => rename(draft, { alias: true, change: true }),
  (draft) => rename(draft, { alias: true, change: true }),
  membersToBinding,
  membersToBinding,
  bindingToMembers,
  bindingToMembers,
  split,
  join,
  move,
  changeOptions,
  respell,
];
