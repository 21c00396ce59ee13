import { gzipSync } from "node:zlib";
import { Agent, EnvHttpProxyAgent, type Dispatcher } from "undici";
import { ScriptedProxy } from "../../tests/support/scripted-proxy";
import { CancelledError, ConfigurationError, ConnectionError, TimeoutError } from "../core/errors";
import { sendOver } from "./pool";
import type { HttpRequest } from "./send";

const request = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "GET",
  url,
  headers: {},
  signal: new AbortController().signal,
  ...more,
});

describe("a request without a complete response", () => {
  /** Sends over pools that fail with the error. */
  const failing = (error: unknown) => {
    const dispatch = (_options: unknown, handler: Dispatcher.DispatchHandler) => {
      handler.onResponseError?.({} as Dispatcher.DispatchController, error as Error);
      return true;
    };
    const pool = { dispatch } as unknown as Dispatcher;
    return sendOver(() => ({ direct: pool, proxied: pool }));
  };

  test("has an error with the cause and without the query", async () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:1"), { code: "ECONNREFUSED" });
    const outcome = await failing(refused)(request("https://h/v1/x?key=canary")).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(ConnectionError);
    expect((outcome as Error).message).toBe(
      "GET https://h/v1/x was not sent: the connection was refused (connect ECONNREFUSED 10.0.0.1:1)",
    );
    expect(outcome).toMatchObject({ effect: "none", retryable: true });
    const reset = new Error("other side closed", { cause: new Error("read ECONNRESET") });
    await expect(failing(reset)(request("https://h/v1/x?key=canary"))).rejects.toMatchObject({
      message: "GET https://h/v1/x got no complete response: other side closed: read ECONNRESET",
      effect: "unknown",
      retryable: true,
    });
  });

  test("is not repeated if nothing on this machine listens", async () => {
    const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
    await expect(failing(refused)(request("http://localhost:1/v1/x?key=canary"))).rejects.toMatchObject({
      message: "GET http://localhost:1/v1/x was not sent: nothing listens at localhost:1 (ECONNREFUSED)",
      effect: "none",
      retryable: false,
    });
  });

  test.each([
    [new TimeoutError("late"), TimeoutError],
    [new CancelledError("stop"), CancelledError],
    [undefined, CancelledError],
  ])("ends with the reason of its signal: %p", async (reason, type) => {
    const signal = AbortSignal.abort(reason);
    await expect(failing(new Error("x"))(request("https://h/v1/x", { signal }))).rejects.toBeInstanceOf(type);
  });

  test("has an error with the name of an invalid header, and not with its value", async () => {
    const headers = { authorization: "Bearer canary\n" };
    const error: unknown = await failing(new Error("x"))(request("https://h/v1/x", { headers })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toBe(
      "The header authorization would have characters that HTTP does not allow in headers",
    );
  });
});

const VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"];
const before = Object.fromEntries(VARIABLES.map((each) => [each, process.env[each]]));
afterEach(() => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

/** Runs with new pools: they read the environment at their first request. */
function withNewPools(run: (send: (url: string, more?: Partial<HttpRequest>) => Promise<unknown>) => Promise<void>) {
  return jest.isolateModulesAsync(async () => {
    const { pooledSend } = await import("./pool.js");
    await run((url, more) => pooledSend(request(url, more)));
  });
}

describe("a proxy in the environment", () => {
  test.each(["proxy.example:8080", "me:canary@proxy.example:8080", "ftp://me:canary@proxy.example", "http://"])(
    "is refused if it is not a URL (%j), with its variable and without its text",
    async (proxy) => {
      for (const name of VARIABLES) delete process.env[name];
      process.env.HTTPS_PROXY = proxy;
      await withNewPools(async (send) => {
        const error: unknown = await send("https://api.test/").catch((thrown: unknown) => thrown);
        expect((error as Error).name).toBe(ConfigurationError.name);
        expect((error as Error).message).toContain("HTTPS_PROXY");
        expect((error as Error).message).not.toMatch(/canary|proxy\.example/);
      });
    },
  );

  test.each(VARIABLES)("is refused in %s if it is an IPv6 address without brackets", async (name) => {
    for (const each of VARIABLES) delete process.env[each];
    process.env[name] = "http://::1:3128";
    await withNewPools((send) =>
      expect(send("https://api.test/")).rejects.toThrow(
        `${name} must be the URL of a proxy, such as http://[::1]:3128, with an IPv6 address in brackets`,
      ),
    );
  });

  test("gets a tunnel for an https request", async () => {
    const heard: Buffer[] = [];
    const proxy = await ScriptedProxy.start((data, socket) => {
      heard.push(data);
      socket.destroy();
    });
    for (const name of VARIABLES) process.env[name] = proxy.url;
    await withNewPools(async (send) => {
      await expect(send("https://api.test/")).rejects.toThrow("GET https://api.test/ got no complete response");
      await expect(send("https://api.test/", { signal: AbortSignal.abort() })).rejects.toThrow("was stopped");
    });
    proxy.stop();
    expect(proxy.asked[0]).toMatch(/^CONNECT api\.test:443 /);
    // The first byte of TLS: a handshake.
    expect(heard[0]?.[0]).toBe(0x16);
  });
});

test.each([
  ["http://localhost:1", "direct"],
  ["http://169.254.169.254", "direct"],
  ["http://[fe80::1]:77", "direct"],
  ["http://metadata.google.internal.", "direct"],
  ["http://169.255.0.1", "proxied"],
  ["https://metadata.google.internal.example", "proxied"],
  ["https://api.example", "proxied"],
] as const)("a request to %s takes the %s connections", async (origin, expected) => {
  const taken: string[] = [];
  const pool = (name: string) => {
    const dispatch = (_options: unknown, handler: Dispatcher.DispatchHandler) => {
      taken.push(name);
      handler.onResponseError?.({} as Dispatcher.DispatchController, new Error("no answer"));
      return true;
    };
    return { dispatch } as unknown as Dispatcher;
  };
  const send = sendOver(() => ({ direct: pool("direct"), proxied: pool("proxied") }));
  await expect(send(request(`${origin}/v1/x`))).rejects.toThrow();
  expect(taken).toEqual([expected]);
});

describe("a server on another machine", () => {
  /** A proxy that answers for the server behind it, and the headers that it receives. */
  async function proxy(response: Buffer): Promise<{ heads: string[]; stop: () => void }> {
    const heads: string[] = [];
    const server = await ScriptedProxy.start((data, socket) => {
      heads.push(String(data));
      socket.end(response);
    });
    for (const name of VARIABLES) process.env[name] = server.url;
    return { heads, stop: () => server.stop() };
  }

  test("is asked for packed responses", async () => {
    const body = gzipSync("packed");
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
    const { heads, stop } = await proxy(Buffer.concat([Buffer.from(head), body]));
    await withNewPools(async (send) =>
      expect(await send("http://api.example/v1/x?y=z")).toMatchObject({ status: 200, body: "packed" }),
    );
    expect(heads).toEqual([expect.stringMatching(/^GET \/v1\/x\?y=z HTTP\/1\.1\r\n[^]*accept-encoding: gzip\r\n/i)]);
    stop();
  });

  test("gets no second request after a redirect, because a token must not follow one", async () => {
    const head = "HTTP/1.1 302 Found\r\nLocation: http://other.example/\r\nContent-Length: 0\r\n\r\n";
    const { heads, stop } = await proxy(Buffer.from(head));
    await withNewPools(async (send) =>
      expect(await send("http://api.example/v1/x")).toMatchObject({
        status: 302,
        headers: { location: "http://other.example/" },
        body: "",
      }),
    );
    expect(heads).toHaveLength(1);
    stop();
  });
});

test.each(["http://127.0.0.1", "http://api.example"])(
  "a slow response of %s is awaited, whatever the limits of the dispatcher are",
  async (host) => {
    // undici looks at its limits twice a second.
    const pause = () => new Promise((resolve) => setTimeout(resolve, 1_200));
    const server = await ScriptedProxy.start((_data, socket) => {
      void pause()
        .then(() => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"))
        .then(pause)
        .then(() => socket.end("late"));
    });
    const { port } = new URL(server.url);
    const limits = { headersTimeout: 1, bodyTimeout: 1 };
    const pools = {
      direct: new Agent(limits),
      proxied: new EnvHttpProxyAgent({ ...limits, httpProxy: server.url, noProxy: "" }),
    };
    const sent = sendOver(() => pools)(request(`${host}:${port}/v1/x`));
    await expect(sent.finally(() => server.stop())).resolves.toMatchObject({ body: "late" });
    await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
  },
);
