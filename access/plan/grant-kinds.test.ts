import { hostIn } from "../../provider/core/reference";
import { lookups } from "../../provider/services";
import { GRANT_KINDS as RESOURCE_KINDS } from "../plan/grant-kinds";
import { resourceNamed } from "./grant-kinds";

const STORE = "projects/p/locations/l/datasets/d/fhirStores/records";

test.each([STORE, `//healthcare.googleapis.com/${STORE}`, `https://healthcare.googleapis.com/v1/${STORE}`])(
  "%s is a FHIR store",
  (text) => {
    expect(resourceNamed(text)).toMatchObject({ name: STORE, reference: { kind: "a FHIR store" } });
  },
);

test("accepts the name of every resource whose policy has a lookup", () => {
  const policies = lookups.map(({ definition }) => definition).filter(({ result }) => "bindings" in result.shape);
  expect(policies.length).toBeGreaterThan(0);
  const known = RESOURCE_KINDS.flatMap(({ reference }) => reference.templates.map(({ template }) => template));
  // Lookups name the path variables as their arguments do.
  const form = (template: string) => template.replaceAll(/\{\w+\}/g, "{}");
  for (const { resource } of policies) expect(known.map(form)).toContain(form(resource.template));
});

test.each(["records", "", "projects/p", `${STORE}/`, `projects/p/locations/l/datasets/../fhirStores/x`])(
  "%j is told which forms are right",
  (text) => {
    expect(() => resourceNamed(text)).toThrow(/must be the name of .*a FHIR store \(projects\/\{project\}/);
  },
);

test("refuses a name of another API", () => {
  const text = `//eventarc.googleapis.com/${STORE}`;
  expect(hostIn(text)).toBeDefined();
  expect(() => resourceNamed(text)).toThrow(
    "RESOURCE must have no host, or the host of a FHIR store, healthcare.googleapis.com",
  );
});
