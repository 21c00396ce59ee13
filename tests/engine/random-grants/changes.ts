/** Random changes of a program of grants. */
import type { Random } from "../../support/grants-random";
import { ASSOCIATION_CHANGES, addAssociation } from "./association-changes";
import { Draft, type Variety } from "./draft";
import { conflictIn, grantsOf, type GrantDeclaration, type Program } from "./program";
import { move, rename, renameProject, renameProjects } from "./renames";
import { changeOptions, changeValues, hide, respell } from "./value-changes";

const FEWEST = 2;
const MOST = 9;
/** So many changes that break a rule are thrown away before the program stays as it is. */
const TRIES = 40;

/** Returns a program to begin with. */
export function firstProgram(random: Random, variety: Variety): Program {
  const size = 3 + random.below(4);
  const grants = drafted({}, size, random, variety, () => add);
  return drafted(grants, random.below(2), random, variety, () => addAssociation);
}

/**
 * Returns the next program: the given one with one to three changes. It is never one that must be refused.
 *
 * @param settled the program of the state. Default: the given one.
 */
export function changed(program: Program, random: Random, variety: Variety, settled = program): Program {
  const choose = (size: number) => {
    if (size < FEWEST) return add;
    if (variety.associations.length > 0 && random.next() < 0.3) return random.pick(ASSOCIATION_CHANGES);
    return size > MOST ? remove : random.pick(CHANGES);
  };
  return drafted(program, 1 + random.below(3), random, variety, choose, settled);
}

type Change = (draft: Draft) => void;

function drafted(
  program: Program,
  changes: number,
  random: Random,
  variety: Variety,
  choose: (size: number) => Change,
  settled = program,
): Program {
  let current = program;
  for (let made = 0, tries = 0; made < changes && tries < TRIES; tries++) {
    // Each change sees the names of the program before it, so that a new name is not an old one by accident.
    const draft = new Draft(current, settled, random, variety);
    choose(draft.size)(draft);
    const next = draft.program();
    if (conflictIn(next, variety.mode) !== undefined) continue;
    current = next;
    made++;
  }
  return current;
}

/** Returns the program in which a resource with this member goes, changes or gets another name. */
export function givenUp(program: Program, member: string, random: Random, variety: Variety): Program {
  const draft = new Draft(program, program, random, variety);
  const name = draft.pick(({ members }) => members.some((each) => each.toLowerCase() === member));
  if (name === undefined) return program;
  random.pick<(name: string) => void>([
    (each) => draft.remove(each),
    (each) => changeValues(draft, each),
    (each) => changeValues(draft, each),
    (each) => changeValues(draft, draft.rename(each, random.next() < 0.5)),
    (each) => draft.rename(each, random.next() < 0.5),
  ])(name);
  const next = draft.program();
  return conflictIn(next, variety.mode) === undefined ? next : program;
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

/** One of two resources with the same grant changes. If it is deleted first, its delete removes the grant of the other one. */
function changeOfTwo(draft: Draft): void {
  const isOfTwo = (declaration: GrantDeclaration, name: string) =>
    draft.names().some((other) => other !== name && sharesGrant(draft.get(other), declaration));
  const name = draft.pick(isOfTwo);
  if (name === undefined) return duplicate(draft);
  draft.set(name, { ...draft.get(name), deleteBeforeReplace: draft.random.next() < 0.7 });
  changeValues(draft, name);
}

function sharesGrant(left: GrantDeclaration, right: GrantDeclaration): boolean {
  const grants = grantsOf(right);
  return grantsOf(left).some((grant) => grants.includes(grant));
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
  const binding: GrantDeclaration = {
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
  changeOptions,
  renameProject,
  renameProjects,
  renameProjects,
  hide,
  hide,
  respell,
];
