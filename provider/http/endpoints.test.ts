import { checkedConfiguration } from "../core/config/resolve";
import { lookups, resources } from "../services";
import type { ServiceDefinition } from "../core/definition";
import { SERVICES } from "../core/services";
import { uncheckedConfiguration } from "../testing/configuration";
import { endpointOf, isHostOf, isLoopback } from "./endpoints";

const at = (
  given: object,
  environment: Record<string, string> = {},
  service: ServiceDefinition = SERVICES.networksecurity,
) => endpointOf(service, uncheckedConfiguration({ ...given }, environment));
const KEY = "networkSecurityCustomEndpoint";
const VARIABLE = "GOOGLE_NETWORK_SECURITY_CUSTOM_ENDPOINT";
const GCLOUD = "CLOUDSDK_API_ENDPOINT_OVERRIDES_NETWORKSECURITY";
const HOST = "PERIMETER_EMULATOR_HOST";

describe("the endpoint in use", () => {
  test.each<[string, object, Record<string, string>, string]>([
    ["the public one", {}, {}, "https://networksecurity.googleapis.com/v1beta1/"],
    ["of another universe", { universeDomain: "u.example" }, {}, "https://networksecurity.u.example/v1beta1/"],
    ["gcloud's before the public one", {}, { [GCLOUD]: "https://g/" }, "https://g/v1beta1/"],
    [
      "the emulator before gcloud's",
      {},
      { [GCLOUD]: "https://g/", [HOST]: "127.0.0.1:1" },
      "http://127.0.0.1:1/v1beta1/",
    ],
    [
      "the variable before the emulator's",
      {},
      { [VARIABLE]: "https://v/", [HOST]: "127.0.0.1:1" },
      "https://v/v1beta1/",
    ],
    [
      "the configuration before the variable",
      { [KEY]: "https://c/" },
      { [VARIABLE]: "https://v/" },
      "https://c/v1beta1/",
    ],
    ["the configuration before its emulator", { [KEY]: "https://c/", emulatorHost: "h:1" }, {}, "https://c/v1beta1/"],
    [
      "a configured emulator before the variable",
      { emulatorHost: "h:1" },
      { [VARIABLE]: "https://v/" },
      "http://h:1/v1beta1/",
    ],
    [
      "an empty variable is none",
      {},
      { [VARIABLE]: "", [GCLOUD]: "" },
      "https://networksecurity.googleapis.com/v1beta1/",
    ],
  ])("%s", (_what, given, environment, baseUrl) => {
    expect(at(given, environment).baseUrl).toBe(baseUrl);
  });
});

describe("the version is always the provider's", () => {
  test.each([
    ["https://h/v1beta1/", "https://h/v1beta1/"],
    ["https://h/v1/", "https://h/v1beta1/"],
    ["https://h/v2alpha3", "https://h/v1beta1/"],
    ["https://h", "https://h/v1beta1/"],
    ["https://h///", "https://h/v1beta1/"],
    ["https://h:8443/proxy/v1/", "https://h:8443/proxy/v1beta1/"],
  ])("%s becomes %s", (given, baseUrl) => {
    expect(at({ [KEY]: given }).baseUrl).toBe(baseUrl);
  });
});

describe("credentials", () => {
  test.each<[string, object, Record<string, string>, boolean]>([
    ["go to the public endpoint", {}, {}, true],
    ["go to a custom https endpoint", { [KEY]: "https://private.example/v1/" }, {}, true],
    ["do not go to an emulator, wherever it is", { emulatorHost: "emulator.example:1" }, {}, false],
    [
      "do not go to an emulator even when loopback may have them",
      { emulatorHost: "127.0.0.1:1", sendCredentialsToLoopback: true },
      {},
      false,
    ],
    ["do not go to 127.0.0.1", { [KEY]: "http://127.0.0.1:1/" }, {}, false],
    ["do not go to localhost by https either", { [KEY]: "https://localhost/" }, {}, false],
    ["do not go to [::1]", { [KEY]: "http://[::1]:1/" }, {}, false],
    ["go to loopback when told so", { [KEY]: "http://127.0.0.1:1/", sendCredentialsToLoopback: true }, {}, true],
  ])("%s", (_what, given, environment, authenticated) => {
    expect(at(given, environment).authenticated).toBe(authenticated);
  });

  test("are not sent to an http endpoint on another machine: the error says what to do", () => {
    const message = /networkSecurityCustomEndpoint is http:\/\/private.example: .* Use https, or emulatorHost/;
    expect(() => at({ [KEY]: "http://private.example/v1/" })).toThrow(message);
    expect(() => at({ [KEY]: "http://127.0.0.1.example.com/" })).toThrow(message.source.slice(0, 29));
    expect(() => at({}, { [GCLOUD]: "http://private.example/" })).toThrow(GCLOUD);
  });

  test("are not sent to an http endpoint from the environment: the error has the variable", () => {
    expect(() => at({}, { [VARIABLE]: "http://private.example/" })).toThrow(`${VARIABLE} is http://private.example:`);
  });

  test("in gcloud's variable are checked like the provider's settings, and a password is not shown", () => {
    expect(() => at({}, { [GCLOUD]: "private.example" })).toThrow(
      `${GCLOUD} must be an http or https URL, such as https://host/v1/, starting with http:// or https://, got "private.example"`,
    );
    expect(() => at({}, { [GCLOUD]: "http://::1:8790/" })).toThrow(
      "such as http://[::1]:8790/, with an IPv6 address in",
    );
    expect(() => at({}, { [GCLOUD]: "https://me:canary@host/" })).toThrow(/without user and password$/);
  });
});

test.each<[string, object, boolean]>([
  ["the public endpoint is not local", {}, false],
  ["a custom endpoint elsewhere is not local", { [KEY]: "https://private.example/v1/" }, false],
  ["a custom endpoint on this machine is local", { [KEY]: "http://[::1]:1/", sendCredentialsToLoopback: true }, true],
  ["an emulator on another machine is local", { emulatorHost: "emulator.example:1" }, true],
])("%s", (_what, given, isLocal) => expect(at(given).isLocal).toBe(isLocal));

test("isLoopback is true only for this machine", () => {
  for (const name of ["localhost", "a.localhost", "127.0.0.1", "127.255.0.1", "[::1]", "::1"]) {
    expect([name, isLoopback(name)]).toEqual([name, true]);
  }
  for (const name of ["localhost.example", "127.0.0.1.example", "10.0.0.1", "0.0.0.0", "example.com", "[::2]"]) {
    expect([name, isLoopback(name)]).toEqual([name, false]);
  }
});

test("every service has a public endpoint and its own override", () => {
  const services = [...new Set([...resources, ...lookups].map((each) => each.definition.service))];
  expect(services.length).toBeGreaterThanOrEqual(6);
  for (const service of services) {
    expect(at({}, {}, service).baseUrl).toBe(`https://${service.api}.googleapis.com/${service.version}/`);
    for (const key of service.endpointKeys) {
      expect(at({ [`${key}CustomEndpoint`]: "https://o/" }, {}, service).baseUrl).toBe(`https://o/${service.version}/`);
    }
  }
});

describe("a service with two keys", () => {
  const scopes = lookups.find((each) => each.definition.service.api === "gkehub")?.definition.service as never;
  const [first, second] = ["gkeHub2CustomEndpoint", "gkeHubCustomEndpoint"];
  const variables = { GOOGLE_GKE_HUB2_CUSTOM_ENDPOINT: "https://v2/", GOOGLE_GKE_HUB_CUSTOM_ENDPOINT: "https://v/" };

  test.each<[string, object, Record<string, string>, string]>([
    ["either one that is configured beats either variable", { [second]: "https://c/" }, variables, "https://c/"],
    ["the first configured one wins", { [first]: "https://c2/", [second]: "https://c/" }, variables, "https://c2/"],
    ["the first variable wins", {}, variables, "https://v2/"],
    ["a configured emulator beats both variables", { emulatorHost: "h:1" }, variables, "http://h:1/"],
    [
      "a configured one beats a configured emulator",
      { [second]: "https://c/", emulatorHost: "h:1" },
      variables,
      "https://c/",
    ],
  ])("%s", (_what, given, environment, base) => {
    expect(at(given, environment, scopes).baseUrl).toBe(`${base}v1beta/`);
  });
});

test("the endpoint variables of other providers are supported", () => {
  const services = new Map(
    [...resources, ...lookups].map((each) => [each.definition.service.api, each.definition.service]),
  );
  for (const [api, name] of [
    ["gkehub", "GKE_HUB2"],
    ["gkehub", "GKE_HUB"],
    ["eventarc", "EVENTARC"],
    ["apigateway", "API_GATEWAY"],
    ["networksecurity", "NETWORK_SECURITY"],
    ["datamigration", "DATABASE_MIGRATION_SERVICE"],
    ["healthcare", "HEALTHCARE"],
  ] as const) {
    const { baseUrl } = at({}, { [`GOOGLE_${name}_CUSTOM_ENDPOINT`]: "https://o/" }, services.get(api));
    expect([name, baseUrl]).toEqual([name, expect.stringMatching(/^https:\/\/o\//)]);
  }
});

describe("isHostOf", () => {
  const STORE = "projects/p/locations/l/datasets/d/fhirStores/s";

  function accepts(host: string, given: Record<string, string> = {}, path = "v1/"): boolean {
    return isHostOf("healthcare", `https://${host}/${path}${STORE}`, host, checkedConfiguration(given, {}), [
      SERVICES.healthcare,
    ]);
  }

  test.each([
    "healthcare.googleapis.com",
    "Healthcare.GoogleApis.com",
    "healthcare.googleapis.com:443",
    "healthcare.mtls.googleapis.com",
    "healthcare.europe-west1.rep.googleapis.com",
    "healthcare-mine.p.googleapis.com",
    "127.0.0.1:8787",
    "localhost",
  ])("accepts %s", (host) => {
    expect(accepts(host)).toBe(true);
  });

  test.each([
    "evil.example",
    "datamigration.googleapis.com",
    "healthcare.googleapis.com.evil.example",
    "healthcare.evil.example",
    "evilhealthcare.googleapis.com",
    "healthcaregoogleapis.com",
    "www.googleapis.com",
    "googleapis.com",
    "user@healthcare.googleapis.com",
  ])("refuses %s", (host) => {
    expect(accepts(host)).toBe(false);
  });

  test("accepts the older host with the API in the path", () => {
    expect(accepts("www.googleapis.com", {}, "healthcare/v1/")).toBe(true);
    expect(accepts("www.googleapis.com", {}, "compute/v1/")).toBe(false);
  });

  test("accepts the configured universe and endpoint", () => {
    expect(accepts("healthcare.cloud.example", { universeDomain: "cloud.example" })).toBe(true);
    const given = { healthcareCustomEndpoint: "https://private.example:8443/v1/" };
    expect(accepts("private.example:8443", given)).toBe(true);
    expect(accepts("private.example", given)).toBe(false);
  });
});
