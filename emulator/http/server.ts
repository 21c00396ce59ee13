import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { errorAnswer, faultAnswer, htmlAnswer, replacesAnswer, unknownPath, type Answer } from "./answer";
import { readBody } from "./body";
import { control, CONTROL_PREFIX } from "../control/control";
import type { Core } from "../core";
import { dispatch } from "./dispatch";
import { ApiError } from "./errors";
import type { Fault } from "../control/faults";
import { TOKEN_METHOD, TOKEN_PATHS, tokenAnswer } from "../auth/oauth";
import type { RequestRecord } from "./request-log";
import { byProjectId, type Route } from "./router";
import { transmit } from "./transmit";

export interface ServerOptions {
  core: Core;
  host: string;
  port: number;
  maxBodyBytes: number;
  /** Called once for every request that has been answered or given up; control requests are not reported. */
  onRequest?: (record: RequestRecord) => void;
  /** Called once for every request that a fault keeps without an answer, after its effect. */
  onStall?: (record: RequestRecord) => void;
}

export interface RunningServer {
  port: number;
  stop(): Promise<void>;
}

/** One HTTP request, read and split. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  method: string;
  path: string;
  parameters: URLSearchParams;
  headers: Record<string, string | undefined>;
}

/** Longer than any client keeps an idle connection, so that the server is never the one that closes it. */
const KEEP_ALIVE_MS = 120_000;

/** Serves a core over HTTP. @throws Error when the port is taken */
export async function serve(options: ServerOptions): Promise<RunningServer> {
  const stopping = new AbortController();
  // Every waiting fault listens to it; their number is not a leak.
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
        server.close(() => resolve());
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
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  const exchange: Exchange = {
    request,
    response,
    method: request.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    parameters: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)),
    headers: singleHeaders(request),
  };
  try {
    if (exchange.path.startsWith(CONTROL_PREFIX)) {
      await handleControl(options, exchange, signal);
    } else {
      await handleApi(options, exchange, signal);
    }
  } catch (error) {
    // A client that left, or the end of the server: there is nobody to answer.
    if (!signal.aborted && !request.destroyed && !response.headersSent) {
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
  const body = await bodyOrRefusal(exchange, options.maxBodyBytes);
  const answer = Buffer.isBuffer(body) ? control(options.core, { method, path, parameters, body }) : body;
  await transmit(response, { answer, gzip: acceptsGzip(exchange), signal });
}

async function handleApi(options: ServerOptions, exchange: Exchange, signal: AbortSignal): Promise<void> {
  const { core, onRequest } = options;
  const { method, path } = exchange;
  const matched = core.router.match(method, path);
  const route = matched && byProjectId(matched, core.context.config().projectNumbers);
  const isToken = method === "POST" && TOKEN_PATHS.includes(path);
  const id = route?.method.id ?? (isToken ? TOKEN_METHOD : undefined);
  const record = core.log.open(exchange, core.context.clock.timestamp(), id);
  // The times of operations are on the emulator's clock; clients compare them with the time of the answer.
  exchange.response.setHeader("Date", new Date(core.context.clock.now()).toUTCString());
  try {
    const body = await bodyOrRefusal(exchange, options.maxBodyBytes);
    record.bodyBytes = Buffer.isBuffer(body) ? body.length : Number(exchange.headers["content-length"] ?? 0);
    const fault = core.faults.next(method, path, id);
    if (fault !== undefined) {
      record.fault = Object.keys(fault);
    }
    const effect = (): Answer => {
      const answer = Buffer.isBuffer(body) ? carryOut(core, exchange, route, isToken, body, fault) : body;
      core.context.store.flush();
      return answer;
    };
    await respond(exchange, record, effect, { fault, onStall: options.onStall }, signal);
  } finally {
    onRequest?.(record);
  }
}

function carryOut(
  core: Core,
  { parameters, headers, path }: Exchange,
  route: Route | undefined,
  isToken: boolean,
  body: Buffer,
  fault: Fault | undefined,
): Answer {
  if (route !== undefined) {
    const stale = fault?.staleRead === true;
    return dispatch({ route, parameters, headers, body, stale, operationFailure: fault?.operationError }, core.context);
  }
  return isToken ? tokenAnswer(body, core.context) : unknownPath(path);
}

/** Carries out the effect and answers, in the order and the form that the fault asks for. */
async function respond(
  exchange: Exchange,
  record: RequestRecord,
  effect: () => Answer,
  { fault, onStall }: { fault?: Fault } & Pick<ServerOptions, "onStall">,
  signal: AbortSignal,
): Promise<void> {
  const { response } = exchange;
  if (fault?.delayMs !== undefined) {
    await sleep(fault.delayMs, undefined, { signal });
  }
  if (fault?.reset === "before") {
    breakOff(exchange);
    return;
  }
  const replaced = fault !== undefined && replacesAnswer(fault);
  const skipped = (replaced || fault?.stall === true) && fault?.when !== "after";
  const real = skipped ? undefined : effect();
  if (fault?.reset === "after") {
    breakOff(exchange);
    return;
  }
  if (fault?.stall) {
    const left = clientLeaves(exchange, signal);
    onStall?.(record);
    await left;
    return;
  }
  const answer = replaced || real === undefined ? faultAnswer(fault ?? {}) : real;
  record.status = answer.status;
  await transmit(response, { answer, gzip: acceptsGzip(exchange), fault, signal });
}

/** Ends the connection with a reset, as a crashed server or a middle box does. */
function breakOff({ request, response }: Exchange): void {
  request.socket.resetAndDestroy();
  response.destroy();
}

function clientLeaves({ response }: Exchange, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const leave = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    response.once("close", leave);
    signal.addEventListener("abort", leave);
  });
}

/** A body that cannot be read becomes the answer that says so. */
async function bodyOrRefusal({ request, response, method }: Exchange, maxBytes: number): Promise<Buffer | Answer> {
  if (!/^[A-Z]+$/.test(method)) {
    return htmlAnswer(400, "Bad Request", "Your client has issued a malformed or illegal request.");
  }
  try {
    return await readBody(request, maxBytes);
  } catch (error) {
    if (error instanceof ApiError) {
      // The rest of the body is not wanted; the connection cannot be used again.
      response.setHeader("Connection", "close");
      request.resume();
      return errorAnswer(error);
    }
    throw error;
  }
}

function acceptsGzip({ headers }: Exchange): boolean {
  return /\bgzip\b/i.test(headers["accept-encoding"] ?? "");
}

function singleHeaders(request: IncomingMessage): Exchange["headers"] {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}
