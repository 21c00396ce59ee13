import { anyResource } from "./any-resource";

const GRANT = "roles/viewer user:ada@example.com";

test.each([
  ["a full name", "//pubsub.googleapis.com/projects/p/topics/t", "//pubsub.googleapis.com/projects/p/topics/t"],
  ["a bucket", "b/files", "//storage.googleapis.com/projects/_/buckets/files"],
  ["a project", "demo-project", "//cloudresourcemanager.googleapis.com/projects/demo-project"],
  ["a project of a domain", "example.com:demo", "//cloudresourcemanager.googleapis.com/projects/example.com:demo"],
  ["an organization", "123456789", "//cloudresourcemanager.googleapis.com/organizations/123456789"],
  ["a folder", "folders/42", "//cloudresourcemanager.googleapis.com/folders/42"],
  ["a billing account", "00AA00-000AA0-00AA0A", "//cloudbilling.googleapis.com/billingAccounts/00AA00-000AA0-00AA0A"],
  [
    "a service of Cloud Run",
    "v1/projects/p/locations/l/services/s",
    "//run.googleapis.com/projects/p/locations/l/services/s",
  ],
])("an id of another provider names %s", (_what, typed, name) => {
  expect(anyResource.inId(`${typed} ${GRANT}`)).toEqual({ name, id: `${name} ${GRANT}` });
  const withSlashes = GRANT.replace(" ", "/");
  expect(anyResource.inId(`${typed}/${withSlashes}`)).toEqual({ name, id: `${name}/${withSlashes}` });
});

test.each([
  ["a name that several APIs have", "projects/p/locations/l/services/s"],
  ["a name of no API", "projects/p/topic/t"],
  ["a word in capitals", "Demo"],
])("an id does not begin with %s", (_what, typed) => {
  expect(anyResource.inId(`${typed} ${GRANT}`)).toBeUndefined();
});

test.each([
  ["a secret of a region", "//secretmanager.googleapis.com/projects/p/locations/l/secrets/s", "secretmanager.l.rep"],
  ["an endpoint of Vertex AI", "//aiplatform.googleapis.com/projects/p/locations/l/endpoints/e", "l-aiplatform"],
  ["a global secret", "//secretmanager.googleapis.com/projects/p/secrets/s", undefined],
  ["a service of Cloud Run", "//run.googleapis.com/projects/p/locations/l/services/s", undefined],
])("%s is at the host of its location only where no other host answers", (_what, name, host) => {
  expect(anyResource.find(name)?.parent.service.host).toBe(host);
});
