import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { consoleAnswer, isConsolePath } from "./console/answer";
import type { Core } from "./control/core";
import { control, CONTROL_PREFIX, EVENTS_PATH } from "./control/routes";
import { errorAnswer } from "./http/answer";
import { handleApi, type ApiOptions } from "./http/api";
import { refusal, requireContentType } from "./http/browser-guard";
import { ApiError } from "./base/errors";
import { streamEvents } from "./control/event-stream";
import { acceptsGzip, bodyOrRefusal, exchangeOf, type Exchange } from "./http/exchange";
import { transmit } from "./http/transmit";
import { apis } from "./services";

export interface ServerOptions extends ApiOptions {
  core: Core;
  /** The address to listen on. */
  host: string;
  /** 0 selects a free port. */
  port: number;
}

export interface RunningServer {
  port: number;
  /** Closes all connections and waits until they are closed. */
  stop(): Promise<void>;
}

const TITLES = Object.fromEntries(Object.entries(apis).map(([service, { title }]) => [service, title]));

/**
 * Longer than clients keep idle connections. A server that closes a connection first could lose a request that was just sent.
 */
const KEEP_ALIVE_MS = 120_000;

/** Serves a core over HTTP. @throws Error when the port is in use */
export async function serve(options: ServerOptions): Promise<RunningServer> {
  const stopping = new AbortController();
  // Every waiting fault adds a listener. Without this, Node would warn of a leak from the eleventh listener on.
  setMaxListeners(0, stopping.signal);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void handle(options, request, response, stopping.signal);
  });
  server.on("clientError", (_error, socket) => {
    if (socket.writable) {
      socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    }
  });
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        stopping.abort();
        server.close(() => {
          options.core.close();
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function handle(
  options: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const exchange = exchangeOf(request, response);
  try {
    if (isConsolePath(exchange) || exchange.path.startsWith(CONTROL_PREFIX)) {
      await handleControl(options, exchange, signal);
    } else {
      await handleApi(options, exchange, signal);
    }
  } catch (error) {
    // No client waits for a response if it disconnected or the server stops.
    if (!signal.aborted && !response.destroyed && !response.headersSent) {
      process.emitWarning(error instanceof Error ? error : String(error), { code: "EMULATOR_INTERNAL" });
      await transmit(response, {
        answer: errorAnswer(new ApiError("INTERNAL", "Internal error encountered.")),
        gzip: false,
        signal,
      });
    } else {
      response.destroy();
    }
  }
}

async function handleControl(options: ServerOptions, exchange: Exchange, signal: AbortSignal): Promise<void> {
  const { method, path, parameters, response } = exchange;
  const refused = refusal(exchange, options.guard, requireContentType);
  if (refused === undefined && method === "GET" && path === EVENTS_PATH) {
    await streamEvents(response, (listener) => options.core.events.subscribe(listener), signal);
    return;
  }
  const body = refused ?? (await bodyOrRefusal(exchange, options.maxBodyBytes));
  const answer = Buffer.isBuffer(body)
    ? isConsolePath(exchange)
      ? consoleAnswer(path, options.core.pageToken, TITLES)
      : control(options.core, { method, path, parameters, body })
    : body;
  await transmit(response, { answer, gzip: acceptsGzip(exchange), signal });
}
