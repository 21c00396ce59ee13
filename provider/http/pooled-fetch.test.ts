import { createServer, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { ConfigurationError } from "../core/errors";

const VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"];
const before = Object.fromEntries(VARIABLES.map((each) => [each, process.env[each]]));
afterEach(() => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test.each(["proxy.example:8080", "me:canary@proxy.example:8080", "ftp://me:canary@proxy.example", "http://"])(
  "a proxy %j is refused by the name of its variable, and not shown",
  async (proxy) => {
    for (const name of VARIABLES) delete process.env[name];
    process.env.HTTPS_PROXY = proxy;
    await jest.isolateModulesAsync(async () => {
      // The one pool of the process is made at first use, with the environment of that moment.
      const { pooledFetch } = await import("./pooled-fetch.js");
      const error = await Promise.resolve()
        .then(pooledFetch)
        .catch((thrown: unknown) => thrown);
      expect((error as Error).name).toBe(ConfigurationError.name);
      expect((error as Error).message).toContain("HTTPS_PROXY");
      expect((error as Error).message).not.toMatch(/canary|proxy\.example/);
    });
  },
);

test.each(VARIABLES)("an IPv6 proxy without brackets in %s is refused with the form that has them", async (name) => {
  for (const each of VARIABLES) delete process.env[each];
  process.env[name] = "http://::1:3128";
  await jest.isolateModulesAsync(async () => {
    const { pooledFetch } = await import("./pooled-fetch.js");
    expect(pooledFetch).toThrow(
      `${name} must be the URL of a proxy, such as http://[::1]:3128, with an IPv6 address in brackets`,
    );
  });
});

test("an https request goes through the proxy's tunnel", async () => {
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      heard.push(data);
      if (heard.length === 1) socket.write("HTTP/1.1 200 OK\r\n\r\n");
      else socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  for (const name of VARIABLES) process.env[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await jest.isolateModulesAsync(async () => {
    const { pooledFetch } = await import("./pooled-fetch.js");
    const { signal } = new AbortController();
    const request = { method: "GET", headers: {}, signal, redirect: "manual" as const };
    await expect(pooledFetch()("https://api.test/", request)).rejects.toThrow();
    const stopped = { ...request, signal: AbortSignal.abort(new Error("stopped")) };
    await expect(pooledFetch()("https://api.test/", stopped)).rejects.toThrow("stopped");
  });
  server.close();
  expect(String(heard[0])).toMatch(/^CONNECT api\.test:443 /);
  // The first byte of TLS: a handshake.
  expect(heard[1]?.[0]).toBe(0x16);
});

describe("packed answers", () => {
  /** A proxy that is also the server behind it, and the headers that arrive there. */
  async function proxy(): Promise<{ url: string; heads: string[]; stop: () => void }> {
    const heads: string[] = [];
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (data) => {
        if (String(data).startsWith("CONNECT ")) {
          socket.write("HTTP/1.1 200 OK\r\n\r\n");
          return;
        }
        heads.push(String(data));
        const body = gzipSync("packed");
        socket.end(
          Buffer.concat([
            Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`),
            body,
          ]),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heads, stop: () => server.close() };
  }

  test("are asked of other machines", async () => {
    const { url, heads, stop } = await proxy();
    for (const name of VARIABLES) process.env[name] = url;
    await jest.isolateModulesAsync(async () => {
      const { pooledFetch } = await import("./pooled-fetch.js");
      const { signal } = new AbortController();
      const answer = await pooledFetch()("http://api.example/v1/x?y=z", {
        method: "GET",
        headers: {},
        signal,
        redirect: "manual",
      });
      expect(await answer.text()).toBe("packed");
    });
    expect(heads).toEqual([expect.stringMatching(/^GET \/v1\/x\?y=z HTTP\/1\.1\r\n[^]*accept-encoding: gzip\r\n/i)]);
    stop();
  });
});
