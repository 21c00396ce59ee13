import { groupedBy } from "../result/order";
import type { Uncertainty } from "../result/result";
import { shortNameOf, typeIn } from "../result/urn";
import { conflictsAmong, ownerSentence, type Declaration } from "./owners";
import { takenAmong, type Taken, type Taking } from "./takings";

/** A stack, what its resources declare, and what its steps take out of policies. */
interface Declaring {
  label: string;
  declared: readonly Declaration[];
  takes: readonly Taking[];
}

/** What two stacks do to one policy. */
interface Together {
  notes: string[];
  /** By stack: what depends on the order of the updates, and what another stack takes from it. */
  unknown: Map<string, Uncertainty[]>;
  taken: Map<string, Taken[]>;
}

/** What the updates of several stacks do to one policy. */
export function acrossStacks(all: readonly Declaring[]): Together {
  const stackOf = new Map(all.flatMap(({ label, declared }) => declared.map((each) => [each, label] as const)));
  const labelOf = (each: Declaration) => stackOf.get(each) ?? "";
  const nameOf = (each: Declaration) => `${shortNameOf(each.urn)} of ${labelOf(each)}`;
  const declared = [...stackOf.keys()];
  const conflicts = conflictsAmong(declared, (owner, other) => labelOf(owner) !== labelOf(other));
  const unknown = new Map<string, Uncertainty[]>();
  for (const { owner, others } of conflicts) {
    const racing = others.filter(({ isWritten }) => isWritten);
    if (!owner.isWritten || racing.length === 0) continue;
    const message =
      `It is unknown who has access to ${owner.resource} after the updates of both stacks: ${nameOf(owner)} removes all that it ` +
      `does not name, ${racing.map(nameOf).join(", ")} writes there, too, and the last update decides`;
    const label = labelOf(owner);
    unknown.set(label, [...(unknown.get(label) ?? []), { code: "no order", message, step: owner.urn }]);
  }
  const takerOf = new Map(all.flatMap(({ label, takes }) => takes.map((each) => [each, label] as const)));
  const takes = takenAmong([...takerOf.keys()], declared, (by, from) => takerOf.get(by) !== labelOf(from));
  for (const { by, from, doubt } of takes) {
    if (doubt === undefined) continue;
    const label = labelOf(from);
    const [code, what] =
      doubt === "order"
        ? (["no order", `removes what ${nameOf(from)} writes, and the last update decides`] as const)
        : (["other provider", `changes or deletes the access list in which ${nameOf(from)} has an entry`] as const);
    const message =
      `It is unknown who has access to ${from.resource} after the updates of both stacks: ${shortNameOf(by.urn)} of ` +
      `${takerOf.get(by) ?? ""} ${what}`;
    const type = code === "other provider" && { type: typeIn(from.urn) };
    unknown.set(label, [...(unknown.get(label) ?? []), { code, message, step: from.urn, ...type }]);
  }
  const taken = groupedBy(takes, ({ from }) => labelOf(from));
  const notes = [
    ...takes
      .filter(({ doubt }) => doubt === undefined)
      .map(({ by, from }) => {
        const who = `${shortNameOf(by.urn)} of ${takerOf.get(by) ?? ""}`;
        return `${who} removes from ${from.resource} what ${nameOf(from)} declares: the grant is lost until the other stack is refreshed`;
      }),
    ...conflicts.map((conflict) => `${ownerSentence(conflict, nameOf)}. Declare it in one stack`),
    ...sharedGrants(declared, labelOf, nameOf),
  ];
  return { notes, unknown, taken };
}

/** Two stacks that declare the same grant: what one of them removes, the other one has in its state. */
function sharedGrants(
  declared: readonly Declaration[],
  labelOf: (each: Declaration) => string,
  nameOf: (each: Declaration) => string,
): string[] {
  const grants = declared.flatMap((by) => [...by.grants].map((grant) => ({ by, key: `${by.policy} ${grant}` })));
  const byGrant = [...groupedBy(grants, ({ key }) => key).values()].map((each) => each.map(({ by }) => by));
  const shared = byGrant.filter((each) => new Set(each.map(labelOf)).size > 1);
  const sentences = shared.map((each) => {
    const [first] = each;
    return (
      `${each.map(nameOf).join(" and ")} declare the same grant on ${first?.resource ?? ""}: when one stack removes it, the other ` +
      "loses it, too"
    );
  });
  return [...new Set(sentences)];
}
