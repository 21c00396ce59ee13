import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { GoogleAuth } from "google-auth-library";
import { startEmulator, type Emulator } from "../../emulator";
import { CredentialsError } from "../core/errors";
import type { Values } from "../core/unknown";
import { uncheckedConfiguration } from "../testing/configuration";
import { tokenSource, type TokenSource } from "./credentials";

// The requests of the library, those to the metadata server too, come to the `fetch` below.
jest.mock("./pool", () => ({
  ...jest.requireActual<typeof import("./pool")>("./pool"),
  pooledFetch: (...request: Parameters<typeof fetch>) =>
    (globalThis as unknown as { window: { fetch: typeof fetch } }).window.fetch(...request),
}));

/** The emulator's token endpoint replaces Google's. */
let emulator: Emulator;
let directory: string;

beforeAll(async () => {
  // gaxios loads its HTTP client in a way that jest cannot follow, unless it finds a browser's. Token endpoints have
  // fixed addresses: their requests go to the emulator.
  (globalThis as { window?: unknown }).window = {
    fetch: (url: URL | string, init: RequestInit) =>
      fetch(
        String(url).replace(/^https:\/\/(oauth2|iamcredentials|cloudresourcemanager)\.googleapis\.com/, emulator.url),
        init,
      ),
  };
  emulator = await startEmulator();
  directory = mkdtempSync(join(tmpdir(), "perimeter-auth-"));
});
beforeEach(() => emulator.reset());
afterAll(async () => {
  delete (globalThis as { window?: unknown }).window;
  rmSync(directory, { recursive: true });
  await emulator.stop();
});

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const serviceAccount = () => ({
  type: "service_account",
  project_id: "key-project",
  client_email: "robot@key-project.iam.gserviceaccount.com",
  private_key: privateKey,
});
const file = (name: string, content: unknown) => {
  const path = join(directory, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};
const source = (given: Values, environment: Record<string, string> = {}): TokenSource =>
  tokenSource(uncheckedConfiguration(given, environment));
const tokenRequests = () => emulator.requests().filter((each) => each.path === "/token").length;
const ISSUED = /^ya29\.emulator-/;

describe("an access token", () => {
  test("is its text", async () => {
    expect(await source({ accessToken: "opaque-token" }).token()).toBe("opaque-token");
    expect(tokenRequests()).toBe(0);
  });

  test("is in the file that it names, which is read for each request", async () => {
    const path = file("token", "first\n");
    const tokens = source({ accessToken: path });
    expect(await tokens.token()).toBe("first");
    file("token", "second\n");
    expect(await tokens.token({ fresh: true })).toBe("second");
  });

  test("in a missing file is an error with the key and without the path", async () => {
    const outcome = source({ accessToken: join(directory, "missing") }).token();
    await expect(outcome).rejects.toThrow("Cannot read the file that accessToken names: ENOENT");
  });
});

describe("credentials", () => {
  test("are a service account's key, as JSON text or in a file", async () => {
    expect(await source({ credentials: JSON.stringify(serviceAccount()) }).token()).toMatch(ISSUED);
    expect(await source({ credentials: file("key.json", serviceAccount()) }).token()).toMatch(ISSUED);
    expect(await source({ credentials: JSON.stringify(serviceAccount()) }).project()).toBe("key-project");
  });

  test("give one token to concurrent requests, and keep it", async () => {
    const tokens = source({ credentials: JSON.stringify(serviceAccount()) });
    const [one, other] = await Promise.all([tokens.token(), tokens.token()]);
    expect(one).toBe(other);
    expect(await tokens.token()).toBe(one);
    expect(tokenRequests()).toBe(1);
  });

  test("give another token after the last one was refused", async () => {
    const tokens = source({ credentials: JSON.stringify(serviceAccount()) });
    const first = await tokens.token();
    const [second, third] = await Promise.all([tokens.token({ fresh: true }), tokens.token({ fresh: true })]);
    expect(second).toMatch(ISSUED);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect(tokenRequests()).toBe(2);
  });

  test.each(["not json", "[]", "1"])("with the text %j are refused, without the text", async (text) => {
    const path = file("wrong.json", text);
    const outcome = await source({ credentials: path })
      .token()
      .catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(CredentialsError);
    expect((outcome as Error).message).toContain(
      "credentials must be the JSON of a credentials file, or the path of one",
    );
  });

  test("have no secret in the error of the token endpoint", async () => {
    emulator.setFaults([
      { match: { path: "/token" }, times: 0, fault: { status: 400, body: { error: "invalid_grant" } } },
    ]);
    const outcome: unknown = await source({ credentials: JSON.stringify(serviceAccount()) })
      .token()
      .catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(CredentialsError);
    expect((outcome as Error).message).toContain("invalid_grant");
    const shown = inspect(outcome, { depth: 20, maxStringLength: null });
    for (const line of privateKey.split("\n").slice(1, 5)) expect(shown).not.toContain(line);
  });

  test("of another universe are refused, with the setting to change", async () => {
    const credentials = JSON.stringify({ ...serviceAccount(), universe_domain: "other.example" });
    await expect(source({ credentials }).token()).rejects.toThrow(
      /universe other\.example, the provider is set to googleapis\.com/,
    );
  });
});

test.each<[string, () => object, string]>([
  [
    "a key",
    serviceAccount,
    "HTTP 400 (invalid_grant): the key was deleted or disabled, its account does not exist, or the clock of this machine is wrong",
  ],
  [
    "a user's login",
    () => ({ type: "authorized_user", client_id: "c", client_secret: "s", refresh_token: "r" }),
    "HTTP 400 (invalid_grant): the login is expired or revoked; log in again with `gcloud auth application-default login`",
  ],
  [
    "the identity of a CI job",
    () => ({
      type: "external_account",
      audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: "https://oauth2.googleapis.com/token",
      credential_source: { file: file("subject", "expired-token") },
    }),
    "HTTP 400 (invalid_grant): the identity token of this workload is expired or not valid, or the clock of this machine is wrong; in CI, get a new token",
  ],
])("the error of an expired grant says what to do with %s", async (_what, given, advice) => {
  // The answer to an expired token, as in https://github.com/fullsend-ai/fullsend/issues/705.
  const body = { error: "invalid_grant", error_description: "ID Token issued at 1 is stale to sign-in." };
  emulator.setFaults([{ match: { path: "/token" }, times: 0, fault: { status: 400, body } }]);
  for (const credentials of [
    given(),
    {
      type: "impersonated_service_account",
      service_account_impersonation_url:
        "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/target@p.iam.gserviceaccount.com:generateAccessToken",
      source_credentials: given(),
    },
  ]) {
    await expect(source({ credentials: JSON.stringify(credentials) }).token()).rejects.toThrow(advice);
  }
});

test("the credentials of an authorized user give a token", async () => {
  const credentials = { type: "authorized_user", client_id: "c", client_secret: "s", refresh_token: "r" };
  const tokens = source({ credentials: file("user.json", credentials) });
  const first = await tokens.token();
  expect(first).toMatch(ISSUED);
  expect(await tokens.token({ fresh: true })).not.toBe(first);
  expect(tokenRequests()).toBe(2);
});

describe("impersonation", () => {
  const target = "target@p.iam.gserviceaccount.com";
  const impersonations = () => emulator.requests().filter((each) => each.path.endsWith(":generateAccessToken"));

  test("requests the account's token with the token of the credentials", async () => {
    const credentials = JSON.stringify(serviceAccount());
    const tokens = source({ credentials, impersonateServiceAccount: target });
    expect(await tokens.token()).toMatch(ISSUED);
    expect(await tokens.token()).toMatch(ISSUED);
    expect(impersonations()).toMatchObject([
      { method: "POST", path: `/v1/projects/-/serviceAccounts/${target}:generateAccessToken`, authorization: true },
    ]);
    expect(await tokens.token({ fresh: true })).toMatch(ISSUED);
    expect(impersonations()).toHaveLength(2);
  });

  test("works with an access token", async () => {
    expect(await source({ accessToken: "t", impersonateServiceAccount: target }).token()).toMatch(ISSUED);
    expect([impersonations().length, tokenRequests()]).toEqual([1, 0]);
  });

  test("passes the delegates on", async () => {
    const bodies: unknown[] = [];
    const spy = jest.spyOn(globalThis, "fetch").mockImplementation((_url, init) => {
      bodies.push(JSON.parse(init?.body as string));
      const answer = { accessToken: "ya29.delegated", expireTime: "2999-01-01T00:00:00Z" };
      return Promise.resolve(new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } }));
    });
    try {
      const delegates = ["between@p.iam.gserviceaccount.com"];
      const tokens = source({
        accessToken: "t",
        impersonateServiceAccount: target,
        impersonateServiceAccountDelegates: delegates,
        scopes: ["https://www.googleapis.com/auth/cloud-healthcare"],
      });
      expect(await tokens.token()).toBe("ya29.delegated");
      expect(bodies).toEqual([
        { delegates, scope: ["https://www.googleapis.com/auth/cloud-healthcare"], lifetime: "3600s" },
      ]);
    } finally {
      spy.mockRestore();
    }
  });

  test("has the reason in the error of a refusal", async () => {
    emulator.configure({ deny: ["iam.serviceAccounts.getAccessToken"] });
    const outcome = source({ accessToken: "t", impersonateServiceAccount: target }).token();
    await expect(outcome).rejects.toThrow(
      /The credentials gave no access token: .*iam\.serviceAccounts\.getAccessToken/,
    );
  });
});

describe("explicit settings are preferred to the environment", () => {
  const key = () => JSON.stringify(serviceAccount());
  test.each<[string, () => [Values, Record<string, string>], RegExp]>([
    ["a configured token beats configured credentials", () => [{ accessToken: "t", credentials: key() }, {}], /^t$/],
    [
      "configured credentials beat an ambient token",
      () => [{ credentials: key() }, { GOOGLE_OAUTH_ACCESS_TOKEN: "t" }],
      ISSUED,
    ],
    [
      "a configured token beats ambient credentials",
      () => [{ accessToken: "t" }, { GOOGLE_CREDENTIALS: key() }],
      /^t$/,
    ],
    [
      "an ambient token beats ambient credentials",
      () => [{}, { GOOGLE_OAUTH_ACCESS_TOKEN: "t", GOOGLE_CREDENTIALS: key() }],
      /^t$/,
    ],
    ["ambient credentials are found", () => [{}, { GOOGLE_CREDENTIALS: key() }], ISSUED],
  ])("%s", async (_what, make, token) => {
    const [given, environment] = make();
    expect(await source(given, environment).token()).toMatch(token);
  });
});

test("without any credentials, one error lists all sources and says what to do", async () => {
  // Application Default Credentials read the process's own environment.
  const before = { ...process.env };
  Object.assign(process.env, {
    GOOGLE_APPLICATION_CREDENTIALS: "",
    CLOUDSDK_CONFIG: directory,
    HOME: directory,
    METADATA_SERVER_DETECTION: "none",
  });
  try {
    const outcome: unknown = await source({})
      .token()
      .catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(CredentialsError);
    for (const word of [
      "accessToken and credentials in the perimeter configuration",
      "GOOGLE_OAUTH_ACCESS_TOKEN",
      "GOOGLE_CREDENTIALS",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "application default credentials",
      "metadata server",
      "gcloud auth application-default login",
    ]) {
      expect((outcome as Error).message).toContain(word);
    }
    const project = source({}).project();
    await expect(project).rejects.toThrow(CredentialsError);
    await expect(project).rejects.toThrow("Could not load the default credentials");
  } finally {
    process.env = before;
  }
});

describe("the project", () => {
  // The library also asks this machine's gcloud and the metadata server, which may know a project.
  const before = { ...process.env };
  beforeAll(() => {
    process.env.GCE_METADATA_HOST = emulator.url;
    jest.spyOn(GoogleAuth.prototype, "getDefaultServiceProjectId" as never).mockResolvedValue(null as never);
  });
  afterAll(() => {
    process.env = before;
    jest.restoreAllMocks();
  });

  test("is undefined where the credentials have none", async () => {
    const { project_id: _, ...credentials } = serviceAccount();
    expect(await source({ credentials: JSON.stringify(credentials) }).project()).toBeUndefined();
  });

  test("is an error with the reason and without the text where the credentials cannot be read", async () => {
    const project = source({ credentials: file("broken.json", '{"private_key":"canary') }).project();
    await expect(project).rejects.toThrow(
      new CredentialsError("credentials must be the JSON of a credentials file, or the path of one"),
    );
  });

  test("is an error with the status where the API refuses to name the project of a workload identity", async () => {
    const body = { error: { code: 403, status: "PERMISSION_DENIED", message: "canary" } };
    emulator.setFaults([{ match: { path: "/v1/projects/1" }, times: 0, fault: { status: 403, body } }]);
    const credentials = {
      type: "external_account",
      audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: "https://oauth2.googleapis.com/v1/token",
      credential_source: { file: file("subject", "subject-token") },
    };
    await expect(source({ credentials: JSON.stringify(credentials) }).project()).rejects.toThrow(
      new CredentialsError(
        "The credentials gave no project: cloudresourcemanager.googleapis.com answered HTTP 403 (PERMISSION_DENIED)",
      ),
    );
  });
});

test("the quota project of the environment is preferred to the one of the credentials", async () => {
  const credentials = JSON.stringify({ ...serviceAccount(), quota_project_id: "of-file" });
  expect(await source({ credentials }).quotaProject()).toBe("of-file");
  expect(await source({ credentials }, { GOOGLE_CLOUD_QUOTA_PROJECT: "of-environment" }).quotaProject()).toBe(
    "of-environment",
  );
  expect(await source({ accessToken: "t" }, { CLOUDSDK_BILLING_QUOTA_PROJECT: "of-gcloud" }).quotaProject()).toBe(
    "of-gcloud",
  );
});
