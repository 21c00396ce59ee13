import { demoSeed, startEmulator, type Emulator } from "..";
import { ROUTES } from "../control/routes";
import { KeptBodies } from "./kept-bodies";
import { flag, labels, list, message, nested, text } from "../base/schema";

const password = { ...text, inputOnly: true };
const shape = message("Sent", { user: text, pin: password, inner: nested(message("Inner", { pin: password })) });
const nestedShape = message("Outer", { all: list(nested(shape)), labels, on: flag });

function kept(request: object, response: object = {}, of = shape) {
  const bodies = new KeptBodies();
  const record = {};
  bodies.keep(record, of, JSON.stringify(request), JSON.stringify(response));
  const { request: sent, response: answered } = bodies.of(record) ?? {};
  return { request: JSON.parse(sent ?? "null") as unknown, response: JSON.parse(answered ?? "null") as unknown };
}

describe("kept bodies", () => {
  test("have no input-only fields, in nested messages and lists, in both spellings", () => {
    expect(kept({ user: "ada", pin: "1234", inner: { pin: "5678" } }).request).toEqual({
      user: "ada",
      pin: "(not kept)",
      inner: { pin: "(not kept)" },
    });
    expect(kept({ all: [{ pin: "1234" }] }, {}, nestedShape).request).toEqual({ all: [{ pin: "(not kept)" }] });
  });

  test("have no fields with the names of secrets, even if the API has no such field", () => {
    const sent = { accessToken: "t", client_secret: "s", privateKey: ["k"], nextPageToken: "p", keyName: "n" };
    expect(kept(sent, sent)).toEqual({
      request: {
        accessToken: "(not kept)",
        client_secret: "(not kept)",
        privateKey: "(not kept)",
        nextPageToken: "p",
        keyName: "n",
      },
      response: {
        accessToken: "(not kept)",
        client_secret: "(not kept)",
        privateKey: "(not kept)",
        nextPageToken: "p",
        keyName: "n",
      },
    });
  });

  test("have no secrets quoted in the response", () => {
    expect(kept({ pin: 'a "secret" pin' }, { message: 'Invalid: a "secret" pin' }).response).toEqual({
      message: "Invalid: (not kept)",
    });
  });

  test("are omitted if they are invalid or long", () => {
    const bodies = new KeptBodies();
    const record = {};
    bodies.keep(record, shape, "password=1234", `{"long": "${"x".repeat(70_000)}"}`);
    expect(bodies.of(record)).toEqual({});
  });

  test("are those of the newest requests", () => {
    const bodies = new KeptBodies();
    const records = Array.from({ length: 200 }, () => ({}));
    const body = JSON.stringify({ user: "x".repeat(60_000) });
    records.forEach((record) => bodies.keep(record, shape, body, ""));
    expect(bodies.of(records[0] as object)).toBeUndefined();
    expect(bodies.of(records.at(-1) as object)).toBeDefined();
    expect(records.filter((record) => bodies.of(record) !== undefined).length).toBeLessThan(75);
  });
});

describe("the log", () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startEmulator({ seed: demoSeed });
  });
  afterEach(() => emulator.stop());

  const post = (path: string, body: string) =>
    fetch(emulator.url + path, { method: "POST", headers: { "content-type": "application/json" }, body });
  const ask = async (query: string) => {
    const response = await fetch(`${emulator.url}/_emulator/requests${query}`);
    return { status: response.status, body: (await response.json()) as never };
  };

  test("has the bodies of one request, and the newest requests", async () => {
    const trigger = "/v1/projects/demo-project/locations/us-central1/triggers/orders:setIamPolicy";
    await post(trigger, '{"policy": {"bindings": []}}');
    await fetch(`${emulator.url}/nothing`);
    expect((await ask("?seq=1")).body).toMatchObject({
      record: { seq: 1, status: 200 },
      bodies: { request: expect.stringContaining('"bindings": []'), response: expect.stringContaining('"etag"') },
    });
    expect((await ask("?seq=2")).body).toMatchObject({ bodies: null });
    expect((await ask("?last=1")).body).toMatchObject({ requests: [{ seq: 2 }] });
    expect((await ask("?seq=3")).status).toBe(404);
    expect((await ask("?last=-1")).status).toBe(400);
    expect(Object.keys(ROUTES)).toContain("GET requests");
  });

  test("keeps no body of a token request, and no password of a connection profile", async () => {
    await post("/token", '{"refresh_token": "very-secret-1"}');
    await post("/v1/projects/-/serviceAccounts/a@p.iam.gserviceaccount.com:generateAccessToken", '{"scope": ["s"]}');
    await post(
      "/v1/projects/p/locations/l/connectionProfiles?connectionProfileId=c",
      '{"mysql": {"host": "h", "port": 1, "username": "u", "password": "very-secret-2", "ssl": {"clientKey": "very-secret-3"}}}',
    );
    const all = JSON.stringify(await Promise.all([1, 2, 3].map((seq) => ask(`?seq=${seq}`))));
    expect(all).toContain("username");
    expect(all).not.toMatch(/very-secret|accessToken/);
  });
});

describe("rules of the fault plan", () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startEmulator({ faults: [{ match: { path: "/a" }, fault: { status: 503 } }] });
  });
  afterEach(() => emulator.stop());

  const control = async (method: string, query: string, body?: string) => {
    const headers = { "content-type": "application/yaml" };
    return (await fetch(`${emulator.url}/_emulator/faults${query}`, { method, headers, body })).status;
  };

  test("are added and removed, and the others keep their counts", async () => {
    await fetch(`${emulator.url}/a`);
    expect(await control("POST", "", "- { match: { path: /b }, fault: { status: 409 } }")).toBe(200);
    expect(emulator.faults().map(({ seen }) => seen)).toEqual([1, 0]);
    expect((await fetch(`${emulator.url}/b`)).status).toBe(409);
    expect(await control("DELETE", "?index=0")).toBe(200);
    expect(emulator.faults()).toMatchObject([{ match: { path: "/b" }, seen: 1 }]);
  });

  test.each([
    ["POST", "", 400, "- { match: { path: /c } }"],
    ["DELETE", "?index=2", 404, undefined],
    ["DELETE", "?index=x", 400, undefined],
  ])("stay as they are after %s%s, which gets %d", async (method, query, status, body) => {
    expect(await control(method, query, body)).toBe(status);
    expect(emulator.faults()).toMatchObject([{ match: { path: "/a" } }]);
  });
});
