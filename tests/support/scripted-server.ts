/** An HTTP server of this machine that answers what a test says, in place of an API or in front of one. */
import {
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** One request as the server got it. */
export interface ServedRequest {
  method: string;
  /** Decoded, without the query. */
  path: string;
  /** `GET /repos/team/clinic/issues`: the method and the path as it was sent, without the query. */
  route: string;
  /** The path and the query as they were sent. */
  url: string;
  parameters: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The host that a client of a proxy asks for. */
  host: string;
  body: string;
  /** Parses the body. @throws SyntaxError if it is not JSON */
  json(): unknown;
  /** Resolves when the answer is out, or the client has closed the connection. */
  closed: Promise<void>;
}

export interface ServedAnswer {
  /** Default: 200. */
  status?: number;
  /** Default: JSON's content type. */
  headers?: OutgoingHttpHeaders;
  /** Texts and bytes are sent as they are, everything else as JSON. */
  body?: unknown;
}

/**
 * What to answer. `break` ends the connection without an answer; `hang` sends nothing more than the script wrote itself. If it
 * throws, the answer is the error with the status 400.
 */
export type Script = (request: ServedRequest, response: ServerResponse) => Answered | Promise<Answered>;
export type Answered = ServedAnswer | "break" | "hang";

export class ScriptedServer {
  /** All requests so far. */
  readonly requests: ServedRequest[] = [];
  connections = 0;
  readonly http;

  private constructor(
    public script: Script,
    private readonly tls: ServerOptions | undefined,
  ) {
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.serve(request, response);
    this.http = tls ? createTlsServer(tls, serve) : createServer(serve);
  }

  /** @param tls the certificate of a server that speaks TLS */
  static async start(script: Script, tls?: ServerOptions): Promise<ScriptedServer> {
    const server = new ScriptedServer(script, tls);
    server.http.on("connection", () => server.connections++);
    await new Promise<void>((resolve) => server.http.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  /** `127.0.0.1:1234`, for the provider's `emulatorHost`. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `http${this.tls ? "s" : ""}://${this.host}`;
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "/", headers } = incoming;
    const { pathname, searchParams, host } = new URL(url, "http://localhost");
    const closed = new Promise<void>((resolve) => response.on("close", resolve));
    const body = (await buffer(incoming)).toString();
    const request: ServedRequest = {
      ...{ method, url, headers, host, body, closed },
      path: decodeURIComponent(pathname),
      route: `${method} ${pathname}`,
      parameters: searchParams,
      json: () => JSON.parse(body) as unknown,
    };
    this.requests.push(request);
    const answer = await orBadRequest(() => this.script(request, response));
    if (answer === "hang") return;
    if (answer === "break") return void incoming.socket.destroy();
    const { status = 200, headers: own = { "content-type": "application/json" }, body: given } = answer;
    response.writeHead(status, own).end(bytesOf(given));
  }
}

/** A stand-in for a service: a class with what the service knows. */
export abstract class StandIn {
  private server: ScriptedServer | undefined;

  static async start<T extends StandIn, A extends unknown[]>(this: new (...given: A) => T, ...given: A): Promise<T> {
    const service = new this(...given);
    service.server = await ScriptedServer.start((request) => service.serve(request));
    return service;
  }

  /** `127.0.0.1:1234`, for the provider's `emulatorHost`. */
  get host(): string {
    return this.server?.host ?? "";
  }

  get url(): string {
    return this.server?.url ?? "";
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }

  protected abstract serve(request: ServedRequest): ReturnType<Script>;
}

async function orBadRequest(script: () => ReturnType<Script>): Promise<Answered> {
  try {
    return await script();
  } catch (error) {
    return { status: 400, body: { message: String(error) } };
  }
}

function bytesOf(body: unknown): string | Buffer | undefined {
  return body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

/** The answer of the server behind this one, for as long as the client waits for it. */
export function forwarded({ method, url, headers, body, closed }: ServedRequest, to: string): Promise<Answered> {
  return new Promise((resolve) => {
    const passed = send(new URL(url, to), { method, headers }, (answer) => {
      void buffer(answer).then((bytes) =>
        resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: bytes }),
      );
    });
    passed.on("error", () => resolve("break"));
    void closed.then(() => passed.destroy());
    passed.end(body);
  });
}
