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
import { changeSentence, principalText, refusalSentence } from "../result/sentences";
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
  const { operation, resources, refused, unknown } = numbered(found);
  const approvalOf = approvalBy(approved);
  const changes = resources.flatMap((on) => changesOn(on, approvalOf));
  const byName = new Map(resources.map((each) => [each.resource, each]));
  const others: Finding[] = [
    ...refused.map(({ resource, reason, step, finding }) => ({
      ...findingOn(byName.get(resource ?? ""), "refused", finding, [step]),
      resource,
      sentence: refusalSentence(reason),
    })),
    ...resources.flatMap((each) => each.unknown.map((fact) => factOn(each, fact))),
    ...unknown.map((fact) => factOn(undefined, fact)),
  ];
  let next = changes.length + others.length;
  const grantOn = (on: ReviewedResource, kind: "kept" | "unmanaged", grant: ReviewedGrant, and: string): Finding => ({
    ...findingOn(on, kind, next++, []),
    subject: subjectOn(on, grant),
    condition: grant.condition,
    sentence: `${principalText(grant.principal)} has ${grant.role} on ${on.resource}, and ${and}.`,
  });
  const kept = resources.flatMap((on) => {
    const isNew = (each: AccessChanged) => each.change !== "lost" && approvalOf(on, each) !== "approved";
    const added = new Set(on.changes.filter(isNew).map(keyOfGrant));
    const others = grantsIn(on.after).filter((grant) => !added.has(keyOfGrant(grant)));
    return others.map((grant) => grantOn(on, "kept", grant, "keeps it"));
  });
  // A review of a plan has none of them, because no plan makes or removes unmanaged grants.
  const withUnmanaged = operation === "access" ? resources.filter(({ ofStack }) => ofStack !== false) : [];
  const unmanaged = withUnmanaged.flatMap((on) =>
    on.unmanaged.map((grant) => grantOn(on, "unmanaged", grant, "the stack does not manage this grant")),
  );
  return [...changes, ...kept, ...unmanaged, ...others];
}

function changesOn(on: ReviewedResource, approvalOf: ReturnType<typeof approvalBy>): Finding[] {
  return on.changes.map((change) => {
    const subject = subjectOn(on, change);
    return {
      ...findingOn(on, change.change, change.finding, change.steps),
      sentence: changeSentence(subject, change),
      subject,
      condition: change.condition,
      change: { ...change, on, approval: approvalOf(on, change) },
    };
  });
}

function factOn(on: ReviewedResource | undefined, fact: Uncertainty): Finding {
  const finding = findingOn(on, "unknown", fact.finding, fact.step === undefined ? [] : [fact.step]);
  return { ...finding, fact, sentence: fact.message };
}

function findingOn(
  on: ReviewedResource | undefined,
  kind: Finding["kind"],
  number: number | undefined,
  steps: readonly string[],
): Omit<Finding, "sentence"> {
  if (number === undefined) throw new BugError(`A finding has no number: ${kind}`);
  return { number, kind, ...(on && { api: on.api, resource: on.resource }), steps: [...steps] };
}

/** Many grants are on one resource. */
const known = new WeakMap<ReviewedResource, ResourceNames>();

function subjectOn(on: ReviewedResource, { principal, role }: Pick<ReviewedGrant, "principal" | "role">): Subject {
  const names = known.get(on) ?? namesOf(on);
  known.set(on, names);
  return { principal, role, resource: on.resource, ...names };
}
