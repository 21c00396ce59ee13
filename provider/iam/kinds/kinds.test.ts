import { resourceOfKind } from "../../../tests/support/policy-kinds";
import { nounOf, policyKinds, policyResource, type PolicyResource } from "./kinds";

const resource = (text: string): PolicyResource => {
  const found = policyResource(text);
  if (typeof found === "string") throw new Error(`${text} ${found}`);
  return found;
};

test("the table has every kind of the documents, and an example of each is found as this kind", () => {
  expect(policyKinds().length).toBe(288);
  for (const kind of policyKinds()) {
    const { kind: found, fullName } = resource(resourceOfKind(kind).resource);
    // Names of the views of logs in billing accounts have variables in place of the collection.
    expect([found.api, found.form, found.base]).toEqual([kind.api, kind.form, kind.base]);
    expect(resource(fullName).fullName).toBe(fullName);
  }
});

test.each([
  ["//pubsub.googleapis.com/projects/p/topics/t", "v1", "get", "projects/p/topics/t"],
  ["//secretmanager.googleapis.com/projects/p/secrets/s", "v1", "get", "projects/p/secrets/s"],
  ["//cloudresourcemanager.googleapis.com/projects/p", "v3", "post", "projects/p"],
  [
    "//iam.googleapis.com/projects/p/serviceAccounts/a@p.iam.gserviceaccount.com",
    "v1",
    "query",
    "projects/p/serviceAccounts/a@p.iam.gserviceaccount.com",
  ],
  ["//compute.googleapis.com/projects/p/zones/z/instances/i", "compute/v1", "path", "projects/p/zones/z/instances/i"],
  ["//storage.googleapis.com/projects/_/buckets/b", "storage/v1", "iam", "b/b"],
  [
    "//storage.googleapis.com/projects/_/buckets/b/objects/a dir/file?.txt",
    "storage/v1",
    "iam-1",
    "b/b/o/a dir%2Ffile?.txt",
  ],
  ["//storage.googleapis.com/projects/_/buckets/b/managedFolders/f", "storage/v1", "iam", "b/b/managedFolders/f"],
  ["//storage.googleapis.com/projects/_/buckets/b/managedFolders/f/", "storage/v1", "iam", "b/b/managedFolders/f"],
  ["//storage.googleapis.com/b/b/managedFolders/a b/f/", "storage/v1", "iam", "b/b/managedFolders/a b%2Ff"],
  ["//run.googleapis.com/projects/p/locations/l/services/s", "v2", "get", "projects/p/locations/l/services/s"],
  ["//bigquery.googleapis.com/projects/p/datasets/d/tables/t", "bigquery/v2", "post", "projects/p/datasets/d/tables/t"],
  ["//bigtable.googleapis.com/projects/p/instances/i", "v2", "post", "projects/p/instances/i"],
  ["//iap.googleapis.com/projects/1/iap_web/compute/services/2", "v1", "post", "projects/1/iap_web/compute/services/2"],
  [
    "//logging.googleapis.com/billingAccounts/b/locations/l/buckets/c/views/v",
    "v2",
    "post",
    "billingAccounts/b/locations/l/buckets/c/views/v",
  ],
])("%s is at %s, with the form %s", (name, base, form, path) => {
  expect(resource(name)).toMatchObject({ kind: { base, form }, path });
});

test.each([
  ["https://pubsub.googleapis.com/v1/projects/p/topics/t", "//pubsub.googleapis.com/projects/p/topics/t"],
  ["//pubsub.us-east1.rep.googleapis.com/projects/p/topics/t", "//pubsub.googleapis.com/projects/p/topics/t"],
  [
    "https://europe-west1-run.googleapis.com/v2/projects/p/locations/l/jobs/j",
    "//run.googleapis.com/projects/p/locations/l/jobs/j",
  ],
  [
    "https://www.googleapis.com/compute/v1/projects/p/global/images/i",
    "//compute.googleapis.com/projects/p/global/images/i",
  ],
  ["https://www.googleapis.com/storage/v1/b/bucket", "//storage.googleapis.com/projects/_/buckets/bucket"],
  ["//storage.googleapis.com/b/bucket", "//storage.googleapis.com/projects/_/buckets/bucket"],
  [
    "https://storage.googleapis.com/storage/v1/b/bucket/o/a%2Fb",
    "//storage.googleapis.com/projects/_/buckets/bucket/objects/a/b",
  ],
  [
    "https://storage.googleapis.com/storage/v1/b/bucket/managedFolders/a%2Fb%2F",
    "//storage.googleapis.com/projects/_/buckets/bucket/managedFolders/a/b",
  ],
  ["//bigtableadmin.googleapis.com/projects/p/instances/i", "//bigtable.googleapis.com/projects/p/instances/i"],
])("%s is %s", (spelling, name) => {
  expect(resource(spelling).fullName).toBe(name);
});

test.each([
  [
    "//pubsub.googleapis.com/projects/p/topic/t",
    'did you mean "//pubsub.googleapis.com/projects/{project}/topics/{topic}"?',
  ],
  ["//pubsub.googleapis.com/projects/p/topics", '"//pubsub.googleapis.com/projects/{project}/topics/{topic}"?'],
  ["projects/p/topic/t", 'did you mean "//pubsub.googleapis.com/projects/{project}/topics/{topic}"?'],
  ["pubsub/projects/p/topics/t", 'did you mean "//pubsub.googleapis.com/projects/p/topics/t"?'],
  ["pubsub/projects/p/topic/t", 'did you mean "//pubsub.googleapis.com/projects/{project}/topics/{topic}"?'],
  ["pubsub.googleapis.com/projects/p/topics/t", 'did you mean "//pubsub.googleapis.com/projects/p/topics/t"?'],
  ["bigtable/projects/p/instances/i", 'did you mean "//bigtable.googleapis.com/projects/p/instances/i"?'],
  ["bigtableadmin/projects/p/instances/i", 'did you mean "//bigtable.googleapis.com/projects/p/instances/i"?'],
  ["projects/p/topics/t", 'did you mean "//pubsub.googleapis.com/projects/p/topics/t"?'],
  ["//pubsubs.googleapis.com/projects/p/topics/t", 'did you mean "pubsub.googleapis.com"?'],
  [
    "//pubsub.evil.example/projects/p/topics/t",
    "has the host pubsub.evil.example, which is no API with access policies",
  ],
  ["//storage.googleapis.com/buckets/b", 'did you mean "//storage.googleapis.com/projects/_/buckets/{bucket}"?'],
  ["//pubsub.googleapis.com/projects/p/topics/..", "must be the full name of a resource with an access policy"],
  ["//storage.googleapis.com/projects/_/buckets/b/managedFolders//", "must be the full name of a resource"],
  ["", "must be the full name of a resource with an access policy, //{api}.googleapis.com/{name}"],
])("%s names no resource: %s", (text, message) => {
  expect(policyResource(text)).toContain(message);
});

test.each([
  ["//pubsub.googleapis.com/projects/p/topics/t", "a topic"],
  ["//cloudkms.googleapis.com/projects/p/locations/l/keyRings/k", "a key ring"],
  ["//accesscontextmanager.googleapis.com/accessPolicies/1", "an access policy"],
  ["//iap.googleapis.com/projects/1/iap_web", "a resource"],
])("%s is called %s", (name, noun) => {
  expect(nounOf(resource(name).kind)).toBe(noun);
});
