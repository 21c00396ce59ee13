/** Random changes of the names of resources, and of what else makes a resource another one for the engine. */
import type { Draft } from "./draft";
import { changeValues } from "./value-changes";

export function rename(draft: Draft, has: { alias: boolean; change: boolean }): void {
  const name = draft.any();
  if (name === undefined) return;
  const renamed = draft.rename(name, has.alias);
  if (has.change) changeValues(draft, renamed);
}

/** Another name, which spells the project in the other way. */
export function renameProject(draft: Draft): void {
  const name = draft.any();
  if (name === undefined) return;
  const renamed = draft.rename(name, draft.random.next() < 0.3);
  draft.set(renamed, { ...draft.get(renamed), byNumber: !draft.get(renamed).byNumber });
}

/** All resources on a target get other names, with the project in the other spelling, while others are made beside them. */
export function renameProjects(draft: Draft): void {
  const on = draft.random.pick(draft.variety.targets);
  const names = draft.names().filter((name) => draft.isFree(name) && draft.get(name).on === on);
  for (const name of names) {
    const renamed = draft.rename(name, false);
    draft.set(renamed, { ...draft.get(renamed), byNumber: !draft.get(renamed).byNumber });
  }
  draft.add(draft.declaration());
}

/** Another explicit provider, with another name, or with the same one: then the engine replaces the resource. */
export function move(draft: Draft): void {
  let name = draft.any();
  if (name === undefined) return;
  if (draft.random.next() < 0.6) name = draft.rename(name, false);
  draft.set(name, { ...draft.get(name), provider: draft.declaration().provider });
}
