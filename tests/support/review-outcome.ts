/**
 * Compares what a review predicts with what then happened to the policies. It shares no code with the review, so
 * that a mistake of the review cannot agree with itself.
 */
import type { Policy } from "../../provider/iam/policy";
import type { ReviewedResource } from "../../access/result/result";
import type { OneStack } from "./answers";
import { comparable, grantText, grantTexts } from "./grant-texts";

/** Policies by resource name. */
export type Policies = Record<string, Policy>;

/** What is in the first and not in the second. */
export function without(all: Iterable<string>, gone: ReadonlySet<string>): string[] {
  return [...new Set(all)].filter((each) => !gone.has(each)).sort();
}

/** Entries of deleted identities give nobody access. */
const isSomebody = (text: string) => !text.includes("deleted:");

/** The condition of grants that have expired, which give nobody access. */
export const EXPIRED = 'request.time < timestamp("2020-07-01T00:00:00Z")';

function principalsOf(policy: Policy): string[] {
  return (policy.bindings ?? [])
    .filter(({ condition }) => condition?.expression !== EXPIRED)
    .flatMap(({ members }) => (members ?? []).map(comparable))
    .filter(isSomebody);
}

export interface Comparison {
  /** The address of the cloud that the policies are in, as a result's endpoints begin. @default there is one cloud */
  address?: string;
  /** The grants from above of a resource, by where they come from. @default there are none */
  above?: (resource: string) => Record<string, Set<string>>;
  /** Relative names of the resources to compare; the summary is about all. @default those of the policies */
  resources?: readonly string[];
}

/**
 * What a review got wrong, as sentences; none if it predicted everything.
 *
 * @param before policies at the time of the review, of all resources that there are.
 * @param after policies after the update.
 */
export function wrongPredictions(
  result: OneStack,
  before: Policies,
  after: Policies,
  { address = "", above = () => ({}), resources = Object.keys(before) }: Comparison = {},
): string[] {
  const isThere = ({ endpoint = "" }: ReviewedResource) => endpoint.startsWith(address);
  const reviewed = new Map(result.resources.filter(isThere).map((each) => [each.resource, each]));
  const foreign = [...reviewed.keys()].filter((name) => !(name in before));
  return [
    ...foreign.map((name) => `${name} is not among the resources that there are`),
    ...resources.flatMap((name) => {
      const found = reviewed.get(name);
      const [had, has, from] = [before[name] ?? {}, after[name] ?? {}, above(name)];
      const wrong = found
        ? [...wrongOf(found, had, has, from), ...wrongAbove(found, from)]
        : differences("a grant of a resource that is not in the review", grantTexts(had), grantTexts(has));
      return wrong.map((each) => `${name}: ${each}`);
    }),
    ...wrongSummary(result),
  ];
}

function wrongAbove({ inherited = [] }: ReviewedResource, above: Record<string, Set<string>>): string[] {
  const from = [...new Set([...Object.keys(above), ...inherited.map((each) => each.from)])];
  return from.flatMap((label) => {
    const shown = inherited.filter((each) => each.from === label);
    const texts = shown.map(({ role, principal, condition }) => grantText(role, principal, condition));
    return differences(`from ${label}`, above[label] ?? [], texts);
  });
}

function wrongOf(
  reviewed: ReviewedResource,
  before: Policy,
  after: Policy,
  above: Record<string, Set<string>>,
): string[] {
  if (!reviewed.before || !reviewed.after) return ["no prediction"];
  const [had, has] = [new Set(grantTexts(before)), new Set(grantTexts(after))];
  const { changes } = reviewed;
  const gained = changes.filter(({ change }) => change !== "lost");
  const lost = changes.filter(({ change }) => change !== "gained");
  const kept = Object.values(above).flatMap((grants) => [...grants].map((each) => each.split(" | ")[0] ?? ""));
  const left = new Set([...principalsOf(after), ...kept]);
  return [
    ...differences("before", had, grantTexts({ bindings: reviewed.before })),
    ...differences("after", has, grantTexts({ bindings: reviewed.after })),
    ...differences(
      "gained",
      without(has, had).filter(isSomebody),
      gained.map((each) => grantText(each.role, each.principal, each.condition)).filter(isSomebody),
    ),
    ...differences(
      "lost",
      without(had, has).filter(isSomebody),
      lost
        .map(({ change, role, principal, condition, conditionBefore }) =>
          grantText(role, principal, change === "condition" ? conditionBefore : condition),
        )
        .filter(isSomebody),
    ),
    ...differences(
      "without any access",
      without(principalsOf(before), left),
      reviewed.noAccessLeft.map(comparable).filter(isSomebody),
    ),
    ...unequal("unchanged", [...had].filter((each) => has.has(each)).length, reviewed.unchanged),
    ...twoForOne(reviewed),
  ];
}

/** A principal that loses a role and gains the same role back under another condition is one change. */
function twoForOne({ changes }: ReviewedResource): string[] {
  const roles = (kind: string) =>
    changes.filter(({ change }) => change === kind).map(({ role, principal }) => grantText(role, principal));
  const both = new Set(roles("gained"));
  return roles("lost")
    .filter((each) => both.has(each))
    .map((each) => `${each} is both gained and lost`);
}

export function wrongSummary({ resources, summary, refused }: OneStack): string[] {
  const count = (kind: string) =>
    resources
      .flatMap(({ changes }) => changes)
      .filter((each) => each.change === kind && !(kind === "lost" && each.gaveNoAccess)).length;
  return [
    ...unequal("summary.gained", count("gained"), summary.gained),
    ...unequal("summary.lost", count("lost"), summary.lost),
    ...unequal("summary.conditions", count("condition"), summary.conditions),
    ...unequal("summary.refused", refused.length, summary.refused),
    ...unequal("summary.noAccessLeft", resources.flatMap((each) => each.noAccessLeft).length, summary.noAccessLeft),
  ];
}

function differences(what: string, actual: Iterable<string>, predicted: Iterable<string>): string[] {
  const [really, said] = [new Set(actual), new Set(predicted)];
  return [
    ...without(really, said).map((each) => `${what}: ${each} is not predicted`),
    ...without(said, really).map((each) => `${what}: ${each} is predicted, and is not so`),
  ];
}

function unequal(what: string, actual: number, predicted: number): string[] {
  return actual === predicted ? [] : [`${what}: ${predicted} are predicted, and it is ${actual}`];
}
