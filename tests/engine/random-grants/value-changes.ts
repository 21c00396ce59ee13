/** Random changes of the values and the options of a resource, which keeps its kind and its name. */
import type { Draft } from "./draft";
import { CONDITION_NAMES, targetOf } from "./grant-text";
import type { GrantDeclaration } from "./program";

/** Changes that keep the kind and the name of a resource. */
const VALUES: ((declaration: GrantDeclaration, draft: Draft) => Partial<GrantDeclaration>)[] = [
  ({ on, role }, { random }) => ({ role: random.pick(targetOf(on).roles.filter((each) => each !== role)) }),
  otherMembers,
  otherMembers,
  ({ condition }, { random }) => ({
    condition: random.pick([undefined, ...CONDITION_NAMES].filter((each) => each !== condition)),
  }),
  (_, draft) => {
    const { on, role } = draft.declaration();
    return { on, role };
  },
  ({ byNumber }) => ({ byNumber: !byNumber }),
];

/** A secret member often stays, at another place of the list. */
function otherMembers({ members, kind, secret }: GrantDeclaration, draft: Draft): Partial<GrantDeclaration> {
  const others = draft.otherMembers(members, kind);
  if (secret === undefined || draft.random.next() < 0.4) return { members: others };
  return { members: [...others.slice(0, 1), secret, ...others.slice(1)] };
}

/** @param name the resource; default: any */
export function changeValues(draft: Draft, name = draft.any()): void {
  if (name === undefined) return;
  const before = draft.get(name);
  draft.set(name, { ...before, ...draft.random.pick(VALUES)(before, draft) });
}

export function changeOptions(draft: Draft): void {
  const name = draft.random.pick(draft.names());
  const declaration = draft.get(name);
  const option = draft.random.pick([
    "deleteBeforeReplace",
    "deleteBeforeReplace",
    "retainOnDelete",
    "protect",
    "isShort",
    "isShort",
  ] as const);
  draft.set(name, { ...declaration, [option]: !declaration[option] });
}

/** A binding gets a secret member, or another one. */
export function hide(draft: Draft): void {
  const name = draft.pick(({ kind }) => kind === "binding");
  if (name !== undefined) draft.set(name, draft.withSecret(draft.get(name)));
}

/** The same member in another letter case. */
export function respell(draft: Draft): void {
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
