import { ConfigurationError } from "../errors";
import { propertiesOf } from "../field";
import { UNKNOWN, type Values } from "../unknown";
import { configuration, configurationKeys, environmentOf, secretKeys } from "./definition";
import { durationMs } from "./duration";
import { checkedConfiguration, configurationProblems, resolveConfiguration, typedConfiguration } from "./resolve";

const resolve = (given: Values, environment: Record<string, string> = {}) =>
  resolveConfiguration(typedConfiguration(given), environment).values;

describe("precedence", () => {
  const withEnvironment = propertiesOf(configuration)
    .map(([key, schema]) => ({ key, variables: environmentOf(schema) }))
    .filter(({ variables }) => variables.length > 0);
  const sample = (key: string, text: string) => (key === "userProjectOverride" ? text === "a" : text);
  const spelled = (key: string, text: string) => (key === "userProjectOverride" ? String(text === "a") : text);

  test.each(withEnvironment)("$key: the configuration, then the variables in their order", ({ key, variables }) => {
    const environment = Object.fromEntries(
      variables.map((name, index) => [name, spelled(key, index === 0 ? "a" : "b")]),
    );
    expect(resolve({ [key]: sample(key, "c") }, environment)[key]).toEqual(sample(key, "c"));
    expect(resolve({}, environment)[key]).toEqual(sample(key, "a"));
    if (variables.length > 1) {
      // Empty is as good as not set.
      expect(resolve({}, { ...environment, [variables[0] as string]: "" })[key]).toEqual(sample(key, "b"));
    }
  });

  test("of the project is that of the other providers", () => {
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

  test("what came from the environment is known, for keys that compete", () => {
    const { fromEnvironment } = resolveConfiguration({ zone: "z" }, { GOOGLE_PROJECT: "p", GOOGLE_ZONE: "y" });
    expect([...fromEnvironment]).toEqual(["project"]);
  });

  test("a value that is not known yet is not replaced by the environment's", () => {
    expect(resolve({ project: UNKNOWN }, { GOOGLE_PROJECT: "p" })).not.toHaveProperty("project");
  });
});

describe("strings from the engine become what their key expects", () => {
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
  ])("a switch is what Terraform's provider takes for one: %j", (spellings, value) => {
    for (const text of spellings) {
      expect(typedConfiguration({ allowLockout: text })).toEqual({ allowLockout: value });
      expect(resolve({}, { USER_PROJECT_OVERRIDE: text })).toEqual({ userProjectOverride: value });
    }
  });

  test.each(["yes", "tRUE", "2", "on", "1.0", "null"])("and nothing else: %j", (text) => {
    expect(configurationProblems(typedConfiguration({ allowLockout: text }))).toEqual([
      { path: "allowLockout", reason: expect.stringMatching(/^must be true or false, got/) },
    ]);
  });

  test("real values stay, null and undefined are not given", () => {
    expect(typedConfiguration({ userProjectOverride: true, project: null, zone: undefined })).toEqual({
      userProjectOverride: true,
    });
  });

  test("one that cannot become it is left for the check to complain about", () => {
    expect(configurationProblems(typedConfiguration({ userProjectOverride: "yes" }))).toEqual([
      { path: "userProjectOverride", reason: 'must be true or false, got "yes"' },
    ]);
  });
});

describe("a wrong configuration", () => {
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

  test("of a nested duration names it", () => {
    expect(configurationProblems({ retry: { maxElapsed: "25h" } })).toEqual([
      { path: "retry.maxElapsed", reason: 'must be a duration from 1ms to 24h, got "25h"' },
    ]);
    expect(configurationProblems({ requestTimeout: "24h", retry: { maxElapsed: "1ms" } })).toEqual([]);
  });

  test("is told all at once, with a suggestion for each key that nobody knows", () => {
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

  test("in two spellings of one property is refused", () => {
    const problems = configurationProblems(typedConfiguration({ retry: { max_attempts: 2, maxAttempts: 3 } }));
    expect(problems).toEqual([
      { path: "retry.max_attempts", reason: expect.stringContaining('did you mean "maxAttempts"?') },
    ]);
  });

  test("of an environment variable names the variable", () => {
    const environment = { PERIMETER_GRANT_MODE: "append", GOOGLE_PROJECT: "p" };
    expect(() => checkedConfiguration({ zone: 1 }, environment)).toThrow(
      /:\n {2}perimeter:zone must be a string, got 1\n {2}PERIMETER_GRANT_MODE must be one of replace, merge, got "append"$/,
    );
  });

  test("never shows what is secret", () => {
    for (const key of secretKeys()) {
      const problems = configurationProblems({ [key]: ["canary"], project: ["open"] });
      expect(problems).toHaveLength(2);
      expect(JSON.stringify(problems)).not.toContain("canary");
    }
    expect(secretKeys()).toEqual(["accessToken", "credentials"]);
    // An address is shown, and one with a password in it is not.
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
