import { approvalBy, hasHidden } from "../changes/approved";
import { grantsIn, keyOfGrant } from "../result/grants";
import type {
  AccessChanged,
  ReviewedGrant,
  ReviewedResource,
  ReviewResult,
  Uncertainty,
  Unjudged,
  Violation,
} from "../result/result";
import { changeSentence, principalText, refusalSentence } from "../result/sentences";
import { placeKey } from "../result/order";
import type { Subject } from "./matches";
import { namesOf, type ResourceNames } from "./resource-names";

/** Something that a review found and that the gate decides about, with a sentence about it. */
export type Matter =
  | ChangeMatter
  /** A grant that the plan keeps, on a resource of the review. */
  | { kind: "kept grant"; sentence: string; subject: Subject; condition: AccessChanged["condition"] }
  | { kind: "unmanaged grant"; sentence: string; subject: Subject }
  | { kind: "refused step"; sentence: string; resource?: string | undefined }
  | { kind: "unknown fact"; sentence: string; resource?: string; fact: Uncertainty };

export interface ChangeMatter {
  sentence: string;
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

/**
 * All matters of a review.
 *
 * @param approved the approved review, if any
 */
export function mattersOf(result: Unjudged, approved?: ReviewResult): Matter[] {
  const { resources, refused, unknown } = result;
  const isApproved = approvalBy(approved);
  const changes = resources.flatMap((resource) =>
    resource.changes.map((change): ChangeMatter => {
      const subject = subjectOn(resource, change);
      const sentence = changeSentence(subject, change);
      const isComparable = !hasHidden(resource, change);
      const isKnown = isComparable && isApproved(resource, change);
      return { kind: "change", subject, change, resource, isApproved: isKnown, isComparable, sentence };
    }),
  );
  const changed = new Set(
    changes
      .filter(({ change, isApproved }) => change.change !== "lost" && !isApproved)
      .map(({ change, resource }) => keyOn(resource, change)),
  );
  return [
    ...changes,
    ...resources.flatMap((resource) =>
      grantsIn(resource.after)
        .filter((grant) => !changed.has(keyOn(resource, grant)))
        .map((grant): Matter => {
          const { principal, role } = grant;
          const sentence = `${principalText(principal)} has ${role} on ${resource.resource}, and keeps it.`;
          return { kind: "kept grant", subject: subjectOn(resource, grant), condition: grant.condition, sentence };
        }),
    ),
    ...resources.flatMap((resource) => unmanagedOf(result, resource)),
    ...refused.map(({ resource, reason }): Matter => ({
      kind: "refused step",
      resource,
      sentence: refusalSentence(reason),
    })),
    ...resources.flatMap(({ resource, unknown: own }) => own.map((fact) => ({ ...factMatter(fact), resource }))),
    ...unknown.map(factMatter),
  ];
}

function factMatter(fact: Uncertainty) {
  return { kind: "unknown fact" as const, fact, sentence: fact.message };
}

/** A review of a plan has none of them, because no plan makes or removes unmanaged grants. */
function unmanagedOf({ operation }: Unjudged, resource: ReviewedResource): Matter[] {
  if (operation !== "access" || resource.ofStack === false) return [];
  return resource.unmanaged.map(({ principal, role }) => ({
    kind: "unmanaged grant",
    subject: subjectOn(resource, { principal, role }),
    sentence: `${principalText(principal)} has ${role} on ${resource.resource}, and the stack does not manage this grant.`,
  }));
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
