import * as fs from "node:fs";
import * as path from "node:path";
import { grantStepOf } from "./steps";
import { readPlan, type PlanStep } from "./plan";

const folder = path.join(__dirname, "../../tests/fixtures/plans");
const stepsOf = (name: string) => readPlan(fs.readFileSync(path.join(folder, name), "utf8")).steps;
const FHIR = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";

const step = (type: string): PlanStep => ({ op: "create", urn: `urn:pulumi:s::p::${type}::it`, type });

test("the type shows that a step is a grant of the plugin, and the URN identifies it", () => {
  const found = stepsOf("update.json").map((each) => [each, grantStepOf(each)] as const);
  expect(found.filter(([, grant]) => grant === undefined).map(([{ type }]) => type)).toEqual([
    "pulumi:pulumi:Stack",
    "pulumi:providers:perimeter",
  ]);
  for (const [{ urn, type }, grant] of found) {
    if (grant) expect(grant).toMatchObject({ front: "plugin", token: type, identity: urn });
  }
});

test("grants of the npm front have the identity that the npm front gives them", () => {
  const grants = stepsOf("npm.json").flatMap((each) => grantStepOf(each) ?? []);
  expect(grants.length).toBeGreaterThan(5);
  for (const { front, token, identity, urn } of grants) {
    expect([front, token]).toEqual(["npm", FHIR]);
    expect(identity).toBe(`organization/${urn}`);
  }
});

test("an npm grant of an early release has no identity of its own", () => {
  const { urn, type } = step("pulumi-nodejs:dynamic/healthcare/v1beta1:DatasetFhirStoreIamMember");
  expect(grantStepOf({ op: "delete", urn, type })).toMatchObject({ front: "npm", token: FHIR, identity: urn });
});

test.each([
  ["google-native:healthcare/v1beta1:DatasetFhirStoreIamMember", FHIR, "member"],
  ["google-native:healthcare/v1:DatasetFhirStoreIamMember", FHIR, "member"],
  ["google-native:healthcare/v1beta1:DatasetFhirStoreIamBinding", FHIR, "binding"],
  ["google-native:healthcare/v1beta1:DatasetFhirStoreIamPolicy", FHIR, "policy"],
  [
    "google-native:datamigration/v1beta1:MigrationJobIamMember",
    "perimeter:datamigration/v1beta1:MigrationJobIamMember",
    "member",
  ],
  ["google-native:eventarc/v1:TriggerIamBinding", "perimeter:eventing/v1:TriggerIamMember", "binding"],
  ["google-native:apigateway/v1beta:GatewayIamPolicy", "perimeter:apigateway/v1beta:GatewayIamMember", "policy"],
])("%s is a grant of google-native", (type, token, form) => {
  expect(grantStepOf(step(type))).toMatchObject({ front: "google-native", token, form });
});

test.each([
  "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
  "pulumi-nodejs:dynamic/networksecurity/v1beta1:FirewallEndpointAssociation",
  "pulumi-nodejs:dynamic:Resource",
  "google-native:storage/v1:ObjectAccessControl",
  "google-native:healthcare/v1beta1:FhirStore",
  "gcp:bigquery/datasetIamMember:DatasetIamMember",
  "gcp:projects/iAMAuditConfig:IAMAuditConfig",
  "pulumi:providers:google-native",
])("%s is not a grant of the provider", (type) => {
  expect(grantStepOf(step(type))).toBeUndefined();
});

const ANY = "perimeter:iam/v1:ResourceIamMember";

test.each([
  ["gcp:projects/iAMMember:IAMMember", "member", "projects/{project}"],
  ["gcp:pubsub/topicIAMBinding:TopicIAMBinding", "binding", "projects/{project}/topics/{topic}"],
  ["gcp:storage/bucketIAMPolicy:BucketIAMPolicy", "policy", "b/{bucket}"],
])("%s is a %s grant of @pulumi/gcp", (type, form, template) => {
  expect(grantStepOf(step(type))).toMatchObject({ front: "gcp", token: ANY, form, named: { template } });
});

test.each([
  ["google-native:pubsub/v1:TopicIamMember", "member", "projects/{project}/topics/{topic}"],
  ["google-native:cloudresourcemanager/v3:ProjectIamPolicy", "policy", "projects/{project}"],
  ["google-native:storage/v1:BucketIamBinding", "binding", "b/{bucket}"],
])("%s is a %s grant of google-native on any kind of resource", (type, form, template) => {
  const found = grantStepOf(step(type));
  expect(found).toMatchObject({ front: "google-native", token: ANY, form });
  expect(found?.kind?.path.template).toBe(template);
});
