import { BugError } from "../../provider/core/errors";
import { approvalBy, hasHidden } from "../changes/approved";
import { grantsIn, keyOfGrant } from "../result/grants";
import type {
  AccessChanged,
  Found,
  JudgedFinding,
  ReviewedGrant,
  ReviewedResource,
  StackAnswer,
  Uncertainty,
  Violation,
} from "../result/result";
import { changeSentence, principalText, refusalSentence } from "../result/sentences";
import { placeKey } from "../result/order";
import type { Subject } from "./matches";
import { namesOf, type ResourceNames } from "./resource-names";

/** Something that a review found and that the gate decides about. */
export type Matter = Named &
  (
    | ChangeMatter
    /** A grant that the plan keeps, on a resource of the review. */
    | { kind: "kept grant"; subject: Subject; condition: AccessChanged["condition"] }
    | { kind: "unmanaged grant"; subject: Subject }
    | { kind: "refused step"; resource?: string | undefined }
    | { kind: "unknown fact"; resource?: string; fact: Uncertainty }
  );

interface Named {
  sentence: string;
  /** As a violation has it. */
  finding: JudgedFinding;
}

export interface ChangeMatter extends Named {
  kind: "change";
  subject: Subject;
  change: AccessChanged;
  resource: ReviewedResource;
  /** Whether the approved review has this change. */
  isApproved: boolean;
  /**
   * Whether an approved review can say so: two hidden values that are shown alike can differ. The comparison has an unknown fact about
   * such a change, and the rules decide about it as about any other.
   */
  isComparable: boolean;
}

/** Gives each change, refused step and unknown fact its number. */
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
 * All matters of a review.
 *
 * @param result with numbers
 * @param approved the approved review, if any
 */
export function mattersOf(result: Found, approved?: StackAnswer): Matter[] {
  const { resources, refused, unknown } = result;
  const isApproved = approvalBy(approved);
  const changes = resources.flatMap((resource) =>
    resource.changes.map((change): ChangeMatter => {
      const subject = subjectOn(resource, change);
      const sentence = changeSentence(subject, change);
      const isComparable = !hasHidden(resource, change);
      const isKnown = isComparable && isApproved(resource, change);
      const finding = findingOf(change.change, change.finding, change.steps, resource);
      return { kind: "change", finding, subject, change, resource, isApproved: isKnown, isComparable, sentence };
    }),
  );
  const changed = new Set(
    changes
      .filter(({ change, isApproved: isKnown }) => change.change !== "lost" && !isKnown)
      .map(({ change, resource }) => keyOn(resource, change)),
  );
  const byName = new Map(resources.map((each) => [each.resource, each]));
  const found: Matter[] = [
    ...changes,
    ...refused.map(({ resource, reason, step, finding }): Matter => ({
      kind: "refused step",
      finding: findingOf("refused", finding, [step], byName.get(resource ?? "")),
      resource,
      sentence: refusalSentence(reason),
    })),
    ...resources.flatMap((each) =>
      each.unknown.map((fact): Matter => ({ ...factMatter(fact, each), resource: each.resource })),
    ),
    ...unknown.map((fact) => factMatter(fact)),
  ];
  let next = found.length;
  const kept = resources.flatMap((resource) =>
    grantsIn(resource.after)
      .filter((grant) => !changed.has(keyOn(resource, grant)))
      .map((grant): Matter => {
        const { principal, role } = grant;
        const sentence = `${principalText(principal)} has ${role} on ${resource.resource}, and keeps it.`;
        const finding = findingOf("kept", next++, [], resource);
        return {
          kind: "kept grant",
          finding,
          subject: subjectOn(resource, grant),
          condition: grant.condition,
          sentence,
        };
      }),
  );
  const unmanaged = resources.flatMap((resource) =>
    unmanagedOf(result, resource).map((grant): Matter => {
      const { principal, role } = grant;
      const sentence = `${principalText(principal)} has ${role} on ${resource.resource}, and the stack does not manage this grant.`;
      const finding = findingOf("unmanaged", next++, [], resource);
      return { kind: "unmanaged grant", finding, subject: subjectOn(resource, grant), sentence };
    }),
  );
  const [of, others] = [found.slice(0, changes.length), found.slice(changes.length)];
  return [...of, ...kept, ...unmanaged, ...others];
}

function findingOf(
  kind: JudgedFinding["kind"],
  number: number | undefined,
  steps: readonly string[],
  resource?: ReviewedResource,
): JudgedFinding {
  if (number === undefined) throw new BugError(`A finding has no number: ${kind}`);
  return { number, kind, ...(resource && { api: resource.api }), steps: [...steps] };
}

function factMatter(fact: Uncertainty, resource?: ReviewedResource) {
  const finding = findingOf("unknown", fact.finding, fact.step === undefined ? [] : [fact.step], resource);
  return { kind: "unknown fact" as const, finding, fact, sentence: fact.message };
}

/** A review of a plan has none of them, because no plan makes or removes unmanaged grants. */
function unmanagedOf({ operation }: Found, { ofStack, unmanaged }: ReviewedResource): ReviewedGrant[] {
  return operation !== "access" || ofStack === false ? [] : unmanaged;
}

/** Many grants are on one resource. */
const known = new WeakMap<ReviewedResource, ResourceNames>();

function subjectOn(
  resource: ReviewedResource,
  { principal, role }: Pick<ReviewedGrant, "principal" | "role">,
): Subject {
  const names = known.get(resource) ?? namesOf(resource);
  known.set(resource, names);
  return { principal, role, resource: resource.resource, ...names };
}

function keyOn(resource: ReviewedResource, grant: ReviewedGrant): string {
  return JSON.stringify([placeKey(resource), keyOfGrant(grant)]);
}

/** The place of a matter, as a violation has it. */
export function placeOf(matter: Matter): Pick<Violation, "principal" | "role" | "resource"> {
  if ("subject" in matter) {
    const { principal, role, resource } = matter.subject;
    return { principal, role, resource };
  }
  return matter.resource === undefined ? {} : { resource: matter.resource };
}

/** The sentence about a difference from what a review expected, with who may have made it. */
export function unexpectedSentence({ subject, change, resource: { unmanaged } }: ChangeMatter): string {
  const { principal, role, resource } = subject;
  if (change.change === "lost") {
    return (
      `${principalText(principal)} does not have ${role} on ${resource}, and the review expected it. The update did not make this grant, ` +
      "or somebody removed it after the review."
    );
  }
  const what = change.change === "gained" ? "" : " under another condition";
  const key = keyOfGrant(change);
  const by = unmanaged.some((each) => keyOfGrant(each) === key)
    ? "The stack does not manage this grant: somebody else made it after the review, or the update did not remove it."
    : "The stack manages this grant: the program made it where no preview shows it, such as in `apply` or behind " +
      "`isDryRun()`, or it has changed since the review.";
  return `${principalText(principal)} has ${role} on ${resource}${what}, and the review did not expect it. ${by}`;
}
