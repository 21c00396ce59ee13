/**
 * Resources of every kind that another provider deletes or replaces: a review names all who lose access with the policy, or says
 * that it is unknown.
 */
import { GCP_GRANTS } from "../../access/meaning/generated/gcp-types";
import { readPlan, type PlanStep } from "../../access/plan/plan";
import type { PlannedState } from "../../access/plan/planned-state";
import { isContainer, meaningOf, sourceOfStaying } from "../../access/meaning/meaning";
import { resourceIn } from "../../access/meaning/resource-kinds";
import { foundIn } from "../../access/rehearsal/found-in-plan";
import { variablesIn } from "../../provider/core/reference";
import { policyKinds, policyResource } from "../../provider/iam/kinds/kinds";
import { foreignStepsOf } from "../support/foreign-plans";
import { planOf, RehearsalCloud } from "../support/plans";
import { casesHere } from "../support/test-all";
import { urnOf } from "../support/tokens";

const ADA = "user:ada@example.com";
const VALUES: Readonly<Record<string, string>> = {
  project: "demo-project",
  location: "us-central1",
  region: "us-central1",
  zone: "us-central1-a",
  dataset: "projects/demo-project/locations/us-central1/datasets/clinic",
  parent: "projects/demo-project",
  featureOnlineStore: "projects/demo-project/locations/us-central1/featureOnlineStores/main",
  featurestore: "projects/demo-project/locations/us-central1/featurestores/main",
};
const filled = (template: string) =>
  template.replaceAll(/\{(\+?)(\w+)\}/g, (_match, plus: string, name: string) => {
    const value = VALUES[name] ?? name.toLowerCase();
    return plus === "" ? (value.split("/").at(-1) ?? "") : value;
  });
const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** The types whose grants have another name than the type of the resource. */
const RESOURCES: Readonly<Record<string, string>> = {
  "bigquery/": "bigquery/table",
  "cloudrun/": "cloudrun/service",
  "dns/dnsManagedZone": "dns/managedZone",
  "folder/": "organizations/folder",
  "projects/": "organizations/project",
  "serviceaccount/": "serviceaccount/account",
};

interface Case {
  type: string;
  id: string;
}

/** The resource of each row of the table, in the types of `@pulumi/gcp` and of Google's Terraform provider. */
const OF_GCP = GCP_GRANTS.trim()
  .split("\n")
  .flatMap((line): Case[] => {
    const [key = "", , template = ""] = line.split(" ");
    const [module = "", name = ""] = (RESOURCES[key] ?? key).split("/");
    if (name === "") return [];
    return [{ type: `gcp:${module}/${name}:${capitalized(name)}`, id: filled(template) }];
  });
/** Types that no row of the table has: what they make contains resources with policies, or has one. */
const WITHOUT_ROW: readonly Case[] = [
  ["logging/projectBucketConfig", "projects/demo-project/locations/global/buckets/logs"],
  ["logging/folderBucketConfig", "folders/12/locations/global/buckets/logs"],
  ["logging/organizationBucketConfig", "organizations/12/locations/global/buckets/logs"],
  ["workstations/workstationCluster", "projects/demo-project/locations/us-central1/workstationClusters/main"],
  ["apigee/organization", "organizations/demo-project"],
  ["bigquery/dataset", "projects/demo-project/datasets/sales"],
  ["vertex/aiDataset", "projects/demo-project/locations/us-central1/datasets/pictures"],
  ["dataplex/dataProduct", "projects/demo-project/locations/us-central1/dataProducts/orders"],
  ["gkeonprem/vMwareCluster", "projects/demo-project/locations/us-central1/vmwareClusters/shop"],
  ["identityplatform/tenant", "projects/demo-project/tenants/shop"],
].map(([key = "", id = ""]): Case => {
  const [module = "", name = ""] = key.split("/");
  return { type: `gcp:${module}/${name}:${capitalized(name)}`, id };
});
const BRIDGED = [
  ...OF_GCP.filter(({ type }) => /^gcp:(pubsub|storage|spanner|kms|compute|secretmanager|run)/.test(type)),
  ...WITHOUT_ROW,
].map(({ type, id }): Case => {
  const [, module = "", name = ""] = /^gcp:(\w+)\/(\w+):/.exec(type) ?? [];
  return { type: `google:index/${module}${capitalized(name)}:${capitalized(module)}${capitalized(name)}`, id };
});
const VIEWS = BRIDGED.map(({ type, id }): Case => {
  const name = (type.split(":")[2] ?? "").replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return { type: `mine:tf:google_${name}`, id };
});
/** Each resource with a policy, and each that such a resource is in. */
const NATIVE = policyKinds()
  .flatMap(({ api, path }) => {
    const parts = path.template.split("/");
    return parts.map((_part, at) => ({ api, template: parts.slice(0, at + 1).join("/") }));
  })
  .filter(({ template }) => /^\w.*\{(?!project|location|region|zone)\w+\}$/.test(template))
  .map(({ api, template }): Case => {
    return { type: `google-native:${api}/v1:${capitalized(variablesIn(template).at(-1) ?? "")}`, id: filled(template) };
  });

const stateOf = ({ type, id }: Case, at: number): PlannedState => {
  return { urn: urnOf(`it${at}`, type), type, id, inputs: {}, outputs: {} };
};

describe.each<[string, Case[], replaceHere: 1 | 2]>([
  ["@pulumi/gcp", [...OF_GCP, ...WITHOUT_ROW], 1],
  ["Google's Terraform provider", BRIDGED, 2],
  ["a view of a Terraform module", VIEWS, 1],
  ["google-native", NATIVE, 2],
])("a plan of %s", (_package, cases, replaceHere) => {
  const all = cases.map(stateOf).map((state) => ({ state, name: resourceIn(state.type, state)?.name }));
  // Two types can be one kind of resource, such as two versions of an API.
  const named = all.filter(({ name }, at) => name === undefined || all.findIndex((each) => each.name === name) === at);
  const states = named.map(({ state }) => state);
  let cloud: RehearsalCloud;
  beforeAll(async () => {
    const more = [...new Set(named.flatMap(({ name }) => name ?? []))].flatMap((name) => {
      const found = policyResource(name);
      if (typeof found === "string") return [];
      const policy = { bindings: [{ role: "roles/viewer", members: [ADA] }] };
      const body = found.path.includes("/fhirStores/") ? { body: { version: "R4" } } : {};
      return [{ service: found.kind.api, name: found.path, policy, ...body }];
    });
    cloud = await RehearsalCloud.start({ more });
  });
  afterAll(() => cloud.stop());

  test("names each of its resources by the id in the state", () => {
    expect(named.filter(({ name }) => name === undefined).map(({ state }) => [state.type, state.id])).toEqual([]);
  });

  const steps: [op: string, of: (state: PlannedState) => Partial<PlanStep>][] = [
    ["delete", (old) => ({ old })],
    ["replace", (old) => ({ old: { ...old, delete: true }, new: { ...old, id: "" } })],
    ["replace", (old) => ({ old: { ...old, pendingReplacement: true }, new: { ...old, id: "" } })],
  ];
  const here = casesHere(
    steps,
    (_, index) => index === 0 || index === replaceHere,
    ([op]) => `that does ${op} them`,
  );

  test.each(here)("that does %s them names who loses access, or says that it is unknown", async (op, of) => {
    const steps = states.map((state) => ({ op, urn: state.urn, type: state.type, ...of(state) }));
    const plan = planOf(steps);
    const { resources, unknown, notes } = await cloud.rehearse(plan);
    const answered = new Set([
      ...resources.flatMap((each) => each.changes.flatMap((change) => (change.change === "lost" ? change.steps : []))),
      ...[...resources.flatMap((each) => each.unknown), ...unknown].map(({ step }) => step),
      // What decides about access beside policies.
      ...foreignStepsOf(plan).map(({ step }) => step.urn),
    ]);
    const stays = ({ type, inputs }: PlannedState) => sourceOfStaying(meaningOf(type), inputs) !== undefined;
    expect(states.filter((each) => !answered.has(each.urn) && !stays(each)).map(({ type }) => type)).toEqual([]);
    expect(states.filter((each) => answered.has(each.urn) && stays(each)).map(({ type }) => type)).toEqual([]);
    expect(notes.filter((note) => note.includes("stays in the cloud")).length).toBe(states.filter(stays).length);
  });
});

test.each([
  "gcp:kms/keyRing:KeyRing",
  "gcp:kms/cryptoKey:CryptoKey",
  "gcp:kms/keyRingImportJob:KeyRingImportJob",
  "gcp:kms/ekmConnection:EkmConnection",
  "gcp:billing/subAccount:SubAccount",
  "google:index/kmsKeyRing:KmsKeyRing",
  "google-beta:index/kmsCryptoKey:KmsCryptoKey",
  "mine:tf:google_kms_key_ring",
  "mine:tf:google_billing_subaccount",
  "google-native:cloudkms/v1:KeyRing",
  "google-native:cloudkms/v1:CryptoKey",
  "google-native:cloudbilling/v1:BillingAccount",
])("the provider of %s only removes it from the state", (type) => {
  expect(sourceOfStaying(meaningOf(type), {})).toMatch(/^https:/);
});

test.each([
  "gcp:logging/projectBucketConfig:ProjectBucketConfig",
  "gcp:logging/billingAccountBucketConfig:BillingAccountBucketConfig",
  "google:index/loggingFolderBucketConfig:LoggingFolderBucketConfig",
  "mine:tf:google_logging_organization_bucket_config",
])("the delete of a log bucket of Google's own leaves it in the cloud: %s", (type) => {
  const source = (bucketId: string) => sourceOfStaying(meaningOf(type), { bucketId });
  expect(["_Default", "_Required", "mine"].map(source)).toEqual([expect.any(String), expect.any(String), undefined]);
});

const CONTAINERS = [
  ...["ProjectBucketConfig", "FolderBucketConfig", "OrganizationBucketConfig", "BillingAccountBucketConfig"].map(
    (name) => ["logging", name] as const,
  ),
  ["workstations", "WorkstationCluster"] as const,
  ["datafusion", "Instance", "data_fusion_instance"] as const,
  ["apigee", "Organization"] as const,
  ["managedkafka", "Cluster", "managed_kafka_cluster"] as const,
  ["sql", "DatabaseInstance"] as const,
  ["alloydb", "Cluster"] as const,
  ["firestore", "Database"] as const,
  ["gkehub", "Scope", "gke_hub_scope"] as const,
  ["deploymentmanager", "Deployment", "deployment_manager_deployment"] as const,
].flatMap(([module, name, ofTerraform]) => {
  const own = name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  const view = `mine:tf:google_${ofTerraform ?? `${module}_${own}`}`;
  return [`gcp:${module}/x:${name}`, view];
});

describe("what is deleted with a container", () => {
  let cloud: RehearsalCloud;
  beforeAll(async () => {
    cloud = await RehearsalCloud.start({});
  });
  afterAll(() => cloud.stop());

  test.each([
    ...CONTAINERS,
    "google-native:logging/v2:BillingAccountBucket",
    "google-native:logging/v2:FolderBucket",
    "google-native:sqladmin/v1:Instance",
    "google-native:deploymentmanager/v2:Deployment",
    ...["pubsub:PubSubTopic", "storage:StorageBucket", "bigquery:BigQueryDataset", "resourcemanager:Project"].map(
      (each) => `kubernetes:${each.replace(":", ".cnrm.cloud.google.com/v1beta1:")}`,
    ),
  ])("of the type %s without a name is unknown", async (type) => {
    const old: PlannedState = { urn: urnOf("it", type), type, inputs: { location: "global" }, outputs: {} };
    for (const next of [undefined, { ...old, id: "" }]) {
      const op = next ? "replace" : "delete";
      const plan = planOf([{ op, urn: old.urn, type, old, ...(next && { new: next }) }]);
      const { unknown } = await cloud.rehearse(plan);
      expect(unknown.map(({ code, step }) => [code, step])).toEqual([["deleted resource", old.urn]]);
    }
  });
});

test.each(["gcp:deploymentmanager/x:Deployment", "mine:tf:google_deployment_manager_deployment"])(
  "what is in %s stays with the policy ABANDON",
  (type) => {
    const kept = ["ABANDON", "DELETE", undefined].map((deletePolicy) => isContainer(type, { deletePolicy }));
    expect(kept).toEqual([false, true, true]);
  },
);

describe("a policy of Identity-Aware Proxy", () => {
  const PLACES = "projects/demo-project";
  const CASES = [
    ["gcp:compute/backendService:BackendService", "global/backendServices/web", "iap_web/compute/services/web"],
    [
      "google:index/computeBackendService:ComputeBackendService",
      "global/backendServices/a",
      "iap_web/compute/services/a",
    ],
    ["mine:tf:google_compute_backend_service", "global/backendServices/b", "iap_web/compute/services/b"],
    ["google-native:compute/v1:BackendService", "global/backendServices/c", "iap_web/compute/services/c"],
    [
      "gcp:compute/regionBackendService:RegionBackendService",
      "regions/us-central1/backendServices/web",
      "iap_web/compute-us-central1/services/web",
    ],
    [
      "gcp:compute/instance:Instance",
      "zones/us-central1-a/instances/vm",
      "iap_tunnel/zones/us-central1-a/instances/vm",
    ],
    [
      "google-native:compute/v1:Instance",
      "zones/us-central1-a/instances/vm2",
      "iap_tunnel/zones/us-central1-a/instances/vm2",
    ],
    [
      "gcp:cloudrunv2/service:Service",
      "locations/us-central1/services/web",
      "iap_web/cloud_run-us-central1/services/web",
    ],
    [
      "gcp:appengine/standardAppVersion:StandardAppVersion",
      "apps/demo-project/services/shop/versions/v1",
      "iap_web/appengine-demo-project/services/shop/versions/v1",
    ],
  ] as const;
  let cloud: RehearsalCloud;
  beforeAll(async () => {
    const policy = { bindings: [{ role: "roles/iap.httpsResourceAccessor", members: [ADA] }] };
    cloud = await RehearsalCloud.start({
      more: CASES.map(([, , name]) => ({ service: "iap", name: `${PLACES}/${name}`, policy })),
    });
  });
  afterAll(() => cloud.stop());

  test.each(CASES)("is deleted with its resource of the type %s, %s", async (type, id, policy) => {
    const inputs = { project: "demo-project", service: "shop", versionId: "v1" };
    const name = type.includes("appengine") ? id : `${PLACES}/${id}`;
    const old: PlannedState = { urn: urnOf("it", type), type, id: name, inputs, outputs: {} };
    for (const next of [undefined, { ...old, id: "" }]) {
      const op = next ? "replace" : "delete";
      const { resources } = await cloud.rehearse(planOf([{ op, urn: old.urn, type, old, ...(next && { new: next }) }]));
      const lost = resources.filter(({ changes }) => changes.length > 0).map(({ resource }) => resource);
      expect(lost.map((each) => each.replace("//iap.googleapis.com/", ""))).toEqual([`${PLACES}/${policy}`]);
    }
  });
});

const NATIVE_UNIFORM = { iamConfiguration: { uniformBucketLevelAccess: { enabled: true } } };
const LIST = "and with it its access list and all that is in it";
const CONTENT = "and all in it with it";

describe("the delete of a bucket", () => {
  let cloud: RehearsalCloud;
  beforeAll(async () => {
    const policy = { bindings: [{ role: "roles/storage.admin", members: [ADA] }] };
    cloud = await RehearsalCloud.start({ more: [{ service: "storage", name: "b/files", policy }] });
  });
  afterAll(() => cloud.stop());

  test.each<[type: string, outputs: object, doubt: string | undefined]>([
    ["gcp:storage/bucket:Bucket", { uniformBucketLevelAccess: true }, undefined],
    ["gcp:storage/bucket:Bucket", { uniformBucketLevelAccess: true, forceDestroy: true }, CONTENT],
    ["gcp:storage/bucket:Bucket", { uniformBucketLevelAccess: false }, LIST],
    ["gcp:storage/bucket:Bucket", {}, LIST],
    ["google:index/storageBucket:StorageBucket", { uniformBucketLevelAccess: true }, undefined],
    ["google:index/storageBucket:StorageBucket", {}, LIST],
    ["mine:tf:google_storage_bucket", { uniformBucketLevelAccess: true }, undefined],
    ["mine:tf:google_storage_bucket", {}, LIST],
    ["google-native:storage/v1:Bucket", NATIVE_UNIFORM, undefined],
    ["google-native:storage/v1:Bucket", { iamConfiguration: {} }, LIST],
  ])("of the type %s with %p names who loses access, and doubts what it does not read: %s", async (type, of, doubt) => {
    const old: PlannedState = {
      urn: urnOf("it", type),
      type,
      id: "files",
      inputs: { name: "files" },
      outputs: { ...of },
    };
    for (const op of ["delete", "replace"]) {
      const more = op === "replace" ? { new: { ...old, id: "" } } : {};
      const { resources, unknown } = await cloud.rehearse(planOf([{ op, urn: old.urn, type, old, ...more }]));
      expect(resources.flatMap(({ changes }) => changes)).toMatchObject([{ change: "lost", principal: ADA }]);
      expect(unknown.map(({ message }) => message)).toEqual(
        doubt === undefined ? [] : [expect.stringContaining(`it, ${doubt}`)],
      );
    }
  });
});

describe("a rule about other providers and the resource that a step deletes", () => {
  let cloud: RehearsalCloud;
  beforeAll(async () => {
    cloud = await RehearsalCloud.start({});
    const policy = { bindings: [{ role: "roles/pubsub.viewer", members: [ADA] }] };
    cloud.emulator.seed([{ service: "pubsub", name: "projects/demo-project/topics/orders", policy }]);
  });
  afterAll(() => cloud.stop());

  const TOPIC = { name: "orders", project: "demo-project" };
  const ENTRY = { bucket: "files", role: "READER", entity: "allUsers" };
  test.each<[string, object, string[]]>([
    ["gcp:pubsub/topic:Topic", TOPIC, ["other provider"]],
    ["google:index/pubsubTopic:PubsubTopic", TOPIC, ["other provider"]],
    ["google-native:pubsub/v1:Topic", TOPIC, ["other provider"]],
    ["mine:tf:google_pubsub_topic", TOPIC, ["other provider"]],
    ["gcp:storage/bucketAccessControl:BucketAccessControl", ENTRY, []],
  ])("%s is unknown beside its losses, if the inputs do not say all that it does", async (type, inputs, expected) => {
    const urn = urnOf("it", type);
    const old = { urn, type, custom: true, id: "projects/demo-project/topics/orders", inputs, outputs: {} };
    const text = JSON.stringify({ config: {}, steps: [{ op: "delete", urn, oldState: old }], changeSummary: {} });
    const state = JSON.stringify({ deployment: { resources: [old] } });
    const said = async (verdict: "unknown" | "fail") => {
      const options = {
        environment: { ...cloud.emulator.env },
        inherited: false,
        state,
        verdictOn: () => verdict,
      };
      const { found } = await foundIn(readPlan(text, "update"), options);
      expect(found.resources.flatMap(({ changes }) => changes.map(({ change }) => change))).toEqual(["lost"]);
      return found.unknown.map(({ code }) => code);
    };
    expect(await said("unknown")).toEqual(expected);
    // The rule forbids the loss.
    expect(await said("fail")).toEqual([]);
  });
});
