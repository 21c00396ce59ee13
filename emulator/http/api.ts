import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../services/method";
import type { EventFeed } from "../state/events";
import type { Author } from "../state/history";
import type { RequestLog, RequestRecord } from "../state/request-log";
import { unknownPath, type Answer } from "./answer";
import { refusal, type GuardOptions } from "./browser-guard";
import { dispatch } from "./dispatch";
import { acceptsGzip, bodyOrRefusal, type Exchange } from "./exchange";
import { faultAnswer, replacesAnswer } from "./fault-answer";
import type { Fault, FaultPlan } from "./faults";
import { byProjectId, splitPrefix, type Route, type Router } from "./router";
import { TOKEN_METHOD, TOKEN_PATHS, tokenAnswer } from "./token-endpoint";
import { transmit } from "./transmit";

/** The parts that answer requests and log them. */
export interface ApiParts {
  readonly context: Context;
  readonly router: Router;
  readonly faults: FaultPlan;
  readonly log: RequestLog;
  readonly events: EventFeed;
}

export interface ApiOptions {
  core: ApiParts;
  guard: GuardOptions;
  maxBodyBytes: number;
  /** Called once for every request that was answered or abandoned. Control requests are not reported. */
  onRequest?: (record: RequestRecord) => void;
  /** Called once for every request that the fault `stall` leaves unanswered, after the effect of the request. */
  onStall?: (record: RequestRecord) => void;
}

/** Logs, executes and answers a request to an API or to the token endpoint, with its fault if it has one. */
export async function handleApi(options: ApiOptions, exchange: Exchange, signal: AbortSignal): Promise<void> {
  const { core, onRequest, onStall } = options;
  const { method, headers } = exchange;
  const { path, service } = splitPrefix(exchange.path, headers.host);
  const { operations, store } = core.context;
  const ownerOf = (name: string) => operations.ownerOf(name) ?? store.servicesOf(name)[0];
  const matched = core.router.match(method, path, { service, ownerOf });
  const route = matched && byProjectId(matched, core.context.config().projectNumbers);
  const isToken = method === "POST" && TOKEN_PATHS.includes(path);
  const id = route?.method.id ?? (isToken ? TOKEN_METHOD : undefined);
  const record = core.log.open(exchange, core.context.clock.timestamp(), id);
  // Clients compare times in operations with the time of the response, so both use the emulator's clock.
  exchange.response.setHeader("Date", new Date(core.context.clock.now()).toUTCString());
  try {
    const refusedUnread = refusal(exchange, options.guard);
    if (refusedUnread !== undefined) {
      record.refused = true;
      await respond(exchange, { record, carryOut: () => refusedUnread, signal });
      return;
    }
    const body = await bodyOrRefusal(exchange, options.maxBodyBytes);
    const refused = !Buffer.isBuffer(body);
    record.bodyBytes = refused ? Number(exchange.headers["content-length"] ?? 0) : body.length;
    const fault = core.faults.next(method, path, id);
    if (fault !== undefined) {
      record.fault = Object.keys(fault);
    }
    const carryOut = (): Answer => {
      const author: Author = {
        by: "request",
        request: record.seq,
        method: id,
        userAgent: exchange.headers["user-agent"],
      };
      return refused ? body : answerOf(core, exchange, { route, isToken, body, fault, author });
    };
    const answer = await respond(exchange, { record, carryOut, fault, onStall, signal });
    if (!refused && answer !== undefined && route !== undefined && hasShownBodies(route)) {
      core.log.keepBodies(record, route.method.request, body.toString("utf8"), answer.body);
    }
  } finally {
    onRequest?.(record);
    if (core.events.isWatched) {
      core.events.send({ type: "request", record: structuredClone(record) });
    }
  }
}

/** Facts about a request before its execution. */
interface Work {
  route?: Route;
  isToken: boolean;
  body: Buffer;
  fault?: Fault;
  author: Author;
}

function answerOf(
  core: ApiParts,
  { method, parameters, headers, path }: Exchange,
  { route, isToken, body, fault, author }: Work,
): Answer {
  if (route !== undefined) {
    const stale = fault?.staleRead === true;
    const operationFailure = fault?.operationError;
    return dispatch({ route, parameters, headers, body, stale, operationFailure, author }, core.context);
  }
  return isToken ? tokenAnswer(body, core.context) : unknownPath(method, path);
}

/** Whether the console may show the bodies. Bodies with tokens are hidden. */
function hasShownBodies({ method }: Route): boolean {
  return method.api.service !== "iamcredentials";
}

interface Response {
  record: RequestRecord;
  /** Executes the request. */
  carryOut: () => Answer;
  fault?: Fault;
  onStall?: ApiOptions["onStall"];
  /** Aborted when the server stops. */
  signal: AbortSignal;
}

/** Executes and answers the request. The fault determines the order and the form of the response. @returns the response */
async function respond(
  exchange: Exchange,
  { record, carryOut, fault, onStall, signal }: Response,
): Promise<Answer | undefined> {
  if (fault?.delayMs !== undefined) {
    await sleep(fault.delayMs, undefined, { signal });
  }
  if (fault?.reset === "before") {
    reset(exchange);
    return undefined;
  }
  const replaced = fault !== undefined && replacesAnswer(fault);
  const withoutEffect = (replaced || fault?.stall === true) && fault?.when !== "after";
  const real = withoutEffect ? undefined : carryOut();
  if (fault?.reset === "after") {
    reset(exchange);
    return undefined;
  }
  if (fault?.stall) {
    const left = clientLeaves(exchange, signal);
    onStall?.(record);
    await left;
    return undefined;
  }
  const answer = replaced || real === undefined ? faultAnswer(fault ?? {}) : real;
  record.status = answer.status;
  await transmit(exchange.response, { answer, gzip: acceptsGzip(exchange), fault, signal });
  return answer;
}

/** Resets the connection, like a server that crashes or a network device. */
function reset({ request, response }: Exchange): void {
  request.socket.resetAndDestroy();
  response.destroy();
}

/** Resolves when the client closes the connection, or when the server stops. */
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
