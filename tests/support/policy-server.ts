import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Values } from "../../provider/core/unknown";

/** One request as the server got it. */
export interface PolicyRequest {
  verb: "getIamPolicy" | "setIamPolicy";
  resource: string;
  /** What a write sends. */
  policy?: Values;
  /** Resolves when the client has closed the connection. */
  closed: Promise<void>;
}

export interface PolicyAnswer {
  status?: number;
  body: string | Values;
  contentType?: string;
}

/**
 * A server of access policies that may misbehave in every way: each test says what it answers. Where it says nothing, the
 * server keeps whatever is written, without a rule of the real API, and answers it back.
 */
export class PolicyServer {
  readonly requests: PolicyRequest[] = [];
  /** What every resource's policy is, unless the test answers by itself. */
  policy: Values = { etag: "e-0" };
  /** What to answer; `hang` never does; undefined does as usual. */
  answer: (request: PolicyRequest) => PolicyAnswer | "hang" | undefined | Promise<PolicyAnswer | undefined> = () =>
    undefined;
  private writes = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PolicyServer> {
    const server = createServer((request, response) => void hostile.serve(request, response));
    const hostile = new PolicyServer(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return hostile;
  }

  /** For the provider's `emulatorHost`. */
  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

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

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += part as string;
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://h").pathname);
    const [resource = "", verb = ""] = path.replace(/^\/[^/]+\//, "").split(":");
    const sent = text === "" ? undefined : (JSON.parse(text) as { policy: Values }).policy;
    const asked: PolicyRequest = {
      verb: verb as PolicyRequest["verb"],
      resource,
      ...(sent ? { policy: sent } : {}),
      closed: new Promise((resolve) => response.on("close", resolve)),
    };
    this.requests.push(asked);
    const answer = (await this.answer(asked)) ?? { body: this.usual(sent) };
    if (answer === "hang") return;
    const { status = 200, body, contentType = "application/json" } = answer;
    response.writeHead(status, { "content-type": contentType });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  private usual(sent: Values | undefined): Values {
    if (sent) this.policy = { ...sent, etag: `e-${++this.writes}` };
    return this.policy;
  }
}

/** An error as the APIs answer it. */
export function apiAnswer(code: number, status: string, message: string, details: Values[] = []): PolicyAnswer {
  return { status: code, body: { error: { code, status, message, details } } };
}
