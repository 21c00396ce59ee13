import fc from "fast-check";
import { request } from "node:http";
import { connect } from "node:net";
import { demoSeed } from "./index";
import { startTest, stopAll, type TestClient } from "./testing/client";

const CANARY = "canary-5e0c9d41";

let client: TestClient;
/** Internal errors of the emulator appear as warnings of the process, whatever the response is. */
const warnings: unknown[] = [];
const warned = (warning: Error & { code?: string }) => {
  if (warning.code === "EMULATOR_INTERNAL") warnings.push(warning);
};
beforeAll(async () => {
  process.on("warning", warned);
  client = await startTest({ seed: demoSeed });
});
afterAll(async () => {
  process.off("warning", warned);
  await stopAll();
});

const RUNS = { numRuns: 300, seed: 20260301 };
const ZONE = "/v1beta1/projects/p/locations/us-central1-a";
const STORE = "/v1beta1/projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";

/** Generates paths that are valid, nearly valid, or random. */
const path = fc.oneof(
  fc.constantFrom(
    `${ZONE}/firewallEndpointAssociations`,
    `${ZONE}/firewallEndpointAssociations/a`,
    `${ZONE}/operations`,
    `${ZONE}/operations/o:cancel`,
    `${STORE}:setIamPolicy`,
    `${STORE}:getIamPolicy`,
    `${STORE}:testIamPermissions`,
    "/v1/projects/p/locations/us-central1/triggers",
    "/v1/projects/-/serviceAccounts/a@b.c:generateAccessToken",
    "/token",
  ),
  fc.webPath(),
  fc
    .array(fc.oneof(fc.constantFrom("projects", "p", "locations", "operations", "%2F", "..", "%"), fc.webSegment()), {
      maxLength: 8,
    })
    .map((segments) => `/v1beta1/${segments.join("/")}`),
);
const query = fc.oneof(
  fc.constantFrom(
    "",
    "requestId=x",
    "updateMask=*",
    "updateMask=__proto__",
    "pageToken=e30",
    "pageToken=W10",
    "fields=(",
  ),
  fc.webQueryParameters(),
);
const word = fc.constantFrom(
  ...["network", "firewallEndpoint", "labels", "policy", "bindings", "members", "role", "condition", "auditConfigs"],
  ...["updateMask", "permissions", "destination", "eventFilters", "__proto__", "constructor", "toString", "etag"],
);
const known = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.jsonValue({ maxDepth: 2 }),
    tie("object"),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
  object: fc.dictionary(fc.oneof(word, fc.string()), tie("value"), { maxKeys: 5 }),
})).object;
const body = fc.oneof(
  known.map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("[".repeat(50_000), '{"a":'.repeat(20_000), `{"labels":{"__proto__":"x"}}`),
);

test("every random request gets a response, and never a server error", async () => {
  const method = fc.constantFrom("GET", "POST", "PATCH", "DELETE", "PUT");
  await fc.assert(
    fc.asyncProperty(method, path, query, body, async (verb, where, parameters, content) => {
      const status = await send(verb, `${where}?${parameters}`, content);
      expect(status).toBeGreaterThan(0);
      expect(status).toBeLessThan(500);
    }),
    { ...RUNS, numRuns: 1_500 },
  );
  expect(warnings).toEqual([]);
  expect(JSON.stringify(client.emulator.requests())).not.toContain(CANARY);
  expect((await client.get("/_emulator/health")).status).toBe(200);
});

/**
 * Returns the status; 0 if the connection ended without a response. `fetch` is unsuitable: it normalizes paths and refuses a
 * GET with a body.
 */
function send(method: string, target: string, content: string): Promise<number> {
  return new Promise((resolve) => {
    try {
      const asking = request(client.emulator.url + target, { method, headers: { authorization: `Bearer ${CANARY}` } });
      asking.on("response", (response) => response.resume().on("end", () => resolve(response.statusCode ?? 0)));
      asking.on("error", () => resolve(0)).end(content);
    } catch {
      // Node's client refuses to send this request.
      resolve(1);
    }
  });
}

test("no random control request gets a server error", async () => {
  const route = fc.constantFrom("POST seed", "PUT config", "PUT faults", "POST advance", "POST mutate", "POST reset");
  await fc.assert(
    fc.asyncProperty(route, body, async (target, content) => {
      const [method = "", name = ""] = target.split(" ");
      const response = await fetch(`${client.emulator.url}/_emulator/${name}`, { method, body: content });
      await response.text();
      expect(response.status).toBeLessThan(500);
      client.emulator.reset();
    }),
    { ...RUNS, numRuns: 150 },
  );
});

test("bytes that are not HTTP only end the connection", async () => {
  const ends = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      const socket = connect(client.emulator.port, "127.0.0.1", () => socket.end(bytes));
      socket.on("error", () => resolve()).on("close", () => resolve());
      socket.resume();
    });
  for (const bytes of [
    "\0\0\0",
    "GET\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    `GET /${"x".repeat(100_000)} HTTP/1.1\r\n\r\n`,
  ]) {
    await ends(bytes);
  }
  await fc.assert(fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), ends), { ...RUNS, numRuns: 200 });
  expect((await client.get("/_emulator/health")).status).toBe(200);
});

test("a read returns the written policy: the same members by role and condition, in any order of writes", async () => {
  const member = fc.integer({ min: 0, max: 9 }).map((number) => `user:u${number}@example.com`);
  const binding = fc.record({
    role: fc.constantFrom("roles/test.a", "roles/test.b", "roles/test.c"),
    members: fc.uniqueArray(member, { minLength: 1, maxLength: 5 }),
    condition: fc.option(fc.constantFrom({ title: "t", expression: "1" }, { title: "t", expression: "2" }), {
      nil: undefined,
    }),
  });
  type Bindings = Array<{ role: string; members: string[]; condition?: object }>;
  const grants = (bindings: Bindings = []) =>
    new Set(
      bindings.flatMap(({ role, members, condition }) => members.map((m) => JSON.stringify([role, m, condition]))),
    );
  let etag: string | undefined;
  await fc.assert(
    fc.asyncProperty(fc.array(binding, { maxLength: 6 }), async (bindings) => {
      const before = await client.get(`${STORE}:getIamPolicy?options.requestedPolicyVersion=3`);
      expect(etag === undefined || etag === before.body.etag).toBe(true);
      const policy = { version: 3, bindings, etag: before.body.etag };
      const written = await client.post(`${STORE}:setIamPolicy`, { policy });
      expect(written.status).toBe(200);
      const after = await client.get(`${STORE}:getIamPolicy?options.requestedPolicyVersion=3`);
      expect(after.body).toEqual(written.body);
      expect(grants(after.body.bindings)).toEqual(grants(bindings));
      expect(after.body.version).toBe(bindings.some(({ condition }) => condition) ? 3 : 1);
      etag = after.body.etag;
    }),
    { ...RUNS, numRuns: 100 },
  );
});
