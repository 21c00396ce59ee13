import { apiError, type ApiError } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { asCall, type Call } from "../../provider/http/call";
import { clientOf, requestLine, urlOf, type ApiClient, type ApiRequest } from "../../provider/http/client";
import { systemClock, type Clock } from "../../provider/http/clock";
import { policyOf, sentPolicy } from "../../provider/iam/policy-api";
import type { AccessPolicies } from "../live/access-policies";
import { SharedFacts } from "../../provider/core/facts";
import type { ServiceDefinition } from "../../provider/core/definition";
import type { Environment } from "../../provider/core/environment";
import { getOrCompute } from "../../provider/core/once";
import { Provider } from "../../provider/runtime/provider";
import type { Cloud } from "../live/clouds";
import type { GrantStep } from "../plan/steps";

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
  of({ front, ...step }: Pick<GrantStep, "front" | "type" | "provider">): Provider {
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

/**
 * A client whose policies are in memory: `getIamPolicy` returns the policy as the steps so far leave it, and `setIamPolicy`
 * changes it. Requests that only read (`testIamPermissions`) go to the API.
 *
 * @param live the client for live reads.
 * @param policies those that the steps change have been read.
 * @param timeout longest time for one live request with its retries, in milliseconds.
 */
export function rehearsedClient(live: ApiClient, policies: AccessPolicies, timeout: number): ApiClient {
  const { baseUrl } = live;
  // A call of its own, because the time of the provider's call is that of the rehearsal.
  const asLive = <T>(work: (call: Call) => Promise<T>) => asCall(systemClock, timeout, work);
  const answerTo = async (request: ApiRequest): Promise<Values> => {
    const { policy: { method, resource } = {} } = request;
    if (method !== "getIamPolicy" && method !== "setIamPolicy") {
      if (request.kind !== "read") throw notRehearsed(request, CHANGES_NOTHING);
      return asLive((call) => live.request(request, call, (answer) => answer));
    }
    const policy = policies.named(baseUrl, resource ?? "");
    if (!policy?.after) throw notRehearsed(request, "the review did not read this access policy");
    if (method === "getIamPolicy") return policy.after;
    const sent = sentPolicy(request);
    if (sent.etag !== policy.after.etag) throw staleEtag(request, baseUrl);
    return policy.write(policyOf(sent));
  };
  return clientOf(baseUrl, answerTo);
}

/** The answer of the API when another write happened after the policy was read. */
function staleEtag(request: ApiRequest, baseUrl: string): ApiError {
  return apiError({
    doing: request.doing,
    resource: request.path,
    request: requestLine(request, urlOf(baseUrl, request)),
    status: "ABORTED",
    httpStatus: 409,
    message: "There were concurrent policy changes",
  });
}

/** A rehearsal changes nothing in the cloud, so other methods are refused. */
const CHANGES_NOTHING = "a review changes nothing, and does not support this method";

function notRehearsed(request: ApiRequest, message: string): Error {
  return apiError({
    doing: request.doing,
    resource: request.path,
    request: request.verb ?? request.method,
    status: "UNIMPLEMENTED",
    message,
  });
}

/**
 * The clock of a rehearsal. Waiting advances it at once, because policies in memory have no quota, no other writers and no
 * delays between servers. Between waits it stands still, so that no call exceeds its time.
 */
export class RehearsalClock implements Clock {
  private time = 0;

  now(): number {
    return this.time;
  }

  sleep(ms: number): Promise<void> {
    this.time += ms;
    return Promise.resolve();
  }

  /** Never fires, because work that waits for nothing ends in time. */
  alarm(): () => void {
    return () => {};
  }

  random(): number {
    return 0.5;
  }
}
