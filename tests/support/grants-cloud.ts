import {
  apiError,
  BadAnswerError,
  ConnectionError,
  RPC_STATUSES,
  type ApiFailure,
  type RpcStatus,
} from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import type { Call } from "../../provider/http/call";
import { clientOf, type ApiClient, type ApiRequest } from "../../provider/http/client";
import type { Clock } from "../../provider/http/clock";
import type { Policy } from "../../provider/iam/policy";
import type { PolicyTarget } from "../../provider/iam/policy-api";

/** A fault of one policy write. `lost`, `truncated` and `invalid` come after the write took effect. */
export type WriteFault =
  "conflict" | "lost" | "lost before" | "truncated" | "invalid" | "unavailable" | "exhausted" | "none";

/** Why a write is refused: the API's words, of a 400 INVALID_ARGUMENT, or a whole error. */
export type Refusal = string | Partial<ApiFailure>;

/** A cloud's policies, as JSON text in memory, for the tests of the policy store. It has no network. */
export class FakeCloud implements ApiClient {
  readonly requests: { verb: string; resource: string; at: number; policy?: Policy }[] = [];
  /** Milliseconds that each request takes. */
  latency = 5;
  /** For each write, in order; afterwards there are none. */
  faults: WriteFault[] = [];
  /** What somebody else does just before a write, so that its etag is stale. */
  interfere: (policy: Policy, resource: string) => Policy = (policy) => policy;
  /** For each read, in order, an error instead of its answer; undefined lets one through. */
  readFaults: (Error | undefined)[] = [];
  /** Why a policy is refused as a whole. */
  refuse: (policy: Policy) => Refusal | undefined = () => undefined;
  readonly request: ApiClient["request"];
  private readonly policies = new Map<string, { text: string; etag: number }>();

  constructor(
    readonly clock: Clock,
    readonly baseUrl = "https://stores.example/v1/",
  ) {
    this.request = clientOf(baseUrl, (request, call) => this.answerTo(request, call)).request;
  }

  policy(resource: string): Policy {
    return JSON.parse(this.policies.get(resource)?.text ?? "{}") as Policy;
  }

  set(resource: string, { etag: _etag, ...policy }: Policy): void {
    const etag = (this.policies.get(resource)?.etag ?? 0) + 1;
    this.policies.set(resource, { text: JSON.stringify(policy), etag });
  }

  target(resource: string, more: Partial<PolicyTarget> = {}): PolicyTarget {
    return { client: this, resource, kind: "a store", api: "stores", ...more };
  }

  count(verb: "getIamPolicy" | "setIamPolicy"): number {
    return this.requests.filter((each) => each.verb === verb).length;
  }

  async answerTo({ path, verb = "", body }: ApiRequest, call: Call): Promise<Values> {
    // A copy, as on a wire: what the caller does to its objects later has no effect.
    const sent = body && (JSON.parse(JSON.stringify(body)) as { policy: Policy });
    this.requests.push({ verb, resource: path, at: this.clock.now(), policy: sent?.policy });
    await this.clock.sleep(this.latency, call.signal);
    const readFault = sent ? undefined : this.readFaults.shift();
    if (readFault) throw readFault;
    const answer = sent ? this.write(path, sent.policy) : this.answer(path);
    await this.clock.sleep(this.latency, call.signal);
    return answer;
  }

  private write(resource: string, sent: Policy): Values {
    const fault = this.faults.shift() ?? "none";
    if (fault === "unavailable") throw failure(resource, "UNAVAILABLE");
    if (fault === "exhausted") throw failure(resource, "RESOURCE_EXHAUSTED");
    if (fault === "lost before") throw new ConnectionError("the connection was reset");
    if (fault === "conflict") this.set(resource, this.interfere(this.policy(resource), resource));
    if (sent.etag !== this.answer(resource).etag) throw failure(resource, "ABORTED", "concurrent policy changes");
    const why = this.refuse(sent);
    if (typeof why === "string") throw failure(resource, "INVALID_ARGUMENT", why);
    if (why !== undefined) throw failure(resource, why.status ?? "INVALID_ARGUMENT", why.message, why);
    this.set(resource, sent);
    if (fault === "lost") throw new ConnectionError("the connection was reset");
    if (fault === "invalid") throw new BadAnswerError("an answer of another shape");
    if (fault === "truncated") throw new BadAnswerError("half an answer", { retryable: true });
    return this.answer(resource);
  }

  private answer(resource: string): Values {
    return { ...this.policy(resource), etag: `etag-${this.policies.get(resource)?.etag ?? 0}` };
  }
}

function failure(resource: string, status: RpcStatus, message = "no", more: Partial<ApiFailure> = {}) {
  const { http } = RPC_STATUSES[status];
  return apiError({ doing: "change it", resource, request: "POST it", status, httpStatus: http, message, ...more });
}
