import { gcpGrantOf, gcpGrantResource } from "./gcp-types";

const PUBSUB = "//pubsub.googleapis.com/projects/p/topics/t";
const DEFAULTS = { project: "p", region: "eu", zone: "us-a" };
const TOPIC = "gcp:pubsub/topicIAMMember:TopicIAMMember";
const FHIR = "gcp:healthcare/fhirStoreIamBinding:FhirStoreIamBinding";
const STORE = "projects/p/locations/eu/datasets/d/fhirStores/s";

function resourceOf(type: string, values: object, id?: string) {
  const grant = gcpGrantOf(type);
  if (!grant) throw new Error(`${type} is not in the table`);
  return gcpGrantResource(grant.name, id === undefined ? {} : { id }, { ...values }, DEFAULTS);
}

test.each([
  ["the project of the provider", TOPIC, { topic: "t" }, PUBSUB],
  ["a project of its own", TOPIC, { topic: "t", project: "other" }, PUBSUB.replace("/p/", "/other/")],
  ["the id of the topic", TOPIC, { topic: "projects/p/topics/t" }, PUBSUB],
  ["project and name", TOPIC, { topic: "p/t" }, PUBSUB],
  [
    "the name of a bucket",
    "gcp:storage/bucketIAMPolicy:BucketIAMPolicy",
    { bucket: "files" },
    "//storage.googleapis.com/b/files",
  ],
  ["the id of a FHIR store", FHIR, { fhirStoreId: STORE }, `//healthcare.googleapis.com/${STORE}`],
  ["the values of a FHIR store's name", FHIR, { fhirStoreId: "p/eu/d/s" }, `//healthcare.googleapis.com/${STORE}`],
  ["the values without the project", FHIR, { fhirStoreId: "eu/d/s" }, `//healthcare.googleapis.com/${STORE}`],
  [
    "the region of the provider as the location",
    "gcp:cloudrunv2/serviceIamMember:ServiceIamMember",
    { name: "web" },
    "//run.googleapis.com/projects/p/locations/eu/services/web",
  ],
  [
    "an input with the whole name of what it is in",
    "gcp:healthcare/consentStoreIamMember:ConsentStoreIamMember",
    { dataset: "projects/p/locations/eu/datasets/d", consentStoreId: "c" },
    "//healthcare.googleapis.com/projects/p/locations/eu/datasets/d/consentStores/c",
  ],
  [
    "the name of a managed folder, which is a path",
    "gcp:storage/managedFolderIamMember:ManagedFolderIamMember",
    { bucket: "files", managedFolder: "a/b/" },
    "//storage.googleapis.com/b/files/managedFolders/a/b/",
  ],
  [
    "a project",
    "gcp:projects/iAMMember:IAMMember",
    { project: "x" },
    "//cloudresourcemanager.googleapis.com/projects/x",
  ],
  [
    "a folder",
    "gcp:folder/iAMMember:IAMMember",
    { folder: "folders/1" },
    "//cloudresourcemanager.googleapis.com/folders/1",
  ],
  [
    "a URL",
    "gcp:compute/subnetworkIAMMember:SubnetworkIAMMember",
    { subnetwork: "https://www.googleapis.com/compute/v1/projects/p/regions/eu/subnetworks/s" },
    "//compute.googleapis.com/projects/p/regions/eu/subnetworks/s",
  ],
])("the inputs of a grant name the resource by %s", (_what, type, values, expected) => {
  expect(resourceOf(type, values)).toBe(expected);
});

test.each([
  ["a member", TOPIC, "projects/q/topics/t/roles/pubsub.publisher/user:ada@example.com"],
  ["a member with a custom role", TOPIC, "projects/q/topics/t/projects/q/roles/mine/user:ada@example.com"],
  ["a policy", "gcp:pubsub/topicIAMPolicy:TopicIAMPolicy", "projects/q/topics/t"],
])("the id of %s in the state names the resource, whatever its inputs and defaults say", (_what, type, id) => {
  expect(resourceOf(type, { topic: "t" }, id)).toBe("//pubsub.googleapis.com/projects/q/topics/t");
});

test("the id of a grant on a project has the project alone", () => {
  const id = "q/roles/viewer/user:ada@example.com";
  expect(resourceOf("gcp:projects/iAMMember:IAMMember", {}, id)).toBe(
    "//cloudresourcemanager.googleapis.com/projects/q",
  );
});

test.each(["m/", "a/b/"])("the id of a grant on the managed folder %s has its name with slashes", (folder) => {
  const id = `b/files/managedFolders/${folder}/roles/storage.objectViewer/user:ada@example.com`;
  expect(resourceOf("gcp:storage/managedFolderIamMember:ManagedFolderIamMember", {}, id)).toBe(
    `//storage.googleapis.com/b/files/managedFolders/${folder}`,
  );
});

test.each([
  ["no name", TOPIC, {}],
  ["a name of another kind", TOPIC, { topic: "projects/p/subscriptions/s" }],
  ["more parts than a name has", FHIR, { fhirStoreId: "a/b/c/d/e" }],
])("%s names no resource", (_what, type, values) => {
  expect(resourceOf(type, values)).toBeUndefined();
});
