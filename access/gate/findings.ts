import { BugError } from "../../provider/core/errors";
import { approvalBy, type Approval } from "../changes/approved";
import { grantsIn, keyOfGrant } from "../result/grants";
import type {
  AccessChanged,
  Condition,
  Found,
  Judgement,
  ReviewedGrant,
  ReviewedResource,
  StackAnswer,
  Uncertainty,
} from "../result/result";
import { itemsOf, type Item } from "../result/items";
import { principalText } from "../result/sentences";
import type { Subject } from "./matches";
import { namesOf, type ResourceNames } from "./resource-names";

/** Something that was found about a stack and that rules judge, with its number among the findings of the stack. */
export interface Finding extends NonNullable<Judgement["finding"]> {
  sentence: string;
  /** The name of the resource that it is about, if any. */
  resource?: string | undefined;
  /** For a change, and for a grant that the plan keeps or the stack does not manage. */
  subject?: Subject;
  /** The condition of the grant, if it has one; of a changed grant, the new one. */
  condition?: Condition | undefined;
  change?: AccessChanged & { on: ReviewedResource; approval: Approval };
  /** For an unknown fact. */
  fact?: Uncertainty;
}

/** Gives each change, refused step and unknown fact its number. They may have them already. */
export function numbered(found: Found): Found {
  let next = 0;
  const number = <T extends { finding?: number | undefined }>(each: T): T => ({ ...each, finding: next++ });
  return {
    ...found,
    resources: found.resources.map((each) => ({
      ...each,
      changes: each.changes.map(number),
      unknown: each.unknown.map(number),
    })),
    refused: found.refused.map(number),
    unknown: found.unknown.map(number),
  };
}

/**
 * All findings about a stack, in the order in which the verdict shows them.
 *
 * @param approved the approved review, if any
 */
export function findingsOf(found: Found, approved?: StackAnswer): Finding[] {
  const { operation, resources, ...others } = numbered(found);
  const approvalOf = approvalBy(approved);
  const items = itemsOf({ resources, ...others }).map((each) => findingOf(each, approvalOf));
  let next = items.length;
  const grantOn = (on: ReviewedResource, kind: "kept" | "unmanaged", grant: ReviewedGrant, and: string): Finding => ({
    number: next++,
    kind,
    api: on.api,
    resource: on.resource,
    steps: [],
    subject: subjectOn(on, grant),
    condition: grant.condition,
    sentence: `${principalText(grant.principal)} has ${grant.role} on ${on.resource}, and ${and}.`,
  });
  const kept = resources.flatMap((on) => {
    const isNew = (each: AccessChanged) => each.change !== "lost" && approvalOf(on, each) !== "approved";
    const added = new Set(on.changes.filter(isNew).map(keyOfGrant));
    const stay = grantsIn(on.after).filter((grant) => !added.has(keyOfGrant(grant)));
    return stay.map((grant) => grantOn(on, "kept", grant, "keeps it"));
  });
  // A review of a plan has none of them, because no plan makes or removes unmanaged grants.
  const withUnmanaged = operation === "access" ? resources.filter(({ ofStack }) => ofStack !== false) : [];
  const unmanaged = withUnmanaged.flatMap((on) =>
    on.unmanaged.map((grant) => grantOn(on, "unmanaged", grant, "the stack does not manage this grant")),
  );
  const isChange = ({ change }: Finding) => change !== undefined;
  return [...items.filter(isChange), ...kept, ...unmanaged, ...items.filter((each) => !isChange(each))];
}

function findingOf(
  { number, kind, sentence, resource, on, steps, change, fact }: Item,
  approvalOf: ReturnType<typeof approvalBy>,
): Finding {
  if (number === undefined) throw new BugError(`A finding has no number: ${kind}`);
  const finding = { number, kind, sentence, resource, ...(on && { api: on.api }), steps, ...(fact && { fact }) };
  if (!on || !change) return finding;
  const { condition } = change;
  return {
    ...finding,
    subject: subjectOn(on, change),
    condition,
    change: { ...change, on, approval: approvalOf(on, change) },
  };
}

/** Many grants are on one resource. */
const known = new WeakMap<ReviewedResource, ResourceNames>();

function subjectOn(on: ReviewedResource, { principal, role }: Pick<ReviewedGrant, "principal" | "role">): Subject {
  const names = known.get(on) ?? namesOf(on);
  known.set(on, names);
  return { principal, role, resource: on.resource, ...names };
}
