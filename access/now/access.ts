import type { Environment } from "../../provider/core/environment";
import { InputError } from "../../provider/core/errors";
import { quote } from "../../provider/core/problem";
import { PoliciesAbove } from "../above/policies-above";
import { expiryOf } from "../condition/expiry";
import { DEFAULT_EXPIRES_WITHIN, period, PERIOD_FORM } from "../condition/period";
import { judge } from "../gate/judge";
import type { Rules } from "../gate/rules";
import type { HiddenValues } from "../hidden-values";
import { stepOn, type Plan, type PlanStep } from "../plan/plan";
import type { PlannedState } from "../plan/planned-state";
import type { PulumiOptions } from "../plan/run-pulumi";
import { readStackAsPlan } from "../plan/stack";
import { readState } from "../plan/state";
import { NOT_READ, ONLY_DIRECT_GRANTS } from "../rehearsal/notes";
import { summaryOf } from "../rehearsal/rehearse";
import { RESULT_VERSION, type ReviewedGrant, type ReviewedResource, type ReviewResult, type Unjudged } from "../result";
import { unjudgedReview } from "../review";
import { Cloud, StackClouds } from "./clouds";
import { changesSince, differencesFrom } from "./compare";
import { changesAbove, isAbove } from "./inherited";
import { joined, nameOf } from "./join";
import { resourceNamed, type NamedResource } from "./named-resource";
import { readPolicies, type LocatedResource, type PolicyRead } from "./read-policies";
import { grantsNow, reviewedNow } from "./reviewed";

interface ComparedOptions {
  /** An earlier answer. The result has the changes since then. For a review, the predicted access is compared. */
  earlier?: ReviewResult;
  /**
   * Whether resources are also compared that `earlier` has at another endpoint, such as those of an emulator. Two clouds may have
   * the same names. @default false: such resources are unknown
   */
  anyEndpoint?: boolean;
  /** The rules for the verdict. @default no loss since `earlier` is expected, and nothing may be unknown */
  rules?: Rules;
  /** The time within which an end of a grant counts as soon: hours, days or weeks. @default 30d, and what never expires is not listed */
  expiresWithin?: string;
  /** Whether the policies above the resources are read, too: of the dataset, the project, folders, the organization. @default true */
  inherited?: boolean;
}

export interface AccessOptions extends ComparedOptions {
  /** Relative names, full names or URLs. @default the resources of `earlier` */
  resources?: readonly string[];
  /** Environment variables from which the provider takes settings and credentials. @default process.env */
  environment?: Environment;
}

export interface AccessOfStackOptions extends ComparedOptions, PulumiOptions {
  /** The stack's name, as `pulumi --stack` takes it. */
  stack: string;
  /**
   * A review of the update that was carried out since then, best with `all`. The result has what is not as it expected, and
   * each difference gives exit code 2. It excludes `earlier`.
   */
  expected?: ReviewResult;
}

const NO_STACK = "It is unknown which of these grants a stack manages: no stack was named";
const AS_EXPECTED = "The access is as the review expected";
const DIRECT_ONLY =
  "Only direct grants are shown: access that is inherited from a parent, the project, a folder or the organization is not " +
  "included";
const ABOVE_NOT_COMPARED = "Access from above is not compared: one of the answers has only direct grants";
const limits = (inherited: boolean): string[] => (inherited ? [] : [DIRECT_ONLY]);

/**
 * Returns who has access to resources now, by their own policies.
 *
 * @throws InputError for a name that does not name a resource with a policy.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function access(options: AccessOptions): Promise<ReviewResult> {
  return (await readAccessOfNames(options)).result;
}

/** Like `access`, with the resources that were read. @throws what `access` throws @internal */
export async function readAccessOfNames(
  options: AccessOptions,
): Promise<{ result: ReviewResult; read: LocatedResource[] }> {
  const { resources = [], earlier, rules = {}, environment = process.env, inherited = true } = options;
  const withEnds = endsBy(options);
  const cloud = new Cloud({}, environment);
  const named = resources.map(resourceNamed);
  const then = resourcesOf(earlier);
  const wanted = unique(named.length > 0 ? named : then.map(({ resource }) => resourceNamed(resource)));
  const read = located(wanted, cloud);
  const above = new PoliciesAbove();
  const policies = await readPolicies(read, inherited ? above : undefined);
  const now = policies.map((each) => withEnds(reviewedNow(each)));
  const names = new Set(now.map(nameOf));
  const asked = then.filter((each) => names.has(nameOf(each)));
  const found = earlier ? compared(earlier, asked, now, options) : { resources: now, notes: [] };
  const notes = [NO_STACK, ...limits(inherited), ...above.notes, ...found.notes];
  return { result: judged(found.resources, { notes, ...expiresWithinOf(options) }, rules), read };
}

/**
 * Returns who has access now to all resources with grants of a stack, and which of the grants the stack does not manage.
 *
 * @throws PulumiError when Pulumi cannot be run, or cannot read the stack.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function accessOfStack(options: AccessOfStackOptions): Promise<ReviewResult> {
  return (await readAccessOfStack(options)).result;
}

/** The access to a stack's resources, and what was read for it. @internal */
export interface ReadAccess {
  result: ReviewResult;
  state: readonly PlannedState[];
  clouds: StackClouds;
  /** Removes secrets from the messages of further reads. */
  hidden: HiddenValues;
}

/** @throws what `accessOfStack` throws @internal */
export async function readAccessOfStack(options: AccessOfStackOptions): Promise<ReadAccess> {
  const { stack, expected, rules = {}, environment = process.env, inherited = true } = options;
  const withEnds = endsBy(options);
  const earlier = expected ?? options.earlier;
  const { state: exported, configuration, config } = await readStackAsPlan(stack, options);
  const state = readState(exported);
  const plan = planThatChangesNothing(state, config);
  const { result, hidden } = await unjudgedReview(plan, { state: exported, configuration, environment, inherited });
  const { resources, summary: _, ...rest } = hidden.scrubbed(result);
  try {
    const clouds = new StackClouds(plan, configuration, environment);
    const above = new PoliciesAbove();
    const then = resourcesOf(earlier);
    const { onlyEarlier } = joined(then, resources, options.anyEndpoint ?? false);
    const others = await readPolicies(
      onlyEarlier.flatMap((each) => locatedIn(clouds, each, options)),
      inherited ? above : undefined,
    );
    const all = [...resources, ...hidden.scrubbed(others.map(ofNoStack))].map(withEnds);
    const ofReads = [...new Set([...rest.notes, ...hidden.scrubbed(above.notes)])];
    const common = { ...rest, ...expiresWithinOf(options) };
    if (expected) {
      const notes = notesOf(all, ofReads, inherited);
      const answer = expectedAnswer(expected, all, { ...common, notes }, { ...options, rules });
      return { result: answer, state, clouds, hidden };
    }
    const found = earlier ? compared(earlier, then, all, options) : { resources: all, notes: [] };
    const notes = notesOf(all, [...ofReads, ...found.notes], inherited);
    return { result: judged(found.resources, { ...common, notes }, rules), state, clouds, hidden };
  } catch (error) {
    throw hidden.scrubbedError(error);
  }
}

/** Where a resource of an earlier answer that the stack does not have any more is read; nowhere without a cloud for it. */
function locatedIn(
  clouds: StackClouds,
  gone: ReviewedResource,
  { anyEndpoint = false }: ComparedOptions,
): LocatedResource[] {
  const named = resourceNamed(gone.resource);
  const cloud = clouds.at(named.definition.service, gone.endpoint) ?? (anyEndpoint ? clouds.of() : undefined);
  return cloud ? located([named], cloud) : [];
}

/** A resource that the stack does not have any more: it manages none of the grants. */
function ofNoStack(read: PolicyRead): ReviewedResource {
  return { ...reviewedNow(read), ofStack: false, unmanaged: grantsNow(read) };
}

/** The answer with what is not as a review expected it. @param options stack as the user named it */
function expectedAnswer(
  expected: ReviewResult,
  all: ReviewedResource[],
  rest: Omit<Unjudged, "resources" | "summary">,
  { stack, rules, anyEndpoint = false }: { stack: string; rules: Rules; anyEndpoint?: boolean },
): ReviewResult {
  // A stack without resources, as after a destroy, does not name itself. Users may write `organization/project/stack`.
  const now = { ...rest, stack: rest.stack ?? stack.split("/").at(-1), resources: all };
  const { resources, unknown, notes: ofReview } = differencesFrom(expected, now, { anyEndpoint });
  const isKnown = rest.unknown.length + unknown.length === 0;
  const isSame = isKnown && resources.every((each) => each.changes.length + each.unknown.length === 0);
  const notes = [...(isSame ? [AS_EXPECTED] : []), ...ofReview, ...rest.notes];
  return judged(resources, { ...rest, unknown: [...rest.unknown, ...unknown], notes }, { ...rules, noChange: true });
}

/**
 * Returns a function that adds to a resource when its grants end, counted from now.
 *
 * @throws InputError if `expiresWithin` is not a period.
 */
function endsBy({ expiresWithin = DEFAULT_EXPIRES_WITHIN }: ComparedOptions) {
  const soon = period(expiresWithin);
  if (soon === undefined) {
    const reason = `${PERIOD_FORM}, got ${quote(expiresWithin)}`;
    throw new InputError("perimeter access", [{ path: "expiresWithin", reason }]);
  }
  const now = Date.now();
  const ending = <T extends { condition?: ReviewedGrant["condition"] }>(grant: T) =>
    grant.condition ? { ...grant, expires: expiryOf(grant.condition, now, soon) } : grant;
  return (resource: ReviewedResource): ReviewedResource => ({
    ...resource,
    after: resource.after && resource.after.map(ending),
    ...(resource.inherited && { inherited: resource.inherited.map(ending) }),
  });
}

/** The option for the result, which has it only if the caller gave it. */
function expiresWithinOf({ expiresWithin }: ComparedOptions): Pick<Unjudged, "expiresWithin"> {
  return expiresWithin === undefined ? {} : { expiresWithin };
}

/** The notes of the answer: what it does not cover, worded for an answer without a plan, and the notes of the review. */
function notesOf(resources: readonly ReviewedResource[], ofReview: readonly string[], inherited: boolean): string[] {
  const others = ofReview.filter((note) => note !== ONLY_DIRECT_GRANTS);
  return resources.length > 0 ? [...limits(inherited), ...others] : others;
}

/** The resources of an earlier answer, without what has changed above them. */
function resourcesOf(earlier: ReviewResult | undefined): ReviewedResource[] {
  return (earlier?.resources ?? []).filter((each) => !isAbove(each) && each.otherProvider === undefined);
}

function unique(resources: readonly NamedResource[]): NamedResource[] {
  return [...new Map(resources.map((each) => [each.name, each])).values()];
}

function located(resources: readonly NamedResource[], cloud: Cloud): LocatedResource[] {
  return resources.map((each) => ({ ...each, cloud }));
}

/** What has changed since an earlier answer, on the resources and above them. @param then resources of the earlier answer */
function compared(
  earlier: ReviewResult,
  then: readonly ReviewedResource[],
  now: readonly ReviewedResource[],
  { inherited = true, anyEndpoint = false }: ComparedOptions,
): Pick<ReviewResult, "resources" | "notes"> {
  const both = joined(then, now, anyEndpoint);
  const resources = changesSince(now, both);
  const isDirectOnly = earlier.notes.some((note) => note === DIRECT_ONLY || note === ONLY_DIRECT_GRANTS);
  if (!inherited || isDirectOnly) return { resources, notes: inherited ? [ABOVE_NOT_COMPARED] : [] };
  return { resources: [...resources, ...changesAbove(both.pairs)], notes: [] };
}

function judged(resources: ReviewedResource[], rest: Partial<Unjudged>, rules: Rules): ReviewResult {
  const { unknown = [], refused = [], notes = [] } = rest;
  // The last line of every answer.
  const allNotes: string[] = [...notes.filter((each) => each !== NOT_READ), NOT_READ];
  const all = {
    ...rest,
    version: RESULT_VERSION,
    operation: "access",
    resources: resources.toSorted((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1)),
    refused,
    unknown,
    notes: allNotes,
  } as const;
  const unjudged: Unjudged = { ...all, summary: summaryOf(all) };
  return { ...unjudged, verdict: judge(unjudged, rules) };
}

function orderOf({ resource, endpoint = "" }: ReviewedResource): string {
  return JSON.stringify([resource, endpoint]);
}

/** A plan that keeps every resource of the state. Its review shows the current access and the managed grants. */
function planThatChangesNothing(state: readonly PlannedState[], config: Plan["config"]): Plan {
  const steps = state.filter((each) => !each.delete && !each.external).map(sameStep);
  const [, stack, project] = steps.map(({ urn }) => /^urn:pulumi:(.+?)::(.+?)::/.exec(urn)).find(Boolean) ?? [];
  return {
    operation: "access",
    ...(stack === undefined ? {} : { stack }),
    ...(project === undefined ? {} : { project }),
    config,
    steps,
    errors: [],
    announced: [],
    previewed: [],
    hasUnchanged: true,
    unchangedNotShown: 0,
  };
}

/** The step as the engine writes it after the check: the new state has inputs, but no id or outputs yet. */
function sameStep(state: PlannedState): PlanStep {
  return { ...stepOn(state, "same"), new: { ...state, outputs: {}, id: undefined } };
}
