import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { accessStyles } from "../../picture/generated/styles";
import { consoleScript, consoleStyles } from "./generated/page";
import { startEmulator, type Emulator } from "../index";

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator();
});
afterEach(() => emulator.stop());

describe("the page and its files", () => {
  const answers = async () => {
    const html = await (await fetch(`${emulator.url}/`)).text();
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string);
    expect(files).toHaveLength(3);
    return Promise.all(["/", ...files].map((path) => fetch(emulator.url + path)));
  };

  test("are there, and no browser keeps them", async () => {
    const all = await answers();
    expect(all[0]?.headers.get("content-type")).toBe("text/html; charset=UTF-8");
    for (const { url, status, headers } of all) {
      expect([url, status, headers.get("cache-control")]).toEqual([url, 200, "no-store"]);
    }
  });

  test("have a policy that allows no other sources, and no frames", async () => {
    for (const { headers } of await answers()) {
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|http/);
      expect(headers.get("x-frame-options")).toBe("DENY");
    }
  });

  test("are not in the request log", async () => {
    await answers();
    expect(emulator.requests()).toEqual([]);
  });
});

test("only the page contains the token for its writes", async () => {
  const html = await (await fetch(`${emulator.url}/`)).text();
  expect(html).toContain(emulator.pageToken);
  const elsewhere = await Promise.all(
    ["config", "requests", "faults", "console/console.js"].map(async (path) =>
      (await fetch(`${emulator.url}/_emulator/${path}`)).text(),
    ),
  );
  expect(elsewhere.join("")).not.toContain(emulator.pageToken);
});

test("other sites cannot read the page, neither with a request nor under their own host name", async () => {
  const statusWith = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(`${emulator.url}/`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on("error", reject).end();
    });
  expect(await statusWith({ "sec-fetch-site": "none" })).toBe(200);
  expect(await statusWith({ "sec-fetch-site": "cross-site" })).toBe(403);
  expect(await statusWith({ origin: "https://attacker.example" })).toBe(403);
  expect(await statusWith({ host: "attacker.example" })).toBe(403);
});

test("the compressed console has a few tens of kB", () => {
  expect(gzipSync(consoleScript + consoleStyles + accessStyles).length).toBeLessThan(40_000);
});
