import type { Emulator } from "../../../emulator";
import { forwarded, ScriptedServer } from "../../support/scripted-server";

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
  const server = await ScriptedServer.start(async (request) => {
    const { method, path, parameters, body } = request;
    const exchange: Exchange = {
      method,
      path: path.replace(/^\/v[^/]+\//, ""),
      query: Object.fromEntries(parameters),
      body: json(body),
      status: 0,
      answer: undefined,
    };
    exchanges.push(exchange);
    const { "accept-encoding": _, ...headers } = request.headers;
    const answer = await forwarded({ ...request, headers }, emulator.url);
    if (typeof answer === "object")
      Object.assign(exchange, { status: answer.status, answer: json(String(answer.body)) });
    return answer;
  });
  return {
    host: server.host,
    exchanges: () => structuredClone(exchanges),
    clear: () => {
      exchanges = [];
    },
    stop: () => server.stop(),
  };
}

/** The body as JSON. For a path that no API has, the answer is an HTML page, and stays text. */
function json(text: string): unknown {
  return text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text || undefined;
}
