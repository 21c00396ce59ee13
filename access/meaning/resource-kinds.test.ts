import type { Values } from "../../provider/core/unknown";
import { containsPolicies, resourceIn, resourceKindOf } from "./resource-kinds";

interface Given {
  id?: string;
  inputs?: Values;
  outputs?: Values;
}

const state = (type: string, given: Given) => ({
  urn: `urn:pulumi:dev::shop::${type}::it`,
  type,
  inputs: {},
  outputs: {},
  ...given,
});

/** Ids as the providers write them: https://registry.terraform.io/providers/hashicorp/google, "Attributes Reference", `id`. */
test.each<[type: string, given: Given, name: string | undefined]>([
  ["gcp:pubsub/topic:Topic", { id: "projects/p/topics/t" }, "//pubsub.googleapis.com/projects/p/topics/t"],
  ["gcp:storage/bucket:Bucket", { id: "files" }, "//storage.googleapis.com/b/files"],
  ["gcp:organizations/project:Project", { id: "projects/p" }, "//cloudresourcemanager.googleapis.com/projects/p"],
  ["gcp:organizations/folder:Folder", { id: "folders/12" }, "//cloudresourcemanager.googleapis.com/folders/12"],
  ["gcp:compute/network:Network", { id: "projects/p/global/networks/n" }, undefined],
  [
    "gcp:spanner/database:Database",
    { id: "i/d", inputs: { instance: "i", name: "d" }, outputs: { project: "p" } },
    "//spanner.googleapis.com/projects/p/instances/i/databases/d",
  ],
  ["gcp:spanner/instance:Instance", { id: "acme/i" }, "//spanner.googleapis.com/projects/acme/instances/i"],
  [
    "gcp:cloudrun/service:Service",
    {
      id: "locations/eu/namespaces/p/services/web",
      inputs: { location: "eu", name: "web" },
      outputs: { project: "p" },
    },
    "//run.googleapis.com/projects/p/locations/eu/services/web",
  ],
  [
    "gcp:storage/managedFolder:ManagedFolder",
    { id: "files/reports/", inputs: { bucket: "files", name: "reports/" } },
    "//storage.googleapis.com/b/files/managedFolders/reports/",
  ],
  [
    "gcp:kms/cryptoKey:CryptoKey",
    {
      inputs: { keyRing: "projects/p/locations/eu/keyRings/main" },
      id: "projects/p/locations/eu/keyRings/main/cryptoKeys/k",
    },
    "//cloudkms.googleapis.com/projects/p/locations/eu/keyRings/main/cryptoKeys/k",
  ],
  [
    "gcp:bigquery/table:Table",
    { id: "projects/p/datasets/d/tables/t" },
    "//bigquery.googleapis.com/projects/p/datasets/d/tables/t",
  ],
  [
    "gcp:serviceaccount/account:Account",
    { id: "projects/p/serviceAccounts/robot@p.iam.gserviceaccount.com" },
    "//iam.googleapis.com/projects/p/serviceAccounts/robot@p.iam.gserviceaccount.com",
  ],
  [
    "google:index/pubsubTopic:PubsubTopic",
    { id: "projects/p/topics/t" },
    "//pubsub.googleapis.com/projects/p/topics/t",
  ],
  [
    "google-beta:index/privatecaCaPool:PrivatecaCaPool",
    { id: "projects/p/locations/eu/caPools/c" },
    "//privateca.googleapis.com/projects/p/locations/eu/caPools/c",
  ],
  ["google:index/storageBucket:StorageBucket", { id: "files" }, "//storage.googleapis.com/b/files"],
  ["google:index/project:Project", { id: "projects/p" }, "//cloudresourcemanager.googleapis.com/projects/p"],
  [
    "google:index/cloudRunService:CloudRunService",
    { id: "locations/eu/namespaces/p/services/web", inputs: { location: "eu", name: "web", project: "p" } },
    "//run.googleapis.com/projects/p/locations/eu/services/web",
  ],
  ["google-native:pubsub/v1:Topic", { id: "projects/p/topics/t" }, "//pubsub.googleapis.com/projects/p/topics/t"],
  ["google-native:pubsub/v1:Topic", { id: "v1/projects/p/topics/t" }, "//pubsub.googleapis.com/projects/p/topics/t"],
  ["google-native:storage/v1:Bucket", { id: "files", inputs: { name: "files" } }, "//storage.googleapis.com/b/files"],
  [
    "google-native:spanner/v1:Database",
    { id: "projects/p/instances/i/databases/d" },
    "//spanner.googleapis.com/projects/p/instances/i/databases/d",
  ],
  [
    "google-native:iam/v1:ServiceAccount",
    { outputs: { name: "projects/p/serviceAccounts/r@p.iam.gserviceaccount.com" } },
    "//iam.googleapis.com/projects/p/serviceAccounts/r@p.iam.gserviceaccount.com",
  ],
  ["aws:s3/bucket:Bucket", { id: "files" }, undefined],
])("%s with %p is %s", (type, given, name) => {
  expect(resourceIn(type, state(type, given))?.name).toBe(name);
});

test.each<[type: string, id: string, shape: string | undefined]>([
  ["gcp:logging/projectBucketConfig:ProjectBucketConfig", "projects/p/locations/global/buckets/b", "logging buckets"],
  [
    "google:index/loggingFolderBucketConfig:LoggingFolderBucketConfig",
    "folders/1/locations/eu/buckets/b",
    "logging buckets",
  ],
  [
    "mine:tf:google_workstations_workstation_cluster",
    "projects/p/locations/eu/workstationClusters/c",
    "workstations workstationClusters",
  ],
  ["gcp:apigee/organization:Organization", "organizations/p", "apigee organizations"],
  ["google-native:bigtableadmin/v2:Cluster", "projects/p/instances/i/clusters/c", "bigtableadmin clusters"],
  ["google-native:bigquery/v2:Dataset", "projects/p/datasets/d", "bigquery datasets"],
  // Instances of other APIs contain resources with policies.
  ["gcp:redis/instance:Instance", "projects/p/locations/eu/instances/i", undefined],
  ["gcp:logging/metric:Metric", "projects/p/locations/eu/instances/i", undefined],
  ["gcp:projects/defaultServiceAccounts:DefaultServiceAccounts", "projects/p", undefined],
  ["random:index/randomPet:RandomPet", "projects/p/locations/global/buckets/b", undefined],
])("the id of %s, %s, says its kind where no row has the type: %s", (type, id, kind) => {
  const found = resourceIn(type, state(type, { id }));
  expect(found && `${found.kind.api} ${found.kind.template.split("/").at(-2)}`).toBe(kind);
  expect(found && containsPolicies(found.kind)).toBe(kind && true);
  expect(found?.name?.endsWith(id)).toBe(kind && true);
});

test("a name that lacks its project has that of the provider", () => {
  const type = "gcp:spanner/database:Database";
  expect(resourceIn(type, state(type, { id: "i/d" }), { project: "mine" })?.name).toBe(
    "//spanner.googleapis.com/projects/mine/instances/i/databases/d",
  );
});

test.each([
  ["gcp:spanner/instance:Instance", true],
  ["gcp:bigtable/instance:Instance", true],
  ["gcp:storage/bucket:Bucket", true],
  ["gcp:kms/keyRing:KeyRing", true],
  ["google:index/kmsKeyRing:KmsKeyRing", true],
  ["google-native:spanner/v1:Instance", true],
  ["gcp:organizations/project:Project", true],
  ["gcp:organizations/folder:Folder", true],
  ["gcp:pubsub/topic:Topic", false],
  ["gcp:secretmanager/secret:Secret", false],
])("resources of %s contain others with policies: %p", (type, isContainer) => {
  const kind = resourceKindOf(type);
  expect(kind && containsPolicies(kind)).toBe(isContainer);
});
