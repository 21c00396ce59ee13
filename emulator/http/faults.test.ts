import { demoSeed, InputError } from "..";
import type { FaultRule } from "..";
import { ASSOCIATIONS, associationBody, startTest, stopAll, type TestClient } from "../testing/client";

afterEach(stopAll);

const SCOPE = "/v1beta/projects/demo-project/locations/global/scopes/team-a";
const STORE = "/v1beta1/projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";
const GET = "gkehub.projects.locations.scopes.get";

const start = (...faults: FaultRule[]) => startTest({ seed: demoSeed, faults });
const statuses = async (client: TestClient, count: number, path = SCOPE) => {
  const seen: number[] = [];
  for (let index = 0; index < count; index += 1) {
    seen.push((await client.get(path)).status);
  }
  return seen;
};

describe("matching and counting", () => {
  test("one fault by default, then the real response", async () => {
    expect(await statuses(await start({ fault: { status: 503 } }), 2)).toEqual([503, 200]);
  });

  test("skip, times, and 0 without a limit", async () => {
    expect(await statuses(await start({ skip: 1, times: 2, fault: { status: 503 } }), 4)).toEqual([200, 503, 503, 200]);
    expect(await statuses(await start({ times: 0, fault: { status: 503 } }), 3)).toEqual([503, 503, 503]);
  });

  test("a sequence uses one step for each request", async () => {
    const plan: FaultRule = { fault: { sequence: [{ status: 429 }, "pass", { status: 500 }] } };
    expect(await statuses(await start(plan), 4)).toEqual([429, 200, 500, 200]);
    expect(await statuses(await start({ ...plan, times: 2 }), 7)).toEqual([429, 200, 500, 429, 200, 500, 200]);
  });

  test.each<[string, FaultRule["match"], number]>([
    ["the method id", { id: GET }, 503],
    ["a star in the id", { id: "gkehub.*" }, 503],
    ["another id", { id: "healthcare.*" }, 200],
    ["the verb", { method: "get" }, 503],
    ["another verb", { method: "POST" }, 200],
    ["a glob", { path: "/v1beta/projects/*/locations/*/scopes/*" }, 503],
    ["a glob that is too short", { path: "/v1beta/projects/*" }, 200],
    ["a glob over segments", { path: "/v1beta/**" }, 503],
    ["a regular expression", { path: "^/v1beta/.*team-[ab]$" }, 503],
    ["all of them", { id: GET, method: "GET", path: "**/team-a" }, 503],
  ])("by %s", async (_, match, status) => {
    expect(await statuses(await start({ match, fault: { status: 503 } }), 1)).toEqual([status]);
  });

  test("a used-up rule passes requests to the next one, and show has the counts", async () => {
    const client = await start({ fault: { status: 503 } }, { fault: { status: 429 } });
    expect(await statuses(client, 3)).toEqual([503, 429, 200]);
    expect(client.emulator.faults().map(({ seen }) => seen)).toEqual([3, 2]);
  });

  test("control routes get no faults; DELETE removes the plan", async () => {
    const client = await start({ times: 0, fault: { status: 503 } });
    expect((await client.get("/_emulator/health")).body).toEqual({ status: "ok", projects: ["demo-project"] });
    expect((await client.delete("/_emulator/faults")).status).toBe(200);
    expect(await statuses(client, 1)).toEqual([200]);
  });

  test("mistakes in a plan are listed, and the old plan stays active", async () => {
    const client = await start({ times: 0, fault: { status: 503 } });
    const { status, body } = await client.put("/_emulator/faults", [
      { match: { verb: "GET" }, fault: { status: 503 } },
      { fault: {} },
      { match: { path: "^(" }, fault: { status: 503 } },
      { fault: { contentType: "text/plain\nX: y", empty: true } },
      { fault: { retryAfter: "1\r\nX: y" } },
    ]);
    expect(status).toBe(400);
    expect(body.error.message).toContain("[0].match");
    expect(body.error.message).toContain("[1].fault");
    expect(body.error.message).toContain("[3].fault");
    expect(body.error.message).toContain("[4].fault");
    expect(() => client.emulator.setFaults([{ match: { path: "^(" }, fault: { status: 503 } }])).toThrow(InputError);
    expect(await statuses(client, 1)).toEqual([503]);
  });
});

test.each<[unknown, string]>([
  [{ status: "ABORTD" }, '[0].fault.status: Invalid option: expected one of "OK"|'],
  [{ sequence: [{ status: 503 }, "pas"] }, '[0].fault.sequence[1]: Invalid input: expected "pass"'],
  [{ sequence: ["pass", { status: 99 }] }, "[0].fault.sequence[1].status: Too small"],
  [{ sequence: "pass" }, "[0].fault.sequence: Invalid input: expected array, received string"],
  [{ truncate: { byte: 5 } }, 'fault.truncate: Unrecognized key: "byte"'],
  [{ staus: 503 }, '[0].fault: Unrecognized key: "staus"'],
  ["pass", "[0].fault: Invalid input: expected object, received string"],
])("the message about the fault %j names the mistake", async (fault, words) => {
  const client = await startTest();
  expect(() => client.emulator.setFaults([{ fault }])).toThrow(words);
});

describe("answers", () => {
  test("an error has the values of the fault", async () => {
    const client = await start({
      fault: { status: 429, reason: "RATE_LIMIT_EXCEEDED", message: "slow", retryAfter: 7, retryInfo: 3 },
    });
    const { status, body, headers } = await client.get(SCOPE);
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe("7");
    expect(body.error).toMatchObject({
      code: 429,
      message: "slow",
      status: "RESOURCE_EXHAUSTED",
      details: [{ reason: "RATE_LIMIT_EXCEEDED" }, { retryDelay: "3s" }],
    });
  });

  test("a status can be a name, which distinguishes errors with 409", async () => {
    const client = await start({ fault: { sequence: [{ status: 409 }, { status: "ALREADY_EXISTS" }] } });
    expect((await client.get(SCOPE)).body.error).toMatchObject({ code: 409, status: "ABORTED" });
    expect((await client.get(SCOPE)).body.error).toMatchObject({ code: 409, status: "ALREADY_EXISTS" });
  });

  test("HTML, an empty body, and any text with any type", async () => {
    const client = await start({
      fault: { sequence: [{ html: true }, { empty: true }, { status: 200, body: "nope", contentType: "text/plain" }] },
    });
    const html = await client.get(SCOPE);
    expect([html.status, html.headers.get("content-type")]).toEqual([502, "text/html; charset=UTF-8"]);
    const empty = await client.get(SCOPE);
    expect([empty.status, empty.text]).toEqual([200, ""]);
    const plain = await client.get(SCOPE);
    expect([plain.text, plain.headers.get("content-type")]).toEqual(["nope", "text/plain"]);
  });

  test("a truncated body breaks the connection, or has a matching length", async () => {
    const client = await start({ fault: { sequence: [{ truncate: 10 }, { truncate: { bytes: 10, clean: true } }] } });
    await expect(client.get(SCOPE)).rejects.toThrow();
    expect((await client.get(SCOPE)).text).toHaveLength(10);
    expect(await statuses(client, 1)).toEqual([200]);
  });

  test("a slow body arrives completely, with a wait before each further piece", async () => {
    const client = await start({ fault: { slowBody: { chunkBytes: 100, delayMs: 20 } } });
    const begun = performance.now();
    const { text, body } = await client.get(SCOPE);
    // A timer of Node.js may end a millisecond early. A busy machine only waits longer.
    const waits = Math.ceil(text.length / 100) - 1;
    expect([waits > 1, performance.now() - begun >= waits * 19]).toEqual([true, true]);
    expect(body).toMatchObject({ state: { code: "READY" } });
  });

  test("a stall lasts until the client disconnects, and has no effect", async () => {
    const controller = new AbortController();
    const onStall = () => controller.abort();
    const client = await startTest({ seed: demoSeed, faults: [{ fault: { stall: true } }], onStall });
    const leaving = fetch(`${client.emulator.url}${ASSOCIATIONS}`, {
      method: "POST",
      body: JSON.stringify(associationBody()),
      signal: controller.signal,
    });
    await expect(leaving).rejects.toThrow();
    expect(client.emulator.resources().some(({ service }) => service === "networksecurity")).toBe(false);
    expect(client.emulator.requests()[0]).toMatchObject({ status: null, fault: ["stall"] });
  });

  test("a delayed response arrives", async () => {
    expect(await statuses(await start({ fault: { delayMs: 5 } }), 1)).toEqual([200]);
  });
});

describe("effects", () => {
  const held = (client: TestClient) =>
    client.emulator.resources().filter(({ service }) => service === "networksecurity").length;

  test.each<[FaultRule["fault"], number]>([
    [{ reset: "before" }, 0],
    [{ reset: "after" }, 1],
    [{ truncate: 5 }, 1],
  ])("a lost connection %j leaves %i associations", async (fault, count) => {
    const client = await start({ fault });
    await expect(client.post(ASSOCIATIONS, associationBody())).rejects.toThrow();
    expect(held(client)).toBe(count);
  });

  test.each<[FaultRule["fault"], number]>([
    [{ status: 500 }, 0],
    [{ status: 500, when: "before" }, 0],
    [{ status: 500, when: "after" }, 1],
    [{ html: true, when: "after" }, 1],
    [{ empty: true }, 0],
  ])("a response in place of the real one %j leaves %i associations", async (fault, count) => {
    const client = await start({ fault });
    await client.post(ASSOCIATIONS, associationBody());
    expect(held(client)).toBe(count);
  });

  test("an operation can end with an error, and keep or remove the created resource", async () => {
    const client = await start({
      match: { id: "networksecurity.projects.locations.firewallEndpointAssociations.create" },
      fault: {
        sequence: [
          { operationError: { code: 8, message: "out of endpoints" } },
          { operationError: { code: 13, message: "half done", keepResource: true } },
        ],
      },
    });
    const create = async (number: number) => {
      const { body } = await client.post(ASSOCIATIONS, associationBody(number));
      return (await client.get(`/v1beta1/${body.name}`)).body;
    };
    expect(await create(1)).toMatchObject({ done: true, error: { code: 8, message: "out of endpoints" } });
    expect(held(client)).toBe(0);
    const failed = await create(2);
    expect(failed.error.code).toBe(13);
    expect((await client.get(`/v1beta1/${failed.metadata.target}`)).body.state).toBe("INACTIVE");
  });

  test("a stale read shows the policy before the last write", async () => {
    const client = await start({ match: { method: "GET" }, skip: 1, fault: { staleRead: true } });
    const { body: before } = await client.get(`${STORE}:getIamPolicy`);
    const { body: after } = await client.post(`${STORE}:setIamPolicy`, { policy: {} });
    expect((await client.get(`${STORE}:getIamPolicy`)).body).toEqual(before);
    expect((await client.get(`${STORE}:getIamPolicy`)).body).toEqual(after);
  });

  test("a stale read does not see a new association, and shows an ended operation as running", async () => {
    const client = await start();
    const { body: operation } = await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    const stale: FaultRule = { match: { method: "GET" }, fault: { staleRead: true } };
    client.emulator.setFaults([stale]);
    expect((await client.get(`/v1beta1/${operation.name}`)).body.done).toBe(false);
    expect((await client.get(`/v1beta1/${operation.name}`)).body.done).toBe(true);
    client.emulator.setFaults([stale]);
    expect((await client.get(`${ASSOCIATIONS}/a`)).body.state).toBe("CREATING");
  });

  test("a stale read still sees a deleted association", async () => {
    const client = await start();
    await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    await client.delete(`${ASSOCIATIONS}/a`);
    expect((await client.get(`${ASSOCIATIONS}/a`)).status).toBe(404);
    client.emulator.setFaults([{ match: { method: "GET" }, times: 2, fault: { staleRead: true } }]);
    const { status, body } = await client.get(`${ASSOCIATIONS}/a`);
    expect([status, body.network]).toEqual([200, associationBody().network]);
    const gone = client.emulator.resources().find(({ service }) => service === "healthcare");
    client.emulator.remove(String(gone?.name));
    expect((await client.get(`/v1beta1/${gone?.name}:getIamPolicy`)).status).toBe(200);
    expect((await client.get(`/v1beta1/${gone?.name}:getIamPolicy`)).status).toBe(404);
  });
});
