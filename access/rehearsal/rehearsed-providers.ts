import { SharedFacts } from "../../provider/core/facts";
import { checkedConfiguration } from "../../provider/core/config/resolve";
import type { ServiceDefinition } from "../../provider/core/definition";
import type { Environment } from "../../provider/core/environment";
import { grantSettings, plannedGrantSettings, type GrantSettings } from "../../provider/services/shared/grant-settings";
import type { ApiClient } from "../../provider/http/client";
import { systemClock } from "../../provider/http/clock";
import { tokenSource } from "../../provider/http/credentials";
import { defaultBaseUrl } from "../../provider/http/endpoints";
import { Connections } from "../../provider/runtime/connections";
import { Provider } from "../../provider/runtime/provider";
import type { GrantStep } from "../plan/grant-steps";
import type { ProviderSettings, SettingsOfProvider } from "../plan/provider-settings";
import { RehearsalClock, rehearsedClient } from "./rehearsed-client";
import type { RehearsedPolicies } from "./rehearsed-policies";

/** A provider of the stack, on policies in memory. */
export interface RehearsedProvider {
  settings: SettingsOfProvider;
  provider: Provider;
  /** The rehearsed client of a service. @throws ConfigurationError when the settings are wrong. */
  client(service: ServiceDefinition): ApiClient;
  /** The client of a service for live requests. @throws ConfigurationError as `client`. */
  live(service: ServiceDefinition): ApiClient;
  /** The settings of the rehearsal, with this process's environment. @throws ConfigurationError as `client`. */
  grantSettings(service: ServiceDefinition): GrantSettings;
  /** The settings in the plan and the state. */
  plannedSettings(service: ServiceDefinition): GrantSettings | undefined;
}

/** Settings without waits and without requests that a review does not need. */
const IN_A_REHEARSAL = { waitForPropagation: false, preflight: false, reportUnmanaged: false };

/**
 * The providers of a stack, one for each process of an update: one for each provider of the plugin, which share the log of the
 * run, and one for the npm front. All share the policies.
 */
export class RehearsedProviders {
  private readonly made = new Map<string, RehearsedProvider>();
  private readonly facts = new SharedFacts();
  private readonly clock = new RehearsalClock();

  /** @param timeout milliseconds, for each live request with its retries. */
  constructor(
    private readonly settings: ProviderSettings,
    private readonly environment: Environment,
    private readonly policies: RehearsedPolicies,
    private readonly timeout: number,
  ) {}

  /** @throws ConfigurationError where the provider's settings are wrong. */
  of({ front, step }: Pick<GrantStep, "front" | "step">): RehearsedProvider {
    const settings = this.settings.of(step);
    const key = `${front} ${settings.key}`;
    let provider = this.made.get(key);
    if (!provider) {
      provider = this.make(front, settings);
      this.made.set(key, provider);
    }
    return provider;
  }

  all(): RehearsedProvider[] {
    return [...this.made.values()];
  }

  private make(front: GrantStep["front"], settings: SettingsOfProvider): RehearsedProvider {
    const values = { ...settings.values, ...IN_A_REHEARSAL };
    const configuration = checkedConfiguration(values, this.environment);
    const tokens = tokenSource(configuration);
    const live = new Connections(configuration, { clock: systemClock, tokens });
    const clients = new Map<ServiceDefinition, ApiClient>();
    const client = (service: ServiceDefinition) => {
      const { policies, clock, timeout } = this;
      const known = clients.get(service) ?? rehearsedClient({ live: live.client(service), policies, clock, timeout });
      clients.set(service, known);
      return known;
    };
    const facts = front === "plugin" ? { facts: this.facts } : {};
    const connectors = { clock: this.clock, tokens, client, canImport: front === "plugin", ...facts };
    return {
      settings,
      client,
      live: (service) => live.client(service),
      grantSettings: (service) => grantSettings(service, configuration),
      plannedSettings: (service) => plannedGrantSettings(service, settings.values),
      provider: new Provider(values, this.environment, connectors),
    };
  }
}

/** The endpoint of an API, if it is not Google's. */
export function endpointBeside(service: ServiceDefinition, baseUrl: string): string | undefined {
  return baseUrl === defaultBaseUrl(service) ? undefined : baseUrl;
}
