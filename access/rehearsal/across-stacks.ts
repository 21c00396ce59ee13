import { groupedBy } from "../result/order";
import type { Uncertainty } from "../result/result";
import { shortNameOf, typeIn } from "../result/urn";
import { conflictsAmong, ownerSentence, type Declaration } from "./owners";
import { takenAmong, type Taken, type Taking } from "./takings";

/** A stack, what its resources declare, and what its steps take out of policies and access lists. */
interface Declaring {
  label: string;
  declared: readonly Declaration[];
  takes: readonly Taking[];
}

type OfStack<Each> = Each & { label: string };

/**
 * What the updates of several stacks do to one policy or one access list.
 *
 * @returns by stack: what depends on the order of the updates or is not read, and what another stack takes from it
 */
export function acrossStacks(all: readonly Declaring[]): {
  notes: string[];
  unknown: Map<string, Uncertainty[]>;
  taken: Map<string, Taken<OfStack<Taking>, OfStack<Declaration>>[]>;
} {
  const declared = all.flatMap(({ label, declared }) => declared.map((each) => ({ ...each, label })));
  const takings = all.flatMap(({ label, takes }) => takes.map((each) => ({ ...each, label })));
  const areOfTwo = (one: { label: string }, other: { label: string }) => one.label !== other.label;
  const conflicts = conflictsAmong(declared, areOfTwo);
  const takes = takenAmong(takings, declared, areOfTwo);
  const unknown = [
    ...conflicts.flatMap(({ owner, others }) => {
      const racing = others.filter(({ isWritten }) => isWritten);
      if (!owner.isWritten || racing.length === 0) return [];
      const what = `${nameOf(owner)} removes all that it does not name, ${racing.map(nameOf).join(", ")} writes there, too`;
      return [doubtOn(owner, "no order", `${what}, and the last update decides`)];
    }),
    ...takes.flatMap(({ by, from, doubt }) => {
      if (doubt === undefined) return [];
      if (doubt === "order") {
        const what = `${nameOf(by)} removes what ${nameOf(from)} writes, and the last update decides`;
        return [doubtOn(from, "no order", what)];
      }
      if (doubt === "container") {
        return [doubtOn(from, "deleted resource", `${nameOf(by)} deletes ${by.name}, which contains it`)];
      }
      const { label, fact } = doubtOn(from, "other provider", mayTake(by, from));
      return [
        { label, fact: { ...fact, type: typeIn(from.urn), ...(by.digest !== undefined && { digest: by.digest }) } },
      ];
    }),
  ];
  const notes = [
    ...takes
      .filter(({ doubt }) => doubt === undefined)
      .map(
        ({ by, from }) =>
          `${nameOf(by)} removes from ${from.resource} what ${nameOf(from)} declares: the grant is lost until the other stack is refreshed`,
      ),
    ...conflicts.map((conflict) => `${ownerSentence(conflict, nameOf)}. Declare it in one stack`),
    ...sharedGrants(declared),
  ];
  const byStack = groupedBy(unknown, ({ label }) => label);
  return {
    notes,
    unknown: new Map([...byStack].map(([label, each]) => [label, each.map(({ fact }) => fact)])),
    taken: groupedBy(takes, ({ from }) => from.label),
  };
}

function mayTake(by: OfStack<Taking>, from: OfStack<Declaration>): string {
  return `${nameOf(by)} changes or deletes all of which ${nameOf(from)} declares a part`;
}

function doubtOn(
  { urn, label, resource }: OfStack<Declaration>,
  code: "no order" | "other provider" | "deleted resource",
  what: string,
): { label: string; fact: Uncertainty } {
  const message = `It is unknown who has access to ${resource} after the updates of both stacks: ${what}`;
  return { label, fact: { code, message, step: urn } };
}

function nameOf({ urn, label }: { urn: string; label: string }): string {
  return `${shortNameOf(urn)} of ${label}`;
}

/** Two stacks that declare the same grant: what one of them removes, the other one has in its state. */
function sharedGrants(declared: ReadonlyArray<OfStack<Declaration>>): string[] {
  const grants = declared.flatMap((by) => [...by.grants].map((grant) => ({ by, key: `${by.policy} ${grant}` })));
  const byGrant = [...groupedBy(grants, ({ key }) => key).values()].map((each) => each.map(({ by }) => by));
  const shared = byGrant.filter((each) => new Set(each.map(({ label }) => label)).size > 1);
  const sentences = shared.map((each) => {
    const who = each.map(nameOf).join(" and ");
    return `${who} declare the same grant on ${each[0]?.resource ?? ""}: when one stack removes it, the other loses it, too`;
  });
  return [...new Set(sentences)];
}
