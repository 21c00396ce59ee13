import { untakenSettingsWarning } from "./configuration";

const warning = (stack: object | string, given = {}, environment = {}) =>
  untakenSettingsWarning(given, {
    PULUMI_CONFIG: typeof stack === "string" ? stack : JSON.stringify(stack),
    ...environment,
  });

test("names the stack's settings for access and addresses that the provider lacks", () => {
  const said = warning({
    emulatorHost: "127.0.0.1:8787",
    grantMode: "merge",
    project: "p",
    healthcareCustomEndpoint: "x",
  });
  expect(said).toContain("perimeter:emulatorHost, perimeter:healthcareCustomEndpoint, perimeter:grantMode in");
  expect(said).toContain("Its grants replace the policies");
  expect(said).toMatch(/Give it the arguments emulatorHost, healthcareCustomEndpoint, grantMode$/);
  expect(warning({ emulatorHost: "127.0.0.1:8787" })).not.toContain("Its grants replace");
});

test.each([
  ["nothing is set", {}, {}, {}],
  ["other keys differ", { project: "p", zone: "z", accessToken: "t" }, {}, {}],
  ["the stack's grants replace, too", { grantMode: "replace" }, {}, {}],
  ["the provider has an argument of its own", { grantMode: "merge" }, { grantMode: "replace" }, {}],
  ["the environment says it", { grantMode: "merge" }, {}, { PERIMETER_GRANT_MODE: "merge" }],
  [
    "it is the default provider",
    { grantMode: "merge", emulatorHost: "h:1" },
    { grantMode: "merge", emulatorHost: "h:1" },
    {},
  ],
])("gives no warning where %s", (_case, stack, given, environment) => {
  expect(warning(stack, given, environment)).toBeUndefined();
});

test.each(["", "no JSON", "[]", "null"])("gives no warning if the engine sends no configuration: %j", (text) => {
  expect(warning(text)).toBeUndefined();
});
