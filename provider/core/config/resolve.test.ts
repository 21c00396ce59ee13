import { ConfigurationError } from "../errors";
import { propertiesOf } from "../field";
import { UNKNOWN, type Values } from "../unknown";
import { configuration, configurationKeys, durationMs, environmentOf, isEndpointKey, secretKeys } from "./definition";
import { checkedConfiguration, configurationProblems, resolveConfiguration, typedConfiguration } from "./resolve";

const resolve = (given: Values, environment: Record<string, string> = {}) =>
  resolveConfiguration(typedConfiguration(given), environment).values;

describe("precedence", () => {
  const withEnvironment = propertiesOf(configuration)
    .map(([key, schema]) => ({ key, variables: environmentOf(schema) }))
    .filter(({ variables }) => variables.length > 0);
  const sample = (key: string, text: string) => (key === "userProjectOverride" ? text === "a" : text);
  const spelled = (key: string, text: string) => (key === "userProjectOverride" ? String(text === "a") : text);

  test.each(withEnvironment)(
    "$key: the configuration has priority, then the variables in their order",
    ({ key, variables }) => {
      const environment = Object.fromEntries(
        variables.map((name, index) => [name, spelled(key, index === 0 ? "a" : "b")]),
      );
      expect(resolve({ [key]: sample(key, "c") }, environment)[key]).toEqual(sample(key, "c"));
      expect(resolve({}, environment)[key]).toEqual(sample(key, "a"));
      if (variables.length > 1) {
        // An empty variable counts as not set.
        expect(resolve({}, { ...environment, [variables[0] as string]: "" })[key]).toEqual(sample(key, "b"));
      }
    },
  );

  test("of the project's variables is the same as in other providers", () => {
    expect(environmentOf(configuration.shape.project)).toEqual([
      "GOOGLE_PROJECT",
      "GOOGLE_CLOUD_PROJECT",
      "GCLOUD_PROJECT",
      "CLOUDSDK_CORE_PROJECT",
    ]);
    expect(environmentOf(configuration.shape.zone)).toEqual(["GOOGLE_ZONE", "GCLOUD_ZONE", "CLOUDSDK_COMPUTE_ZONE"]);
    expect(environmentOf(configuration.shape.credentials)).toEqual([
      "GOOGLE_CREDENTIALS",
      "GOOGLE_CLOUD_KEYFILE_JSON",
      "GCLOUD_KEYFILE_JSON",
    ]);
  });

  test("reports which keys came from the environment, for conflicting keys", () => {
    const { fromEnvironment } = resolveConfiguration({ zone: "z" }, { GOOGLE_PROJECT: "p", GOOGLE_ZONE: "y" });
    expect([...fromEnvironment]).toEqual(["project"]);
  });

  test("a value that is not known yet is not replaced by the environment", () => {
    expect(resolve({ project: UNKNOWN }, { GOOGLE_PROJECT: "p" })).not.toHaveProperty("project");
  });
});

describe("strings from the engine are converted to the type of their key", () => {
  test.each([
    ["userProjectOverride", "true", true],
    ["scopes", '["a","b"]', ["a", "b"]],
    ["impersonateServiceAccountDelegates", "[]", []],
    ["retry", '{"maxAttempts":3}', { maxAttempts: 3 }],
    [
      "retry",
      '{"max_attempts":3,"max_elapsed":"1m","codes":[404]}',
      { maxAttempts: 3, maxElapsed: "1m", codes: [404] },
    ],
    ["project", "123", "123"],
    ["accessToken", "true", "true"],
    ["requestReason", '{"json":1}', '{"json":1}'],
    ["grantMode", "merge", "merge"],
  ])("%s = %s", (key, text, value) => {
    expect(typedConfiguration({ [key]: text })).toEqual({ [key]: value });
    expect(configurationProblems({ [key]: value })).toEqual([]);
  });

  test.each([
    [["1", "t", "T", "true", "TRUE", "True"], true],
    [["0", "f", "F", "false", "FALSE", "False"], false],
  ])("a boolean accepts the value %j, like Terraform's provider", (spellings, value) => {
    for (const text of spellings) {
      expect(typedConfiguration({ allowLockout: text })).toEqual({ allowLockout: value });
      expect(resolve({}, { USER_PROJECT_OVERRIDE: text })).toEqual({ userProjectOverride: value });
    }
  });

  test.each(["yes", "tRUE", "2", "on", "1.0", "null"])("a boolean does not accept %j", (text) => {
    expect(configurationProblems(typedConfiguration({ allowLockout: text }))).toEqual([
      { path: "allowLockout", reason: expect.stringMatching(/^must be true or false, got/) },
    ]);
  });

  test("typed values stay, and null and undefined mean that a key is not set", () => {
    expect(typedConfiguration({ userProjectOverride: true, project: null, zone: undefined })).toEqual({
      userProjectOverride: true,
    });
  });

  test("a string that cannot be converted stays, and the check reports it", () => {
    expect(configurationProblems(typedConfiguration({ userProjectOverride: "yes" }))).toEqual([
      { path: "userProjectOverride", reason: 'must be true or false, got "yes"' },
    ]);
  });
});

describe("an error of the configuration", () => {
  test.each([
    ["emulatorHost", "http://127.0.0.1:1", "must be host:port"],
    ["requestTimeout", "2 minutes", "must be a duration"],
    ["requestTimeout", "600h", "must be a duration from 1ms to 24h"],
    ["requestTimeout", "0s", "must be a duration from 1ms to 24h"],
    ["requestTimeout", "0h0.5ms", "must be a duration from 1ms to 24h"],
    ["requestTimeout", "24h1ms", "must be a duration from 1ms to 24h"],
    ["grantMode", "append", "must be one of replace, merge"],
    ["eventarcCustomEndpoint", "ftp://x", "must be an http or https URL"],
    ["impersonateServiceAccount", "me", "must be the email of a service account"],
    ["project", "", "must not be empty"],
  ])("%s = %j", (key, value, reason) => {
    expect(configurationProblems({ [key]: value })).toEqual([{ path: key, reason: expect.stringContaining(reason) }]);
  });

  test.each(
    propertiesOf(configuration)
      // An address in `endpoints` is the value of a map.
      .filter(([key]) => (key === "universeDomain" || isEndpointKey(key)) && key !== "endpoints")
      .flatMap(([key, schema]) => [
        { key, setting: `perimeter:${key}`, environment: {} },
        ...environmentOf(schema).map((setting) => ({ key, setting, environment: { [setting]: "http://::1:23003" } })),
      ]),
  )("for an invalid address in $setting shows the setting, the form and the value", (each) => {
    const { key, setting, environment } = each;
    const given = setting.startsWith("perimeter:") ? { [key]: "http://::1:23003" } : {};
    const rule =
      key === "emulatorHost"
        ? "must be host:port, such as 127.0.0.1:8790 or [::1]:8790, without http:// in front"
        : key === "universeDomain"
          ? "must be a domain, such as googleapis.com, without http:// in front"
          : "must be an http or https URL, such as http://[::1]:23003, with an IPv6 address in brackets";
    expect(() => checkedConfiguration(given, environment)).toThrow(
      new ConfigurationError(`The provider's configuration is wrong:\n  ${setting} ${rule}, got "http://::1:23003"`),
    );
  });

  test("for an IPv6 address without brackets shows the address with brackets", () => {
    expect(() => checkedConfiguration({}, { PERIMETER_EMULATOR_HOST: "::1:23003" })).toThrow(
      'PERIMETER_EMULATOR_HOST must be host:port, such as [::1]:23003, with an IPv6 address in brackets, got "::1:23003"',
    );
  });

  test("for a nested duration names the property", () => {
    expect(configurationProblems({ retry: { maxElapsed: "25h" } })).toEqual([
      { path: "retry.maxElapsed", reason: 'must be a duration from 1ms to 24h, got "25h"' },
    ]);
    expect(configurationProblems({ requestTimeout: "24h", retry: { maxElapsed: "1ms" } })).toEqual([]);
  });

  test("lists all problems at once, with a suggestion for each unknown key", () => {
    const problems = configurationProblems({ projet: "p", zone: 1, retry: { maxAttempts: 0, maxElapse: "1s" } });
    expect(problems.map((each) => each.path).sort()).toEqual([
      "projet",
      "retry.maxAttempts",
      "retry.maxElapse",
      "zone",
    ]);
    expect(problems.find((each) => each.path === "projet")?.reason).toContain('did you mean "project"?');
    expect(problems.find((each) => each.path === "retry.maxElapse")?.reason).toContain('did you mean "maxElapsed"?');
  });

  test("is thrown for two spellings of one property", () => {
    const problems = configurationProblems(typedConfiguration({ retry: { max_attempts: 2, maxAttempts: 3 } }));
    expect(problems).toEqual([
      { path: "retry.max_attempts", reason: expect.stringContaining('did you mean "maxAttempts"?') },
    ]);
  });

  test("for an environment variable names the variable", () => {
    const environment = { PERIMETER_GRANT_MODE: "append", GOOGLE_PROJECT: "p" };
    expect(() => checkedConfiguration({ zone: 1 }, environment)).toThrow(
      /:\n {2}perimeter:zone must be a string, got 1\n {2}PERIMETER_GRANT_MODE must be one of replace, merge, got "append"$/,
    );
  });

  test("never shows a secret", () => {
    for (const key of secretKeys()) {
      const problems = configurationProblems({ [key]: ["canary"], project: ["open"] });
      expect(problems).toHaveLength(2);
      expect(JSON.stringify(problems)).not.toContain("canary");
    }
    expect(secretKeys()).toEqual(["accessToken", "credentials"]);
    // Addresses are shown, except with a password in them.
    const [shown] = configurationProblems({ eventarcCustomEndpoint: "ftp://open" });
    expect(shown?.reason).toContain('got "ftp://open"');
    const [hidden] = configurationProblems({ eventarcCustomEndpoint: "https://user:canary@host/" });
    expect(hidden?.reason).toMatch(/without user and password$/);
  });
});

test("every key is documented", () => {
  for (const [, schema] of propertiesOf(configuration)) expect(schema).toBeDefined();
  expect(configurationKeys()).toContain("emulatorHost");
  expect(new ConfigurationError("x").problems).toEqual([]);
});

test.each([
  ["500ms", 500],
  ["90s", 90_000],
  ["1.5m", 90_000],
  ["1h30m", 5_400_000],
  ["1m500ms", 60_500],
])("%s is %i ms", (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});
