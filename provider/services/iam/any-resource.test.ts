import { resourceOfKind } from "../../../tests/support/policy-kinds";
import { bindingId, grantId } from "../../iam/grant-id";
import { policyKinds, policyResource } from "../../iam/kinds/kinds";
import { anyResource } from "./any-resource";
import { KIND_SETTINGS } from "./resource-settings";

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

const CUSTOM_ROLES = ["projects/p/roles/custom", "organizations/42/roles/custom"];

test.each(["roles/owner", ...CUSTOM_ROLES])("the ids of grants and bindings of %s begin with the name", (role) => {
  const conditions = [undefined, { title: "in roles/x", expression: 'resource.name.startsWith("projects/p/roles/r")' }];
  const member = "principalSet://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/w/*";
  const names = [
    ...policyKinds().map((kind) => resourceOfKind(kind).resource),
    "//cloudresourcemanager.googleapis.com/projects/example.com:p",
    "//pubsub.googleapis.com/projects/p/topics/roles",
  ];
  const wrong = names.flatMap((typed) => {
    const name = anyResource.find(typed)?.name ?? "";
    const ids = conditions.flatMap((condition) => {
      const grant = { role, member, ...(condition ? { condition } : {}) };
      const withBlanks = [name, role, member, ...(condition ? [condition.title] : [])].join(" ");
      return [grantId(name, grant), bindingId(name, grant), withBlanks];
    });
    return ids.filter((id) => anyResource.inId(id)?.name !== name || anyResource.inId(id)?.id !== id);
  });
  expect(wrong).toEqual([]);
});

test.each(CUSTOM_ROLES)("%s in an id with a short name of @pulumi/gcp is a role", (role) => {
  const name = "//cloudresourcemanager.googleapis.com/projects/demo-project";
  for (const separator of ["/", " "]) {
    const rest = `${separator}${role}${separator}user:ada@example.com`;
    expect(anyResource.inId(`demo-project${rest}`)).toEqual({ name, id: name + rest });
    expect(anyResource.inId(`projects/demo-project${rest}`)).toEqual({ name, id: name + rest });
  }
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

const parentOf = (name: string) => anyResource.find(name)?.parent;

test.each([
  ["//pubsub.googleapis.com/projects/p/topics/t", "pubsub.topics.setIamPolicy"],
  ["//sourcerepo.googleapis.com/projects/p/repos/r", "source.repos.setIamPolicy"],
  ["//apigateway.googleapis.com/projects/p/locations/l/apis/a/configs/c", "apigateway.apiconfigs.setIamPolicy"],
  [
    "//datamigration.googleapis.com/projects/p/locations/l/connectionProfiles/c",
    "datamigration.connectionprofiles.setIamPolicy",
  ],
  ["//bigqueryconnection.googleapis.com/projects/p/locations/l/connections/c", "bigquery.connections.setIamPolicy"],
  ["//compute.googleapis.com/projects/p/global/backendServices/b", "compute.backendServices.setIamPolicy"],
  ["//compute.googleapis.com/projects/p/regions/r/backendServices/b", "compute.regionBackendServices.setIamPolicy"],
  ["//iam.googleapis.com/locations/global/workforcePools/w", "iam.googleapis.com/workforcePools.setIamPolicy"],
  ["//iap.googleapis.com/projects/1/iap_web", "iap.web.setIamPolicy"],
  ["//iap.googleapis.com/projects/1/iap_web/compute-us-east1", "iap.webTypes.setIamPolicy"],
  ["//iap.googleapis.com/projects/1/iap_web/compute/services/2", "iap.webServices.setIamPolicy"],
  ["//iap.googleapis.com/projects/1/iap_web/appengine-a/services/s/versions/v", "iap.webServiceVersions.setIamPolicy"],
  ["//iap.googleapis.com/projects/1/iap_tunnel", "iap.tunnel.setIamPolicy"],
  ["//iap.googleapis.com/projects/1/iap_tunnel/zones/z/instances/i", "iap.tunnelInstances.setIamPolicy"],
  ["//iap.googleapis.com/projects/1/iap_tunnel/locations/l/destGroups/g", "iap.tunnelDestGroups.setIamPolicy"],
])("the policy of %s is changed with %s", (name, permission) => {
  expect(parentOf(name)?.permissions).toEqual([permission.replace("set", "get"), permission]);
});

test.each([
  "//aiplatform.googleapis.com/projects/p/locations/l/models/m",
  "//iap.googleapis.com/projects/1/locations/l/iap_web/agentRegistry",
])("no permission on %s is tested, because Google's documents name none", (name) => {
  expect(parentOf(name)?.permissions).toEqual([]);
});

test("each form of a name of Identity-Aware Proxy is a kind, and so is each name of another form", () => {
  const iap = (name: string) => parentOf(`//iap.googleapis.com/projects/1/${name}`);
  expect(iap("iap_web/compute/services/2")).toBe(iap("iap_web/appengine-a/services/s"));
  expect(iap("iap_web")).not.toBe(iap("iap_tunnel"));
  expect(iap("other/a")).not.toBe(iap("other/b"));
});

test("each row of the settings is for an API of the table, or for one of its kinds", () => {
  const kinds = policyKinds().flatMap(({ api, path }) => [api, `${api} ${path.template}`]);
  const others = Object.keys(KIND_SETTINGS).filter((key) => !kinds.includes(key));
  const names = others.map((key) => key.replace(/^(\w+) /, "//$1.googleapis.com/").replaceAll(/[{}]/g, ""));
  expect(names.filter((name) => typeof policyResource(name) === "string")).toEqual([]);
  expect(new Set(others.map((key) => key.split(" ")[0]))).toEqual(new Set(["iap"]));
});

test("a role with permissions on another API's kinds of the same service is not for a connection of BigQuery", () => {
  const { permissions, otherPermissions } =
    parentOf("//bigqueryconnection.googleapis.com/projects/p/locations/l/connections/c")?.above ?? {};
  expect(permissions).toEqual(["bigquery.connections."]);
  expect(otherPermissions).toEqual(expect.arrayContaining(["bigquery.tables.", "bigquery.dataPolicies."]));
  expect(otherPermissions).not.toContain("bigquery.connections.");
});
