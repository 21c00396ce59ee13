/** `NO_PROXY` has one meaning for requests of the APIs and for token requests. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { builtPlugin, PLUGIN_FORMS } from "../support/plugin";
import { ScriptedProxy } from "../support/scripted-proxy";
import { ScriptedServer } from "../support/scripted-server";
import { GET_SCOPE } from "../support/tokens";
import { PluginClient, spawnPlugin } from "./plugin-client";

const ROOT = resolve(__dirname, "../..");
jest.setTimeout(120_000);

let proxy: ScriptedProxy;
let folder: string;
/** The hosts that the proxy was asked for since the last look. */
const proxied = () => proxy.asked.splice(0).map((line) => /^CONNECT (\S+)/.exec(line)?.[1] ?? line);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "perimeter-no-proxy-"));
  writeFileSync(join(folder, "subject"), "subject-token");
});
beforeEach(async () => {
  proxy = await ScriptedProxy.start();
});
afterEach(() => proxy.stop());
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const credentials = (host: string) =>
  JSON.stringify({
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `https://${host}/v1/token`,
    // The identity comes from a server of the same host.
    credential_source: { url: `https://${host}/subject` },
  });

/** The variables, a host, and whether a request to it uses the proxy. No host of `corp.test` exists. */
const TABLE: [variables: Record<string, string>, host: string, usesProxy: boolean][] = [
  [{}, "api.corp.test", true],
  [{ NO_PROXY: "" }, "api.corp.test", true],
  [{ NO_PROXY: "*" }, "api.corp.test", false],
  [{ NO_PROXY: "corp.test" }, "api.corp.test", false],
  [{ NO_PROXY: "corp.test" }, "corp.test", false],
  [{ NO_PROXY: "corp.test" }, "othercorp.test", true],
  [{ NO_PROXY: ".corp.test" }, "api.corp.test", false],
  [{ NO_PROXY: ".corp.test" }, "corp.test", false],
  [{ NO_PROXY: "*.corp.test" }, "api.corp.test", false],
  [{ NO_PROXY: "API.Corp.TEST" }, "api.corp.test", false],
  [{ NO_PROXY: "api.corp.test" }, "API.corp.test", false],
  [{ no_proxy: "corp.test" }, "api.corp.test", false],
  [{ no_proxy: "other.test", NO_PROXY: "corp.test" }, "api.corp.test", true],
  [{ NO_PROXY: "other.test, corp.test" }, "api.corp.test", false],
  [{ NO_PROXY: "other.test corp.test" }, "api.corp.test", false],
  [{ NO_PROXY: "corp.test:443" }, "api.corp.test", false],
  [{ NO_PROXY: "corp.test:8443" }, "api.corp.test", true],
  [{ NO_PROXY: "corp.test:8443" }, "api.corp.test:8443", false],
  [{ NO_PROXY: "https://api.corp.test" }, "api.corp.test", true],
];

test("requests of the APIs and token requests follow the same rule", async () => {
  // One process for all: the variables are read for each request.
  const program = `
    const { pooledSend } = require("./provider/http/pool");
    const { tokenSource } = require("./provider/http/credentials");
    const { checkedConfiguration } = require("./provider/core/config/resolve");
    const cases = ${JSON.stringify(TABLE.map(([variables, host]) => [variables, host, credentials(host)]))};
    (async () => {
      for (const [variables, host, credentials] of cases) {
        delete process.env.NO_PROXY;
        delete process.env.no_proxy;
        Object.assign(process.env, variables);
        const { signal } = new AbortController();
        const api = () => pooledSend({ method: "GET", url: "https://" + host + "/v1/x", headers: {}, signal });
        const token = () => tokenSource(checkedConfiguration({ credentials }, {})).token();
        for (const ask of [api, token]) {
          await ask().catch(() => {});
          const sent = await fetch("${"http://127.0.0.1:PORT"}/");
          console.log(await sent.text());
        }
      }
    })();`;
  // Says whether the proxy was asked since the last look.
  const look = await ScriptedServer.start(() => ({ body: String(proxied().length > 0) }));
  const withPort = program.replace("PORT", String(look.port));
  const { stdout } = await promisify(execFile)(process.execPath, ["-r", "./tools/register.cjs", "-e", withPort], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: folder, HTTPS_PROXY: proxy.url },
  });
  await look.stop();
  const found = stdout.trim().split("\n");
  const outcome = TABLE.map(([variables, host], index) => [variables, host, ...found.slice(2 * index, 2 * index + 2)]);
  expect(outcome).toEqual(TABLE.map(([variables, host, uses]) => [variables, host, String(uses), String(uses)]));
});

describe.each(PLUGIN_FORMS)("the plugin as %s", (form) => {
  /** The errors of a lookup whose API, and of one whose token, is asked for through the proxy. */
  async function errors(NO_PROXY: string): Promise<string[]> {
    const started = await spawnPlugin(builtPlugin(form), [], {
      env: { HTTPS_PROXY: proxy.url, NO_PROXY, HOME: folder },
    });
    const plugin = new PluginClient(started.port, async () => {
      started.process.kill("SIGINT");
      await started.ended;
    });
    const messages: string[] = [];
    try {
      for (const given of [{ accessToken: "t" }, { credentials: credentials("sts.corp.test") }]) {
        await plugin.configure({
          project: "p",
          gkeHubCustomEndpoint: "https://api.corp.test/v1beta/",
          retry: { maxAttempts: 1 },
          ...given,
        });
        const looked = plugin.invoke(GET_SCOPE, { location: "global", scopeId: "s" });
        messages.push(await looked.then(String, (error: unknown) => (error as Error).message));
      }
    } finally {
      await plugin.close();
    }
    return messages;
  }

  test.each([
    ["uses the proxy", "other.test", ["api.corp.test:443", "sts.corp.test:443"]],
    ["does not use the proxy for a domain in NO_PROXY", "corp.test", []],
  ])("%s", async (_what, NO_PROXY, hosts) => {
    await errors(NO_PROXY);
    expect([...new Set(proxied())].sort()).toEqual(hosts);
  });

  test("says that the proxy refused, not Google", async () => {
    proxy.refusal = '407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="corp"';
    const words =
      "was not sent: the proxy in HTTPS_PROXY or HTTP_PROXY answered HTTP 407. It needs a user and a password: put them into its URL, before the host";
    expect(await errors("")).toEqual([
      expect.stringContaining(
        `Could not look up the fleet scope projects/p/locations/global/scopes/s: GET https://api.corp.test/v1beta/projects/p/locations/global/scopes/s ${words}`,
      ),
      `The credentials gave no access token: the request to the server that the credentials name ${words}`,
    ]);
  });
});
