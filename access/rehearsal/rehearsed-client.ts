import { apiError, type ApiError } from "../../provider/core/errors";
import { isRecord, type Values } from "../../provider/core/unknown";
import { requestLine, urlOf, type ApiRequest } from "../../provider/http/api-request";
import { silentCall } from "../../provider/http/call";
import type { ApiAnswer, DatedApiClient } from "../../provider/http/client";
import type { Clock } from "../../provider/http/clock";
import { parseAnswer } from "../../provider/http/parse-answer";
import { policyOf } from "../../provider/iam/policy-api";
import type { RehearsedPolicies, RehearsedPolicy } from "./rehearsed-policies";

export interface RehearsedClientOptions {
  /** What the rehearsal reads with. */
  live: DatedApiClient;
  policies: RehearsedPolicies;
  /** Of the rehearsal. Live requests go by the live client's own. */
  clock: Clock;
  /** Longest time for one live request with its retries, in milliseconds. */
  timeout: number;
}

/**
 * A client whose policies are in memory: `getIamPolicy` reads the live policy the first time, `setIamPolicy` changes the
 * copy. Requests that only read (`testIamPermissions`) go to the API.
 */
export function rehearsedClient({ live, policies, clock, timeout }: RehearsedClientOptions): DatedApiClient {
  const { baseUrl } = live;
  // Not the provider's call, whose time is the rehearsal's.
  const liveCall = () => silentCall(live.clock.now() + timeout);
  const load = (request: ApiRequest): Promise<RehearsedPolicy> =>
    policies.load(baseUrl, request.path, () => live.request({ ...request, query: READ_VERSION_3 }, liveCall()));
  const answerTo = async (request: ApiRequest): Promise<ApiAnswer> => {
    switch (request.verb) {
      case "getIamPolicy":
        return { body: (await load({ ...request })).current };
      case "setIamPolicy":
        return { body: write(request, await load(readBefore(request))) };
      default:
        if (request.kind !== "read") throw notRehearsed(request);
        return live.exchange(request, liveCall());
    }
  };
  const write = (request: ApiRequest, policy: RehearsedPolicy): Values => {
    const sent = isRecord(request.body?.policy) ? request.body.policy : {};
    if (sent.etag !== policy.current.etag) throw staleEtag(request, baseUrl);
    return policies.write(
      policy,
      parseAnswer(request.doing, request.path, () => policyOf(sent)),
    );
  };
  return {
    clock,
    baseUrl,
    exchange: answerTo,
    request: async (request) => (await answerTo(request)).body,
  };
}

/** Whatever the caller wants: the copy has to hold the conditions. */
const READ_VERSION_3 = { "options.requestedPolicyVersion": 3 };

function readBefore({ path, doing, resource }: ApiRequest): ApiRequest {
  return { kind: "read", method: "GET", path, verb: "getIamPolicy", doing, resource };
}

/** As the API answers to a write of a policy that was read before another write. */
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

/** A rehearsal changes nothing in the cloud, whatever a lifecycle of tomorrow may ask for. */
function notRehearsed(request: ApiRequest): Error {
  return apiError({
    doing: request.doing,
    resource: request.path,
    request: request.verb ?? request.method,
    status: "UNIMPLEMENTED",
    message: "a review changes nothing, and cannot rehearse this",
  });
}
