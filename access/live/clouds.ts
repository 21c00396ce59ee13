import { DEFAULTS, isDecisiveKey } from "../../provider/core/config/definition";
import { checkedConfiguration, type ResolvedConfiguration } from "../../provider/core/config/resolve";
import { PACKAGE_NAME, type ServiceDefinition } from "../../provider/core/definition";
import type { Environment } from "../../provider/core/environment";
import type { ApiClient } from "../../provider/http/client";
import { filterProperties, type Values } from "../../provider/core/unknown";
import { getOrCompute } from "../../provider/core/once";
import { systemClock } from "../../provider/http/clock";
import { tokenSource, type TokenSource } from "../../provider/http/credentials";
import { defaultBaseUrl, isInOneCloud } from "../../provider/http/endpoints";
import { RESOURCE_MANAGER } from "../../provider/core/services";
import { ProjectIds } from "../../provider/iam/project-ids";
import { Connections } from "../../provider/runtime/connections";
import { grantSettings, plannedGrantSettings } from "../../provider/services/shared/grant-settings";
import type { GrantSettings } from "../../provider/services/shared/stated-settings";
import { resourceNamed, type NamedResource } from "../meaning/grant-kinds";
import type { PlanStep } from "../plan/plan";
import type { PlannedGrant } from "../plan/planned-grant";
import type { ProviderSettings, SettingsOfProvider } from "../plan/provider-settings";
import { packageOf } from "../result/packages";
import type { Uncertainty } from "../result/result";

/** The APIs with the settings of one provider, for live requests. */
export class Cloud {
  readonly tokens: TokenSource;
  /** The ids of the projects that names have by their numbers. */
  readonly projectIds = new ProjectIds((service) => this.beside(service, RESOURCE_MANAGER));
  private readonly configuration: ResolvedConfiguration;
  private readonly connections: Connections;

  /** @throws ConfigurationError when the settings are wrong. */
  constructor(
    readonly settings: SettingsOfProvider,
    environment: Environment,
  ) {
    this.configuration = checkedConfiguration(settings.values, environment);
    this.tokens = tokenSource(this.configuration);
    this.connections = new Connections(this.configuration, { clock: systemClock, tokens: this.tokens });
  }

  client(service: ServiceDefinition): ApiClient {
    return this.connections.api(service).client;
  }

  /** The client of another API in the cloud of a service; undefined if that cloud has none. */
  beside(service: ServiceDefinition, other: ServiceDefinition): ApiClient | undefined {
    const found = this.client(other);
    return isInOneCloud(this.client(service).baseUrl, other, found.baseUrl) ? found : undefined;
  }

  /** The address of an API, if it is not Google's, as a result has it. */
  endpointOf(service: ServiceDefinition): string | undefined {
    const { baseUrl } = this.client(service);
    return baseUrl === defaultBaseUrl(service) ? undefined : baseUrl;
  }

  get grantMode(): "replace" | "merge" {
    return this.configuration.values.grantMode ?? DEFAULTS.grantMode;
  }

  /** The settings of grants, with this process's environment. @throws ConfigurationError for an endpoint that cannot be used */
  grantSettings(service: ServiceDefinition): GrantSettings {
    return grantSettings(service, this.configuration);
  }

  /** The settings of grants in the plan and the state; undefined if these are wrong. */
  plannedSettings(service: ServiceDefinition): GrantSettings | undefined {
    return plannedGrantSettings(service, this.settings.values);
  }
}

/** The clouds of the environment, without the settings of a stack. */
export function cloudsOfEnvironment(environment: Environment): StackClouds {
  return new StackClouds({ of: () => OF_ENVIRONMENT }, environment);
}

/**
 * The environment variables that `@pulumi/gcp` reads for what no setting names. Source: the installation and configuration page of
 * the package (https://www.pulumi.com/registry/packages/gcp/installation-configuration/).
 */
const PLACE_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  project: ["GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"],
  region: ["GOOGLE_REGION", "GCLOUD_REGION", "CLOUDSDK_COMPUTE_REGION"],
  zone: ["GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE"],
};

const CREDENTIALS = ["accessToken", "credentials"];

type Declared = Pick<PlanStep, "provider" | "type">;

const OF_ENVIRONMENT: SettingsOfProvider = { key: "environment", values: {}, hidden: [], isKnown: true };

/** The clouds of a stack: its resources may have providers with different endpoints. Each is made once. */
export class StackClouds {
  private readonly known = new Map<string, Cloud>();

  constructor(
    private readonly settings: ProviderSettings,
    private readonly environment: Environment,
  ) {}

  /** The cloud of a resource of the stack. Default: that of the stack's own settings. @throws ConfigurationError */
  of({ type, provider }: Declared = { type: `${PACKAGE_NAME}:` }): Cloud {
    const settings = this.settings.of({ type, ...(provider === undefined ? {} : { provider }) });
    // Resources of two packages without a provider have the same key.
    const key = `${packageOf(type)} ${settings.key}`;
    return getOrCompute(this.known, key, () => new Cloud(settings, this.environment));
  }

  /** What a grant of `@pulumi/gcp` has by default: its project, region and zone. */
  defaultsOf(step: Declared): Values {
    const { places } = this.of(step).settings;
    if (!places) return {};
    const found = Object.entries(PLACE_VARIABLES).map(([name, variables]): [string, unknown] => [
      name,
      places[name] ?? variables.map((each) => this.environment[each]).find((text) => text),
    ]);
    return filterProperties(Object.fromEntries(found), (_name, value) => value !== undefined);
  }

  /** Where a grant is; undefined when the plan does not name its resource. */
  placeOf({ step, resource }: PlannedGrant): (NamedResource & { cloud: Cloud }) | undefined {
    const named = resource === undefined ? undefined : resourceNamed(resource);
    return named && { cloud: this.of(step), ...named };
  }

  /** The cloud where an API has an address: that of the stack's own settings, or else of one of these resources. */
  at(service: ServiceDefinition, endpoint: string | undefined, resources: readonly Declared[]): Cloud | undefined {
    const isThere = (cloud: Cloud) => cloud.endpointOf(service) === endpoint;
    const own = this.of();
    if (isThere(own)) return own;
    const declared = resources.filter(({ type }) => type.startsWith(`${PACKAGE_NAME}:`));
    return declared.map((each) => this.of(each)).find(isThere);
  }

  /** The hidden settings that decide which policies are read, or how. */
  get unknownSettings(): Uncertainty[] {
    return this.used.flatMap(({ settings: { key, hidden } }) =>
      hidden.filter(isDecisiveKey).map((name): Uncertainty => ({
        code: "not known yet",
        message: `The setting ${name} of the provider ${key} is secret or not known yet: the review treated it as not set`,
      })),
    );
  }

  /** Sentences about credentials that could not be used, in whose place those of the environment were used. */
  get credentialNotes(): string[] {
    return this.used.flatMap(({ settings: { key, hidden, unusable = [] } }) => {
      const note = (names: readonly string[], what: string) => {
        if (names.length === 0) return [];
        const are = names.length === 1 ? "is" : "are";
        const who = `${names.join(" and ")} of the provider ${key}`;
        return [`${who} ${are} ${what}: the review used the credentials of its own environment`];
      };
      const secret = hidden.filter((name) => CREDENTIALS.includes(name));
      return [...note(secret, "secret"), ...note(unusable, "not supported by a review")];
    });
  }

  /** The clouds that were asked for. */
  private get used(): Cloud[] {
    return [...this.known.values()];
  }
}
