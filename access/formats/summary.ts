import type { AccessChanged, ReviewedGrant, ReviewedResource, ReviewResult, Uncertainty, Violation } from "../result";
import { counted } from "../visible";

/** The parts of a review that all formats word in the same way: the headline, the ordered changes, the verdict. */

/** A change with its resource. */
export interface PlacedChange {
  resource: ReviewedResource;
  change: AccessChanged;
}

const ORDER = { lost: 0, condition: 1, gained: 2 } as const;

/** Returns all changes in a fixed order: losses first, then by resource, principal and role. */
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

/** Returns the changes of one kind, unordered. */
function changesOf({ resources }: ReviewResult, kind: AccessChanged["change"]): AccessChanged[] {
  return resources.flatMap(({ changes }) => changes.filter(({ change }) => change === kind));
}

/** Groups changes by resource, and keeps their order. */
export function byResource(changes: readonly PlacedChange[]): Map<ReviewedResource, PlacedChange[]> {
  const groups = new Map<ReviewedResource, PlacedChange[]>();
  for (const each of changes) {
    const group = groups.get(each.resource);
    if (group) group.push(each);
    else groups.set(each.resource, [each]);
  }
  return groups;
}

/** `project/stack`, or the known part of it. Empty when both are unknown. */
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

/** The unknown facts of the whole review and of each resource. */
export function allUnknown(result: ReviewResult): Array<{ resource?: ReviewedResource; unknown: Uncertainty }> {
  return [
    ...result.unknown.map((unknown) => ({ unknown })),
    ...resourcesInOrder(result).flatMap((resource) => resource.unknown.map((unknown) => ({ resource, unknown }))),
  ];
}

/** Whether the review is sure that no access changes. */
export function isQuiet(result: ReviewResult): boolean {
  return (
    result.operation !== "access" &&
    result.resources.every(({ changes, noAccessLeft }) => changes.length + noAccessLeft.length === 0) &&
    allUnknown(result).length === 0 &&
    result.refused.length === 0 &&
    result.verdict.exitCode === 0 &&
    result.verdict.violations.length === 0
  );
}

/** When no step is on a grant, the review reads no policy, so the number of unchanged grants is unknown. */
function noChanges(unchanged: number): string {
  if (unchanged === 0) return "No access changes";
  return `No access changes: ${counted(unchanged, "grant")} ${unchanged === 1 ? "stays as it is" : "stay as they are"}`;
}

/** The headline of the review: one sentence without its full stop. */
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

/** Counts the principals that gain or lose a grant. Each hidden principal counts, because two of them may differ. */
function principalsOf(result: ReviewResult, kind: "gained" | "lost"): number {
  const changes = changesOf(result, kind);
  const hidden = changes.filter((each) => each.hidden !== undefined);
  const named = new Set(changes.filter((each) => !each.hidden).map(({ principal }) => principal));
  return named.size + hidden.length;
}

function countOfGrants({ resources }: ReviewResult): number {
  return resources.reduce((sum, resource) => sum + grantsOf(resource).length, 0);
}

/** The number of grants after the plan; for `access`, of now. */
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

/** Sorted by principal, because the order within a policy depends on its last writer. */
export function grantsInOrder<T extends ReviewedGrant>(grants: readonly T[]): T[] {
  return [...grants].sort((a, b) => compareText(grantKey(a), grantKey(b)));
}

function grantKey({ principal, role, condition }: ReviewedGrant): string {
  return JSON.stringify([principal, role, condition?.title, condition?.description, condition?.expression]);
}

/** A hidden principal may be one of the principals without access left, so it does not count here. */
function hasNoAccessLeft({ noAccessLeft }: ReviewedResource, { change, principal, hidden }: AccessChanged): boolean {
  return change === "lost" && hidden === undefined && noAccessLeft.includes(principal);
}

/** Principals without access left that no loss above mentions. */
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

/** The name of a change in a table. */
export function changeWord({ change }: AccessChanged, operation: ReviewResult["operation"]): string {
  return CHANGE_WORDS[operation === "access" ? "past" : "plan"][change];
}

/** Remarks on a change besides principal, role and condition. */
export function remarks({ resource, change }: PlacedChange): { noAccessLeft: boolean; origin?: string } {
  return {
    noAccessLeft: hasNoAccessLeft(resource, change),
    ...(change.wasManaged === false && { origin: "given by others, not by the stack" }),
  };
}

/**
 * The settings that all resources of the review share, and the rules file: a sentence without its full stop, or an empty text.
 * `basisOfResource` has the settings that differ.
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

/** The settings of a resource that other resources of the review do not share, as clauses. */
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

/** The value of a fact that all resources share; undefined when they differ. */
function sharedBy(resources: readonly ReviewedResource[], fact: Fact): string | [] | undefined {
  const [first, ...others] = new Set(resources.map(fact));
  return others.length > 0 ? undefined : (first ?? []);
}

/** `Exit code 2: 1 loss not allowed, 1 rule violated`. Returns undefined for a list of access. */
export function verdictText(result: ReviewResult): string | undefined {
  const { exitCode, violations } = result.verdict;
  const unknown = allUnknown(result).length;
  if (exitCode === 0) {
    if (result.operation === "access") {
      return undefined;
    }
    const losses = result.verdict.allowed.length + changesOf(result, "lost").length > 0;
    const sure = unknown > 0 ? ", as far as it is known" : "";
    return `Exit code 0: ${losses ? "every loss is allowed" : "nobody loses access"}${sure}`;
  }
  const count = (rule: string): number => violations.filter((violation) => violation.rule === rule).length;
  const [losses, refused] = [count("loss"), count("refused")];
  const broken = violations.length - losses - refused - count("unknown");
  const parts = [
    ...(losses > 0 ? [`${counted(losses, "loss", "losses")} not allowed`] : []),
    ...(broken > 0 ? [`${counted(broken, "rule")} violated`] : []),
    ...(refused > 0 ? [`${counted(refused, "step")} refused`] : []),
    ...(unknown > 0 ? [`${counted(unknown, "thing")} unknown`] : []),
  ];
  return `Exit code ${exitCode}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}

/** The violations to show: those of the policy file, and others with a reason. The rest would repeat the changes. */
export function rulesToShow({ verdict }: ReviewResult): Violation[] {
  return verdict.violations.filter(
    ({ rule, reason }) => reason !== undefined || !["loss", "unknown", "refused"].includes(rule),
  );
}
