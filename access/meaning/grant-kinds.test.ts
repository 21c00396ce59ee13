import { lookups } from "../../provider/services";
import { GRANT_KINDS as RESOURCE_KINDS } from "./grant-kinds";
import { resourceNamed } from "./grant-kinds";

const STORE = "projects/p/locations/l/datasets/d/fhirStores/records";

test.each([STORE, `//healthcare.googleapis.com/${STORE}`, `https://healthcare.googleapis.com/v1/${STORE}`])(
  "%s is a FHIR store",
  (text) => {
    expect(resourceNamed(text)).toMatchObject({ path: STORE, resource: STORE, kind: { kind: "a FHIR store" } });
  },
);

test("accepts the name of every resource whose policy has a lookup", () => {
  const policies = lookups.map(({ definition }) => definition).filter(({ result }) => "bindings" in result.shape);
  expect(policies.length).toBeGreaterThan(0);
  const known = RESOURCE_KINDS.flatMap(({ template }) => (template ? [template.template] : ["{resource}"]));
  // Lookups name the path variables as their arguments do.
  const form = (template: string) => template.replaceAll(/\{\w+\}/g, "{}");
  for (const { resource } of policies) expect(known.map(form)).toContain(form(resource.template));
});

test.each([
  "records",
  "",
  "projects/p/locations/l/instances/i",
  `${STORE}/`,
  `projects/p/locations/l/datasets/../fhirStores/x`,
])("%j is told which forms are right", (text) => {
  expect(() => resourceNamed(text)).toThrow(
    /must be the full name .*, or the name of .*a FHIR store \(projects\/\{project\}/s,
  );
});

test.each([
  ["projects/p/topics/t", "//pubsub.googleapis.com/projects/p/topics/t"],
  ["projects/p/secrets/s", "//secretmanager.googleapis.com/projects/p/secrets/s"],
  ["projects/p", "//cloudresourcemanager.googleapis.com/projects/p"],
])("takes the relative name %s, which one API alone has", (text, resource) => {
  expect(resourceNamed(text)).toMatchObject({ path: text, resource });
});

test("refuses a name of another API", () => {
  const text = `//eventarc.googleapis.com/${STORE}`;
  expect(() => resourceNamed(text)).toThrow(`eventarc.googleapis.com has no kind of resource with the name ${STORE}`);
});

test("a resource of any other kind is found by its full name, which answers have, too", () => {
  const topic = "//pubsub.googleapis.com/projects/p/topics/t";
  expect(resourceNamed(topic)).toMatchObject({
    path: "projects/p/topics/t",
    resource: topic,
    kind: { kind: "a topic" },
  });
  expect(resourceNamed("//storage.googleapis.com/b/bucket")).toMatchObject({
    path: "b/bucket",
    resource: "//storage.googleapis.com/projects/_/buckets/bucket",
  });
});
