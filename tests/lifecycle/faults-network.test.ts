/** The provider's requests on real sockets: what it sends, over how many connections, and through which proxy. */
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { ConnectionError, RefusedError } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { Provider } from "../../provider/runtime/provider";
import { SEED, GRANT, NAMED } from "./faults-journeys";
import { Bench, failure, limits } from "../support/provider";
import { ScriptedProxy } from "../support/scripted-proxy";
import { ScriptedServer } from "../support/scripted-server";
import { ASSOCIATION, GET_SCOPE, STORE_GRANT } from "../support/tokens";

const SCOPE = {
  name: "projects/p/locations/l/scopes/s",
  state: { code: "READY" },
  labels: { text: "x".repeat(2_000) },
};
const ARGS = { location: "l", scopeId: "s" };

const cleanUp: (() => unknown)[] = [];
afterEach(() => Promise.all(cleanUp.splice(0).map((each) => each())));

/** An API that answers every request with the scope, compressed. */
async function started(delayMs = 0): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(async () => {
    await pause(delayMs);
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    return { headers, body: gzipSync(JSON.stringify(SCOPE)) };
  });
  cleanUp.push(() => server.stop());
  return server;
}

const provider = ({ host }: ScriptedServer, more: Values = {}) =>
  new Provider({ emulatorHost: host, project: "p", ...more }, {});

test("requests have the user agent and the reason; requests to this machine have no token and do not accept gzip", async () => {
  const server = await started();
  const own = provider(server, { appendUserAgent: "mine/1", requestReason: "ticket 7", accessToken: "secret-token" });
  expect(await own.invoke(GET_SCOPE, ARGS, limits())).toMatchObject({ name: SCOPE.name });
  const headers = server.requests[0]?.headers ?? {};
  expect(headers["user-agent"]).toMatch(/^pulumi-perimeter\/\S+ \(node [\d.]+\) mine\/1$/);
  expect(headers["x-goog-api-client"]).toMatch(/^gl-node\/\S+ gccl\/\S+$/);
  expect(headers["x-goog-request-reason"]).toBe("ticket 7");
  expect(headers).not.toHaveProperty("accept-encoding");
  expect(headers).not.toHaveProperty("authorization");
});

test("a connection is used again, and many calls at once share a bounded number", async () => {
  const one = await started();
  for (let number = 0; number < 20; number++) await provider(one).invoke(GET_SCOPE, ARGS, limits());
  expect(one.connections).toBe(1);
  const many = await started(20);
  const own = provider(many);
  await Promise.all(
    Array.from({ length: 200 }, (_, at) => own.invoke(GET_SCOPE, { ...ARGS, scopeId: `s${at}` }, limits())),
  );
  expect(many.requests).toHaveLength(200);
  expect(many.connections).toBeLessThanOrEqual(32);
});

test("a proxy of the environment is used for all hosts except this machine", async () => {
  const proxy = await ScriptedProxy.start();
  const server = await started();
  const before = { ...process.env };
  cleanUp.push(
    () => proxy.stop(),
    () => Object.assign(process.env, { HTTPS_PROXY: before.HTTPS_PROXY ?? "", HTTP_PROXY: before.HTTP_PROXY ?? "" }),
  );
  Object.assign(process.env, { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NO_PROXY: "", no_proxy: "" });
  delete process.env.https_proxy;
  delete process.env.http_proxy;
  await jest.isolateModulesAsync(async () => {
    // The process makes its one pool at first use, and reads the environment then.
    const { Provider: Fresh } = await import("../../provider/runtime/provider.js");
    const given = { project: "p", accessToken: "secret-token", retry: { maxAttempts: 1 } };
    const error = await failure(new Fresh(given, {}).invoke(GET_SCOPE, ARGS, limits()));
    expect(error.name).toBe(ConnectionError.name);
    expect(error.message).toContain("projects/p/locations/l/scopes/s");
    expect(proxy.asked).toEqual(["CONNECT gkehub.googleapis.com:443 HTTP/1.1"]);
    await new Fresh({ emulatorHost: server.host, project: "p" }, {}).invoke(GET_SCOPE, ARGS, limits());
    expect(proxy.asked).toHaveLength(1);
  });
});

describe("preflight", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await Bench.start({ seed: SEED });
  });
  afterAll(() => bench.emulator.stop());

  const preview = (token: string, inputs: Values, configuration: Values = { preflight: true }) =>
    bench.provider({ allowLockout: true, ...configuration }).previewCreate(token, inputs, limits());

  test("lists every permission that a grant lacks at once, at preview", async () => {
    bench.emulator.configure({
      deny: ["healthcare.fhirStores.getIamPolicy", "healthcare.fhirStores.setIamPolicy"],
    });
    const error = await failure(preview(STORE_GRANT, GRANT));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error.message).toContain("healthcare.fhirStores.getIamPolicy");
    expect(error.message).toContain("healthcare.fhirStores.setIamPolicy");
    // Without the option, the user reads only that the policy cannot be read.
    await preview(STORE_GRANT, GRANT, {});
    bench.emulator.configure({ deny: [] });
    await preview(STORE_GRANT, GRANT);
  });

  test("names a resource that does not exist, and an association that already exists", async () => {
    const nowhere = { ...GRANT, name: GRANT.name.replace(/[^/]+$/, "nowhere") };
    expect((await failure(preview(STORE_GRANT, nowhere))).message).toContain(`${nowhere.name} does not exist`);
    const inputs = { ...NAMED, project: "p" };
    await preview(ASSOCIATION, inputs);
    await bench.provider().create(ASSOCIATION, inputs, limits());
    expect((await failure(preview(ASSOCIATION, inputs))).message).toContain(`pulumi import ${ASSOCIATION}`);
  });
});
