import type { Environment } from "../../provider/core/environment";
import { InputError } from "../../provider/core/errors";
import { quote } from "../../provider/core/problem";
import { isNamedByStep, placesOf, type StatedByStep } from "../changes/carried-out";
import { comparableResources, earlierOf, type Comparison } from "../changes/compare";
import { joined } from "../changes/join";
import { resourceNamed } from "../meaning/grant-kinds";
import { HiddenValues } from "../plan/hidden-values";
import { emptyPlan } from "../plan/plan";
import { interruptedGrants, unfollowedGrants, unnamedGrants, waitingGrants } from "../plan/plan-limits";
import { grantsOfState, namedFrom, type DefaultsOf, type PlannedGrant } from "../plan/planned-grant";
import type { PlannedState } from "../plan/planned-state";
import { providerSettings } from "../plan/provider-settings";
import type { PulumiOptions } from "../plan/run-pulumi";
import { namesOfStack, readStackAsPlan } from "../plan/stack";
import { readStackState, type StackState } from "../plan/state";
import { statedGrants } from "../plan/stated-grants";
import { matchesGlob } from "../result/glob";
import { groupedBy } from "../result/order";
import type { Answer, ReviewedResource, StackAnswer } from "../result/result";
import { stackIn } from "../result/urn";
import { counted } from "../result/visible";
import { AccessPolicies } from "./access-policies";
import { StackClouds } from "./clouds";
import { Hierarchy } from "./hierarchy";
import type { Place } from "./place";
import { PoliciesAbove } from "./policies-above";
import { reviewedResources, shownPlace } from "./reviewed-resource";

/** A stack, which of its resources are read, and what they are compared with. */
type StackQuestion = Comparison & PulumiOptions & { stack: string; resources?: readonly string[] };

const NO_GRANTS = "The stack has no grant that this command follows";

/** A stack, and the clouds of its resources. */
export class StackNow {
  readonly hierarchy: Hierarchy;
  readonly defaultsOf: DefaultsOf = (step) => this.clouds.defaultsOf(step);

  private constructor(
    private readonly question: StackQuestion,
    private readonly exported: StackState,
    readonly clouds: StackClouds,
    readonly hidden: HiddenValues,
  ) {
    this.hierarchy = new Hierarchy(new AccessPolicies(clouds));
  }

  get state(): readonly PlannedState[] {
    return this.exported.resources;
  }

  static async read(question: StackQuestion): Promise<StackNow> {
    const { state: text, configuration, config } = await readStackAsPlan(question.stack, question);
    const exported = readStackState(text);
    const state = exported.resources;
    const plan = emptyPlan(config);
    const hidden = new HiddenValues(plan, state, configuration);
    const environment: Environment = question.environment ?? process.env;
    const clouds = new StackClouds(providerSettings(plan, { state, given: configuration }), environment);
    return new StackNow(question, exported, clouds, hidden);
  }

  /** Runs a part of the work. Its errors contain no secrets. */
  async guarded<T>(work: () => Promise<T>): Promise<T> {
    return work().catch((error: unknown) => {
      throw this.hidden.scrubbedError(error);
    });
  }

  /**
   * Who has access now to the resources with grants of the stack, and what to compare that with: the part of the earlier answers
   * about these resources, and what the state says about the steps of a review.
   */
  async found() {
    const { question, state, clouds, hidden, hierarchy } = this;
    const { inherited = true, anyEndpoint = false } = question;
    // A stack without resources does not name itself.
    const of = { ...(await namesOfStack(question.stack, question.cwd ?? process.cwd())), ...stackIn(state) };
    const all = grantsOfState(state, { hidden, defaultsOf: this.defaultsOf });
    const stated = this.stated(all);
    const selected = (earlier: Answer | undefined) => earlier && this.selectedOf(earlier, stated);
    const compared = { earlier: selected(question.earlier), expected: selected(question.expected) };
    const earlier = earlierOf(of, compared, stated)?.named;
    const above = inherited ? new PoliciesAbove(hierarchy) : undefined;
    const granted = all.filter(({ resource }) => this.isSelected(resource));
    this.checkSelection(granted, earlier);
    const { policies } = hierarchy;
    const placed = granted.flatMap((planned) => {
      const place = clouds.placeOf(planned);
      return place ? [{ place, planned }] : [];
    });
    const read = await policies.read(placed.map(({ place }) => place));
    for (const { place, planned } of placed) {
      policies.at(place).has(planned);
      policies.at(place).declares(planned.grants);
    }
    const resourcesOf = (some: readonly PlannedGrant[]) => new Set(some.map(({ resource }) => resource)).size;
    const leftOut = resourcesOf(all) - resourcesOf(granted);
    const own = hidden.scrubbed(await reviewedResources(read, hidden, above));
    const { onlyEarlier } = joined(earlier ? comparableResources(earlier) : [], own, anyEndpoint);
    const places = onlyEarlier.flatMap((each) => this.placeOf(each, anyEndpoint));
    const gone = hidden.scrubbed(await reviewedResources(await policies.read(places), hidden, above));
    // An answer about some resources is not about others.
    const isOfAll = (question.resources ?? []).length === 0;
    const unfollowed = isOfAll ? unfollowedGrants(this.exported) : [];
    // A review says what changes there, and a state whether it is done.
    const [unread, notCompared] = question.expected ? [[], unfollowed] : [unfollowed, []];
    const facts = hidden.scrubbed({
      ...of,
      unknown: [
        ...interruptedGrants(this.exported),
        ...(isOfAll ? unnamedGrants(all) : []),
        ...unread,
        ...clouds.unknownSettings,
      ],
      notes: [
        ...(all.length === 0 ? [NO_GRANTS] : []),
        ...(leftOut === 0 ? [] : [`Not read: ${counted(leftOut, "resource")} of the stack that no RESOURCE names`]),
        ...waitingGrants(granted),
        ...notCompared.map(({ message }) => message),
        ...clouds.credentialNotes,
        ...(above?.notes ?? []),
      ],
    });
    const resources = [...own, ...gone.map((each) => ({ ...each, ofStack: false as const }))];
    return { found: { ...facts, resources }, compared, stated };
  }

  /** What the state says about the resources that a review names by the steps on them. */
  private stated(granted: readonly PlannedGrant[]): StatedByStep {
    const { clouds, hidden } = this;
    const byState = new Map(granted.map((each) => [each.state, each]));
    const isThere = (each: PlannedState) => !each.external && !each.pendingReplacement;
    const all = groupedBy(this.state.filter(isThere), ({ urn }) => urn);
    const statedOf = (each: PlannedState) => {
      const grants = statedGrants(each);
      const planned = byState.get(each);
      const place = planned && clouds.placeOf(planned);
      if (!place) return { grants, namedFrom: [] };
      return { grants, namedFrom: namedFrom(planned.step, each), place: hidden.scrubbed(shownPlace(place, hidden)) };
    };
    return new Map([...all].map(([urn, each]) => [urn, each.map(statedOf)]));
  }

  private isSelected(resource: string | undefined): boolean {
    const { resources = [] } = this.question;
    if (resources.length === 0) return true;
    return resource !== undefined && resources.some((pattern) => matchesGlob(pattern, resource));
  }

  private selectedOf(earlier: Answer, stated: StatedByStep): Answer {
    const isChosen = (each: ReviewedResource) => {
      const places = isNamedByStep(each) ? placesOf(each, stated) : [];
      return [each, ...places].some(({ resource }) => this.isSelected(resource));
    };
    const stacks = earlier.stacks.map((each) => ({ ...each, resources: each.resources.filter(isChosen) }));
    return { ...earlier, stacks };
  }

  /** @throws InputError for a pattern that no resource matches: most likely, it is a typing mistake */
  private checkSelection(granted: readonly PlannedGrant[], earlier: StackAnswer | undefined): void {
    const names = [...granted, ...(earlier?.resources ?? [])].flatMap(({ resource }) => resource ?? []);
    const problems = (this.question.resources ?? [])
      .filter((pattern) => !names.some((name) => matchesGlob(pattern, name)))
      .map((pattern) => ({
        path: "RESOURCE",
        reason: `must match the name of a resource with a grant of the stack, where * is any text; got ${quote(pattern)}`,
      }));
    if (problems.length > 0) throw new InputError(`The stack ${this.question.stack} has no such resource`, problems);
  }

  /** Where to read a resource that only the earlier answer has. Empty if no settings name its cloud. */
  private placeOf({ resource, endpoint }: ReviewedResource, anyEndpoint: boolean): Place[] {
    const named = resourceNamed(resource);
    const cloud =
      this.clouds.at(named.kind.service, endpoint, this.state) ?? (anyEndpoint ? this.clouds.of() : undefined);
    return cloud ? [{ cloud, ...named }] : [];
  }
}
