import { gcpSettings } from "./gcp-settings";

test("settings with the same name and meaning are used as they are, and others are left out", () => {
  const { values, places, unusable } = gcpSettings({
    project: "p",
    region: "eu",
    accessToken: "t",
    userProjectOverride: "true",
    defaultLabels: { a: "b" },
    version: "9.37.0",
  });
  expect(values).toEqual({ project: "p", accessToken: "t", userProjectOverride: "true" });
  expect(places).toEqual({ project: "p", region: "eu" });
  expect(unusable).toEqual([]);
});

test("endpoints become those of APIs, and the ones of the stack's other settings stay", () => {
  const { values } = gcpSettings({
    endpoints: '{"run":"https://a/","pubsub":"https://b/"}',
    pubsubCustomEndpoint: "https://c/v1/",
    cloudRunV2CustomEndpoint: "https://d/v2/",
    kmsCustomEndpoint: "https://e/",
    resourceManagerV3CustomEndpoint: "https://f/",
    healthcareCustomEndpoint: "https://g/",
    lustreCustomEndpoint: "https://h/",
  });
  expect(values).toEqual({
    healthcareCustomEndpoint: "https://g/",
    endpoints: {
      run: "https://d/v2/",
      pubsub: "https://c/v1/",
      cloudkms: "https://e/",
      cloudresourcemanager: "https://f/",
    },
  });
});

test("credentials that a review cannot use are named", () => {
  expect(gcpSettings({ externalCredentials: { identityToken: "t" } }).unusable).toEqual(["externalCredentials"]);
});
