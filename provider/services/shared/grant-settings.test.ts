import { checkedConfiguration } from "../../core/config/resolve";
import { unplannedGrantSettings } from "./grant-settings";
import { statedSettings } from "./stated-settings";
import { SERVICES } from "../../core/services";

const PUBLIC = "https://healthcare.googleapis.com/v1beta1/";

/** What a preview states of a provider with these settings, of which a plan shows `planned`. */
function stated(given: object, environment: Record<string, string> = {}, planned = given): string | undefined {
  const configuration = checkedConfiguration({ ...given }, environment);
  return unplannedGrantSettings(SERVICES.healthcare, configuration, { ...planned });
}

test("does not state settings of the program and defaults, because a plan shows them", () => {
  expect(stated({})).toBeUndefined();
  expect(
    stated({ grantMode: "merge", emulatorHost: "127.0.0.1:1" }, { PERIMETER_GRANT_MODE: "replace" }),
  ).toBeUndefined();
});

test.each<[Record<string, string>, string, object]>([
  [
    { PERIMETER_GRANT_MODE: "merge" },
    "grant mode merge from PERIMETER_GRANT_MODE",
    { grantMode: { value: "merge", variable: "PERIMETER_GRANT_MODE" } },
  ],
  // The default all the same: whoever has another environment has another mode.
  [
    { PERIMETER_GRANT_MODE: "replace" },
    "grant mode replace from PERIMETER_GRANT_MODE",
    { grantMode: { value: "replace", variable: "PERIMETER_GRANT_MODE" } },
  ],
  [
    { PERIMETER_EMULATOR_HOST: "127.0.0.1:1" },
    "healthcare API at http://127.0.0.1:1/v1beta1/ from PERIMETER_EMULATOR_HOST",
    { endpoint: { value: "http://127.0.0.1:1/v1beta1/", variable: "PERIMETER_EMULATOR_HOST" } },
  ],
  [
    { GOOGLE_CLOUD_UNIVERSE_DOMAIN: "u.example", PERIMETER_GRANT_MODE: "merge" },
    "grant mode merge from PERIMETER_GRANT_MODE, " +
      "healthcare API at https://healthcare.u.example/v1beta1/ from GOOGLE_CLOUD_UNIVERSE_DOMAIN",
    {
      grantMode: { value: "merge", variable: "PERIMETER_GRANT_MODE" },
      endpoint: { value: "https://healthcare.u.example/v1beta1/", variable: "GOOGLE_CLOUD_UNIVERSE_DOMAIN" },
    },
  ],
  [
    { CLOUDSDK_API_ENDPOINT_OVERRIDES_HEALTHCARE: "https://g.example/" },
    "healthcare API at https://g.example/v1beta1/ from CLOUDSDK_API_ENDPOINT_OVERRIDES_HEALTHCARE",
    { endpoint: { value: "https://g.example/v1beta1/", variable: "CLOUDSDK_API_ENDPOINT_OVERRIDES_HEALTHCARE" } },
  ],
])(
  "a preview states what comes from the environment %j, and a review reads it again",
  (environment, text, settings) => {
    const message = stated({}, environment);
    expect(message).toBe(`Settings from the environment, not from the stack: ${text}`);
    expect(statedSettings(message ?? "")).toEqual(settings);
  },
);

test("states the settings of a provider that plans omit, if they differ from the plan's settings", () => {
  const own = { grantMode: "replace", emulatorHost: "127.0.0.1:1" };
  const message = stated(own, {}, { grantMode: "merge" });
  expect(message).toBe(
    "Settings from the environment, not from the stack: grant mode replace, healthcare API at http://127.0.0.1:1/v1beta1/",
  );
  expect(statedSettings(message ?? "")).toEqual({
    grantMode: { value: "replace" },
    endpoint: { value: "http://127.0.0.1:1/v1beta1/" },
  });
  expect(stated({ grantMode: "merge" }, {}, { grantMode: "nonsense" })).toContain(`healthcare API at ${PUBLIC}`);
});

test("reads no settings from other messages", () => {
  expect(statedSettings("Access to projects/p: 1 principal will gain a role")).toBeUndefined();
});
