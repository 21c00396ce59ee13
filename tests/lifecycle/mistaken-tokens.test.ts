/** Refuses what is no token (a key file, a token with a line break, a URL with a password), and does not show it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { ConfigurationError, CredentialsError } from "../../provider/core/errors";
import type { Values } from "../../provider/core/unknown";
import { Provider } from "../../provider/runtime/provider";
import { FakeClock } from "../../provider/testing/clock";
import { FaultyCloud } from "./faults";
import { SEED } from "./faults-journeys";
import { failure, limits } from "../support/provider";
import { GET_SCOPE } from "../support/tokens";

const SECRET = "canary-41d7";
const ARGS = { location: "global", scopeId: "s" };

let cloud: FaultyCloud;
let directory: string;
beforeAll(async () => {
  cloud = await FaultyCloud.start(SEED);
  directory = mkdtempSync(join(tmpdir(), "perimeter-tokens-"));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await cloud.emulator.stop();
});

function file(content: string): string {
  const path = join(directory, "token");
  writeFileSync(path, content);
  return path;
}

const KEY_FILE = JSON.stringify({ type: "service_account", private_key: `-----BEGIN ${SECRET}` });

describe("an invalid token fails the call at once with the problem, and is never shown:", () => {
  test.each<[string, () => string, RegExp]>([
    ["two lines", () => `ya29.${SECRET}\nsecond-${SECRET}`, /accessToken has several lines; it must be one token/],
    [
      "a file of several lines",
      () => file(`root:x:0\n${SECRET}:x:1\n`),
      /the file that accessToken names has several lines; it must hold one token/,
    ],
    ["credentials in JSON", () => KEY_FILE, /accessToken holds JSON: .*perimeter:credentials/],
    ["a file of JSON", () => file(KEY_FILE), /the file that accessToken names holds JSON: .*perimeter:credentials/],
    ["words", () => `Bearer ${SECRET}`, /accessToken .*without spaces/],
    ["an empty file", () => file("\n"), /the file that accessToken names is empty/],
    ["other characters", () => file(`\uFEFF${SECRET}\u0000`), /the file that accessToken names has characters/],
    ["letters of no alphabet of tokens", () => `tökén-${SECRET}`, /accessToken has characters/],
  ])("%s", async (_what, accessToken, message) => {
    for (const more of [{}, { impersonateServiceAccount: "a@p.iam.gserviceaccount.com" }]) {
      cloud.calls();
      const provider = cloud.provider({ accessToken: accessToken(), ...more });
      const error = await failure(provider.invoke(GET_SCOPE, ARGS, limits()));
      expect(error).toBeInstanceOf(CredentialsError);
      expect(error.message).toMatch(message);
      expect(inspect(error, { depth: 20, maxStringLength: null })).not.toContain(SECRET);
      expect(cloud.calls()).toEqual([]);
    }
  });

  test("from the environment, by the variable's name", async () => {
    const { accessToken: _, ...given } = { ...cloudSettings(), accessToken: "" };
    const environment = { GOOGLE_OAUTH_ACCESS_TOKEN: `a\n${SECRET}` };
    const provider = new Provider(given, environment, { clock: new FakeClock() });
    const error = await failure(provider.invoke(GET_SCOPE, ARGS, limits()));
    expect(error.message).toContain("GOOGLE_OAUTH_ACCESS_TOKEN has several lines");
    expect(error.message).not.toContain(SECRET);
  });
});

describe("a token that the API refuses", () => {
  const refusal = async (given: Values, environment: Record<string, string> = {}) => {
    // As in docs/wire.md: the API's own answer to an expired token.
    const message = "Request had invalid authentication credentials.";
    const body = { error: { code: 401, message, status: "UNAUTHENTICATED" } };
    cloud.emulator.setFaults([{ match: {}, times: 0, fault: { status: 401, body } }]);
    const provider = new Provider({ ...cloudSettings(), ...given }, environment, { clock: new FakeClock() });
    const error = await failure(provider.invoke(GET_SCOPE, ARGS, limits()));
    cloud.emulator.setFaults([]);
    expect(error.message).toContain(message);
    return error.message;
  };

  test("from the configuration: a refresh and a destroy have the token of the last update", async () => {
    const text = await refusal({ accessToken: SECRET });
    expect(text).toContain("The token in perimeter:accessToken was refused");
    expect(text).toContain("run pulumi up first, or add --run-program");
    expect(text).not.toContain(SECRET);
  });

  test("from the environment: the variable is named", async () => {
    const text = await refusal({}, { GOOGLE_OAUTH_ACCESS_TOKEN: SECRET });
    expect(text).toContain("The token in GOOGLE_OAUTH_ACCESS_TOKEN was refused: it may be expired");
    expect(text).not.toContain("--run-program");
  });
});

const cloudSettings = (): Values => ({
  gkeHubCustomEndpoint: `${cloud.emulator.url}/v1/`,
  project: "p",
  sendCredentialsToLoopback: true,
});

test("a file that GOOGLE_APPLICATION_CREDENTIALS names by mistake is not quoted", async () => {
  const before = process.env.GOOGLE_APPLICATION_CREDENTIALS;
  process.env.GOOGLE_APPLICATION_CREDENTIALS = file(SECRET);
  try {
    const provider = new Provider(cloudSettings(), {}, { clock: new FakeClock() });
    const error = await failure(provider.invoke(GET_SCOPE, ARGS, limits()));
    expect(error).toBeInstanceOf(CredentialsError);
    expect(error.message).toContain("the file that GOOGLE_APPLICATION_CREDENTIALS names is not JSON");
    // V8 quotes the first ten characters of what is not JSON.
    expect(error.message).not.toContain(SECRET.slice(0, 6));
  } finally {
    if (before === undefined) delete process.env.GOOGLE_APPLICATION_CREDENTIALS;
    else process.env.GOOGLE_APPLICATION_CREDENTIALS = before;
  }
});

describe("a user and password in a URL are refused without being shown:", () => {
  test.each<[string, Values, Record<string, string>]>([
    ["a custom endpoint", { eventarcCustomEndpoint: `https://me:${SECRET}@host/v1/` }, {}],
    ["a user alone", { eventarcCustomEndpoint: `https://${SECRET}@host/v1/` }, {}],
    ["a malformed one", { eventarcCustomEndpoint: `ftp://me:${SECRET}@host/v1/` }, {}],
    ["an endpoint of the environment", {}, { GOOGLE_EVENTARC_CUSTOM_ENDPOINT: `https://me:${SECRET}@host/v1/` }],
    ["the emulator", { emulatorHost: `me:${SECRET}@host:1` }, {}],
    ["the emulator of the environment", {}, { PERIMETER_EMULATOR_HOST: `me:${SECRET}@host:1` }],
  ])("%s", (_what, given, environment) => {
    let error: unknown;
    try {
      new Provider(given, environment, { clock: new FakeClock() });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toMatch(/without user and password/);
    expect(inspect(error, { depth: 20 })).not.toContain(SECRET);
  });

  test("an endpoint of gcloud's", async () => {
    const environment = { CLOUDSDK_API_ENDPOINT_OVERRIDES_GKEHUB: `https://me:${SECRET}@host/` };
    const provider = new Provider({ accessToken: "t", project: "p" }, environment, { clock: new FakeClock() });
    const invoke = async () => provider.invoke(GET_SCOPE, ARGS, limits());
    const error = await failure(invoke());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(/CLOUDSDK_API_ENDPOINT_OVERRIDES_GKEHUB .*without user and password/);
    expect(error.message).not.toContain(SECRET);
  });
});

describe("what a header cannot hold", () => {
  test.each(["requestReason", "appendUserAgent", "billingProject"])("%s is refused with the key", (key) => {
    const given = { [key]: "ticket\r\nx-injected: 1" };
    expect(() => new Provider(given, {})).toThrow(new RegExp(`perimeter:${key} must be one line of printable ASCII`));
  });
});
