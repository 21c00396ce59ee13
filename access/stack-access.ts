import type { Environment } from "../provider/core/environment";
import type { ServiceDefinition } from "../provider/core/definition";
import { answered, endsBy, type ExpectingOptions } from "./answer";
import { InputError } from "../provider/core/errors";
import { quote } from "../provider/core/problem";
import { matchesGlob } from "./gate/glob";
import { partAbout } from "./changes/earlier";
import { carriedOut, isNamedByStep, placesOf, type StatedByStep } from "./changes/carried-out";
import { comparableResources } from "./changes/compare";
import { joined } from "./changes/join";
import { adoptionOf } from "./files/adopt";
import { associationsIn, associationService, locationNamed } from "./files/associations";
import { seedOf } from "./files/seed";
import type { AdoptAs, Adoption, StackSeed } from "./files/stack-files";
import { StackProviders } from "./files/stack-providers";
import { AccessPolicies } from "./live/access-policies";
import { StackClouds } from "./live/clouds";
import { Hierarchy } from "./live/hierarchy";
import type { Place, ResourceInCloud } from "./live/place";
import { resourceNamed } from "./meaning/grant-kinds";
import { PoliciesAbove } from "./live/policies-above";
import { mapBounded } from "./live/reads";
import { reviewedResources, shownPlace } from "./live/reviewed-resource";
import { HiddenValues } from "./plan/hidden-values";
import { emptyPlan } from "./plan/plan";
import { stackIn } from "./result/urn";
import { interruptedGrants, unfollowedGrants, unnamedGrants, waitingGrants } from "./plan/plan-limits";
import { grantsOfState, namedFrom, type DefaultsOf, type PlannedGrant } from "./plan/planned-grant";
import type { PlannedState } from "./plan/planned-state";
import { providerSettings } from "./plan/provider-settings";
import type { PulumiOptions } from "./plan/run-pulumi";
import { namesOfStack, readStackAsPlan } from "./plan/stack";
import { readStackState, type StackState } from "./plan/state";
import { statedGrants } from "./plan/stated-grants";
import { groupedBy } from "./result/order";
import { counted } from "./result/visible";
import { isHidden } from "./result/texts";
import type { Answer, ReviewedResource, StackAnswer } from "./result/result";
import { together } from "./result/stacks";

export interface AccessOfStackOptions extends ExpectingOptions, PulumiOptions {
  /** The stack's name, as `pulumi --stack` takes it. */
  stack: string;
  /** Names of resources, where `*` stands for any text: only those of the stack are in the answer. @default all of the stack */
  resources?: readonly string[];
}

export interface StackAccessOptions extends AccessOfStackOptions {
  /** Patterns of principals, roles or resources, as in the policy file. @default all unmanaged grants */
  only?: readonly string[];
  /** The provider whose types the adopted grants get. @default that of the stack's grants on the resource */
  adoptAs?: AdoptAs;
  /** Whether a seed of the emulator is made. @default false */
  seed?: boolean;
  /** Locations (`projects/…/locations/…`) whose firewall endpoint associations are adopted, too. @default none */
  associations?: readonly string[];
}

/** What an answer about some resources of a stack does not look at. */
function leftOut(all: readonly PlannedGrant[], selected: readonly PlannedGrant[]): string[] {
  const [before, after] = [all, selected].map((each) => new Set(each.map(({ resource }) => resource)).size);
  const count = (before ?? 0) - (after ?? 0);
  if (count === 0) return [];
  return [`Not read: ${counted(count, "resource")} of the stack that no RESOURCE names`];
}

const NO_GRANTS = "The stack has no grant that this command follows";
const NAME_IS_SECRET = "The resources whose names the stack keeps secret are not in the seed";

/**
 * Returns who has access now to all resources with grants of a stack, and which of the grants the stack does not manage.
 *
 * @throws PulumiError when Pulumi cannot be run, or cannot read the stack.
 * @throws ConfigurationError when the provider's settings are wrong.
 */
export async function accessOfStack(options: AccessOfStackOptions): Promise<Answer> {
  const stack = await StackNow.read(options);
  return stack.guarded(() => stack.answer());
}

/**
 * Returns who has access now to all resources with grants of a stack, the file with which `pulumi import` takes over the grants
 * that the stack does not manage, and on demand a copy of the stack's resources as a seed of the emulator.
 *
 * @throws PulumiError and ConfigurationError like `accessOfStack`.
 * @throws InputError for a text that names no location.
 */
export async function readStackAccess(
  options: StackAccessOptions,
): Promise<{ result: Answer; adoption: Adoption; seed?: StackSeed }> {
  const locations = (options.associations ?? []).map(locationNamed);
  const stack = await StackNow.read(options);
  return stack.guarded(async () => {
    const result = await stack.answer();
    const adoption = await stack.adoption(result, locations, options);
    return options.seed ? { result, adoption, seed: await stack.seed(result) } : { result, adoption };
  });
}

/** A stack, and the clouds of its resources. */
class StackNow {
  private readonly providers: StackProviders;
  private readonly hierarchy: Hierarchy;
  private readonly defaultsOf: DefaultsOf = (step) => this.clouds.defaultsOf(step);

  private constructor(
    private readonly options: AccessOfStackOptions,
    private readonly exported: StackState,
    private readonly clouds: StackClouds,
    private readonly hidden: HiddenValues,
  ) {
    // The answer shows no secrets, and is compared with these endpoints.
    const cloudOf = (resource?: PlannedState) => {
      const cloud = clouds.of(resource);
      const endpointOf = (service: ServiceDefinition) => hidden.scrubbed(cloud.endpointOf(service));
      return { grantMode: cloud.grantMode, endpointOf };
    };
    this.hierarchy = new Hierarchy(new AccessPolicies(clouds));
    this.providers = new StackProviders(this.state, cloudOf, this.defaultsOf);
  }

  private get state(): readonly PlannedState[] {
    return this.exported.resources;
  }

  static async read(options: AccessOfStackOptions): Promise<StackNow> {
    // A wrong period is an error before anything is read.
    endsBy(options);
    const { state: text, configuration, config } = await readStackAsPlan(options.stack, options);
    const exported = readStackState(text);
    const state = exported.resources;
    const plan = emptyPlan(config);
    const hidden = new HiddenValues(plan, state, configuration);
    const environment: Environment = options.environment ?? process.env;
    const clouds = new StackClouds(providerSettings(plan, { state, given: configuration }), environment);
    return new StackNow(options, exported, clouds, hidden);
  }

  /** Runs a part of the work. Its errors contain no secrets. */
  async guarded<T>(work: () => Promise<T>): Promise<T> {
    return work().catch((error: unknown) => {
      throw this.hidden.scrubbedError(error);
    });
  }

  async answer(): Promise<Answer> {
    const { options, state, clouds, hidden, hierarchy } = this;
    const { inherited = true, anyEndpoint = false } = options;
    // A stack without resources does not name itself.
    const of = { ...(await namesOfStack(options.stack, options.cwd ?? process.cwd())), ...stackIn(state) };
    const all = grantsOfState(state, { hidden, defaultsOf: this.defaultsOf });
    const stated = this.stated(all);
    const selected = (earlier: Answer | undefined) => earlier && this.selectedOf(earlier, stated);
    const compared = { earlier: selected(options.earlier), expected: selected(options.expected) };
    const then = compared.earlier ?? compared.expected;
    const earlier = then && carriedOut(partAbout(then, of), stated).named;
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
    const own = hidden.scrubbed(await reviewedResources(read, hidden, above));
    const { onlyEarlier } = joined(earlier ? comparableResources(earlier) : [], own, anyEndpoint);
    const places = onlyEarlier.flatMap((each) => this.placeOf(each, anyEndpoint));
    const gone = hidden.scrubbed(await reviewedResources(await policies.read(places), hidden, above));
    // An answer about some resources is not about others.
    const isOfAll = (options.resources ?? []).length === 0;
    const unfollowed = isOfAll ? unfollowedGrants(this.exported) : [];
    // A review says what changes there, and a state whether it is done.
    const [unread, notCompared] = options.expected ? [[], unfollowed] : [unfollowed, []];
    const found = hidden.scrubbed({
      ...of,
      unknown: [
        ...interruptedGrants(this.exported),
        ...(isOfAll ? unnamedGrants(all) : []),
        ...unread,
        ...clouds.unknownSettings,
      ],
      notes: [
        ...(all.length === 0 ? [NO_GRANTS] : []),
        ...leftOut(all, granted),
        ...waitingGrants(granted),
        ...notCompared.map(({ message }) => message),
        ...clouds.credentialNotes,
        ...(above?.notes ?? []),
      ],
    });
    const resources = [...own, ...gone.map((each) => ({ ...each, ofStack: false as const }))];
    return answered({ ...found, resources }, { ...options, ...compared }, stated);
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
    const { resources = [] } = this.options;
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
    const problems = (this.options.resources ?? [])
      .filter((pattern) => !names.some((name) => matchesGlob(pattern, name)))
      .map((pattern) => ({
        path: "RESOURCE",
        reason: `must match the name of a resource with a grant of the stack, where * is any text; got ${quote(pattern)}`,
      }));
    if (problems.length > 0) throw new InputError(`The stack ${this.options.stack} has no such resource`, problems);
  }

  /** Where to read a resource that only the earlier answer has. Empty if no settings name its cloud. */
  private placeOf({ resource, endpoint }: ReviewedResource, anyEndpoint: boolean): Place[] {
    const named = resourceNamed(resource);
    const cloud =
      this.clouds.at(named.kind.service, endpoint, this.state) ?? (anyEndpoint ? this.clouds.of() : undefined);
    return cloud ? [{ cloud, ...named }] : [];
  }

  async adoption(
    { stacks }: Answer,
    locations: readonly string[],
    { only = [], adoptAs }: Pick<StackAccessOptions, "only" | "adoptAs">,
  ): Promise<Adoption> {
    const { state, providers } = this;
    const warnings: string[] = [];
    const found = await mapBounded(locations, (location) => {
      const cloud = this.clouds.of(providers.associationBeside(`${location}/`));
      return associationsIn(location, cloud.client(associationService), (sentence) => warnings.push(sentence));
    });
    const { resources } = together(stacks);
    const adoption = adoptionOf({ resources, state, providers, associations: found.flat(), only, as: adoptAs });
    return { ...adoption, leftOut: [...warnings, ...adoption.leftOut] };
  }

  async seed({ stacks }: Answer): Promise<StackSeed> {
    const { resources } = together(stacks);
    const seed = await seedOf(this.copied(resources), this.hierarchy, this.options.inherited ?? true);
    const secret = resources.some(({ resource }) => isHidden(resource)) ? [NAME_IS_SECRET] : [];
    return { ...seed, unread: [...this.hidden.scrubbed(seed.unread), ...secret] };
  }

  /** The resources with grants of the stack, and its associations. */
  private copied(resources: readonly ReviewedResource[]): ResourceInCloud[] {
    const { clouds, providers } = this;
    const granted = resources.flatMap((each) => {
      const grant = providers.grantOn(each);
      return grant ? [{ ...resourceNamed(each.resource), cloud: clouds.of(grant) }] : [];
    });
    const kind = { service: associationService, kind: "an association" };
    const associations = providers.associations.flatMap((each) =>
      each.id ? [{ cloud: clouds.of(each), kind, path: each.id }] : [],
    );
    return [...granted, ...associations];
  }
}
