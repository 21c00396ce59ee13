/** Compares what a review said with what the step then did to the policies of two clouds. */
import type { Emulator } from "../../../../emulator";
import { type OneStack } from "../../../support/answers";
import { engineIsAtLeast } from "../../../support/engine";
import { grantTexts } from "../../../support/grant-texts";
import { EXPIRED, without, wrongPredictions, wrongSummary, type Policies } from "../../../support/review-outcome";
import { grantsAbove } from "./above";
import { CANARY, datasetOf, fullNameOf, numberOf, storesOf } from "./files";
import type { ShownPlan, ShownState } from "./plan";

/** How a plan reaches the review: `isStack` if the review runs the preview itself, with all that Pulumi can tell. */
export interface Way {
  isStack: boolean;
  showsSames: boolean;
  /** `foreign`: of another project. */
  state: "own" | "foreign" | "none";
  /** Whether the review has other environment variables than the update. */
  isElsewhere?: boolean;
}

/** A step of a stack that was reviewed and carried out. */
export interface Step {
  plan: ShownPlan;
  /** The state before the step. */
  state: ShownState;
  clouds: readonly Emulator[];
  before: readonly Policies[];
  after: readonly Policies[];
  /** Relative names of the resources that another provider deletes or replaces. */
  takenAway: readonly string[];
  /** Numbers of the programs. */
  programs: readonly number[];
  /** Relative names of the stores whose grants are in the state or the program. */
  managed: ReadonlySet<string>;
  /** Relative names of the stores on which the stack has secret members, or had. */
  secret: ReadonlySet<string>;
  /** What the engine printed if the step failed. */
  failed?: string | undefined;
}

type Unknown = OneStack["unknown"][number];

const isInside = (store: string, parents: readonly string[]) =>
  parents.some((each) => `${store}/`.startsWith(`${each}/`));

/** @returns what was predicted wrongly, as sentences. */
export function wrongOf(result: OneStack, way: Way, step: Step): string[] {
  const isKnown = result.summary.unknown === 0;
  const { exitCode } = result.verdict;
  const wrong = [
    ...(isKnown || exitCode !== 0 ? [] : ["exit code 0 for a review that does not know everything"]),
    ...(way.state === "foreign" && isKnown ? ["nothing is unknown with the state of another project"] : []),
    ...(way.isStack && JSON.stringify(result).includes(CANARY) ? ["a secret member is shown"] : []),
    ...wrongSummary(result),
  ];
  if (step.plan.errors.length > 0) return [...wrong, ...wrongOfFailedPreview(result)];
  if (way.isStack) wrong.push(...needlessUnknown(result, step));
  if (step.failed !== undefined || result.refused.length > 0)
    return [...wrong, ...(isKnown ? wrongRefusals(result, step) : [])];
  const predicted = [
    ...step.programs.flatMap((number) => wrongOfProgram(result, step, number)),
    ...(isKnown ? wrongExitCode(result, step) : []),
  ];
  // Without the unchanged grants, what one of them also declares seems to go.
  const isSafe = (each: string) => !way.showsSames && way.state === "none" && !SAYS_LESS.test(each);
  return [...wrong, ...predicted.filter((each) => !isSafe(each))];
}

/** Somebody loses access, and the review does not say so. */
const SAYS_LESS = /(lost|without any access|not in the review): .* is not predicted$/;

/** A preview that fails shows a part of the plan: what else happens is unknown, and the review has to say so. */
function wrongOfFailedPreview({ verdict, unknown }: OneStack): string[] {
  return [
    ...(verdict.exitCode === 3 ? [] : [`exit code ${verdict.exitCode} for a preview that failed`]),
    ...(unknown.some(({ code }) => code === "incomplete plan") ? [] : ["no word of the incomplete plan"]),
  ];
}

/** A doubt about types of `@pulumi/gcp` that do not see conditions. The stand-in for the plugin sees them all. */
export function isUnseenCondition({ code, message }: Unknown): boolean {
  return code === "unsupported" && message.includes("reads a policy without its conditions");
}

/** What a review does not know although it ran the preview itself. */
function needlessUnknown(
  { unknown, resources }: OneStack,
  { plan, state, secret, takenAway, clouds, before }: Step,
): string[] {
  const isUnclear = (name: string) => isInside(name, takenAway) || plan.isContested(name) || secret.has(name);
  // The policy lacks a grant of the state: another of its members may be the same identity.
  const isMissing = ({ endpoint = "", resource }: OneStack["resources"][number], { code, step = "" }: Unknown) => {
    const cloud = clouds.findIndex(({ url }) => endpoint.startsWith(`${url}/`));
    const live = grantTexts(before[cloud]?.[resource]);
    return code === "incomplete state" && state.grantsOf(step).some((each) => !live.includes(each));
  };
  const needless = [
    // What else is in a deleted dataset.
    ...unknown.filter(({ code }) => code !== "deleted resource" || takenAway.length === 0),
    ...resources
      .filter(({ resource }) => !isUnclear(resource))
      .flatMap((each) => each.unknown.filter((one) => !isMissing(each, one))),
  ];
  const isLost = ({ message }: Unknown) => plan.isSilent && message.includes("the preview worked ");
  // If an update replaces a resource, the plan of Pulumi 3.260 and newer does not show the grants with `deletedWith` on it.
  const mayLack =
    engineIsAtLeast("3.260.0") && (takenAway.length > 0 || state.deletedWith.some((urn) => plan.replaces(urn)));
  const isLacking = ({ message }: Unknown) =>
    mayLack && message.startsWith("The plan does not show a resource of the stack's state");
  // Nor does any plan show whether these deletes happen.
  const isSkipped = ({ message }: Unknown) => mayLack && message.includes("its option deletedWith names a resource");
  return (
    needless
      // The stand-in for the plugin reads all conditions.
      .filter(
        (each) =>
          !isLost(each) &&
          !isLacking(each) &&
          !isSkipped(each) &&
          !each.message.includes("reads a policy without its conditions"),
      )
      .map(({ message }) => `unknown although the review ran the preview itself: ${message}`)
  );
}

function wrongRefusals({ refused }: OneStack, { failed }: Step): string[] {
  if (failed === undefined) {
    return [`refusals are predicted, and the step went through: ${JSON.stringify(refused)}`];
  }
  return refused.length > 0 ? [] : [`no refusal is predicted, and the step failed: ${failed}`];
}

/** What was predicted wrongly of the policies of which the review knows everything. */
function wrongOfProgram(result: OneStack, step: Step, number: number): string[] {
  // What is unknown of a deleted dataset is about its program.
  const concerns = ({ code, step: urn = "" }: Unknown) => code !== "deleted resource" || numberOf(urn) === number;
  if (result.unknown.some(concerns)) return [];
  const unknown = new Set(result.resources.filter((each) => each.unknown.length > 0).map(({ resource }) => resource));
  // A review is of the resources that the stack has grants on.
  const isOthers = (name: string) => isInside(name, step.takenAway) && !step.managed.has(name);
  const known = [...storesOf(number), fullNameOf(datasetOf(number))].filter(
    (name) => !unknown.has(name) && !isOthers(name) && !step.secret.has(name),
  );
  return step.clouds.flatMap((cloud, at) =>
    wrongPredictions(result, step.before[at] ?? {}, step.after[at] ?? {}, {
      address: `${cloud.url}/`,
      above: () => grantsAbove(cloud, datasetOf(number)),
      resources: known,
    }).filter((each) => !each.startsWith("summary")),
  );
}

/** The exit code of a review that knows everything and refuses nothing. */
function wrongExitCode({ verdict }: OneStack, { before, after, managed, secret, takenAway }: Step): string[] {
  const isCompared = (name: string) => !secret.has(name) && (managed.has(name) || !isInside(name, takenAway));
  const losses = before.flatMap((cloud, at) =>
    Object.keys(cloud)
      .filter(isCompared)
      .flatMap((name) => {
        const now = new Set(grantTexts(after[at]?.[name]));
        return without(grantTexts(cloud[name]), now).filter((grant) => isLoss(grant, now));
      }),
  );
  const expected = losses.length > 0 ? 2 : 0;
  if (verdict.exitCode === expected || (secret.size > 0 && expected === 0)) return [];
  return [`exit code ${verdict.exitCode}; it should be ${expected} because of the losses ${JSON.stringify(losses)}`];
}

/** Whether a grant that is gone gave access, and its principal does not have the same role without a condition now. */
function isLoss(grant: string, now: ReadonlySet<string>): boolean {
  const [member = "", role = ""] = grant.split(" | ");
  return !member.startsWith("deleted:") && !grant.endsWith(EXPIRED) && !now.has(`${member} | ${role}`);
}
