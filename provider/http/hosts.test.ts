import { checkedConfiguration } from "../core/config/resolve";
import { healthcare } from "../services/healthcare/service";
import { isHostOf } from "./hosts";

const STORE = "projects/p/locations/l/datasets/d/fhirStores/s";

function accepts(host: string, given: Record<string, string> = {}, path = "v1/"): boolean {
  return isHostOf("healthcare", `https://${host}/${path}${STORE}`, host, checkedConfiguration(given, {}), [healthcare]);
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
])("%s is the API's", (host) => {
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
])("%s is not", (host) => {
  expect(accepts(host)).toBe(false);
});

test("the older host says the API in the path", () => {
  expect(accepts("www.googleapis.com", {}, "healthcare/v1/")).toBe(true);
  expect(accepts("www.googleapis.com", {}, "compute/v1/")).toBe(false);
});

test("the configured universe and endpoint are the API's, too", () => {
  expect(accepts("healthcare.cloud.example", { universeDomain: "cloud.example" })).toBe(true);
  const given = { healthcareCustomEndpoint: "https://private.example:8443/v1/" };
  expect(accepts("private.example:8443", given)).toBe(true);
  expect(accepts("private.example", given)).toBe(false);
});
