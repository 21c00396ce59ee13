import fc from "fast-check";
import { request } from "node:http";
import { connect } from "node:net";
import { demoSeed } from "./index";
import { anyCharacter, urlPath, urlQuery, urlSegment } from "../tests/support/random-text";
import { countHere } from "../tests/support/test-all";
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
  const linked = {
    network: "projects/p/global/networks/linked",
    firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
    state: "ACTIVE",
  };
  const name = `${ASSOCIATIONS}/a`.slice("/v1beta1/".length);
  client = await startTest({ seed: [...demoSeed, { service: "networksecurity", name, body: linked }], operationMs: 0 });
});
afterAll(async () => {
  process.off("warning", warned);
  await stopAll();
});

const SEED = 20260301;
/** How many random cases each property has. */
const RUNS = {
  requests: countHere("requests of the APIs", 500, 1_500),
  controls: countHere("control requests", 200, 300),
  bytes: 200,
  policies: 100,
};
const ZONE = "/v1beta1/projects/p/locations/us-central1-a";
const ASSOCIATIONS = `${ZONE}/firewallEndpointAssociations`;
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
  urlPath,
  fc
    .array(fc.oneof(fc.constantFrom("projects", "p", "locations", "operations", "%2F", "..", "%"), urlSegment), {
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
  urlQuery,
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
  fc.string({ unit: anyCharacter }),
  fc.constantFrom("[".repeat(50_000), '{"a":'.repeat(20_000), `{"labels":{"__proto__":"x"}}`),
);

/** Calls that the handlers of the APIs take, and some that are near them. */
const members = fc.array(fc.oneof(fc.constantFrom("user:a@example.com", "allUsers"), fc.string()), { maxLength: 2 });
const bindings = fc.array(fc.record({ role: fc.constantFrom("roles/viewer", "roles/x", ""), members }));
const policy = fc.oneof(known, fc.record({ bindings }));
const association = fc.record(
  {
    // A network has one association in a zone.
    network: fc.constantFrom(...["a", "b", "c", "d", "e"].map((id) => `projects/p/global/networks/${id}`), "x"),
    firewallEndpoint: fc.constantFrom("organizations/1/locations/us-central1-a/firewallEndpoints/e", "x"),
    labels: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
    disabled: fc.oneof(fc.boolean(), fc.jsonValue({ maxDepth: 1 })),
  },
  { requiredKeys: ["network", "firewallEndpoint"] },
);
const mask = fc.array(fc.constantFrom("labels", "disabled", "network", "x", "*"), { minLength: 1 });
const NEAR: ReadonlyArray<readonly [call: string, query: fc.Arbitrary<string>, body: fc.Arbitrary<unknown>]> = [
  [`POST ${STORE}:setIamPolicy`, fc.constant(""), fc.record({ policy })],
  [`POST ${STORE}:testIamPermissions`, fc.constant(""), fc.record({ permissions: fc.array(fc.string()) })],
  [
    `POST ${ASSOCIATIONS}`,
    fc.constantFrom("a", "b", "").map((id) => `firewallEndpointAssociationId=${id}`),
    association,
  ],
  [`PATCH ${ASSOCIATIONS}/a`, mask.map((fields) => `updateMask=${fields.join()}`), association],
  [`GET ${ASSOCIATIONS}`, query, fc.constant(undefined)],
  [`DELETE ${ASSOCIATIONS}/b`, fc.constant(""), fc.constant(undefined)],
];

test("every random request gets a response, and never a server error", async () => {
  const verb = fc.constantFrom("GET", "POST", "PATCH", "DELETE", "PUT");
  const random = fc.tuple(verb, path, query, body).map(([method, where, parameters, content]) => {
    return { call: `${method} ${where}`, parameters, content };
  });
  const near = NEAR.map(([call, parameters, value]) =>
    fc.record({
      call: fc.constant(call),
      parameters,
      content: value.map((each) => (each === undefined ? "" : JSON.stringify(each))),
    }),
  );
  const accepted = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.oneof(random, ...near), async ({ call, parameters, content }) => {
      const [method = ""] = call.split(" ", 1);
      const status = await send(method, `${call.slice(method.length + 1)}?${parameters}`, content);
      expect(status).toBeGreaterThan(0);
      expect(status).toBeLessThan(500);
      if (status === 200) accepted.add(call);
    }),
    { numRuns: RUNS.requests, seed: SEED },
  );
  expect(warnings).toEqual([]);
  expect(JSON.stringify(client.emulator.requests())).not.toContain(CANARY);
  expect((await client.get("/_emulator/health")).status).toBe(200);
  // Random requests that the first checks refuse would show nothing about the handlers.
  expect(NEAR.map(([call]) => call).filter((call) => !accepted.has(call))).toEqual([]);
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

/** Values that the control routes take, and some that are near them. */
const names = fc.constantFrom(STORE.slice("/v1beta1/".length), "projects/p/locations/us-central1/triggers/t", "x");
const seeded = fc.record(
  { service: fc.constantFrom("healthcare", "eventarc", "x"), name: names, body: known, policy: known },
  { requiredKeys: ["service", "name"] },
);
const settings = fc.record(
  {
    deny: fc.array(fc.string(), { maxLength: 2 }),
    operationMs: fc.double(),
    projectNumbers: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
    policyLagReads: fc.integer(),
    newerPolicyFields: fc.array(word, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const rule = fc.record(
  { match: fc.record({ path: fc.string() }), skip: fc.integer(), fault: fc.record({ status: fc.integer() }) },
  { requiredKeys: ["fault"] },
);
const change = fc.oneof(fc.record({ patch: known }), fc.record({ policy: fc.option(policy) }));
const mutation = fc.tuple(names, change).map(([name, changed]) => ({ name, ...changed }));
const CONTROL: ReadonlyArray<readonly [route: string, near: fc.Arbitrary<unknown>]> = [
  ["POST seed", fc.array(seeded, { maxLength: 3 })],
  ["PUT config", settings],
  ["PUT faults", fc.array(rule, { maxLength: 2 })],
  ["POST advance", fc.record({ ms: fc.oneof(fc.double(), fc.integer()) })],
  ["POST mutate", mutation],
  ["POST reset", fc.record({ seed: fc.boolean() })],
];

test("no random control request gets a server error", async () => {
  const request = fc.oneof(
    ...CONTROL.map(([route, near]) =>
      fc.record({
        route: fc.constant(route),
        content: fc.oneof(
          body,
          near.map((value) => JSON.stringify(value)),
        ),
      }),
    ),
  );
  // Other types are refused before a handler sees the request.
  const type = fc.constantFrom("application/json", "application/yaml");
  const accepted = new Set<string>();
  await fc.assert(
    fc.asyncProperty(request, type, async ({ route, content }, contentType) => {
      const [method = "", name = ""] = route.split(" ");
      const response = await fetch(`${client.emulator.url}/_emulator/${name}`, {
        method,
        body: content,
        headers: { "content-type": contentType },
      });
      await response.text();
      expect(response.status).toBeLessThan(500);
      expect(response.status).not.toBe(415);
      if (response.ok) accepted.add(route);
      client.emulator.reset();
    }),
    { numRuns: RUNS.controls, seed: SEED },
  );
  expect(warnings).toEqual([]);
  // Random requests that are all refused by the first check would show nothing.
  expect([...accepted].sort()).toEqual(CONTROL.map(([route]) => route).sort());
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
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
  await fc.assert(fc.asyncProperty(bytes, ends), { numRuns: RUNS.bytes, seed: SEED });
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
    { numRuns: RUNS.policies, seed: SEED },
  );
});
