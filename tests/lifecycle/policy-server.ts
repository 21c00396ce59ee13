import type { Values } from "../../provider/core/unknown";
import { StandIn, type Answered, type ServedAnswer, type ServedRequest } from "../support/scripted-server";

/** One request as the server got it. */
export interface PolicyRequest {
  verb: "getIamPolicy" | "setIamPolicy";
  resource: string;
  /** What a write sends. */
  policy?: Values;
  /** Resolves when the client has closed the connection. */
  closed: Promise<void>;
}

/**
 * A server of access policies that may misbehave in every way: each test says what it answers. Where it says nothing, the
 * server keeps whatever is written, without a rule of the real API, and answers it back.
 */
export class PolicyServer extends StandIn {
  readonly requests: PolicyRequest[] = [];
  /** What every resource's policy is, unless the test answers by itself. */
  policy: Values = { etag: "e-0" };
  /** What to answer; undefined does as usual. */
  answer: (request: PolicyRequest) => Answered | undefined | Promise<Answered | undefined> = () => undefined;
  private writes = 0;

  count(verb: PolicyRequest["verb"]): number {
    return this.requests.filter((each) => each.verb === verb).length;
  }

  /** Resolves with a request once it has come. */
  async received(verb: PolicyRequest["verb"], number = 1): Promise<PolicyRequest> {
    for (;;) {
      const request = this.requests.filter((each) => each.verb === verb)[number - 1];
      if (request) return request;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  protected async serve({ path, body, json, closed }: ServedRequest): Promise<Answered> {
    const [resource = "", verb = ""] = path.replace(/^\/[^/]+\//, "").split(":");
    const sent = body === "" ? undefined : (json() as { policy: Values }).policy;
    const asked: PolicyRequest = {
      verb: verb as PolicyRequest["verb"],
      resource,
      ...(sent ? { policy: sent } : {}),
      closed,
    };
    this.requests.push(asked);
    return (await this.answer(asked)) ?? { body: this.usual(sent) };
  }

  private usual(sent: Values | undefined): Values {
    if (sent) this.policy = { ...sent, etag: `e-${++this.writes}` };
    return this.policy;
  }
}

/** An error as the APIs answer it. */
export function apiAnswer(code: number, status: string, message: string, details: Values[] = []): ServedAnswer {
  return { status: code, body: { error: { code, status, message, details } } };
}
