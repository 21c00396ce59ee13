/** Behind a proxy that opens TLS, with a certificate authority of a company: the same variables name it to each form of the plugin. */
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { delimiter } from "node:path";
import type { TLSSocket } from "node:tls";
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { builtPlugin, PLUGIN_FORMS } from "../support/plugin";
import { missingOpenssl, privateCa, TlsProxy, type PrivateCa } from "./private-ca";
import { casesHere } from "../support/test-all";
import { ScriptedServer } from "../support/scripted-server";
import { GET_SCOPE } from "../support/tokens";
import { PluginClient, spawnPlugin, type CallError } from "./plugin-client";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const credentials = JSON.stringify({
  type: "service_account",
  client_email: "robot@demo-project.iam.gserviceaccount.com",
  private_key: privateKey,
});
const TARGET = "robot@demo-project.iam.gserviceaccount.com";
const GENERATE = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${TARGET}:generateAccessToken`;
const workload = (source: object, more: object = {}) => ({
  type: "external_account",
  audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  credential_source: source,
  ...more,
});
const impersonated = (source: object) => ({
  type: "impersonated_service_account",
  service_account_impersonation_url: GENERATE,
  source_credentials: source,
});

const SCOPE = "projects/demo-project/locations/global/scopes/team-a";
const API = `GET https://gkehub.googleapis.com/v1beta/${SCOPE}`;
const TOKEN = "POST https://oauth2.googleapis.com/token";

let emulator: Emulator;
let ca: PrivateCa;
let proxy: TlsProxy;

/** What a lookup through the proxy gives: the plugin asks for a token, and then the API. */
async function lookUp(
  form: (typeof PLUGIN_FORMS)[number],
  env: Record<string, string>,
  settings = {},
): Promise<unknown> {
  const started = await spawnPlugin(builtPlugin(form), [], {
    env: { HTTPS_PROXY: proxy.url, ...env },
  });
  const plugin = new PluginClient(started.port, async () => {
    started.process.kill("SIGINT");
    await started.ended;
  });
  try {
    await plugin.configure({ project: "demo-project", credentials, retry: { maxAttempts: 2 }, ...settings });
    return await plugin.invoke(GET_SCOPE, { location: "global", scopeId: "team-a" }).then(
      ({ result }) => result.name,
      (error: unknown) => error,
    );
  } finally {
    await plugin.close();
  }
}

const describeHere = missingOpenssl === undefined ? describe.each(PLUGIN_FORMS) : describe.skip.each(PLUGIN_FORMS);
const testHere = missingOpenssl === undefined ? test : test.skip;
testHere(
  "a token request has the certificate of the machine that the library gives, and trusts the authority",
  async () => {
    const own = privateCa();
    const { cert, key } = own.server;
    const server = await ScriptedServer.start(
      (_request, { socket }) => ({
        body: (socket as TLSSocket).getPeerCertificate().subject?.CN ?? "no certificate",
      }),
      { cert, key, requestCert: true, rejectUnauthorized: false },
    );
    const before = process.env.SSL_CERT_FILE;
    process.env.SSL_CERT_FILE = own.file;
    const answers: string[] = [];
    // The authorities are read at the first request.
    await jest.isolateModulesAsync(async () => {
      const { pooledFetch } = await import("../../provider/http/pool.js");
      for (const agent of [undefined, new Agent({ cert, key })]) {
        const init = { method: "POST", body: "x", agent };
        answers.push(await (await pooledFetch(server.url, init)).text());
      }
    });
    if (before === undefined) delete process.env.SSL_CERT_FILE;
    else process.env.SSL_CERT_FILE = before;
    await server.stop();
    own.remove();
    expect(answers).toEqual(["no certificate", "perimeter test server"]);
  },
);

describeHere(`the plugin as %s${missingOpenssl === undefined ? "" : ` [skipped: ${missingOpenssl}]`}`, (form) => {
  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
    ca = privateCa();
  });
  beforeEach(async () => {
    proxy = await TlsProxy.start(ca, emulator.url);
  });
  afterEach(() => proxy.stop());
  afterAll(async () => {
    ca.remove();
    await emulator.stop();
  });

  const VARIABLES: [variable: string, env: () => Record<string, string>][] = [
    ["NODE_EXTRA_CA_CERTS", () => ({ NODE_EXTRA_CA_CERTS: ca.file })],
    ["SSL_CERT_FILE", () => ({ SSL_CERT_FILE: ca.file })],
    ["SSL_CERT_DIR", () => ({ SSL_CERT_DIR: ca.folder })],
    ["one of the folders in SSL_CERT_DIR", () => ({ SSL_CERT_DIR: `/nowhere/at/all${delimiter}${ca.folder}` })],
  ];
  const trustedHere = casesHere(
    VARIABLES,
    (_, index) => index === 0 || form === "the executable",
    ([variable]) => `trusts the authority that ${variable} names`,
  );
  test.each(trustedHere)("trusts the authority that %s names, for APIs and for tokens", async (_variable, env) => {
    const outcome = await lookUp(form, env());
    expect(outcome).toBe(SCOPE);
    expect(proxy.requests).toEqual([TOKEN, API]);
  });

  const EXCHANGE = "POST https://sts.googleapis.com/v1/token";
  // Any text is an identity here.
  const IDENTITY = `https://gkehub.googleapis.com/v1beta/${SCOPE}`;
  const user = { type: "authorized_user", client_id: "c", client_secret: "s", refresh_token: "r" };
  const inFile = () => {
    writeFileSync(`${ca.folder}/../subject`, "subject-token");
    return { file: `${ca.folder}/../subject` };
  };
  const KINDS: [kind: string, credentials: () => object, requests: string[]][] = [
    ["a workload identity from a file", () => workload(inFile()), [EXCHANGE]],
    ["a workload identity from a URL", () => workload({ url: IDENTITY }), [`GET ${IDENTITY}`, EXCHANGE]],
    [
      "a workload identity that acts as a service account",
      () => workload(inFile(), { service_account_impersonation_url: GENERATE }),
      [EXCHANGE, `POST ${GENERATE}`],
    ],
    ["an account that a user impersonates", () => impersonated(user), [TOKEN, `POST ${GENERATE}`]],
    [
      "an account that a key impersonates",
      () => impersonated(JSON.parse(credentials) as object),
      [TOKEN, `POST ${GENERATE}`],
    ],
    [
      "an account that a workload identity impersonates",
      () => impersonated(workload(inFile())),
      [EXCHANGE, `POST ${GENERATE}`],
    ],
  ];
  const NAMED = [
    ["SSL_CERT_FILE", () => ({ SSL_CERT_FILE: ca.file })],
    ["SSL_CERT_DIR", () => ({ SSL_CERT_DIR: ca.folder })],
  ] as const;
  const kindsHere = casesHere(
    KINDS.flatMap(([kind, given, requests], index) =>
      NAMED.map(([variable, env], at) => {
        // Each kind once, with the variables and the forms of the plugin by turns.
        const isFirst = (index + at) % 2 === 0 && (form === "the executable") === (index % 3 !== 0);
        return { kind, given, requests, variable, env, isFirst };
      }),
    ),
    ({ isFirst }) => isFirst,
    ({ kind, variable }) => `trusts the authority in ${variable} for the tokens of ${kind}`,
  );
  test.each(kindsHere)(
    "trusts the authority in $variable for the tokens of $kind",
    async ({ given, requests, env }) => {
      const outcome = await lookUp(form, env(), { credentials: JSON.stringify(given()) });
      expect([outcome, proxy.requests]).toEqual([SCOPE, [...requests, API]]);
    },
  );

  const ADVICE =
    /certificate .* is not trusted \([A-Z_]+\)\. .* set NODE_EXTRA_CA_CERTS, SSL_CERT_FILE or SSL_CERT_DIR/;

  test("says for a request for a token that the certificate is not trusted, and what to set", async () => {
    const { message } = (await lookUp(form, {})) as Error;
    expect(message).toMatch(/^The credentials gave no access token: oauth2\.googleapis\.com gave no answer: /);
    expect(message).toMatch(ADVICE);
    expect(proxy.requests).toEqual([]);
  });

  test("says for a request of an API that the certificate is not trusted, and what to set", async () => {
    const { message } = (await lookUp(form, {}, { credentials: undefined, accessToken: "t" })) as Error;
    expect(message).toMatch(/^Could not look up the fleet scope .* was not sent: /);
    expect(message).toMatch(ADVICE);
    expect(message).not.toContain("emulator");
    expect(proxy.requests).toEqual([]);
  });

  const UNUSABLE: [variable: string, what: string, path: () => string, message: RegExp][] = [
    ["NODE_EXTRA_CA_CERTS", "a file that does not exist", () => "/nowhere/canary.pem", /cannot be read \(ENOENT\)/],
    ["SSL_CERT_FILE", "a file that does not exist", () => "/nowhere/canary.pem", /cannot be read \(ENOENT\)/],
    ["SSL_CERT_FILE", "a folder", () => ca.folder, /cannot be read \(EISDIR\)/],
    ["SSL_CERT_FILE", "a file without certificates", () => __filename, /has no valid certificates/],
    ["SSL_CERT_DIR", "a folder that does not exist", () => "/nowhere/canary", /no folder that has a certificate/],
  ];
  // The plugin itself reads these files, with the same code in each form.
  const readHere = casesHere(
    UNUSABLE,
    () => form === "the executable",
    ([variable, what]) => `refuses ${variable} that names ${what}`,
  );

  for (const [variable, what, path, message] of readHere) {
    test(`refuses ${variable} that names ${what}, without showing the path`, async () => {
      const outcome = (await lookUp(form, { [variable]: path() })) as CallError;
      expect(outcome.code).toBe("INVALID_ARGUMENT");
      expect(outcome.message).toMatch(message);
      expect(outcome.message).toContain(`${variable} in the environment names`);
      expect(outcome.message).not.toMatch(/canary|private-ca/);
    });
  }

  test("trusts each authority of a file that has several, and no other", async () => {
    const other = privateCa();
    try {
      expect(((await lookUp(form, { SSL_CERT_FILE: other.file })) as Error).message).toMatch(ADVICE);
      const bundle = `${other.folder}/both.pem`;
      writeFileSync(bundle, readFileSync(other.file, "utf8") + readFileSync(ca.file, "utf8"));
      expect(await lookUp(form, { SSL_CERT_FILE: bundle })).toBe(SCOPE);
    } finally {
      other.remove();
    }
  });
});
