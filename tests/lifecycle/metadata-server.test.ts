/**
 * Tokens of a metadata server, and of what else is on this machine or its link, are asked for directly: no proxy is told
 * where they are. In processes of their own, with the library's own HTTP client, which jest cannot load.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { generateKeyPairSync } from "node:crypto";
import { ScriptedProxy } from "../support/scripted-proxy";
import { ScriptedServer } from "../support/scripted-server";

const ROOT = resolve(__dirname, "../..");
const run = promisify(execFile);

/** Each test starts a process. */
jest.setTimeout(120_000);

const ROBOT = "robot@machine-project.iam.gserviceaccount.com";
const TEXTS: Record<string, string> = { "universe-domain": "googleapis.com", email: ROBOT };

let metadata: ScriptedServer;
let proxy: ScriptedProxy;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "perimeter-metadata-"));
  metadata = await ScriptedServer.start(({ path }) => {
    const flavor = { "metadata-flavor": "Google" };
    if (path.includes("/token"))
      return {
        headers: { ...flavor, "content-type": "application/json" },
        body: { access_token: "of-machine", expires_in: 3600, token_type: "Bearer" },
      };
    const headers = { ...flavor, "content-type": "application/text" };
    return { headers, body: TEXTS[path.split("/").at(-1) ?? ""] ?? "machine-project" };
  });
  proxy = await ScriptedProxy.start();
});
afterEach(async () => {
  await metadata.stop();
  proxy.stop();
  rmSync(folder, { recursive: true });
});

const asked = () => metadata.requests.map(({ url }) => url);

/** The token and the service account that a process with this environment gets, or the error. */
async function tokenOf(environment: Record<string, string>, given = {}): Promise<string> {
  const program = `
    const { tokenSource } = require("./provider/http/credentials");
    const { checkedConfiguration } = require("./provider/core/config/resolve");
    const tokens = tokenSource(checkedConfiguration(${JSON.stringify(given)}, {}));
    tokens.token()
      .then(async (token) => token + " of " + (await tokens.serviceAccount()))
      .catch((error) => error.message)
      .then((text) => process.stdout.write(text, () => process.exit()));`;
  const { stdout } = await run(process.execPath, ["-r", "./tools/register.cjs", "-e", program], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      CLOUDSDK_CONFIG: folder,
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      ...environment,
    },
  });
  return stdout;
}

test.each(["127.0.0.1", "localhost"])("a metadata server at %s is asked directly", async (host) => {
  const environment = { METADATA_SERVER_DETECTION: "assume-present", GCE_METADATA_HOST: `${host}:${metadata.port}` };
  expect(await tokenOf(environment)).toBe(`of-machine of ${ROBOT}`);
  expect(asked().some((each) => each.includes("/service-accounts/default/token"))).toBe(true);
  expect(proxy.asked).toEqual([]);
});

test("requests to the metadata server of a cloud machine never use the proxy", async () => {
  // There is none here: the addresses lead nowhere, and the search for it ends soon.
  const message = await tokenOf({ METADATA_SERVER_DETECTION: "ping-only", METADATA_SERVER_TIMEOUT: "200" });
  expect(message).toContain("No usable Google Cloud credentials");
  expect(proxy.asked).toEqual([]);
});

test("requests to other token endpoints use the proxy", async () => {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const credentials = {
    type: "service_account",
    client_email: "robot@p.iam.gserviceaccount.com",
    private_key: privateKey,
  };
  const message = await tokenOf({}, { credentials: JSON.stringify(credentials) });
  expect(message).toContain("The credentials gave no access token");
  expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT oauth2.googleapis.com:443 HTTP/1.1"]));
});

test.each([
  ["an identity", (credentials: object) => credentials],
  [
    "the identity that impersonates an account",
    (credentials: object) => ({
      type: "impersonated_service_account",
      service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${ROBOT}:generateAccessToken`,
      source_credentials: credentials,
    }),
  ],
])("requests for %s from a server on this machine do not use the proxy", async (_what, given) => {
  const credentials = {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: "https://sts.googleapis.com/v1/token",
    credential_source: { url: `${metadata.url}/subject` },
  };
  await tokenOf({}, { credentials: JSON.stringify(given(credentials)) });
  expect(asked()).toEqual(["/subject"]);
  expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT sts.googleapis.com:443 HTTP/1.1"]));
});
