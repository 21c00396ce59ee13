import { apiError, type ApiError } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { asCall, type Call } from "../../provider/http/call";
import {
  clientOf,
  requestLine,
  urlOf,
  type ApiClient,
  type ApiRequest,
  type PolicyRequest,
} from "../../provider/http/client";
import { systemClock, type Clock } from "../../provider/http/clock";
import { policyOf, readPolicy, sentPolicy } from "../../provider/iam/policy-api";
import type { PolicyCopies, PolicyCopy } from "../live/policy-copies";

export interface RehearsedClientOptions {
  /** The client for live reads. */
  live: ApiClient;
  policies: PolicyCopies;
  /** Longest time for one live request with its retries, in milliseconds. */
  timeout: number;
}

/**
 * A client whose policies are in memory: `getIamPolicy` reads the live policy the first time, `setIamPolicy` changes the
 * copy. Requests that only read (`testIamPermissions`) go to the API.
 */
export function rehearsedClient({ live, policies, timeout }: RehearsedClientOptions): ApiClient {
  const { baseUrl } = live;
  // A call of its own, because the time of the provider's call is that of the rehearsal.
  const asLive = <T>(work: (call: Call) => Promise<T>) => asCall(systemClock, timeout, work);
  // In the newest version, because the copy must contain the conditions.
  const load = (place: PolicyRequest): Promise<PolicyCopy> =>
    policies.load(baseUrl, place.resource, () => asLive((call) => readPolicy({ client: live, ...place }, 3, call)));
  const answerTo = async (request: ApiRequest): Promise<Values> => {
    const { policy } = request;
    if (policy?.method === "getIamPolicy") return (await load(policy)).current;
    if (policy?.method === "setIamPolicy") return write(request, await load(policy));
    if (request.kind !== "read") throw notRehearsed(request);
    return asLive((call) => live.request(request, call, (answer) => answer));
  };
  const write = (request: ApiRequest, policy: PolicyCopy): Values => {
    const sent = sentPolicy(request);
    if (sent.etag !== policy.current.etag) throw staleEtag(request, baseUrl);
    return policies.write(policy, policyOf(sent));
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
function notRehearsed(request: ApiRequest): Error {
  return apiError({
    doing: request.doing,
    resource: request.path,
    request: request.verb ?? request.method,
    status: "UNIMPLEMENTED",
    message: "a review changes nothing, and does not support this method",
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
