import type { PlannedState } from "../plan/planned-state";
import type { ReviewedGrant, ReviewedResource } from "../result/result";
import { adoptionOf, type Adoptable } from "./adopt";
import { StackProviders, type CloudOf } from "./stack-providers";

const STORE = "projects/p/locations/l/datasets/d/fhirStores/records";
const ASSOCIATION = "projects/p/locations/l-a/firewallEndpointAssociations/prod";
const GRANT = "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember";
const role = "roles/viewer";

const resource = (...unmanaged: ReviewedGrant[]): ReviewedResource => ({
  resource: STORE,
  kind: "a FHIR store",
  api: "healthcare",
  changes: [],
  unchanged: 0,
  noAccessLeft: [],
  unmanaged,
  before: [],
  after: unmanaged.map(({ principal, role: each }) => ({ role: each, members: [principal] })),
  unknown: [],
});

const declared = (name: string, more: Partial<PlannedState> = {}, type = GRANT): PlannedState => ({
  urn: `urn:pulumi:dev::p::${type}::${name}`,
  type,
  id: name,
  inputs: { name: STORE, role, member: `group:${name}@example.com` },
  outputs: {},
  ...more,
});

const provider = (urn: string, inputs: Record<string, unknown> = {}): PlannedState => ({
  urn: `urn:pulumi:dev::p::${urn}`,
  type: "pulumi:providers:perimeter",
  id: "1",
  inputs,
  outputs: {},
});

const GOOGLE: ReturnType<CloudOf> = { grantMode: "merge", endpointOf: () => undefined };
const adopted = ({ state = [], cloudOf = () => GOOGLE, ...more }: Partial<Adoptable> & { cloudOf?: CloudOf }) => {
  const providers = new StackProviders(state, cloudOf);
  return adoptionOf({ resources: [], state, providers, associations: [], only: [], ...more });
};
const ada = { principal: "user:ada@example.com", role };

test("grants beside those of this provider are not adopted as types of @pulumi/gcp", () => {
  const { file, leftOut } = adopted({ resources: [resource(ada)], state: [declared("a")], as: "gcp" });
  expect(file.resources).toEqual([]);
  expect(leftOut).toEqual([
    expect.stringMatching(/ada@.* is left out: the stack does not declare .* with @pulumi\/gcp alone/),
  ]);
});

test.each([
  ["projects/demo-project", "roles/owner"],
  ["projects/demo-project", "projects/demo-project/roles/custom"],
  ["organizations/42", "organizations/42/roles/custom"],
  ["folders/7", "roles/owner"],
])("a grant on %s of %s is adopted by the id that the provider writes to the state", (path, owned) => {
  const name = `//cloudresourcemanager.googleapis.com/${path}`;
  const grant = { principal: "user:ada@example.com", role: owned };
  const { file, leftOut } = adopted({
    resources: [{ ...resource(grant), resource: name, kind: "a project", api: "cloudresourcemanager" }],
  });
  expect(leftOut).toEqual([]);
  expect(file.resources).toMatchObject([
    { type: "perimeter:iam/v1:ResourceIamMember", id: `${name}/${owned}/user:ada@example.com` },
  ]);
});

test("a name that exists already in the file or the stack gets a hash, always the same", () => {
  const [dash, dot] = ["user:a-b@example.com", "user:a.b@example.com"].map((principal) => ({ principal, role }));
  const wanted = [resource(dash as ReviewedGrant, dot as ReviewedGrant, ada)];
  const names = () =>
    adopted({ resources: wanted, state: [declared("records-viewer-ada-example-com")] }).file.resources.map(
      ({ name }) => name,
    );
  expect(names()).toEqual([
    expect.stringMatching(/^records-viewer-a-b-example-com-[0-9a-f]{8}$/),
    expect.stringMatching(/^records-viewer-a-b-example-com-[0-9a-f]{8}$/),
    expect.stringMatching(/^records-viewer-ada-example-com-[0-9a-f]{8}$/),
  ]);
  expect(new Set(names()).size).toBe(3);
  expect(names()).toEqual(names());
});

test("resources of the default provider have the version and the download address of the plugin", () => {
  const inputs = { version: "1.2.3", pluginDownloadURL: "github://api.github.com/o/r" };
  const own = provider("pulumi:providers:perimeter::default_1_2_3", inputs);
  const state = [own, declared("nurses", { provider: `${own.urn}::1` })];
  const { file } = adopted({ resources: [resource(ada)], state, associations: [ASSOCIATION] });
  const entry = { version: "1.2.3", pluginDownloadUrl: "github://api.github.com/o/r" };
  expect(file).toEqual({ nameTable: {}, resources: [expect.objectContaining(entry), expect.objectContaining(entry)] });
});

test("an explicit provider is in the name table with its URN; a second one with the same name below a component gets another name", () => {
  const [own, nested] = [
    provider("pulumi:providers:perimeter::cloud"),
    provider("my:Component$pulumi:providers:perimeter::cloud"),
  ];
  const prod = declared("other", { provider: `${nested.urn}::1`, id: `${ASSOCIATION}-2` }, TYPE_OF_ASSOCIATION);
  const state = [own, nested, declared("nurses", { provider: `${own.urn}::1` }), prod];
  const { file } = adopted({ resources: [resource(ada)], state, associations: [ASSOCIATION] });
  const names = file.resources.map((each) => each.provider ?? "");
  expect(names).toEqual(["cloud", expect.stringMatching(/^cloud-[0-9a-f]{8}$/)]);
  expect(names.map((name) => file.nameTable[name])).toEqual([own.urn, nested.urn]);
});

const TYPE_OF_ASSOCIATION = "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation";

test.each([
  [{ resources: [resource(ada)] }, /^1 unmanaged grant is left out: .*npm package.* grant mode merge$/],
  [{ associations: [ASSOCIATION] }, /^1 association is left out: .*npm package.* \(docs\/fronts\.md\)$/],
  [{ resources: [resource(ada, { ...ada, role: "roles/owner" })] }, /^2 unmanaged grants are left out/],
])("one sentence says that Pulumi does not import resources of the npm package", (wanted, sentence) => {
  const state = [declared("nurses", {}, GRANT.replace("perimeter:", "pulumi-nodejs:dynamic/"))];
  const { file, leftOut } = adopted({ ...wanted, state });
  expect([file.resources, leftOut]).toEqual([[], [expect.stringMatching(sentence)]]);
});

test.each([
  [{}, /^user:ada@.* is left out: a binding of the stack owns the role .*: add the member to its `members`$/],
  [{ delete: true }, /^user:ada@.* is left out: a binding of the stack owns the role .* is to delete it$/],
])(
  "a member that others added to the role of a binding is left out, because both would undo each other",
  (more, sentence) => {
    const inputs = { name: STORE, role, members: ["group:nurses@example.com"] };
    const state = [declared("all", { inputs, ...more }, GRANT.replace("Member", "Binding"))];
    const { file, leftOut } = adopted({ resources: [resource(ada)], state });
    expect([file.resources, leftOut]).toEqual([[], [expect.stringMatching(sentence)]]);
  },
);

test("a name begins with a letter, because Pulumi generates a variable of this name", () => {
  const store = `${STORE.replace("records", "2026")}`;
  const { file } = adopted({ resources: [{ ...resource(ada), resource: store }] });
  expect(file.resources.map(({ name }) => name)).toEqual(["fhirStore-2026-viewer-ada-example-com"]);
});

test("a grant with a secret value is left out, whether the grant or the name of its resource is secret", () => {
  const secret = { ...ada, hidden: ["principal"] } as unknown as ReviewedGrant;
  expect(adopted({ resources: [resource(secret)] })).toMatchObject({
    file: { resources: [] },
    leftOut: [expect.stringContaining("the stack keeps a value of it secret")],
  });
  const hiddenName = { ...resource(ada), resource: "[secret]" };
  expect(adopted({ resources: [hiddenName] })).toMatchObject({
    file: { resources: [] },
    leftOut: [expect.stringContaining("the stack keeps a value of it secret")],
  });
});

// Ids of the state that the real provider wrote (pulumi-gcp 9.37).
test.each([
  ["gcp:projects/iAMMember:IAMMember", "acme", "//cloudresourcemanager.googleapis.com/projects/acme"],
  ["gcp:projects/iAMBinding:IAMBinding", "acme", "//cloudresourcemanager.googleapis.com/projects/acme"],
  ["gcp:organizations/iAMMember:IAMMember", "42", "//cloudresourcemanager.googleapis.com/organizations/42"],
  ["gcp:folder/iAMMember:IAMMember", "folders/77", "//cloudresourcemanager.googleapis.com/folders/77"],
  [
    "gcp:billing/accountIamMember:AccountIamMember",
    "01-6A-CD",
    "//cloudbilling.googleapis.com/billingAccounts/01-6A-CD",
  ],
  ["gcp:spanner/instanceIAMMember:InstanceIAMMember", "acme/i", "//spanner.googleapis.com/projects/acme/instances/i"],
  ["gcp:spanner/instanceIAMBinding:InstanceIAMBinding", "acme/i", "//spanner.googleapis.com/projects/acme/instances/i"],
  [
    "gcp:spanner/databaseIAMMember:DatabaseIAMMember",
    "acme/i/d",
    "//spanner.googleapis.com/projects/acme/instances/i/databases/d",
  ],
  ["gcp:storage/bucketIAMMember:BucketIAMMember", "b/files", "//storage.googleapis.com/projects/_/buckets/files"],
  ["gcp:tags/tagKeyIamMember:TagKeyIamMember", "tagKeys/123", "//cloudresourcemanager.googleapis.com/tagKeys/123"],
  [
    "gcp:cloudrunv2/serviceIamMember:ServiceIamMember",
    "projects/acme/locations/l/services/web",
    "//run.googleapis.com/projects/acme/locations/l/services/web",
  ],
  ["gcp:iap/webIamMember:WebIamMember", "projects/acme/iap_web", "//iap.googleapis.com/projects/acme/iap_web"],
])("a grant beside those of %s is imported by the name that the provider writes, %s", (type, within, name) => {
  const owned = "roles/x.owned";
  const inputs = { role: owned, member: "user:bob@example.com", members: ["user:bob@example.com"] };
  const id = `${within}/${owned}/user:bob@example.com`;
  const state = [declared("grant", { id, inputs }, type)];
  const api = /^\/\/(\w+)/.exec(name)?.[1] ?? "";
  const { file, leftOut } = adopted({ resources: [{ ...resource(ada), resource: name, api }], state, as: "gcp" });
  expect(leftOut).toEqual([]);
  expect(file.resources.map((each) => [each.type, each.id])).toEqual([
    [type.replaceAll("Binding", "Member"), `${within} ${role} ${ada.principal}`],
  ]);
});

test("the version in front of an id of Cloud Run is left out", () => {
  const name = "projects/acme/locations/l/services/web";
  const type = "gcp:cloudrun/iamMember:IamMember";
  const inputs = { role: "roles/run.invoker", member: "user:bob@example.com" };
  const state = [declared("grant", { id: `v1/${name}/roles/run.invoker/user:bob@example.com`, inputs }, type)];
  const { file } = adopted({
    resources: [{ ...resource(ada), resource: `//run.googleapis.com/${name}`, api: "run" }],
    state,
  });
  expect(file.resources.map(({ id }) => id)).toEqual([`${name} ${role} ${ada.principal}`]);
});
