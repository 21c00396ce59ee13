import { getOrCompute } from "../../provider/core/once";
import type { ReviewedResource, ReviewResult, Sources, Violation } from "../result/result";
import { partsOf } from "../result/parts";
import { changeSentence, refusalSentence } from "../result/sentences";

/**
 * What a review judged, for the forms that other programs list: JUnit, and alerts. A finding is a change, a refused step, an
 * unknown fact, or something that only a violation or a warning names.
 */
export interface Finding {
  /** Its names are as in the result. */
  sentence: string;
  /** Relative name of the resource that it is about, if any. */
  resource?: string | undefined;
  /** URNs of the steps that it is about. */
  steps: readonly string[];
  /** Whether it is an unknown fact. */
  isUnknown?: boolean;
  violations: Violation[];
  warnings: Violation[];
}

/**
 * The changes of access in the order of the result, then refused steps, unknown facts, and what only the verdict names. Those of
 * several stacks are in the order of the stacks.
 */
export function findingsOf(result: ReviewResult): Finding[] {
  return partsOf(result).flatMap(findingsOfStack);
}

function findingsOfStack({ resources, refused, unknown, verdict }: ReviewResult): Finding[] {
  const found = [
    ...resources.flatMap(changesOn),
    ...refused.map(({ step, resource, reason }) => finding(refusalSentence(reason), { resource, steps: [step] })),
    ...resources.flatMap(({ resource, unknown: own }) => own.map((fact) => factOf(fact, resource))),
    ...unknown.map((fact) => factOf(fact)),
  ];
  const bySentence = new Map<string, Finding[]>();
  const byGrant = new Map<string, Finding[]>();
  const list = (map: Map<string, Finding[]>, key: string, each: Finding) =>
    getOrCompute(map, key, (): Finding[] => []).push(each);
  for (const each of found) {
    list(bySentence, sentenceKey(each.sentence, each.resource), each);
    if (each.grant !== undefined) list(byGrant, each.grant, each);
  }
  const rest: Finding[] = [];
  const judgedBy = (violation: Violation): readonly Finding[] => {
    const { rule, message, resource } = violation;
    const exact = bySentence.get(sentenceKey(message, resource));
    if (exact) return exact;
    // A rule adds its own sentences to that of the change. The sentence about a difference from a review is another one.
    const onGrant = byGrant.get(grantKey(violation)) ?? [];
    const judged = rule === "expected" ? onGrant : onGrant.filter(({ sentence }) => message.startsWith(sentence));
    if (judged.length > 0) return judged;
    const added = finding(message, { resource, steps: [] });
    rest.push(added);
    list(bySentence, sentenceKey(message, resource), added);
    return [added];
  };
  for (const each of verdict.violations) for (const { violations } of judgedBy(each)) violations.push(each);
  for (const each of verdict.warnings ?? []) for (const { warnings } of judgedBy(each)) warnings.push(each);
  return [...found, ...rest];
}

/** The line of the program for the first of these steps that has one. A line that is still there comes first. */
export function sourceOf({ sources = {} }: ReviewResult, steps: readonly string[]): Sources[string] | undefined {
  const known = steps.flatMap((urn) => (Object.hasOwn(sources, urn) ? (sources[urn] ?? []) : []));
  return known.find(({ gone }) => !gone) ?? known[0];
}

/** The name of a rule. If several policy files apply, the violation has the file. */
export function ruleOf({ rule, file }: Violation): string {
  return file === undefined ? rule : `${rule} of ${file}`;
}

/** A finding about a change of a grant has the key of the grant. */
type Found = Finding & { grant?: string };

function changesOn({ resource, changes }: ReviewedResource): Found[] {
  return changes.map((change) => {
    const grant = { principal: change.principal, role: change.role, resource };
    const { steps } = change;
    return { ...finding(changeSentence(grant, change), { resource, steps }), grant: grantKey(grant) };
  });
}

function factOf({ message, step }: ReviewResult["unknown"][number], resource?: string): Found {
  return { ...finding(message, { resource, steps: step === undefined ? [] : [step] }), isUnknown: true };
}

function finding(sentence: string, about: Pick<Finding, "resource" | "steps">): Found {
  return { sentence, ...about, violations: [], warnings: [] };
}

function grantKey({ principal, role, resource }: Pick<Violation, "principal" | "role" | "resource">): string {
  return JSON.stringify([principal, role, resource]);
}

function sentenceKey(sentence: string, resource: string | undefined): string {
  return JSON.stringify([sentence, resource]);
}
