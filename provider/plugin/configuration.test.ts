import { untakenSettingsWarning } from "./configuration";

const EXPLICIT = "urn:pulumi:dev::shop::pulumi:providers:perimeter::default-of-the-team";
const DEFAULT = "urn:pulumi:dev::shop::pulumi:providers:perimeter::default";

const warning = (stack: object | string, given = {}, environment = {}, urn = EXPLICIT) =>
  untakenSettingsWarning(urn, given, {
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

test.each([DEFAULT, `${DEFAULT}_0_1_0`, `${DEFAULT}_0_1_0_github_/api.github.com/pulumi-perimeter`])(
  "the default provider of a refresh or destroy says that the next update takes the stack's settings: %s",
  (urn) => {
    expect(warning({ grantMode: "merge" }, {}, {}, urn)).toBe(
      "perimeter:grantMode in the stack's configuration takes effect with the next `pulumi up`: commands that do not " +
        "run the program, such as refresh and destroy, use the settings of the last one. Run `pulumi up` first",
    );
    expect(warning({ grantMode: "merge" }, { grantMode: "merge" }, {}, urn)).toBeUndefined();
  },
);

test.each([
  ["nothing is set", {}, {}, {}],
  ["other keys differ", { project: "p", zone: "z", accessToken: "t" }, {}, {}],
  ["the stack's grants replace, too", { grantMode: "replace" }, {}, {}],
  ["the provider has an argument of its own", { grantMode: "merge" }, { grantMode: "replace" }, {}],
  ["a map has no keys any more", { endpoints: {} }, {}, {}],
  ["the text of a map has no keys any more", { endpoints: "{}" }, {}, {}],
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
