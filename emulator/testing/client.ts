import type { JsonObject } from "../base/json";
import { startEmulator, type Emulator, type EmulatorOptions } from "../index";

/** A response, as tests use it. */
export interface Reply {
  status: number;
  // Tests read responses of many types. A wrong path in an expectation makes the test fail.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  text: string;
  headers: Headers;
}

export interface TestClient {
  emulator: Emulator;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  put(path: string, body?: unknown): Promise<Reply>;
  patch(path: string, body?: unknown): Promise<Reply>;
  delete(path: string): Promise<Reply>;
}

const running = new Set<Emulator>();

const START_MS = Date.parse("2026-03-01T12:00:00Z");

/** Starts a client and an emulator whose clock moves only when a test advances it. `stopAll` (in afterEach) stops it. */
export async function startTest(options: EmulatorOptions = {}): Promise<TestClient> {
  const emulator = await startEmulator({ clock: () => START_MS, ...options });
  running.add(emulator);
  const send =
    (method: string) =>
    (path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> =>
      request(emulator.url, method, path, body, headers);
  return {
    emulator,
    get: (path, headers) => send("GET")(path, undefined, headers),
    post: send("POST"),
    put: send("PUT"),
    patch: send("PATCH"),
    delete: (path) => send("DELETE")(path),
  };
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((emulator) => emulator.stop()));
  running.clear();
}

async function request(
  url: string,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const isControlWrite = method !== "GET" && path.startsWith("/_emulator/");
  const typed = body !== undefined || isControlWrite;
  const response = await fetch(url + path, {
    method,
    headers: { ...(typed && { "content-type": "application/json" }), ...headers },
    body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: parse(text), text, headers: response.headers };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

export const PARENT = "projects/p/locations/us-central1-a";
export const ASSOCIATIONS = `/v1beta1/${PARENT}/firewallEndpointAssociations`;

/** The body of an association. Each number has its own network. */
export function associationBody(number = 1, more: JsonObject = {}): JsonObject {
  return {
    network: `projects/p/global/networks/net-${number}`,
    firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
    ...more,
  };
}

/** A v4-shaped UUID for each number. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}
