import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { demoSeed, type EmulatorOptions } from "../index";
import { startTest, stopAll, type TestClient } from "../testing/client";
import { keepPagesOut } from "./browser-guard";

afterEach(stopAll);

const SCOPE = "/v1beta/projects/demo-project/locations/global/scopes/team-a";

interface Sent {
  method?: string;
  path?: string;
  body?: string;
  headers?: Record<string, string>;
}

/** Sends any headers, including those that fetch does not allow. */
function send(client: TestClient, { method = "GET", path = SCOPE, body, headers }: Sent): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(client.emulator.url + path, { method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve([response.statusCode ?? 0, text]));
    });
    sent.once("error", reject).end(body);
  });
}

/** Sends a text as it is, and returns the whole response. */
function raw(client: TestClient, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(new URL(client.emulator.url).port), "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    socket.once("end", () => resolve(answer)).once("error", reject);
  });
}

const start = (options: EmulatorOptions = {}) => startTest({ seed: demoSeed, ...options });
const authority = (client: TestClient) => client.emulator.url.slice("http://".length);

describe("the host", () => {
  test.each([
    ...["127.0.0.1:8790", "127.9.9.9", "localhost", "LOCALHOST:1", "localhost.", "[::1]:8790", "any.localhost:8790"],
    ...["gkehub.googleapis.com", "gkehub.mtls.googleapis.com"],
    ...["oauth2.googleapis.com", "sts.googleapis.com", "iamcredentials.googleapis.com"],
  ])("%s is the emulator's own", async (host) => {
    expect((await send(await start(), { headers: { host } }))[0]).toBe(200);
  });

  test.each([
    ...[
      "evil.example",
      "evil.example:8790",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
      "192.168.7.7",
      "[::2]",
    ],
    ...["maps.googleapis.com", "gkehub.googleapis.com.evil.example", "127.0.0.1@evil.example"],
  ])("%s is a foreign one, refused on every path", async (host) => {
    const client = await start();
    for (const path of [SCOPE, "/", "/token", "/_emulator/requests", "/_emulator/health", "/nothing"]) {
      const [status, text] = await send(client, { path, headers: { host } });
      expect([status, text]).toEqual([403, expect.stringContaining("--allow-host")]);
    }
  });

  test("in the target counts, and not that of the header", async () => {
    const client = await start();
    const target = (host: string) =>
      `GET http://${host}${SCOPE} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;
    expect(await raw(client, target("gkehub.googleapis.com"))).toContain("200 OK");
    expect(await raw(client, target("evil.example"))).toContain("403 Forbidden");
  });

  test("that is sent twice is refused", async () => {
    const hosts = "Host: 127.0.0.1\r\nHost: localhost\r\n";
    const answer = await raw(await start(), `GET ${SCOPE} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*several Host headers/);
  });

  test("that an option allows is accepted", async () => {
    const client = await start({ allowedHosts: ["emulator", "Cloud.Test"] });
    expect((await send(client, { headers: { host: "emulator:8790" } }))[0]).toBe(200);
    expect((await send(client, { headers: { host: "cloud.test" } }))[0]).toBe(200);
    expect((await send(client, { headers: { host: "other" } }))[0]).toBe(403);
  });

  test("of an emulator on all interfaces may be any IP address, but no name", () => {
    const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
    const options = { listensOn: "0.0.0.0", allowedHosts: [], pageToken: "t" };
    for (const address of [...addresses.filter((each) => !each.includes("%")), "192.168.7.7"]) {
      const host = address.includes(":") ? `[${address}]:1` : `${address}:1`;
      expect(() => keepPagesOut({ method: "GET", headers: { host } }, options)).not.toThrow();
    }
    expect(() => keepPagesOut({ method: "GET", headers: { host: "evil.example" } }, options)).toThrow("evil.example");
  });
});

describe("another page", () => {
  const DOORS = [
    { method: "POST", path: "/_emulator/reset" },
    { method: "POST", path: "/_emulator/seed", body: "[]" },
    { path: "/_emulator/requests" },
    { path: "/_emulator/resources" },
    { path: SCOPE },
    { method: "DELETE", path: SCOPE.replace("v1beta", "v1") },
    { method: "POST", path: "/token", body: "grant_type=refresh_token&refresh_token=x" },
    { method: "OPTIONS", path: "/_emulator/seed" },
  ];

  test.each([
    [{ origin: "https://evil.example", "content-type": "text/plain" }],
    [{ origin: "null", "content-type": "application/json" }],
    [{ origin: "http://localhost:3000", "content-type": "application/json" }],
    [{ "sec-fetch-site": "cross-site", "content-type": "application/json" }],
    [{ "sec-fetch-site": "same-site", "content-type": "application/json" }],
  ])("%j gets no access", async (headers) => {
    const client = await start();
    const before = client.emulator.resources();
    for (const door of DOORS) {
      const [status, text] = await send(client, { ...door, headers });
      expect([status, text]).toEqual([403, expect.stringContaining("other web pages")]);
    }
    expect(client.emulator.resources()).toEqual(before);
  });

  test("is refused before faults apply, and is in the request log", async () => {
    const client = await start({ faults: [{ fault: { status: 503 } }] });
    expect((await send(client, { headers: { origin: "https://evil.example" } }))[0]).toBe(403);
    expect(client.emulator.requests()).toMatchObject([{ path: SCOPE, status: 403, refused: true }]);
    expect((await send(client, {}))[0]).toBe(503);
  });
});

describe("the emulator's own page", () => {
  const page = (client: TestClient, more: object = {}) => ({
    origin: client.emulator.url,
    "sec-fetch-site": "same-origin",
    "content-type": "application/json",
    ...more,
  });

  test("reads without a token, and writes only with its token", async () => {
    const client = await start();
    expect((await send(client, { path: "/_emulator/resources", headers: page(client) }))[0]).toBe(200);
    for (const token of [undefined, "", "guessed"]) {
      const headers = page(client, token === undefined ? {} : { "x-perimeter-page-token": token });
      const [status, text] = await send(client, { method: "POST", path: "/_emulator/reset", headers });
      expect([status, text]).toEqual([403, expect.stringContaining("own page")]);
    }
    const headers = page(client, { "x-perimeter-page-token": client.emulator.pageToken });
    expect((await send(client, { method: "POST", path: "/_emulator/reset", headers }))[0]).toBe(200);
    expect(client.emulator.pageToken).toMatch(/^[\w-]{40,}$/);
    expect((await start()).emulator.pageToken).not.toBe(client.emulator.pageToken);
  });

  test("may be opened by typing the address", async () => {
    const client = await start();
    const headers = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", host: authority(client) };
    expect((await send(client, { path: "/_emulator/health", headers }))[0]).toBe(200);
  });
});

describe("a control write", () => {
  test.each([
    ...["application/json", "application/json; charset=utf-8", "Application/YAML", "text/yaml", "application/x-yaml"],
    "application/merge-patch+json",
  ])("of the type %s is taken", async (type) => {
    const client = await start();
    const headers = { "content-type": type };
    expect((await send(client, { method: "POST", path: "/_emulator/seed", body: "[]", headers }))[0]).toBe(200);
  });

  test.each([undefined, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=json", ""])(
    "of the type %s is refused and has no effect",
    async (type) => {
      const client = await start();
      const before = client.emulator.resources();
      const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
      for (const [method, path, body] of [
        ["POST", "/_emulator/reset", '{"seed": false}'],
        ["POST", "/_emulator/reset", undefined],
        ["POST", "/_emulator/seed", "[]"],
        ["PUT", "/_emulator/config", "{}"],
        ["PUT", "/_emulator/faults", "[]"],
        ["DELETE", "/_emulator/requests", undefined],
        ["POST", "/_emulator/advance", '{"ms": 1}'],
      ] as const) {
        const [status, text] = await send(client, { method, path, body, headers });
        expect([status, text]).toEqual([415, expect.stringContaining("application/json")]);
      }
      expect(client.emulator.resources()).toEqual(before);
    },
  );
});
