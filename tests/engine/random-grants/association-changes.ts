/** Random changes of the associations of a program. Their ids and labels go there and back. */
import type { Draft } from "./draft";
import type { AssociationDeclaration } from "./program";

type Change = (draft: Draft) => void;

/** The two ids, and the two networks, of an association. The API accepts one association for each network. */
const other = (text: string): string => (text.endsWith("2") ? text.slice(0, -1) : `${text}2`);
const LABELS = ["red", "blue"];

/** Adds an association that neither this program nor the one before has: its id may still be taken. */
export function addAssociation(draft: Draft): void {
  const { before, variety, random } = draft;
  const taken = [...Object.values(before), ...draft.associations().map(([, each]) => each)].flatMap((each) =>
    each.kind === "association" ? [each.id, other(each.id)] : [],
  );
  const free = variety.associations.filter((id) => !taken.includes(id));
  if (free.length === 0) return;
  const id = random.pick(free);
  draft.addAssociation({
    kind: "association",
    id,
    network: id,
    label: random.pick(LABELS),
    isReplacedForLabels: random.next() < 0.3,
    deleteBeforeReplace: random.next() < 0.3,
  });
}

/** Changes an association. One that would be made a second time, under another name, cannot be added before the delete. */
function change(make: (association: AssociationDeclaration, draft: Draft) => Partial<AssociationDeclaration>): Change {
  return (draft) => {
    const all = draft.associations();
    if (all.length === 0) return addAssociation(draft);
    const [name, association] = draft.random.pick(all);
    draft.set(name, { ...association, ...make(association, draft) });
  };
}

function remove(draft: Draft): void {
  const [association] = draft.associations();
  if (association) draft.remove(association[0]);
}

function rename(draft: Draft): void {
  const [association] = draft.associations();
  // A second association of this name cannot be made before the delete of the first, so a rename needs an alias.
  if (association && draft.before[association[0]]?.kind === "association") draft.rename(association[0], true);
}

const otherLabel = ({ label }: AssociationDeclaration): string => LABELS.find((each) => each !== label) ?? label;

/** There, and back with the next change of this kind. */
const otherId = change(({ id, ...rest }, { random }) => ({
  id: other(id),
  ...(random.next() < 0.5 ? { label: otherLabel({ id, ...rest }) } : {}),
  ...(random.next() < 0.2 ? { network: other(rest.network) } : {}),
}));

export const ASSOCIATION_CHANGES: readonly Change[] = [
  addAssociation,
  otherId,
  otherId,
  otherId,
  otherId,
  change((association) => ({ label: otherLabel(association) })),
  change((association) => ({ label: otherLabel(association) })),
  change(({ network }) => ({ network: other(network) })),
  change(({ isReplacedForLabels }) => ({ isReplacedForLabels: !isReplacedForLabels })),
  change(({ deleteBeforeReplace }) => ({ deleteBeforeReplace: !deleteBeforeReplace })),
  rename,
  remove,
];
