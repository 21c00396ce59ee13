import { SharedFacts } from "../../provider/core/facts";
import type { ServiceDefinition } from "../../provider/core/definition";
import type { Environment } from "../../provider/core/environment";
import { getOrCompute } from "../../provider/core/once";
import { Provider } from "../../provider/runtime/provider";
import type { Cloud } from "../live/clouds";
import type { AccessPolicies } from "../live/access-policies";
import type { GrantStep } from "../plan/grant-steps";
import { RehearsalClock, rehearsedClient } from "./rehearsed-client";

/** Settings without waits and without requests that a review does not need. */
const IN_A_REHEARSAL = { waitForPropagation: false, preflight: false };

/**
 * The providers of a stack, one for each process of an update: one for each provider of the plugin, which share the log of the
 * run, and one for the npm front. All share the policies.
 */
export class RehearsedProviders {
  private readonly made = new Map<string, Provider>();
  private readonly facts = new SharedFacts();
  private readonly clock = new RehearsalClock();

  /** @param timeout milliseconds, for each live request with its retries. */
  constructor(
    private readonly policies: AccessPolicies,
    private readonly environment: Environment,
    private readonly timeout: number,
  ) {}

  /** @throws ConfigurationError where the provider's settings are wrong. */
  of({ front, step }: Pick<GrantStep, "front" | "step">): Provider {
    const cloud = this.policies.clouds.of(step);
    return getOrCompute(this.made, `${front} ${cloud.settings.key}`, () => this.make(front, cloud));
  }

  private make(front: GrantStep["front"], cloud: Cloud): Provider {
    const { policies, clock, timeout } = this;
    const client = (service: ServiceDefinition) => rehearsedClient(cloud.client(service), policies, timeout);
    const facts = front === "plugin" ? { facts: this.facts } : {};
    const connectors = { clock, tokens: cloud.tokens, client, canImport: front === "plugin", ...facts };
    return new Provider({ ...cloud.settings.values, ...IN_A_REHEARSAL }, this.environment, connectors);
  }
}
