/** A local server that answers with JSON, in place of the API of a service. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface JsonRequest {
  /** `GET /repos/team/clinic/issues`: the method and the path. */
  route: string;
  parameters: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The host that a client of a proxy asks for. */
  host: string;
  /** Parses the body. @throws SyntaxError if it is not JSON */
  json(): unknown;
}

export interface JsonAnswer {
  /** 0: the connection ends without an answer. */
  status: number;
  body?: unknown;
  /** In place of JSON, such as the page of a proxy. */
  text?: string;
}

export class JsonService {
  private constructor(private readonly server: Server) {}

  /** @param answer if it throws, the answer is the error with the status 400 */
  static async start(answer: (request: JsonRequest) => JsonAnswer): Promise<JsonService> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { pathname, searchParams, host } = new URL(request.url ?? "/", "http://localhost");
        const { status, body, text } = orBadRequest(() =>
          answer({
            route: `${request.method} ${pathname}`,
            parameters: searchParams,
            headers: request.headers,
            host,
            json: () => JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown,
          }),
        );
        if (status === 0) request.socket.destroy();
        else response.writeHead(status, { "content-type": "application/json" }).end(text ?? JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new JsonService(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

function orBadRequest(answer: () => JsonAnswer): JsonAnswer {
  try {
    return answer();
  } catch (error) {
    return { status: 400, body: { message: String(error) } };
  }
}
