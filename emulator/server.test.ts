import { request as httpRequest } from "node:http";
import zlib, { gzipSync } from "node:zlib";
import { demoSeed } from "./index";
import { ASSOCIATIONS, associationBody, startTest, stopAll, type TestClient } from "./testing/client";

afterEach(stopAll);

const SCOPE = "/v1beta/projects/demo-project/locations/global/scopes/team-a";
const TRIGGERS = "/v1/projects/p/locations/us-central1/triggers";
const trigger = {
  eventFilters: [{ attribute: "type", value: "x" }],
  destination: { cloudRun: { service: "s", region: "us-central1" } },
};

describe("front end", () => {
  test("sends the headers of the real front end", async () => {
    const client = await startTest({ seed: demoSeed });
    const { headers } = await client.get(SCOPE);
    expect(headers.get("content-type")).toBe("application/json; charset=UTF-8");
    expect(headers.get("server")).toBe("ESF");
    expect(headers.get("vary")).toContain("Origin");
    expect([headers.get("x-frame-options"), headers.get("x-content-type-options")]).toEqual(["SAMEORIGIN", "nosniff"]);
    // Longer than the idle connections of clients: one that the server closed first could lose a request.
    expect(headers.get("keep-alive")).toBe("timeout=120");
  });

  test.each([
    ["POST", "/"],
    ["GET", "/nothing"],
    ["GET", "/v1/projects"],
    ["GET", "/v2/projects/demo-project/locations/global/scopes/team-a"],
    ["GET", "/v1beta1/projects/demo-project/locations/us-central1/gateways/edge"],
    ["PUT", SCOPE],
    ["POST", `${SCOPE}:getIamPolicy`],
    ["GET", `${SCOPE}/`],
    ["GET", "/v1beta/projects//locations/global/scopes/team-a"],
    ["GET", "/v1beta/projects/a%2Fb/locations/global/scopes/team-a"],
    ["GET", "/v1beta/projects/%zz/locations/global/scopes/team-a"],
  ])("%s %s is an HTML 404, and logged", async (method, path) => {
    const client = await startTest({ seed: demoSeed });
    const response = await fetch(client.emulator.url + path, { method });
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(client.emulator.requests()).toMatchObject([{ method, path, status: 404 }]);
  });

  test("an unknown path in the page is escaped", async () => {
    const client = await startTest();
    const page = await new Promise<string>((resolve) => {
      httpRequest(`${client.emulator.url}/%3Cb%3E`, { path: "/<b>" }, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve(text));
      }).end();
    });
    expect(page).not.toContain("<b>/");
    expect(page).toContain("&#60;b&#62;");
  });

  test("decodes each segment of a name separately", async () => {
    const client = await startTest({ seed: demoSeed });
    expect((await client.get(SCOPE.replace("team-a", "team%2Da"))).body.name).toMatch(/team-a$/);
  });

  test("refuses an unknown query parameter with the documented text and no field", async () => {
    const client = await startTest({ seed: demoSeed });
    const { status, body } = await client.get(`${SCOPE}?foo=1`);
    expect(status).toBe(400);
    const description =
      'Invalid JSON payload received. Unknown name "foo": Cannot bind query parameter. ' +
      "Field 'foo' could not be found in request message.";
    expect(body.error).toEqual({
      code: 400,
      message: description,
      status: "INVALID_ARGUMENT",
      details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ description }] }],
    });
  });

  test("accepts the common parameters; prettyPrint and fields have an effect", async () => {
    const client = await startTest({ seed: demoSeed });
    const query = "$.xgafv=2&alt=json&callback=c&key=k&quotaUser=q&uploadType=media&upload_protocol=raw&access_token=t";
    expect((await client.get(`${SCOPE}?${query}`)).status).toBe(200);
    expect((await client.get(SCOPE)).text).toContain("\n  ");
    expect((await client.get(`${SCOPE}?prettyPrint=false`)).text).not.toContain("\n  ");
    expect((await client.get(`${SCOPE}?fields=state/code,labels(tier)`)).body).toEqual({
      state: { code: "READY" },
      labels: { tier: "gold" },
    });
    expect((await client.get(`${SCOPE}?alt=media`)).status).toBe(400);
    expect((await client.get(`${SCOPE}?fields=a(b`)).status).toBe(400);
  });

  test("returns enums as numbers if a client requests it", async () => {
    const client = await startTest({ seed: demoSeed });
    const { body } = await client.get(`${SCOPE}?$alt=json;enum-encoding=int`);
    expect(body.state.code).toBe(2);
  });

  test.each([
    ["{", "Invalid JSON payload received."],
    ["[]", 'Invalid JSON payload received. Unknown name "": Root element must be a message.'],
    ["null", 'Invalid JSON payload received. Unknown name "": Root element must be a message.'],
    ["7", 'Invalid JSON payload received. Unknown name "": Root element must be a message.'],
    ['{"network": 7}', "Invalid value at 'network' (TYPE_STRING), 7"],
    ['{"network": ["a"]}', "Proto field is not repeating, cannot start list."],
    ['{"labels": {"a": 1}}', "Invalid value at 'labels[a]' (TYPE_STRING), 1"],
    ['{"disabled": "true"}', "Invalid value at 'disabled' (TYPE_BOOL)"],
    ['{"state": "SLEEPING"}', "google.cloud.networksecurity.v1beta1.FirewallEndpointAssociation.State"],
    ['{"__proto__": {"polluted": 1}}', 'Unknown name "__proto__": Cannot find field.'],
    ['{"constructor": 1}', 'Unknown name "constructor": Cannot find field.'],
  ])("refuses the body %s", async (body, message) => {
    const client = await startTest();
    const reply = await client.post(ASSOCIATIONS, body);
    expect([reply.status, reply.body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(reply.body.error.message).toContain(message);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("a GET with a body is malformed", async () => {
    const client = await startTest({ seed: demoSeed });
    const status = await new Promise((resolve) => {
      const sent = httpRequest(
        client.emulator.url + SCOPE,
        { method: "GET", headers: { "content-length": 2 } },
        (reply) => resolve(reply.statusCode),
      );
      sent.end("{}");
    });
    expect(status).toBe(400);
  });

  test("limits the size of bodies, also when decompressed, and continues to serve", async () => {
    const client = await startTest({ maxBodyBytes: 1000 });
    const large = await client.post(ASSOCIATIONS, { network: "x".repeat(2000) });
    expect([large.status, large.body.error.message]).toEqual([
      413,
      "Request payload size exceeds the limit: 1000 bytes.",
    ]);
    const bomb = await fetch(client.emulator.url + ASSOCIATIONS, {
      method: "POST",
      headers: { "content-encoding": "gzip" },
      body: gzipSync("x".repeat(100_000)),
    });
    expect(bomb.status).toBe(413);
    expect((await client.get(ASSOCIATIONS)).status).toBe(200);
  });

  test("reads gzip bodies and sends gzip to a client that accepts it", async () => {
    const client = await startTest();
    const response = await fetch(`${client.emulator.url}${ASSOCIATIONS}?firewallEndpointAssociationId=a`, {
      method: "POST",
      headers: { "content-encoding": "gzip", "content-type": "application/json" },
      body: gzipSync(JSON.stringify(associationBody())),
    });
    expect(response.status).toBe(200);
    const operations = ASSOCIATIONS.replace("firewallEndpointAssociations", "operations");
    expect((await client.get(operations)).headers.get("content-encoding")).toBe("gzip");
    const coding = async (accepted: string) =>
      (await client.get(operations, { "accept-encoding": accepted })).headers.get("content-encoding");
    for (const accepted of ["identity", "gzip;q=0", "gzip; q=0.000, br", "*;q=0", "br", "gzipped"]) {
      expect([accepted, await coding(accepted)]).toEqual([accepted, null]);
    }
    for (const accepted of ["gzip;q=0.5", "br, GZIP", "*", "*;q=0, gzip"]) {
      expect([accepted, await coding(accepted)]).toEqual([accepted, "gzip"]);
    }
  });
});

describe("credentials", () => {
  test("are not needed unless required", async () => {
    const client = await startTest({ seed: demoSeed });
    expect((await client.get(SCOPE)).status).toBe(200);
  });

  test("get 401 with the reason when missing, 401 when wrong, and are accepted when listed", async () => {
    const client = await startTest({ seed: demoSeed, requireAuth: true, tokens: ["good"] });
    const missing = await client.get(SCOPE);
    expect([missing.status, missing.body.error.status]).toEqual([401, "UNAUTHENTICATED"]);
    expect(missing.body.error.details[0]).toMatchObject({
      reason: "CREDENTIALS_MISSING",
      domain: "googleapis.com",
      metadata: { service: "gkehub.googleapis.com", method: "gkehub.projects.locations.scopes.get" },
    });
    const wrong = await client.get(SCOPE, { authorization: "Bearer bad" });
    expect([wrong.status, wrong.body.error.message]).toEqual([401, expect.stringMatching(/^Request had invalid auth/)]);
    expect((await client.get(SCOPE, { authorization: "Bearer good" })).status).toBe(200);
  });

  const jwt = ["{}", JSON.stringify({ iss: "s@p.iam.gserviceaccount.com" }), "s"]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".");

  test.each([
    ["urn:ietf:params:oauth:grant-type:jwt-bearer", { assertion: jwt }],
    ["refresh_token", { refresh_token: "1//r", client_id: "c", client_secret: "s" }],
    ["urn:ietf:params:oauth:grant-type:token-exchange", { subject_token: "t" }],
  ])("the token endpoint grants %s; the token is accepted until it ends", async (grant, form) => {
    const client = await startTest({ seed: demoSeed, requireAuth: true, tokens: [] });
    const response = await fetch(`${client.emulator.url}/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: grant, ...form } as Record<string, string>),
    });
    const { access_token, expires_in, token_type } = (await response.json()) as Record<string, string>;
    expect([expires_in, token_type]).toEqual([3600, "Bearer"]);
    expect((await client.get(SCOPE, { authorization: `Bearer ${access_token}` })).status).toBe(200);
    client.emulator.advance(3_600_000);
    expect((await client.get(SCOPE, { authorization: `Bearer ${access_token}` })).status).toBe(401);
  });

  test("a reset forgets the tokens that were granted, and the permissions that requests needed", async () => {
    const client = await startTest({ seed: demoSeed, requireAuth: true, tokens: [] });
    const form = { grant_type: "refresh_token", refresh_token: "1//r", client_id: "c", client_secret: "s" };
    const response = await fetch(`${client.emulator.url}/token`, { method: "POST", body: new URLSearchParams(form) });
    const { access_token } = (await response.json()) as Record<string, string>;
    const get = async () => (await client.get(SCOPE, { authorization: `Bearer ${access_token}` })).status;
    expect([await get(), client.emulator.permissionsUsed().length]).toEqual([200, 1]);
    client.emulator.reset();
    expect(client.emulator.permissionsUsed()).toEqual([]);
    expect(await get()).toBe(401);
  });

  test.each([
    ["invalid_request", ""],
    ["unsupported_grant_type", "grant_type=password"],
    ["invalid_grant", "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=a.b.c"],
    ["invalid_request", "grant_type=refresh_token"],
  ])("the token endpoint answers %s to '%s'", async (error, body) => {
    const client = await startTest();
    const reply = await client.post("/token", body);
    expect([reply.status, reply.body.error]).toEqual([400, error]);
  });

  test("impersonation returns a token with its expiry", async () => {
    const client = await startTest({ requireAuth: true, tokens: ["source"], seed: demoSeed });
    const path = "/v1/projects/-/serviceAccounts/s@p.iam.gserviceaccount.com:generateAccessToken";
    const body = { scope: ["https://www.googleapis.com/auth/cloud-platform"], lifetime: "300s" };
    expect((await client.post(path, body)).status).toBe(401);
    const { body: made } = await client.post(path, body, { authorization: "Bearer source" });
    expect(Date.parse(made.expireTime)).toBe(client.emulator.now() + 300_000);
    expect((await client.get(SCOPE, { authorization: `Bearer ${made.accessToken}` })).status).toBe(200);
  });

  test.each(["0s", "-5s", "43201s"])("impersonation refuses a lifetime of %s", async (lifetime) => {
    const client = await startTest();
    const path = "/v1/projects/-/serviceAccounts/s@p.iam.gserviceaccount.com:generateAccessToken";
    expect((await client.post(path, { scope: ["s"], lifetime })).status).toBe(400);
  });

  test("the log says that there was a token, but does not contain it", async () => {
    const client = await startTest({ seed: demoSeed });
    await client.get(`${SCOPE}?access_token=canary-1&key=canary-2`, {
      authorization: "Bearer canary-3",
      "x-goog-user-project": "billing",
      "x-goog-request-reason": "because",
    });
    const [record] = client.emulator.requests();
    expect(record).toMatchObject({
      authorization: true,
      headers: { "x-goog-user-project": "billing", "x-goog-request-reason": "because" },
      id: "gkehub.projects.locations.scopes.get",
      status: 200,
    });
    expect(JSON.stringify(record)).not.toContain("canary");
  });
});

describe("denials", () => {
  test("a disabled API names itself, the project and the link", async () => {
    const client = await startTest({ seed: demoSeed, disabledServices: ["gkehub"] });
    const { status, body } = await client.get(SCOPE);
    expect([status, body.error.status]).toEqual([403, "PERMISSION_DENIED"]);
    expect(body.error.details.map((detail: { "@type": string }) => detail["@type"].split(".").pop())).toEqual([
      "ErrorInfo",
      "LocalizedMessage",
      "Help",
    ]);
    expect(body.error.details[0]).toMatchObject({
      reason: "SERVICE_DISABLED",
      metadata: { service: "gkehub.googleapis.com", consumer: "projects/demo-project" },
    });
  });

  test("a refused quota project gets USER_PROJECT_DENIED", async () => {
    const client = await startTest({ seed: demoSeed, deniedUserProjects: ["poor"] });
    const { body } = await client.get(SCOPE, { "x-goog-user-project": "poor" });
    expect(body.error.details[0].reason).toBe("USER_PROJECT_DENIED");
    expect((await client.get(SCOPE)).status).toBe(200);
  });

  test("a denied permission hides whether the resource exists", async () => {
    const client = await startTest({ deny: ["gkehub.scopes.get"] });
    expect((await client.get(SCOPE)).status).toBe(403);
  });

  test("create also needs the permission to use the endpoint", async () => {
    const client = await startTest({ deny: ["networksecurity.firewallEndpoints.use"] });
    const { body } = await client.post(ASSOCIATIONS, associationBody());
    expect(body.error.message).toBe(
      "Permission 'networksecurity.firewallEndpoints.use' denied on resource " +
        "'organizations/1/locations/us-central1-a' (or it may not exist).",
    );
  });
});

describe("triggers", () => {
  const create = (client: TestClient, body: object, id = "t") => client.post(`${TRIGGERS}?triggerId=${id}`, body);

  test("are created by an operation with the duration of the switch", async () => {
    const client = await startTest({ operationMs: 1000 });
    const { body } = await create(client, trigger);
    expect(body).toMatchObject({ done: false, metadata: { verb: "create" } });
    client.emulator.advance(999);
    expect((await client.get(`/v1/${body.name}`)).body.done).toBe(false);
    client.emulator.advance(1);
    expect((await client.get(`/v1/${body.name}`)).body).toMatchObject({
      done: true,
      response: { "@type": "type.googleapis.com/google.cloud.eventarc.v1.Trigger" },
    });
    expect((await client.get(`${TRIGGERS}/t`)).body).toMatchObject(trigger);
    expect((await create(client, trigger)).body.error.status).toBe("ALREADY_EXISTS");
  });

  test.each([
    [
      "a function destination",
      { destination: { cloudFunction: "projects/p/locations/l/functions/f" } },
      "unsupported destination",
    ],
    ["no destination", { destination: {} }, "destination"],
    ["two destinations", { destination: { workflow: "w", cloudFunction: "f" } }, "oneof"],
    ["no filter on type", { eventFilters: [{ attribute: "a", value: "b" }] }, "type"],
    ["half a destination", { destination: { cloudRun: { service: "s" } } }, "destination.cloud_run.region"],
    [
      "a network config without an HTTP endpoint",
      { destination: { workflow: "w", networkConfig: { networkAttachment: "n" } } },
      "network_config",
    ],
  ])("with %s are refused", async (_, change, words) => {
    const client = await startTest();
    const { status, body } = await create(client, { ...trigger, ...change });
    expect([status, body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(body.error.message).toContain(words);
    expect(client.emulator.resources()).toEqual([]);
  });

  test.each(["", "?updateMask=transport"])("keep their subscription after a patch with '%s'", async (query) => {
    const client = await startTest({ seed: demoSeed });
    const path = `${TRIGGERS.replace("/p/", "/demo-project/")}/orders`;
    const { body: before } = await client.get(path);
    expect(before.transport.pubsub.subscription).toMatch(/^projects/);
    expect((await client.patch(`${path}${query}`, before)).status).toBe(200);
    expect((await client.get(path)).body.transport).toEqual(before.transport);
  });

  test("with a function destination can be seeded, although a request must not set it", async () => {
    const cloudFunction = "projects/p/locations/l/functions/f";
    const client = await startTest({
      seed: [{ service: "eventarc", name: TRIGGERS.slice(4) + "/t", body: { destination: { cloudFunction } } }],
    });
    expect((await client.get(`${TRIGGERS}/t`)).body.destination).toEqual({ cloudFunction });
  });
});

test("an error of the emulator itself is answered with 500, also after the request was read", async () => {
  const warned = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const packed = jest.spyOn(zlib, "gzipSync").mockImplementation(() => {
    throw new Error("broken");
  });
  try {
    const client = await startTest();
    const { status, body } = await client.put("/_emulator/config", {});
    expect([status, body.error.status]).toEqual([500, "INTERNAL"]);
    expect(warned).toHaveBeenCalledTimes(1);
  } finally {
    [warned, packed].forEach((spy) => spy.mockRestore());
  }
});

test("stop ends waiting requests and releases the port", async () => {
  let onStall = () => {};
  const stalled = new Promise<void>((resolve) => (onStall = resolve));
  const client = await startTest({ faults: [{ fault: { stall: true } }], onStall: () => onStall() });
  const waiting = client.get(SCOPE).catch(() => "ended");
  await stalled;
  await client.emulator.stop();
  expect(await waiting).toBe("ended");
  const again = await startTest({ port: client.emulator.port });
  expect(again.emulator.port).toBe(client.emulator.port);
});
