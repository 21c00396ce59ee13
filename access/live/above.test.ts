import { answerWith, onlyStack, type OneStack } from "../../tests/support/answers";
import { startEmulator, type Emulator } from "../../emulator";
import type { Environment } from "../../provider/core/environment";
import { resourceNamed } from "../meaning/grant-kinds";
import { access, terminalText, markdownText, htmlPage } from "..";
import { leftAbove } from "../changes/differences";
import { AccessPolicies, type LiveReads } from "./access-policies";
import { cloudsOfEnvironment } from "./clouds";
import { Hierarchy } from "./hierarchy";
import { PoliciesAbove } from "./policies-above";
import { reviewedResources } from "./reviewed-resource";
import { HiddenValues } from "../plan/hidden-values";
import { permissionsGiveAccess, roleGivesAccess } from "./roles";

const WIDE = { width: 200, color: false };
const AT = "projects/p/locations/l";
const STORE = `${AT}/datasets/clinic/fhirStores/records`;
const TRIGGER = `${AT}/triggers/orders`;

const policy = (...grants: Array<[role: string, member: string]>) => ({
  bindings: grants.map(([role, member]) => ({ role, members: [member] })),
});
const SEED = [
  { service: "healthcare", name: STORE, policy: policy(["roles/healthcare.fhirStoreViewer", "user:ada@example.com"]) },
  {
    service: "healthcare",
    name: `${AT}/datasets/clinic`,
    policy: policy(
      ["roles/healthcare.fhirResourceReader", "group:ward@example.com"],
      ["roles/healthcare.dicomViewer", "user:dicom@example.com"],
    ),
  },
  { service: "eventarc", name: TRIGGER },
  {
    service: "cloudresourcemanager",
    name: "projects/p",
    body: { parent: "folders/7" },
    policy: policy(
      ["roles/viewer", "user:Ada@example.com"],
      ["roles/eventarc.viewer", "user:events@example.com"],
      ["roles/storage.admin", "user:buckets@example.com"],
      ["projects/p/roles/auditor", "user:auditor@example.com"],
      ["projects/p/roles/clerk", "user:clerk@example.com"],
    ),
  },
  { service: "cloudresourcemanager", name: "folders/7", body: { parent: "organizations/1" } },
  {
    service: "cloudresourcemanager",
    name: "organizations/1",
    policy: policy(["roles/iam.securityAdmin", "group:security@example.com"]),
  },
  { service: "iam", name: "projects/p/roles/auditor", body: { includedPermissions: ["healthcare.fhirStores.get"] } },
  { service: "iam", name: "projects/p/roles/clerk", body: { includedPermissions: ["eventarc.triggers.get"] } },
];

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ seed: SEED });
});
afterEach(() => emulator.stop());

const look = async (resources: string[], { earlier, ...more }: { earlier?: OneStack; inherited?: boolean } = {}) => {
  const then = earlier && { earlier: answerWith(earlier) };
  return onlyStack(await access({ resources, environment: emulator.env, ...then, ...more }));
};
const fromAbove = ({ resources }: OneStack, index = 0) =>
  resources[index]?.inherited?.map(({ principal, role, from }) => `${principal} ${role} ${from}`);

test("lists who has access from the dataset, the project, the folder and the organization", async () => {
  const result = await look([STORE, TRIGGER]);
  expect(fromAbove(result)).toEqual([
    "group:ward@example.com roles/healthcare.fhirResourceReader dataset clinic",
    "user:Ada@example.com roles/viewer project p",
    "user:auditor@example.com projects/p/roles/auditor project p",
    "group:security@example.com roles/iam.securityAdmin organization 1",
  ]);
  expect(fromAbove(result, 1)).toEqual([
    "user:Ada@example.com roles/viewer project p",
    "user:events@example.com roles/eventarc.viewer project p",
    "user:clerk@example.com projects/p/roles/clerk project p",
    "group:security@example.com roles/iam.securityAdmin organization 1",
  ]);
  expect(result.verdict.exitCode).toBe(0);
});

test.each([
  ["a key ring", "cloudkms", `${AT}/keyRings/main/cryptoKeys/disk`, `${AT}/keyRings/main`, "key ring main"],
  ["an instance", "spanner", "projects/p/instances/i/databases/d", "projects/p/instances/i", "instance i"],
  ["a bucket", "storage", "b/files/managedFolders/f", "b/files", "bucket files"],
])("lists who has access from %s", async (_what, service, name, container, label) => {
  const at = (path: string) => `//${service}.googleapis.com/${path.replace(/^b\//, "projects/_/buckets/")}`;
  // The emulator has what contains a seeded resource.
  emulator.seed([{ service, name, policy: policy(["roles/viewer", "user:eve@example.com"]) }]);
  expect((await look([at(name)])).resources[0]?.unreadAbove ?? []).not.toContain(label);
  emulator.seed([{ service, name: container, policy: policy(["roles/owner", "group:ward@example.com"]) }]);
  expect(fromAbove(await look([at(name)]))).toContainEqual(`group:ward@example.com roles/owner ${label}`);
});

test("reads the project of a bucket from the bucket", async () => {
  const bucket = (name: string) => `//storage.googleapis.com/projects/_/buckets/${name}`;
  const readPolicies = () =>
    emulator.requests().filter(({ id }) => id === "cloudresourcemanager.projects.getIamPolicy");
  emulator.configure({ projectNumbers: { "123": "p" } });
  for (const name of ["files", "logs"]) {
    emulator.seed([{ service: "storage", name: `b/${name}`, body: { projectNumber: "123" } }]);
  }
  emulator.seed([{ service: "storage", name: "b/nowhere" }]);
  const result = await look([bucket("files"), bucket("logs"), bucket("nowhere"), STORE]);
  const admin = "user:buckets@example.com roles/storage.admin project p";
  for (const index of [0, 1]) expect(fromAbove(result, index)).toContainEqual(admin);
  expect(readPolicies()).toHaveLength(1);
  expect(result.resources[2]?.unreadAbove).toEqual(["project"]);
  expect(result.notes).toContainEqual(
    expect.stringMatching(/above b\/nowhere were not read: neither its name nor its API/),
  );

  emulator.configure({ deny: ["storage.buckets.get"] });
  const { notes } = await look([bucket("files")]);
  expect(notes).toContainEqual(
    expect.stringMatching(/above b\/files were not read: .*could not be read: .*storage.buckets.get/),
  );
});

test("reads each policy and role above once for all resources, and writes nothing", async () => {
  const stores = Array.from({ length: 20 }, (_, index) => `${AT}/datasets/clinic/fhirStores/s${index}`);
  emulator.seed(stores.map((name) => ({ service: "healthcare", name })));
  emulator.clearRequests();
  await look(stores);
  const sent = emulator.requests().map(({ id, path }) => `${id} ${path}`);
  expect(new Set(sent).size).toBe(sent.length);
  const policies = sent.filter((each) => each.includes("getIamPolicy"));
  // The stores, the dataset, the project, the folder and the organization.
  expect(policies).toHaveLength(20 + 4);
  expect(sent.filter((each) => each.includes("roles.get"))).toHaveLength(2);
  expect(sent.filter((each) => each.includes("setIamPolicy"))).toEqual([]);
});

test.each([
  ["a project", "//cloudresourcemanager.googleapis.com/projects/p"],
  ["a folder", "//cloudresourcemanager.googleapis.com/folders/7"],
  ["a dataset", `//healthcare.googleapis.com/${AT}/datasets/clinic`],
])("the policy of %s that is looked at itself is read once, also above what is in it", async (_what, name) => {
  const { resources } = await look([STORE, name]);
  expect(resources).toHaveLength(2);
  const sent = emulator.requests().map(({ id, path }) => `${id} ${path}`);
  expect(sent.filter((each) => sent.indexOf(each) !== sent.lastIndexOf(each))).toEqual([]);
});

test("it is unknown who keeps access to a project if nothing says what is above it", async () => {
  const name = "//cloudresourcemanager.googleapis.com/projects/p";
  const earlier = await look([name]);
  emulator.mutate("projects/p", { policy: { bindings: [] } });
  emulator.configure({ deny: ["resourcemanager.projects.get"] });
  const result = await look([], { earlier });
  expect(result.resources[0]?.unreadAbove).toEqual(["what is above project p"]);
  expect(result.summary.noAccessLeft).toBe(0);
  expect(result.resources[0]?.accessLeftUnknown).toContain("user:events@example.com");
});

test("several stacks share what they read, and another stack's credentials are tried where those of one failed", async () => {
  const live: LiveReads = new Map();
  const readAbove = async (environment: Environment) => {
    const clouds = cloudsOfEnvironment(environment);
    const policies = new AccessPolicies(clouds, { live });
    const read = await policies.read([STORE, TRIGGER].map((name) => ({ cloud: clouds.of(), ...resourceNamed(name) })));
    return new PoliciesAbove(new Hierarchy(policies)).of(read);
  };
  emulator.configure({ deny: ["resourcemanager.folders.get"] });
  const [first] = await readAbove(emulator.env);
  expect(first?.unread).toEqual(["what is above folder 7"]);
  emulator.configure({ deny: [] });
  emulator.clearRequests();
  const [store, trigger] = await readAbove(emulator.env);
  expect([store?.unread, trigger?.unread]).toEqual([[], []]);
  expect(store?.grants.map(({ from }) => from)).toContain("organization 1");
  // What the first stack could not read, and what is above that.
  expect(emulator.requests().map(({ id }) => id?.split(".").slice(1).join("."))).toEqual([
    "folders.get",
    "organizations.getIamPolicy",
  ]);
});

test("a secret member of the stack is not shown in what is inherited either", async () => {
  const clouds = cloudsOfEnvironment(emulator.env);
  const policies = new AccessPolicies(clouds);
  const names = [STORE, "//cloudresourcemanager.googleapis.com/projects/p"];
  const [store, project] = await policies.read(names.map((name) => ({ cloud: clouds.of(), ...resourceNamed(name) })));
  if (!store || !project) throw new Error("not read");
  project.has({ grants: [{ role: "roles/viewer", member: "[secret]" }], hidden: new Map([["member", "secret"]]) });
  const above = new PoliciesAbove(new Hierarchy(policies));
  const all = await reviewedResources([store, project], HiddenValues.none(), above);
  expect(all.map(({ inherited, before }) => JSON.stringify([inherited, before]).includes("Ada@"))).toEqual([
    false,
    false,
  ]);
  expect(all[0]?.inherited).toContainEqual({
    principal: "user:[secret]",
    role: "roles/viewer",
    from: "project p",
    hidden: "secret",
  });
});

test("without the policies above, it reads none of them and reports this", async () => {
  const { resources, notes } = await look([STORE], { inherited: false });
  expect(resources[0]?.inherited).toBeUndefined();
  expect(notes.join()).toContain("Only direct grants are shown");
  expect(emulator.requests().some(({ id }) => id?.startsWith("cloudresourcemanager"))).toBe(false);
});

test("an unreadable policy above is reported once, and does not change the exit code", async () => {
  emulator.configure({ deny: ["resourcemanager.projects.getIamPolicy", "resourcemanager.projects.get"] });
  const { notes, resources, verdict } = await look([STORE, TRIGGER]);
  const said = notes.filter((note) => note.includes("could not be read"));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^The policy of project p and what is above it could not be read: .*PERMISSION_DENIED/);
  expect(resources.map((each) => each.unreadAbove)).toEqual([
    ["project p", "what is above project p"],
    ["project p", "what is above project p"],
  ]);
  expect(verdict.exitCode).toBe(0);
});

describe("a principal that loses its last direct grant", () => {
  const afterLoss = async () => {
    const earlier = await look([STORE]);
    emulator.mutate(STORE, { policy: { bindings: [] } });
    return look([], { earlier });
  };

  test("keeps access through a grant from above", async () => {
    const result = await afterLoss();
    expect(result).toMatchObject({ summary: { lost: 1, noAccessLeft: 0 }, verdict: { exitCode: 2 } });
    for (const text of [
      terminalText(answerWith(result), WIDE),
      markdownText(answerWith(result)),
      htmlPage(answerWith(result)),
    ]) {
      expect(text).not.toContain("no access left");
      expect(text.replaceAll("`", "")).toContain("keeps roles/viewer from project p");
    }
  });

  test("has no access left without a grant from above", async () => {
    emulator.mutate("projects/p", { policy: { bindings: [] } });
    const result = await afterLoss();
    expect(result).toMatchObject({ summary: { noAccessLeft: 1 } });
    expect(terminalText(answerWith(result), WIDE)).toContain("no access left");
  });

  test("has unknown access if the policy of the project cannot be read", async () => {
    emulator.mutate("projects/p", { policy: { bindings: [] } });
    emulator.configure({ deny: ["resourcemanager.projects.getIamPolicy"] });
    const result = await afterLoss();
    expect(result).toMatchObject({ summary: { noAccessLeft: 0 }, verdict: { exitCode: 2 } });
    expect(result.resources[0]?.accessLeftUnknown).toEqual(["user:ada@example.com"]);
    expect(terminalText(answerWith(result), WIDE)).toContain("unknown whether it keeps access from above");
  });
});

test("each text form shows the grants from above with their resource, the nearest first", async () => {
  const result = await look([STORE]);
  const origins = ["dataset clinic", "project p", "organization 1"];
  for (const text of [
    terminalText(answerWith(result), WIDE),
    markdownText(answerWith(result)),
    htmlPage(answerWith(result)),
  ]) {
    expect(text).toContain("group:ward@example.com");
    const places = origins.map((origin) => text.indexOf(origin));
    expect(Math.min(...places)).toBeGreaterThan(-1);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  }
});

test("sends no request to Google about projects of another cloud", async () => {
  const environment = { GOOGLE_HEALTHCARE_CUSTOM_ENDPOINT: `${emulator.url}/v1beta1/` };
  const { notes, resources } = onlyStack(await access({ resources: [STORE], environment }));
  expect(notes.join()).toContain("were not read");
  expect(resources[0]).toMatchObject({ unknown: [], unreadAbove: ["project"] });
  expect(fromAbove({ resources } as OneStack)).toHaveLength(1);
});

describe("roles that give access from above", () => {
  const { above } = resourceNamed(STORE).kind;

  test.each([
    ["roles/owner", true],
    ["roles/reader", true],
    ["roles/iam.securityAdmin", true],
    ["roles/healthcare.fhirStoreAdmin", true],
    ["roles/healthcare.datasetAdmin", true],
    ["roles/healthcare.datasetViewer", false],
    ["roles/healthcare.dicomStoreAdmin", false],
    ["roles/eventarc.admin", false],
    ["organizations/1/roles/auditor", "unknown"],
  ])("%s: %s", (role, expected) => expect(roleGivesAccess(role, above)).toBe(expected));

  test("a custom role counts if it has permissions on the store or on its contents", () => {
    expect(permissionsGiveAccess(["healthcare.fhirResources.get"], above)).toBe(true);
    expect(permissionsGiveAccess(["healthcare.datasets.get", "healthcare.fhirStoresX.get"], above)).toBe(false);
  });
});

describe("roles that give access from above to a kind without types of its own", () => {
  const TOPIC = "//pubsub.googleapis.com/projects/p/topics/orders";
  const aboveOf = (name: string) => resourceNamed(name).kind.above;

  test.each<[resource: string, permissions: string[], expected: boolean]>([
    [TOPIC, ["pubsub.topics.publish"], true],
    [TOPIC, ["pubsub.subscriptions.consume", "pubsub.topics.attachSubscription"], true],
    [TOPIC, ["pubsub.subscriptions.consume", "pubsub.snapshots.seek", "resourcemanager.projects.get"], false],
    // What a secret contains has no policy, so the table of kinds does not have it.
    ["//secretmanager.googleapis.com/projects/p/secrets/s", ["secretmanager.versions.access"], true],
    ["//storage.googleapis.com/projects/_/buckets/b", ["storage.objects.get"], true],
    ["//storage.googleapis.com/projects/_/buckets/b/objects/o", ["storage.buckets.get"], false],
    [
      "//cloudkms.googleapis.com/projects/p/locations/l/keyRings/r/cryptoKeys/k",
      ["cloudkms.cryptoKeyVersions.useToDecrypt"],
      true,
    ],
    [
      "//cloudkms.googleapis.com/projects/p/locations/l/keyRings/r/cryptoKeys/k",
      ["cloudkms.keyRings.get", "cloudkms.importJobs.get"],
      false,
    ],
  ])("%s: %j", (resource, permissions, expected) => {
    expect(permissionsGiveAccess(permissions, aboveOf(resource))).toBe(expected);
  });

  test.each([
    ["roles/pubsub.subscriber", "unknown"],
    ["roles/viewer", true],
    ["roles/storage.admin", false],
  ])("%s: %s", (role, expected) => expect(roleGivesAccess(role, aboveOf(TOPIC))).toBe(expected));

  test("a predefined role counts by its permissions, each read once; one that cannot be read counts, and a note says so", async () => {
    emulator.seed([
      { service: "pubsub", name: "projects/q/topics/orders" },
      { service: "pubsub", name: "projects/q/topics/returns" },
      {
        service: "cloudresourcemanager",
        name: "projects/q",
        policy: policy(
          ["roles/pubsub.subscriber", "user:subscriber@example.com"],
          ["roles/pubsub.publisher", "user:publisher@example.com"],
          ["roles/pubsub.admin", "user:admin@example.com"],
        ),
      },
      { service: "iam", name: "roles/pubsub.subscriber", body: { includedPermissions: ["pubsub.subscriptions.get"] } },
      { service: "iam", name: "roles/pubsub.publisher", body: { includedPermissions: ["pubsub.topics.publish"] } },
    ]);
    const names = ["orders", "returns"].map((each) => `//pubsub.googleapis.com/projects/q/topics/${each}`);
    const result = await look(names);
    expect(fromAbove(result)).toEqual([
      "user:publisher@example.com roles/pubsub.publisher project q",
      "user:admin@example.com roles/pubsub.admin project q",
    ]);
    expect(result.notes.filter((each) => each.includes("roles/"))).toEqual([
      expect.stringMatching(
        /^The permissions of the role roles\/pubsub\.admin could not be read, so it counts as a role that gives access: /,
      ),
    ]);
    const read = emulator.requests().filter(({ path }) => path.includes("/roles/pubsub."));
    expect(read).toHaveLength(3);
  });
});

test("with a public grant above, every principal keeps access", () => {
  const principals = ["user:ada@example.com"];
  expect(leftAbove(principals, { grants: [{ member: "allUsers" }], unread: ["project p"] })).toEqual({
    none: [],
    unknown: [],
  });
});

test("a grant above under a condition may give access or not", () => {
  const principals = ["user:ada@example.com", "user:grace@example.com"];
  const condition = { title: "night", expression: "request.time.getHours() < 6" };
  const grants = [{ member: "user:ada@example.com", condition }];
  expect(leftAbove(principals, { grants, unread: [] })).toEqual({
    none: ["user:grace@example.com"],
    unknown: ["user:ada@example.com"],
  });
});

const ORDERS = "//pubsub.googleapis.com/projects/demo-project/topics/orders";
const DEMO = "//cloudresourcemanager.googleapis.com/projects/demo-project";
const numbered = (name: string) => name.replace("demo-project", "415");

test.each([
  ["projects/demo-project/*", numbered(ORDERS), 2, 3],
  ["projects/demo-project/topics/orders", numbered(ORDERS), 2, 3],
  [numbered("projects/demo-project/topics/*"), ORDERS, 2, 3],
  ["projects/other-project/*", numbered(ORDERS), 0, 3],
  ["projects/demo-project/topics/others", numbered(ORDERS), 0, 0],
  ["projects/415", DEMO, 2, 3],
  ["projects/demo-project", numbered(DEMO), 2, 3],
])("a rule about %s, and %s: %d if the project was read, and %d if not", async (pattern, name, read, notRead) => {
  const bindings = [{ role: "roles/editor", members: ["user:eve@example.com"] }];
  const cloud = await startEmulator({
    projectNumbers: { "415": "demo-project" },
    seed: [
      { service: "pubsub", name: "projects/demo-project/topics/orders", policy: { bindings } },
      { service: "cloudresourcemanager", name: "projects/demo-project", policy: { bindings } },
    ],
  });
  const rule = { roles: ["roles/editor"], resources: [pattern], alsoExisting: true, reason: "because" };
  const rules = { policy: { version: 1 as const, forbiddenRoles: [rule] } };
  const look = async (inherited: boolean) =>
    onlyStack(await access({ resources: [name], environment: cloud.env, rules, inherited }));
  try {
    expect((await look(true)).resources[0]?.project).toEqual({ id: "demo-project", number: "415" });
    expect((await look(true)).verdict.exitCode).toBe(read);
    expect((await look(false)).verdict.exitCode).toBe(notRead);
  } finally {
    await cloud.stop();
  }
});
