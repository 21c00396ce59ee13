import * as fs from "node:fs";
import * as path from "node:path";
import { meaningOf, shortTypeOf } from "./meaning";
import { FOREIGN_KINDS } from "./foreign-rows";
import { QUIET_KINDS } from "./rows/quiet";

const MAY_DECIDE = "a resource that may decide about access";

/** The types of @pulumi/gcp 9.37.0, and of the modules that are about access in @pulumi/google-native 0.32.0. */
const TYPES = fs
  .readFileSync(path.join(__dirname, "../../tests/fixtures/types/of-other-providers.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "");

const moduleOf = (type: string) => type.split("/")[0];
const isOfFixture = (type: string) => /^(gcp|google-native):/.test(type);

test("each type of the rows is one that the providers have", () => {
  const listed = FOREIGN_KINDS.flatMap(({ types = [] }) => types).filter(isOfFixture);
  const short = new Set(TYPES.map(shortTypeOf));
  // Of google-native, the list has some modules.
  const modules = new Set([...short].map(moduleOf));
  expect(listed.filter((type) => modules.has(moduleOf(type)) && !short.has(type))).toEqual([]);
});

test("each row means something for a type, and each quiet name is one", () => {
  const kinds = new Set(TYPES.flatMap((type) => meaningOf(type).kinds));
  const short = new Set(TYPES.map(shortTypeOf));
  const rows = FOREIGN_KINDS.filter(({ types }) => types?.some((type) => short.has(type)));
  expect(rows.filter((kind) => !kinds.has(kind))).toEqual([]);
  const names = new Set(TYPES.map((type) => type.split(":")[2]));
  const quiet = QUIET_KINDS.flatMap(({ types }) => types);
  expect(quiet.filter((name) => !names.has(name))).toEqual([]);
});

test("a row or a quiet name decides on every type of these providers that sounds like access", () => {
  const undecided = TYPES.filter((type) => meaningOf(type).kinds.some(({ what }) => what === MAY_DECIDE));
  expect(undecided).toEqual([]);
});

test("no type sounds like access in Terraform's provider alone, where the name of the service is in it", () => {
  const bridged = TYPES.filter((type) => type.startsWith("gcp:")).map((type) => {
    const [, place = "", name = ""] = type.split(":");
    const joined = `${(place.split("/")[0] ?? "").replace(/^(project|organization)s$/, "$1")}${name}`;
    // `google_apikeys_key`
    return `google:index/x:${joined === "projectApiKey" ? "ApikeysKey" : joined}`;
  });
  expect(bridged.filter((type) => meaningOf(type).kinds.some(({ what }) => what === MAY_DECIDE))).toEqual([]);
});

test.each([
  "gcp:newservice/topicAccessRule:TopicAccessRule",
  "gcp:iam/somethingNew:SomethingNew",
  "google-native:iam/v3:SomethingNew",
  "google:index/newServiceAcl:NewServiceAcl",
  "mine:tf:google_new_service_member",
])("%s, which no row has, may decide about access", (type) => {
  expect(meaningOf(type).kinds.map(({ what }) => what)).toEqual([MAY_DECIDE]);
});

const CONNECTOR = (service: string) => `kubernetes:${service}.cnrm.cloud.google.com/v1beta1`;
test.each([
  ["gcp:projects/iAMMember:IAMMember", "a grant"],
  ["gcp:cloudrunv2/serviceIamBinding:ServiceIamBinding", "a grant"],
  ["google-native:storage/v1:BucketIamPolicy", "a grant"],
  ["google:index/projectIamMember:ProjectIamMember", "a grant"],
  ["google-beta:index/projectIamMember:ProjectIamMember", "a grant"],
  ["gcp:projects/iAMAuditConfig:IAMAuditConfig", "a configuration of audit logs"],
  ["google-native:iam/v1:Role", "a custom role"],
  ["google:index/iamDenyPolicy:IamDenyPolicy", "a deny policy"],
  ["gcp:serviceaccount/key:Key", "a key"],
  ["google-beta:index/serviceAccountKey:ServiceAccountKey", "a key"],
  ["gcp:storage/bucketACL:BucketACL", "an access control list of Cloud Storage"],
  ["gcp:cloudidentity/groupMembership:GroupMembership", "a membership of a group"],
  ["gcp:storage/bucket:Bucket", "a bucket"],
  ["gcp:cloudrunv2/service:Service", "a service with a setting of who may call it"],
  ["google:index/cloudRunV2Service:CloudRunV2Service", "a service with a setting of who may call it"],
  ["mine:tf:google_cloud_run_v2_service", "a service with a setting of who may call it"],
  ["mine:tf:google_project_iam_binding", "a grant"],
  ["mine:tf:google_service_account_key", "a key"],
  ["mine:tf:aws_iam_policy", undefined],
  ["google-native:iam/v2:Policy", "a deny policy"],
  ["google-native:iap/v1:Brand", undefined],
  ["google:index/iapBrand:IapBrand", undefined],
  ["googleworkspace:index/groupMember:GroupMember", "a membership of a group of Google Workspace"],
  ["kubernetes:iam.cnrm.cloud.google.com/v1beta1:IAMPolicyMember", "a resource of Config Connector for IAM"],
  ["kubernetes:iam.cnrm.cloud.google.com/v1beta1:IAMServiceAccount", "a resource of Config Connector for IAM"],
  [`${CONNECTOR("cloudidentity")}:CloudIdentityMembership`, "a resource of Config Connector for IAM"],
  [`${CONNECTOR("accesscontextmanager")}:AccessContextManagerAccessLevel`, "an access level"],
  [`${CONNECTOR("bigquery")}:BigQueryDataset`, "a BigQuery dataset with an access list"],
  [`${CONNECTOR("sql")}:SQLUser`, "a user of a database"],
  [`${CONNECTOR("bigquery")}:BigQueryTable`, "a resource with tags, which conditions can name"],
  [`${CONNECTOR("gkehub")}:GKEHubFeatureMembership`, undefined],
  [`${CONNECTOR("identityplatform")}:IdentityPlatformTenant`, undefined],
  [`${CONNECTOR("pubsub")}:PubSubTopic`, undefined],
  ["gcp:pubsub/topic:Topic", undefined],
  ["aws:iam/rolePolicy:RolePolicy", undefined],
  ["pkg:iam:ProjectIAMBinding", "a grant"],
  ["yandex:index/resourcemanagerFolderIamMember:ResourcemanagerFolderIamMember", undefined],
  ["alicloud:ram/somethingIamPolicy:SomethingIamPolicy", undefined],
  ["gcp:compute/securityPolicy:SecurityPolicy", undefined],
  ["aws:iam/role:Role", undefined],
  ["random:index/randomPet:RandomPet", undefined],
])("%s is %s", (type, what) => {
  expect(meaningOf(type).kinds[0]?.what).toBe(what);
});

test("each line has a source", () => {
  for (const { source } of FOREIGN_KINDS) expect(source).toMatch(/^https:\/\//);
});
