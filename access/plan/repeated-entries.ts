import { comparableMember } from "../../provider/iam/member";
import { datasetRolesOf } from "../result/dataset-roles";
import { groupedBy } from "../result/order";
import type { AccessChanged, Uncertainty } from "../result/result";
import { shortNameOf } from "../result/urn";
import { shortTypeOf, type ForeignKind } from "../meaning/meaning";
import type { Step } from "./steps";

/**
 * Entries of an access list that one step removes and another one makes, such as after a new name in the program. No provider of them
 * knows of the other step. The engine deletes last, so what the program still has is lost, or cannot be made.
 */

/** A step on a list, and what it says that it changes. */
export interface ListedStep {
  step: Step;
  kind: ForeignKind;
  /** The list. */
  resource: string;
  changes: AccessChanged[];
  /** What is unknown of an entry that another step has, too. */
  doubt?: Uncertainty;
  /** A sentence about such an entry. */
  note?: string;
}

/** A step that removes an entry, and one that makes the same. */
interface Repeated<T> {
  gone: T;
  lost: AccessChanged;
  made: T;
  gained: AccessChanged;
}

/** The steps without the changes that are none, and with what is known of the entries that two of them have. */
export function withRepeatedEntries<T extends ListedStep>(steps: readonly T[]): T[] {
  const repeated = repeatedIn(steps);
  if (repeated.length === 0) return [...steps];
  const dropped = new Set<AccessChanged>();
  const doubts = new Map<T, Uncertainty>();
  const notes = new Map<T, string>();
  for (const { gone, lost, made, gained } of repeated) {
    dropped.add(gained);
    const isFirst = gone.step.removal === "first";
    const isBefore = isFirst && (made.step.new?.dependencies ?? []).includes(gone.step.urn);
    const isRefused = made.kind.ifThere === "refused";
    const [old, next] = [shortNameOf(gone.step.urn), shortNameOf(made.step.urn)];
    if (isBefore) dropped.add(lost);
    else if (isFirst || isRefused) {
      dropped.add(lost);
      const why = isFirst
        ? "the plan does not show their order. Make one depend on the other (dependsOn)"
        : `the create of an entry that is there fails, and Pulumi deletes ${old} last. Give ${next} the alias of ${old}`;
      const code = isFirst ? "no order" : "unsupported";
      const what = `${gained.principal} has ${gained.role} in ${made.resource}`;
      const message = `It is unknown whether ${what} after the update: ${old} removes this entry, ${next} makes it, and ${why}`;
      doubts.set(made, { code, message, step: made.step.urn });
    } else {
      const what = `${gained.principal} in ${made.resource}`;
      const isOne = gone.step === made.step;
      const advice = isOne ? `Replace ${next} with deleteBeforeReplace` : `Give ${next} the alias of ${old}`;
      const goes = `the delete of ${isOne ? "its old resource" : old} takes away at the end of the update`;
      notes.set(made, `${next} declares an entry that ${goes}: ${what}. ${advice}`);
    }
  }
  return steps.flatMap((each) => {
    const [doubt, note] = [doubts.get(each), notes.get(each)];
    const changes = each.changes.filter((change) => !dropped.has(change));
    if (changes.length === 0 && each.changes.length > 0 && !doubt && note === undefined) return [];
    return [{ ...each, changes, ...(doubt && { doubt }), ...(note !== undefined && { note }) }];
  });
}

function repeatedIn<T extends ListedStep>(steps: readonly T[]): Repeated<T>[] {
  const entries = steps
    .filter(({ kind }) => kind.isEntry && !kind.isRemoval)
    .flatMap((of) => of.changes.filter(({ hidden }) => hidden === undefined).map((change) => ({ of, change })));
  return [...groupedBy(entries, keyOf).values()].flatMap((all) => {
    const goes = all.find(({ of, change }) => change.change === "lost" && ["first", "last"].includes(of.step.removal));
    if (!goes) return [];
    const isOfOne = ({ step, kind }: T) =>
      step === goes.of.step && (kind.ifThere === "refused" || step.removal === "first");
    return all
      .filter(({ of, change }) => change.change !== "lost" && !isOfOne(of))
      .map(({ of: made, change: gained }) => ({ gone: goes.of, lost: goes.change, made, gained }));
  });
}

function keyOf({ of, change }: { of: ListedStep; change: AccessChanged }): string {
  const list = listOfEntry(of);
  return JSON.stringify([list, of.resource, keyOfEntry(list, change)]);
}

const LIST = /(DefaultObject|Bucket|Object|Dataset)(?:Access|ACL|$)|bigquery\/?(Dataset)Iam/i;

/**
 * Which of the lists of a resource an entry or a whole list is. The types of two packages can be on one list, and so can a grant on a
 * dataset of BigQuery: https://cloud.google.com/bigquery/docs/control-access-to-resources-iam
 */
export function listOfEntry({ step, kind }: Pick<ListedStep, "step" | "kind">): string {
  const [, list = kind.what] = LIST.exec(shortTypeOf(step.type))?.filter((each) => each !== undefined) ?? [];
  return list.toLowerCase();
}

/** A list has one entry of each entity, or of each entity and role. */
export function keyOfEntry(list: string, { principal, role }: Pick<AccessChanged, "principal" | "role">): string {
  return JSON.stringify([comparableMember(principal), list === "dataset" ? datasetRolesOf(role)[0] : ""]);
}
