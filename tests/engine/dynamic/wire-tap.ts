import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Emulator } from "../../../emulator";

/** One request with both bodies. The emulator's own log keeps none. */
export interface Exchange {
  method: string;
  /** Without the version in front: `projects/…`. */
  path: string;
  query: Record<string, string>;
  body: unknown;
  status: number;
  answer: unknown;
}

/** A proxy between the provider and the emulator that records requests and answers. */
export interface WireTap {
  /** `host:port`, to be used as the emulator's. */
  readonly host: string;
  /** Oldest first, by the time they were sent. */
  exchanges(): Exchange[];
  clear(): void;
  stop(): Promise<void>;
}

export async function tap(emulator: Emulator): Promise<WireTap> {
  let exchanges: Exchange[] = [];
  const server = createServer((incoming, outgoing) => {
    const exchange = begun(incoming);
    exchanges.push(exchange);
    void buffer(incoming).then((sent) => {
      exchange.body = json(sent);
      const { "accept-encoding": _, ...headers } = incoming.headers;
      const forward = request(
        { host: emulator.host, port: emulator.port, method: incoming.method, path: incoming.url, headers },
        (reply) => {
          void buffer(reply).then((received) => {
            exchange.status = reply.statusCode ?? 0;
            exchange.answer = json(received);
            outgoing.writeHead(exchange.status, reply.headers).end(received);
          });
        },
      );
      forward.on("error", () => outgoing.destroy());
      forward.end(sent);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges: () => structuredClone(exchanges),
    clear: () => {
      exchanges = [];
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function begun(incoming: IncomingMessage): Exchange {
  const url = new URL(incoming.url ?? "/", "http://emulator");
  return {
    method: incoming.method ?? "",
    path: decodeURIComponent(url.pathname).replace(/^\/v[^/]+\//, ""),
    query: Object.fromEntries(url.searchParams),
    body: undefined,
    status: 0,
    answer: undefined,
  };
}

/** The body as JSON. For a path that no API has, the answer is an HTML page, and stays text. */
function json(bytes: Buffer): unknown {
  const text = bytes.toString();
  return text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text || undefined;
}
