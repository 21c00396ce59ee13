import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { CredentialsError } from "../core/errors";
import type { Values } from "../core/unknown";
import { uncheckedConfiguration } from "../testing/configuration";
import { tokenSource } from "./credentials";

// The requests of the library, those to the metadata server too, come to the `fetch` below.
jest.mock("./pool", () => ({
  ...jest.requireActual<typeof import("./pool")>("./pool"),
  pooledFetch: (...request: Parameters<typeof fetch>) =>
    (globalThis as unknown as { window: { fetch: typeof fetch } }).window.fetch(...request),
}));

/** A request of google-auth-library: its address and its token. */
interface Asked {
  url: string;
  authorization: string | null;
}

const OTHER = "other.example";
const TARGET = "target@p.iam.gserviceaccount.com";
const asked: Asked[] = [];
let emulator: Emulator;
let directory: string;
/** The universe of the metadata server; undefined if it does not know. */
let universeOfMachine: string | undefined;
/** The email of the metadata server's service account; undefined if it does not know. */
let accountOfMachine: string | undefined;

beforeAll(async () => {
  emulator = await startEmulator();
  directory = mkdtempSync(join(tmpdir(), "perimeter-google-auth-"));
  // gaxios uses a browser's `fetch` if there is one. The emulator replaces every token endpoint.
  (globalThis as { window?: unknown }).window = {
    fetch: async (url: URL | string, init: RequestInit) => {
      const { origin, pathname } = new URL(url);
      asked.push({ url: `${origin}${pathname}`, authorization: new Headers(init.headers).get("authorization") });
      if (origin === "http://metadata.test") return metadata(pathname);
      if (/^http:\/\/(169\.254\.169\.254|metadata\.google\.internal\.)$/.test(origin))
        throw new TypeError("fetch failed");
      return fetch(`${emulator.url}${pathname}`, init);
    },
  };
});
beforeEach(() => {
  emulator.reset();
  asked.length = 0;
  universeOfMachine = undefined;
  accountOfMachine = undefined;
});
afterAll(async () => {
  delete (globalThis as { window?: unknown }).window;
  rmSync(directory, { recursive: true });
  await emulator.stop();
});

function metadata(path: string): Response {
  const headers = { "metadata-flavor": "Google", "content-type": "text/plain" };
  const known = { "universe-domain": universeOfMachine, email: accountOfMachine };
  for (const [key, value] of Object.entries(known)) {
    if (!path.endsWith(`/${key}`)) continue;
    return value === undefined ? new Response("", { status: 404, headers }) : new Response(value, { headers });
  }
  const token = { access_token: "ya29.of-machine", expires_in: 3600, token_type: "Bearer" };
  return new Response(path.endsWith("/token") ? JSON.stringify(token) : "text", { headers });
}

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const key = (universe?: string) => ({
  type: "service_account",
  project_id: "key-project",
  client_email: "robot@key-project.iam.gserviceaccount.com",
  private_key: privateKey,
  ...(universe ? { universe_domain: universe } : {}),
});
const file = (name: string, content: string) => {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
};
const source = (given: Values) => tokenSource(uncheckedConfiguration(given));
const failing = async (token: Promise<unknown>): Promise<Error> => {
  const outcome = await token.then(String, (error: unknown) => error);
  expect(outcome).toBeInstanceOf(CredentialsError);
  return outcome as Error;
};
const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString()) as Values;

/** Runs with Application Default Credentials of a machine that has a metadata server, and of nothing else. */
async function onMachine<T>(run: () => Promise<T>, settings: Record<string, string> = {}): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, {
    GOOGLE_APPLICATION_CREDENTIALS: "",
    CLOUDSDK_CONFIG: directory,
    HOME: directory,
    METADATA_SERVER_DETECTION: "assume-present",
    GCE_METADATA_HOST: "metadata.test",
    GOOGLE_CLOUD_PROJECT: "p",
    ...settings,
  });
  try {
    return await run();
  } finally {
    process.env = before;
  }
}

describe("credentials of another universe are refused without a request:", () => {
  test.each<[string, () => Values, string, string]>([
    ["a key", () => ({ credentials: JSON.stringify(key(OTHER)) }), OTHER, "googleapis.com"],
    [
      "a key, in a set universe",
      () => ({ credentials: JSON.stringify(key()), universeDomain: OTHER }),
      "googleapis.com",
      OTHER,
    ],
    [
      "a key, in another set universe",
      () => ({ credentials: JSON.stringify(key("third.example")), universeDomain: OTHER }),
      "third.example",
      OTHER,
    ],
    [
      "a user",
      () => ({
        credentials: JSON.stringify({
          type: "authorized_user",
          client_id: "c",
          client_secret: "s",
          refresh_token: "r",
        }),
        universeDomain: OTHER,
      }),
      "googleapis.com",
      OTHER,
    ],
    [
      "a workload identity",
      () => ({ credentials: JSON.stringify(workload("subject")), universeDomain: OTHER }),
      "googleapis.com",
      OTHER,
    ],
  ])("%s", async (_what, given, actual, wanted) => {
    const { message } = await failing(source(given()).token());
    expect(message).toContain(`The credentials belong to the universe ${actual}, the provider is set to ${wanted}`);
    expect(asked).toEqual([]);
  });

  test.each<[string, string | undefined, string | undefined]>([
    ["a machine's", OTHER, undefined],
    ["a machine's, in a set universe", "googleapis.com", OTHER],
    ["a machine's that does not say, in a set universe", undefined, OTHER],
  ])("%s", async (_what, machine, wanted) => {
    universeOfMachine = machine;
    const { message } = await onMachine(() => failing(source(wanted ? { universeDomain: wanted } : {}).token()));
    expect(message).toContain(
      `universe ${machine ?? "googleapis.com"}, the provider is set to ${wanted ?? "googleapis.com"}`,
    );
    expect(asked.filter((each) => each.url.endsWith("/token"))).toEqual([]);
  });

  test("a machine's own universe is accepted", async () => {
    universeOfMachine = OTHER;
    expect(await onMachine(() => source({ universeDomain: OTHER }).token())).toBe("ya29.of-machine");
    universeOfMachine = undefined;
    expect(await onMachine(() => source({}).token())).toBe("ya29.of-machine");
  });
});

describe("the service account of a machine", () => {
  const ROBOT = "robot@machine-project.iam.gserviceaccount.com";
  const questions = () => asked.filter(({ url }) => url.endsWith("/instance/service-accounts/default/email")).length;

  test("is that of the metadata server, which is asked once", async () => {
    accountOfMachine = ROBOT;
    const tokens = source({});
    const accounts = await onMachine(() => Promise.all([tokens.serviceAccount(), tokens.serviceAccount()]));
    expect(accounts).toEqual([ROBOT, ROBOT]);
    expect(await tokens.serviceAccount()).toBe(ROBOT);
    expect(questions()).toBe(1);
  });

  test.each([
    ["a server that does not know it", undefined],
    ["the identity of a cluster, which is no service account", "machine-project.svc.id.goog"],
  ])("is unknown with %s", async (_what, email) => {
    accountOfMachine = email;
    const tokens = source({});
    expect(await onMachine(() => tokens.serviceAccount())).toBeUndefined();
    expect(await onMachine(() => tokens.token())).toBe("ya29.of-machine");
    expect(await onMachine(() => tokens.serviceAccount())).toBeUndefined();
    expect(questions()).toBe(1);
  });

  test("is not the one that sends the requests of an account that it impersonates", async () => {
    accountOfMachine = ROBOT;
    const tokens = source({ impersonateServiceAccount: TARGET });
    expect(await onMachine(() => tokens.serviceAccount())).toBe(TARGET);
    expect(questions()).toBe(0);
  });
});

describe("the search for a metadata server", () => {
  const search = { METADATA_SERVER_DETECTION: "ping-only" };

  test("finds the server that the environment names", async () => {
    expect(await onMachine(() => source({}).token(), search)).toBe("ya29.of-machine");
  });

  test("sends one request by address and one by name if no server answers, and prints no warning", async () => {
    const warned = jest.spyOn(process, "emitWarning").mockImplementation(() => {});
    try {
      const tokens = source({});
      const settings = { ...search, GCE_METADATA_HOST: "" };
      const { message } = await onMachine(() => failing(tokens.token()), settings);
      expect(message).toContain("No usable Google Cloud credentials: Could not load the default credentials");
      expect(asked.map(({ url }) => url).sort()).toEqual([
        "http://169.254.169.254/computeMetadata/v1/instance",
        "http://metadata.google.internal./computeMetadata/v1/instance",
      ]);
      expect(warned).not.toHaveBeenCalled();
    } finally {
      warned.mockRestore();
    }
  });

  test("ignores a server without Google's header", async () => {
    const settings = { ...search, GCE_METADATA_HOST: emulator.url };
    const { message } = await onMachine(() => failing(source({}).token()), settings);
    expect(message).toContain("No usable Google Cloud credentials");
    expect(message).toContain("To use an emulator, which needs no credentials, set PERIMETER_EMULATOR_HOST");
  });
});

describe("in another universe", () => {
  test("a key signs its own tokens", async () => {
    const tokens = source({ credentials: JSON.stringify(key(OTHER)), universeDomain: OTHER });
    const token = await tokens.token();
    expect(token).toMatch(JWT);
    expect(claimsOf(token)).toMatchObject({
      iss: key().client_email,
      sub: key().client_email,
      scope: "https://www.googleapis.com/auth/cloud-platform",
    });
    expect(await tokens.token()).toBe(token);
    expect(asked).toEqual([]);
  });

  test("a key signs a fresh token again", async () => {
    const tokens = source({ credentials: JSON.stringify(key(OTHER)), universeDomain: OTHER });
    const first = claimsOf(await tokens.token()).iat as number;
    const now = jest.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
    try {
      expect(claimsOf(await tokens.token()).iat).toBe(first);
      expect(claimsOf(await tokens.token({ fresh: true })).iat).toBeGreaterThanOrEqual(first + 59);
    } finally {
      now.mockRestore();
    }
  });

  const generate = `https://iamcredentials.${OTHER}/v1/projects/-/serviceAccounts/${TARGET}:generateAccessToken`;

  test("an access token impersonates at the universe's host", async () => {
    const given = { accessToken: "t", universeDomain: OTHER, impersonateServiceAccount: TARGET };
    expect(await source(given).token()).toMatch(/^ya29\.emulator-/);
    expect(asked).toEqual([{ url: generate, authorization: "Bearer t" }]);
  });

  test.each<[string, () => Values]>([
    ["a key", () => ({ credentials: JSON.stringify(key(OTHER)), impersonateServiceAccount: TARGET })],
    [
      "a file of an impersonated account",
      () => ({
        credentials: JSON.stringify({
          type: "impersonated_service_account",
          service_account_impersonation_url: generate,
          source_credentials: key(OTHER),
        }),
      }),
    ],
  ])("%s impersonates with a token that it signed", async (_what, given) => {
    const tokens = source({ ...given(), universeDomain: OTHER });
    expect(await tokens.token()).toMatch(/^ya29\.emulator-/);
    expect(asked).toEqual([{ url: generate, authorization: expect.stringMatching(/^Bearer eyJ/) }]);
    expect(await tokens.serviceAccount()).toBe(TARGET);
  });
});

/** Workload identity federation with a token in a file. */
function workload(subject: string, more: Values = {}): Values {
  return {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: "https://sts.googleapis.com/v1/token",
    credential_source: { file: file("subject", subject) },
    ...more,
  };
}

describe("after a 401, the fresh token is another one", () => {
  test.each<[string, Values]>([
    ["of a workload identity", {}],
    [
      "of a workload identity that acts as a service account",
      {
        service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${TARGET}:generateAccessToken`,
      },
    ],
  ])("%s", async (_what, more) => {
    const tokens = source({ credentials: JSON.stringify(workload("subject", more)) });
    const first = await tokens.token();
    expect(await tokens.token()).toBe(first);
    const second = await tokens.token({ fresh: true });
    expect(second).toMatch(/^ya29\.emulator-/);
    expect(second).not.toBe(first);
    expect(await tokens.token()).toBe(second);
    expect(await tokens.serviceAccount()).toBe(more.service_account_impersonation_url ? TARGET : undefined);
  });

  test("for an account that is impersonated with the token in a file, which is read again", async () => {
    const path = file("token", "first");
    const tokens = source({ accessToken: path, impersonateServiceAccount: TARGET });
    const token = await tokens.token();
    file("token", "second");
    expect(await tokens.token()).toBe(token);
    expect(await tokens.token({ fresh: true })).not.toBe(token);
    expect(asked.map((each) => each.authorization)).toEqual(["Bearer first", "Bearer second"]);
    file("token", "no token");
    expect((await failing(tokens.token({ fresh: true }))).message).toContain("the file that accessToken names");
  });

  test("for an account that is impersonated with a key, whose own token is requested again too", async () => {
    const tokens = source({ credentials: JSON.stringify(key()), impersonateServiceAccount: TARGET });
    await tokens.token();
    await tokens.token({ fresh: true });
    const authorizations = asked
      .filter((each) => each.url.includes("iamcredentials"))
      .map((each) => each.authorization);
    expect(new Set(authorizations).size).toBe(2);
  });
});
