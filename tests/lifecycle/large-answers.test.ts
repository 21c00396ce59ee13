/** Answers over real sockets have a limit of size, compressed and not: no server can fill the memory. */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { BadAnswerError } from "../../provider/core/errors";
import { Provider } from "../../provider/runtime/provider";
import { FakeClock } from "../../provider/testing/clock";
import { failure, limits } from "../support/provider";
import { ScriptedServer } from "../support/scripted-server";
import { GET_SCOPE, STORE_GRANT } from "../support/tokens";

const MIB = 2 ** 20;
const ARGS = { location: "l", scopeId: "s" };
const SCOPE = { name: "projects/p/locations/l/scopes/s", state: { code: "READY" } };

let server: ScriptedServer;
afterEach(() => server.stop());

interface Api {
  provider: Provider;
  /** Bytes that went into the sockets. */
  sent: () => number;
}

async function answering(answer: (response: ServerResponse) => void): Promise<Api> {
  let sent = 0;
  server = await ScriptedServer.start((_request, response) => {
    const { socket } = response;
    response.on("error", () => {});
    response.on("close", () => (sent += socket?.bytesWritten ?? 0));
    answer(response);
    return "hang";
  });
  const provider = new Provider({ emulatorHost: server.host, project: "p" }, {}, { clock: new FakeClock() });
  return { provider, sent: () => sent };
}

/** Writes the same bytes until nobody reads them any more. */
function endlessly(response: ServerResponse, bytes: Buffer): void {
  const more = () => {
    while (!response.destroyed && response.write(bytes));
    if (!response.destroyed) response.once("drain", more);
  };
  more();
}

const JSON_TYPE = { "content-type": "application/json" };
const EMPTY = gzipSync("");
const GZIP = { ...JSON_TYPE, "content-encoding": "gzip" };

test.each<[string, (response: ServerResponse) => void]>([
  [
    "a few packed bytes that unpack to more",
    (response) => response.writeHead(200, GZIP).end(gzipSync(Buffer.alloc(64 * MIB, " "))),
  ],
  [
    "packed bytes without end that unpack to nothing",
    (response) => endlessly(response.writeHead(200, GZIP), Buffer.concat(Array.from({ length: 50_000 }, () => EMPTY))),
  ],
  ["bytes without end", (response) => endlessly(response.writeHead(200, JSON_TYPE), Buffer.alloc(MIB, " "))],
  ["an error without end", (response) => endlessly(response.writeHead(503, JSON_TYPE), Buffer.alloc(MIB, " "))],
])("%s: the answer is broken off, is not asked for again, and the error says so", async (_what, answer) => {
  const api = await answering(answer);
  const error = await failure(api.provider.invoke(GET_SCOPE, ARGS, limits()));
  expect(error).toBeInstanceOf(BadAnswerError);
  expect(error.message).toMatch(/^Could not .*projects\/p\/.* the response is larger than 32 MiB/);
  expect(error.effect).toBe("none");
  expect(server.requests).toHaveLength(1);
  expect(api.sent()).toBeLessThan(128 * MIB);
});

test("so is a policy without end", async () => {
  const api = await answering((response) => endlessly(response.writeHead(200, JSON_TYPE), Buffer.alloc(MIB, " ")));
  const state = { name: "projects/p/locations/l/datasets/d/fhirStores/f", role: "roles/viewer", member: "user:a@b.c" };
  const error = await failure(api.provider.read(STORE_GRANT, "x", { state }, limits()));
  expect(error).toBeInstanceOf(BadAnswerError);
  expect(error.message).toMatch(/^Could not .*projects\/p\/.* the response is larger than 32 MiB/);
  expect(server.requests).toHaveLength(1);
});

test("a large answer within the limit is taken", async () => {
  const labels = { text: "x".repeat(20 * MIB) };
  const packed = gzipSync(JSON.stringify({ ...SCOPE, labels }));
  const api = await answering((response) => response.writeHead(200, GZIP).end(packed));
  const result = await api.provider.invoke(GET_SCOPE, ARGS, limits());
  expect((result.labels as typeof labels).text).toHaveLength(20 * MIB);
});

test("letters of several bytes survive the borders between the pieces of an answer", async () => {
  const text = "ä€😀".repeat(50_000);
  const api = await answering((response) => {
    const bytes = Buffer.from(JSON.stringify({ ...SCOPE, labels: { text } }));
    response.writeHead(200, JSON_TYPE);
    for (let at = 0; at < bytes.length; at += 4_099) response.write(bytes.subarray(at, at + 4_099));
    response.end();
  });
  expect((await api.provider.invoke(GET_SCOPE, ARGS, limits())).labels).toEqual({ text });
});
