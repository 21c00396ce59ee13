import type { ServiceDefinition } from "../../provider/core/definition";
import { digest } from "../../provider/core/program-name";
import { once } from "../../provider/core/once";
import { bindingKey } from "../../provider/iam/policy";
import { resourceNamed } from "../meaning/grant-kinds";
import { resourceInGrantId } from "../meaning/gcp-types";
import { ownershipOf } from "../plan/steps";
import { HiddenValues } from "../plan/hidden-values";
import { GCP } from "../result/packages";
import { groupedBy, placeKey } from "../result/order";
import { shortNameOf } from "../result/urn";
import type { PlannedState } from "../plan/planned-state";
import { isDefaultProvider, urnOf } from "../plan/provider-settings";
import { grantsOfState, type DefaultsOf, type PlannedGrant } from "../plan/planned-grant";
import type { ReviewedGrant, ReviewedResource } from "../result/result";
import { ASSOCIATION, associationService } from "./associations";
import type { Cloud } from "../live/clouds";
import type { StackNow } from "../live/stack-now";
import type { ImportedResource } from "./stack-files";

/** The cloud of a resource of the stack. Default: that of the stack's own settings. */
export type CloudOf = (resource?: PlannedState) => Pick<Cloud, "grantMode" | "endpointOf">;

const NPM_ASSOCIATION = ASSOCIATION.replace(/^perimeter:/, "pulumi-nodejs:dynamic/");

type ProviderEntry = Pick<ImportedResource, "provider" | "version" | "pluginDownloadUrl">;

/** The providers with which a stack declares its resources. */
export class StackProviders {
  readonly table: Record<string, string> = {};
  private readonly grants: readonly PlannedGrant[];
  /** Two clouds of a stack may have the same names. */
  private readonly byPlace = once(() =>
    groupedBy(this.grants, ({ resource, state }) => {
      if (resource === undefined) return "";
      const { service } = resourceNamed(resource).kind;
      return placeKey({ resource, api: service.api, endpoint: this.endpointOf(state, service) });
    }),
  );
  private readonly state: readonly PlannedState[];

  constructor(
    state: readonly PlannedState[],
    private readonly cloudOf: CloudOf,
    defaultsOf: DefaultsOf = () => ({}),
  ) {
    this.state = state.filter((each) => !each.delete && !each.external);
    this.grants = grantsOfState(state, { hidden: HiddenValues.none(), defaultsOf });
  }

  /** The answer shows no secrets, and is compared with these endpoints. */
  static of({ state, clouds, hidden, defaultsOf }: StackNow): StackProviders {
    const cloudOf = (resource?: PlannedState) => {
      const cloud = clouds.of(resource);
      const endpointOf = (service: ServiceDefinition) => hidden.scrubbed(cloud.endpointOf(service));
      return { grantMode: cloud.grantMode, endpointOf };
    };
    return new StackProviders(state, cloudOf, defaultsOf);
  }

  /** The provider of the first grant of the stack on the resource, as an entry of the file names it. */
  of(resource: ReviewedResource): ProviderEntry | "npm front" {
    const on = this.grantsOn(resource);
    const own = on.find(({ step: { front } }) => front === "plugin");
    if (!own && on.some(({ step: { front } }) => front === "npm")) return "npm front";
    return this.entryOf(own?.state.provider);
  }

  /**
   * The type, the provider and the beginning of the ids of the grants on a resource that the stack declares with `@pulumi/gcp`
   * alone.
   */
  ofGcp(resource: ReviewedResource): { entry: ProviderEntry & { type: string }; within: string } | undefined {
    const on = this.grantsOn(resource);
    const [first] = on;
    if (!first || on.some(({ step: { front } }) => front !== GCP)) return undefined;
    const { type, provider, id = "" } = first.state;
    const entry = {
      type: type.replaceAll(/(i)(am)(?:Member|Binding|Policy)/gi, "$1$2Member"),
      ...this.entryOf(provider),
    };
    return { entry, within: resourceInGrantId(id) };
  }

  /**
   * Whether the provider with which a grant on the resource would be adopted replaces whole policies, so that the grant cannot
   * live beside those that are there.
   */
  replacesPolicyOf(resource: ReviewedResource): boolean {
    const on = this.grantsOn(resource);
    const own = on.find(({ step: { front } }) => front === "plugin");
    const others = (resource.after ?? []).reduce((sum, { members }) => sum + members.length, 0) - 1;
    return this.cloudOf(own?.state).grantMode === "replace" && on.length + others > 0;
  }

  /** The binding or policy of the stack that owns the role under the condition of a grant. */
  ownerOf(resource: ReviewedResource, { role, condition }: ReviewedGrant): PlannedState | undefined {
    const wanted = bindingKey({ role, ...(condition ? { condition } : {}) });
    return this.grantsOn(resource).find(({ step, grants }) => {
      const owned = ownershipOf(step);
      return owned === "policy" || (owned === "role" && grants.some((each) => bindingKey(each) === wanted));
    })?.state;
  }

  private grantsOn({ resource, api, endpoint }: ReviewedResource): readonly PlannedGrant[] {
    return this.byPlace().get(placeKey({ resource, api, endpoint })) ?? [];
  }

  /**
   * The provider of the stack's associations: of one in the same location, or else of any. Without one, it is the default
   * provider of the stack's grants, because the version of the plugin is the program's.
   */
  ofAssociations(name: string): ProviderEntry | "npm front" {
    const beside = this.associationBeside(name);
    if (beside) return this.entryOf(beside.provider);
    const ofPlugin = this.grants.filter(({ step: { front } }) => front === "plugin");
    const isOfNpm = this.associations.length > 0 || this.grants.some(({ step: { front } }) => front === "npm");
    if (isOfNpm && ofPlugin.length === 0) return "npm front";
    return this.entryOf(ofPlugin.map(({ state }) => state.provider).find((each) => this.isDefault(each)));
  }

  /** An association of the stack: one in the same location, if there is one. */
  associationBeside(name: string): PlannedState | undefined {
    const all = this.state.filter(({ type }) => type === ASSOCIATION);
    const location = name.split("/").slice(0, 4).join("/");
    return all.find(({ id }) => id?.startsWith(`${location}/`)) ?? all[0];
  }

  /** The stack's associations. */
  get associations(): PlannedState[] {
    return this.state.filter(({ type }) => type === ASSOCIATION || type === NPM_ASSOCIATION);
  }

  /** The first grant of the stack on a resource. */
  grantOn(resource: ReviewedResource): PlannedState | undefined {
    return this.grantsOn(resource)[0]?.state;
  }

  /** Whether the stack has an association of this name where its associations in this location are. */
  has(name: string): boolean {
    const place = (each: PlannedState | undefined) => this.endpointOf(each, associationService);
    const here = place(this.associationBeside(name));
    return this.state.some((each) => each.id === name && place(each) === here);
  }

  private endpointOf(resource: PlannedState | undefined, service: ServiceDefinition): string | undefined {
    return this.cloudOf(resource).endpointOf(service);
  }

  private isDefault(reference: string | undefined): boolean {
    const provider = this.providerOf(reference);
    return provider !== undefined && isDefaultProvider(provider);
  }

  private providerOf(reference: string | undefined): PlannedState | undefined {
    const urn = reference === undefined ? undefined : urnOf(reference);
    return this.state.find((each) => each.urn === urn);
  }

  private entryOf(reference: string | undefined): ProviderEntry {
    const provider = this.providerOf(reference);
    if (!provider) return {};
    if (!isDefaultProvider(provider)) return { provider: this.nameIn(provider.urn) };
    // The engine has a default provider for each version and address of the plugin.
    const { version, pluginDownloadURL } = provider.inputs;
    return {
      ...(typeof version === "string" ? { version } : {}),
      ...(typeof pluginDownloadURL === "string" ? { pluginDownloadUrl: pluginDownloadURL } : {}),
    };
  }

  private nameIn(urn: string): string {
    const known = Object.entries(this.table).find(([, each]) => each === urn)?.[0];
    if (known !== undefined) return known;
    const name = shortNameOf(urn);
    const free = Object.hasOwn(this.table, name) ? `${name}-${digest(urn)}` : name;
    this.table[free] = urn;
    return free;
  }
}
