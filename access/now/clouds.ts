import { DEFAULTS } from "../../provider/core/config/definition";
import { checkedConfiguration } from "../../provider/core/config/resolve";
import { PACKAGE_NAME, type ServiceDefinition } from "../../provider/core/definition";
import type { Environment } from "../../provider/core/environment";
import type { Values } from "../../provider/core/unknown";
import type { ApiClient } from "../../provider/http/client";
import { systemClock } from "../../provider/http/clock";
import { Connections } from "../../provider/runtime/connections";
import type { Plan, PlanStep } from "../plan/plan";
import { providerSettings, type ProviderSettings } from "../plan/provider-settings";
import { endpointBeside } from "../rehearsal/rehearsed-providers";

/** The APIs with the settings of one provider. */
export class Cloud {
  readonly grantMode: "replace" | "merge";
  private readonly connections: Connections;

  /** @throws ConfigurationError when the settings are wrong. */
  constructor(settings: Values, environment: Environment) {
    const configuration = checkedConfiguration(settings, environment);
    this.connections = new Connections(configuration, { clock: systemClock });
    this.grantMode = configuration.values.grantMode ?? DEFAULTS.grantMode;
  }

  client(service: ServiceDefinition): ApiClient {
    return this.connections.client(service);
  }

  /** The address of an API, if it is not Google's, as a result has it. */
  endpointOf(service: ServiceDefinition): string | undefined {
    return endpointBeside(service, this.client(service).baseUrl);
  }
}

type Declared = Pick<PlanStep, "provider" | "type">;

/** The clouds of a stack: its resources may have providers with different endpoints. */
export class StackClouds {
  private readonly settings: ProviderSettings;
  private readonly known = new Map<string, Cloud>();

  /** @param given the stack's configuration by full key, with secrets in plain text */
  constructor(
    private readonly plan: Plan,
    given: Values,
    private readonly environment: Environment,
  ) {
    this.settings = providerSettings(plan, { state: undefined, given });
  }

  /** The cloud of a resource of the stack. Default: that of the stack's own settings. @throws ConfigurationError */
  of({ type, provider }: Declared = { type: `${PACKAGE_NAME}:` }): Cloud {
    const { key, values } = this.settings.of({ type, ...(provider === undefined ? {} : { provider }) });
    const cloud = this.known.get(key) ?? new Cloud(values, this.environment);
    this.known.set(key, cloud);
    return cloud;
  }

  /** The cloud where an API has an address: that of the stack's own settings, or else of one of its providers. */
  at(service: ServiceDefinition, endpoint: string | undefined): Cloud | undefined {
    const isThere = (cloud: Cloud) => cloud.endpointOf(service) === endpoint;
    const own = this.of();
    if (isThere(own)) return own;
    const declared = this.plan.steps.filter(({ type }) => type.startsWith(`${PACKAGE_NAME}:`));
    return declared.map((each) => this.of(each)).find(isThere);
  }
}
