import type { AccessChanged, Bite, ReviewedGrant, ReviewedResource, ReviewResult, Uncertainty } from "../result";
import { counted } from "../visible";

/** What all forms say in the same words: the headline, the changes in their order, the verdict. */

/** A change and where it is. */
export interface PlacedChange {
  resource: ReviewedResource;
  change: AccessChanged;
}

const ORDER = { lost: 0, condition: 1, gained: 2 } as const;

/** All changes: losses first, then by resource, principal and role, so that the same review reads the same. */
export function changesInOrder(resources: readonly ReviewedResource[]): PlacedChange[] {
  return resources
    .flatMap((resource) => resource.changes.map((change) => ({ resource, change })))
    .sort(
      (a, b) =>
        ORDER[a.change.change] - ORDER[b.change.change] ||
        compareText(placeOf(a.resource), placeOf(b.resource)) ||
        compareText(a.change.principal, b.change.principal) ||
        compareText(a.change.role, b.change.role) ||
        compareText(JSON.stringify(a.change), JSON.stringify(b.change)),
    );
}

/** The changes of one kind, in no order. */
function changesOf({ resources }: ReviewResult, kind: AccessChanged["change"]): AccessChanged[] {
  return resources.flatMap(({ changes }) => changes.filter(({ change }) => change === kind));
}

/** The changes of each resource, in the order that they are in. */
export function byResource(changes: readonly PlacedChange[]): Map<ReviewedResource, PlacedChange[]> {
  const groups = new Map<ReviewedResource, PlacedChange[]>();
  for (const each of changes) {
    const group = groups.get(each.resource);
    if (group) group.push(each);
    else groups.set(each.resource, [each]);
  }
  return groups;
}

/** `project/stack`, or what is known of it; empty where neither is. */
export function stackPath(
  { project, stack }: Pick<ReviewResult, "project" | "stack">,
  shown: (name: string) => string = (name) => name,
): string {
  return [project, stack]
    .filter((name) => name !== undefined)
    .map(shown)
    .join("/");
}

export function resourcesInOrder({ resources }: ReviewResult): ReviewedResource[] {
  return [...resources].sort((a, b) => compareText(placeOf(a), placeOf(b)));
}

function placeOf({ resource, api, endpoint = "" }: ReviewedResource): string {
  return [resource, api, endpoint].join("\n");
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What is unknown, of the whole review and of each resource. */
export function allUnknown(result: ReviewResult): Array<{ resource?: ReviewedResource; unknown: Uncertainty }> {
  return [
    ...result.unknown.map((unknown) => ({ unknown })),
    ...resourcesInOrder(result).flatMap((resource) => resource.unknown.map((unknown) => ({ resource, unknown }))),
  ];
}

/** Does the review say that all stays as it is, and is sure of it? */
export function isQuiet(result: ReviewResult): boolean {
  return (
    result.operation !== "access" &&
    result.resources.every(({ changes, noAccessLeft }) => changes.length + noAccessLeft.length === 0) &&
    allUnknown(result).length === 0 &&
    result.refused.length === 0 &&
    result.verdict.exitCode === 0 &&
    result.verdict.bites.length === 0
  );
}

/** Where no step is of a grant, no policy is read, and nothing is known of how many grants stay. */
function noChanges(unchanged: number): string {
  if (unchanged === 0) return "No access changes";
  return `No access changes: ${counted(unchanged, "grant")} ${unchanged === 1 ? "stays as it is" : "stay as they are"}`;
}

/** One sentence, without its full stop: what the review is about. */
export function headline(result: ReviewResult): string {
  const changed = result.resources.filter(({ changes }) => changes.length > 0);
  const parts = changed.length > 0 ? [changesHeadline(result, changed.length)] : [];
  if (changed.length === 0 && result.operation === "access") {
    parts.push(`${counted(countOfGrants(result), "grant")} on ${counted(result.resources.length, "resource")}`);
  }
  if (result.refused.length > 0) {
    parts.push(`${counted(result.refused.length, "step")} ${result.refused.length === 1 ? "is" : "are"} refused`);
  }
  const unknown = allUnknown(result).length;
  if (unknown > 0) {
    parts.push(`${counted(unknown, "thing")} ${unknown === 1 ? "is" : "are"} unknown`);
  }
  if (changed.length === 0 && result.operation !== "access") {
    parts.push(unknown + result.refused.length > 0 ? "no other change of access" : noChanges(result.summary.unchanged));
  }
  return parts.join("; ");
}

/** `2 principals lose access, 1 gains, 1 condition changes on 2 resources`. */
function changesHeadline(result: ReviewResult, places: number): string {
  const words = result.operation === "access" ? PAST : PRESENT;
  const parts: string[] = [];
  const add = (count: number, [one, many]: readonly [string, string], noun = "principal"): void => {
    if (count > 0) {
      const subject = parts.length === 0 || noun !== "principal" ? counted(count, noun) : count.toLocaleString("en-US");
      parts.push(
        `${subject} ${count === 1 ? one : many}${parts.length === 0 && noun === "principal" ? " access" : ""}`,
      );
    }
  };
  add(principalsOf(result, "lost"), words.lose);
  add(principalsOf(result, "gained"), words.gain);
  add(changesOf(result, "condition").length, words.change, "condition");
  return `${parts.join(", ")} on ${counted(places, "resource")}`;
}

const PRESENT = { lose: ["loses", "lose"], gain: ["gains", "gain"], change: ["changes", "change"] } as const;
const PAST = { lose: ["lost", "lost"], gain: ["gained", "gained"], change: ["changed", "changed"] } as const;

/** How many principals gain or lose a grant. Two hidden principals may be the same or not: each counts. */
function principalsOf(result: ReviewResult, kind: "gained" | "lost"): number {
  const changes = changesOf(result, kind);
  const hidden = changes.filter((each) => each.hidden !== undefined);
  const named = new Set(changes.filter((each) => !each.hidden).map(({ principal }) => principal));
  return named.size + hidden.length;
}

function countOfGrants({ resources }: ReviewResult): number {
  return resources.reduce((sum, resource) => sum + grantsOf(resource).length, 0);
}

/** The grants after the plan, or of now. */
export function grantsOf({ after, unmanaged }: ReviewedResource): Array<ReviewedGrant & { isManaged: boolean }> {
  const others = new Set(unmanaged.map(grantKey));
  const grants = (after ?? []).flatMap(({ role, members, condition }) =>
    members.map((principal) => {
      const grant = { principal, role, ...(condition && { condition }) };
      return { ...grant, isManaged: !others.has(grantKey(grant)) };
    }),
  );
  return grantsInOrder(grants);
}

/** By principal: the order within a policy is whoever's wrote it last. */
export function grantsInOrder<T extends ReviewedGrant>(grants: readonly T[]): T[] {
  return [...grants].sort((a, b) => compareText(grantKey(a), grantKey(b)));
}

function grantKey({ principal, role, condition }: ReviewedGrant): string {
  return JSON.stringify([principal, role, condition?.title, condition?.description, condition?.expression]);
}

/** A hidden principal may be any of those that have no access left, so it does not count as one of them. */
function hasNoAccessLeft({ noAccessLeft }: ReviewedResource, { change, principal, hidden }: AccessChanged): boolean {
  return change === "lost" && hidden === undefined && noAccessLeft.includes(principal);
}

/** Principals with no access left, of which no loss above says so. */
export function othersWithoutAccess(resource: ReviewedResource): string[] {
  const listed = new Set(
    resource.changes.filter((each) => hasNoAccessLeft(resource, each)).map(({ principal }) => principal),
  );
  return resource.noAccessLeft.filter((principal) => !listed.has(principal));
}

const CHANGE_WORDS = {
  plan: { lost: "− loses", gained: "+ gains", condition: "~ condition" },
  past: { lost: "− lost", gained: "+ gained", condition: "~ condition" },
} as const;

/** What a change is called in a table. */
export function changeWord({ change }: AccessChanged, operation: ReviewResult["operation"]): string {
  return CHANGE_WORDS[operation === "access" ? "past" : "plan"][change];
}

/** What is to be said of a change beside principal, role and condition. */
export function remarks({ resource, change }: PlacedChange): { noAccessLeft: boolean; origin?: string } {
  return {
    noAccessLeft: hasNoAccessLeft(resource, change),
    ...(change.wasManaged === false && { origin: "given by others, not by the stack" }),
  };
}

/**
 * With which settings and rules the review was made, as far as its resources have the same (`basisOfResource`): a sentence
 * without its full stop, or an empty text.
 */
export function basisText(result: ReviewResult): string {
  const text = basisOf(result).join("; ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The clauses of `basisText`. */
export function basisOf(result: ReviewResult): string[] {
  const { resources, operation } = result;
  const { rules } = result.verdict;
  const shared = FACTS.flatMap((fact) => sharedBy(resources, fact) ?? []);
  const withoutRules =
    operation === "access" ? [] : [rules === null ? "no rules file" : "rules of the calling program"];
  return [...shared, ...(typeof rules === "string" ? [`rules file ${rules}`] : withoutRules)];
}

/** With which settings a resource was reviewed, as clauses, where other resources of the review have others. */
export function basisOfResource({ resources }: ReviewResult, resource: ReviewedResource): string[] {
  return FACTS.filter((fact) => sharedBy(resources, fact) === undefined).flatMap((fact) => fact(resource) ?? []);
}

type Fact = (resource: ReviewedResource) => string | undefined;

const FACTS: readonly Fact[] = [
  ({ grantModes = [] }) => {
    const modes = grantModes.map(
      ({ mode, variable }) => `${mode}${variable === undefined ? "" : fromProcess(variable)}`,
    );
    return modes.length === 0 ? undefined : `grant mode ${modes.join(" and ")}`;
  },
  ({ endpointVariable }) => (endpointVariable === undefined ? undefined : `endpoint${fromProcess(endpointVariable)}`),
];

function fromProcess(variable: string): string {
  return ` from ${variable} of this process`;
}

/** What a fact says of all of the resources that have it; undefined where they differ. */
function sharedBy(resources: readonly ReviewedResource[], fact: Fact): string | [] | undefined {
  const [first, ...others] = new Set(resources.map(fact));
  return others.length > 0 ? undefined : (first ?? []);
}

/** `Exit code 2: 1 loss not allowed, 1 rule violated`; undefined for a list of who has access. */
export function verdictText(result: ReviewResult): string | undefined {
  const { exitCode, bites } = result.verdict;
  const unknown = allUnknown(result).length;
  if (exitCode === 0) {
    if (result.operation === "access") {
      return undefined;
    }
    const losses = result.verdict.allowed.length + changesOf(result, "lost").length > 0;
    const sure = unknown > 0 ? ", as far as it is known" : "";
    return `Exit code 0: ${losses ? "every loss is allowed" : "nobody loses access"}${sure}`;
  }
  const count = (rule: string): number => bites.filter((bite) => bite.rule === rule).length;
  const [losses, refused] = [count("loss"), count("refused")];
  const broken = bites.length - losses - refused - count("unknown");
  const parts = [
    ...(losses > 0 ? [`${counted(losses, "loss", "losses")} not allowed`] : []),
    ...(broken > 0 ? [`${counted(broken, "rule")} violated`] : []),
    ...(refused > 0 ? [`${counted(refused, "step")} refused`] : []),
    ...(unknown > 0 ? [`${counted(unknown, "thing")} unknown`] : []),
  ];
  return `Exit code ${exitCode}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}

/** The violated rules of the policy file, and others that give a reason: the rest repeats what the changes say. */
export function rulesToShow({ verdict }: ReviewResult): Bite[] {
  return verdict.bites.filter(
    ({ rule, reason }) => reason !== undefined || !["loss", "unknown", "refused"].includes(rule),
  );
}
