/**
 * A stack that google-native made moves to the plugin, and lives on there.
 *
 * `google-native-associations.json` is what `pulumi stack export` printed of a stack that the google-native plugin itself
 * made, with the passphrase "x": ids begin with the version, and `__inputs` is a secret that holds every input.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Seed } from "../../../emulator";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { shownSecret, type StackState, type StepState } from "../../support/state";
import { nativeGrant, refreshedNativeGrant } from "../../support/google-native";
import { nodeSdk, pluginFolder } from "../../support/plugin";
import { association, fhirGrant, migrationGrant, type Declared } from "../../support/programs";
import { testInAll } from "../../support/test-all";
import { PackedStack } from "../dynamic/packed-stack";

jest.setTimeout(2 * ENGINE_TIMEOUT_MS);

const EXPORTED = path.join(__dirname, "google-native-associations.json");
const IN_B = "projects/acme/locations/europe-west1-b/firewallEndpointAssociations";
const IN_C = "projects/acme/locations/europe-west1-c/firewallEndpointAssociations";
const NETWORK = "projects/acme/global/networks/prod";

/** The program that google-native ran, with our imports. */
const PROGRAM: Record<string, Declared> = {
  assoc: association({
    firewallEndpoint: "organizations/1/locations/europe-west1-b/firewallEndpoints/e",
    firewallEndpointAssociationId: "prod",
    labels: { team: "one" },
    location: "europe-west1-b",
    network: NETWORK,
    project: "acme",
    requestId: "11111111-2222-4333-8444-555555555555",
  }),
  auto: association({
    firewallEndpoint: "organizations/1/locations/europe-west1-c/firewallEndpoints/e",
    firewallEndpointAssociationId: "auto",
    location: "europe-west1-c",
    network: NETWORK,
    tlsInspectionPolicy: "projects/acme/locations/europe-west1/tlsInspectionPolicies/t",
  }),
};

const JOB = "projects/acme/locations/europe-west1/migrationJobs/j";
const STORE = "projects/acme/locations/europe-west1/datasets/d/fhirStores/s";
const OTHERS = [{ role: "roles/owner", members: ["user:grace@example.com"] }];

const GRANTS: Record<string, Declared> = {
  kept: migrationGrant({ name: JOB }),
  forgotten: fhirGrant({ name: STORE }),
};
const POLICIES = Object.fromEntries(
  Object.values(GRANTS).map(({ args }) => [
    args.name as string,
    { bindings: [...OTHERS, { role: args.role, members: [args.member] }] },
  ]),
);

/** What google-native left in the cloud. */
const CLOUD: Seed[] = [
  ...Object.values(PROGRAM).map(({ args }): Seed => {
    const { firewallEndpointAssociationId: id, location, project: _project, requestId: _request, ...body } = args;
    const name = `projects/acme/locations/${location as string}/firewallEndpointAssociations/${id as string}`;
    return { service: "networksecurity", name, body: { ...body, state: "ACTIVE" } };
  }),
  { service: "datamigration", name: JOB, policy: POLICIES[JOB] },
  { service: "healthcare", name: STORE, policy: POLICIES[STORE] },
];

/** The export with grants beside the associations: one as made, and one that google-native refreshed since. */
function theExport(): StackState {
  const state = JSON.parse(fs.readFileSync(EXPORTED, "utf8")) as StackState;
  const { resources = [] } = state.deployment;
  const made = nativeGrant(JOB, GRANTS.kept!.args, { migrationJobId: "j" });
  const refreshed = refreshedNativeGrant(STORE, { datasetId: "d", fhirStoreId: "s" }, POLICIES[STORE]!);
  const types = ["datamigration/v1beta1:MigrationJobIamMember", "healthcare/v1beta1:DatasetFhirStoreIamMember"];
  const grants = [made, refreshed].map((native, index) => ({
    ...resources.at(-1)!,
    ...native,
    outputs: { ...native.outputs, __inputs: shownSecret(native.inputs) },
    type: `google-native:${types[index]}`,
    urn: `urn:pulumi:dev::gnmove::google-native:${types[index]}::${Object.keys(GRANTS)[index]}`,
    propertyDependencies: {},
  }));
  return { ...state, deployment: { ...state.deployment, resources: [...resources, ...grants] } };
}

let stack: PackedStack;
/** The state right after the first `up` with our SDK: it still has google-native's ids, for only a refresh changes an id. */
let moved: StackState;

/** The stack as google-native left it, and a program that declares the same with our SDK. */
beforeAll(async () => {
  stack = await PackedStack.create({
    resources: { ...PROGRAM, ...GRANTS },
    name: "gnmove",
    stack: "dev",
    path: [pluginFolder()],
    packages: { "pulumi-perimeter": nodeSdk() },
    config: { "perimeter:project": "acme" },
    env: { PULUMI_CONFIG_PASSPHRASE: "x" },
    emulator: { seed: CLOUD },
  });
  stack.project.importState(theExport());
});
afterAll(() => stack?.dispose());

/** Begins again right after the move. */
function begin(): void {
  stack.emulator.reset();
  stack.project.importState(moved);
  stack.heard();
}

async function stateOf(name: string): Promise<StepState> {
  const { deployment } = await stack.project.exportState();
  const state = deployment.resources?.find(({ urn }) => urn.endsWith(`::${name}`));
  if (!state) throw new Error(`${name} is not in the state`);
  return state;
}

async function ids(): Promise<unknown[]> {
  const { deployment } = await stack.project.exportState();
  return (deployment.resources ?? [])
    .filter(({ type }) => type.endsWith(":FirewallEndpointAssociation"))
    .map(({ id }) => id)
    .sort();
}

/** Nothing of a stack's messages and state takes a name for a secret. */
function expectPlain(...texts: string[]): void {
  for (const text of texts) expect(text).not.toContain("[secret]");
}

test("the program with our SDK changes nothing in the cloud", async () => {
  const { steps, stdout } = await stack.project.up({ args: ["--diff"] });
  // What else changes are the providers: ours comes, and google-native's leaves the state.
  expect(steps.map(({ op, type, name }) => `${op} ${type.startsWith("pulumi:") ? type : name}`).sort()).toEqual([
    "create pulumi:providers:perimeter",
    "delete pulumi:providers:google-native",
    "same assoc",
    "same auto",
    "same forgotten",
    "same kept",
    "same pulumi:pulumi:Stack",
  ]);
  expectPlain(stdout);
  expect(stack.heardChanges()).toEqual([]);
  moved = await stack.project.exportState();
});

test("moved associations and grants support update, refresh, replacement, and destroy", async () => {
  stack.declare({
    ...PROGRAM,
    ...GRANTS,
    assoc: { ...PROGRAM.assoc!, args: { ...PROGRAM.assoc!.args, labels: { team: "two" } } },
  });
  expect((await stack.project.up()).changes).toEqual({ update: 1 });
  expect(stack.heardChanges()).toEqual([`PATCH ${IN_B}/prod`]);
  expect(stack.emulator.resource(`${IN_B}/prod`)?.body).toMatchObject({ labels: { team: "two" } });

  // The first since the move: all but one are as google-native made them.
  const refreshed = await stack.project.refresh();
  expect(refreshed.changes).toEqual({});
  expect((await stateOf("auto")).outputs).toMatchObject({
    firewallEndpointAssociationId: "auto",
    location: "europe-west1-c",
    project: "acme",
    reconciling: false,
  });
  expect(await ids()).toEqual([`${IN_B}/prod`, `${IN_C}/auto`]);
  // One that google-native forgot too.
  const [kept, forgotten] = [await stateOf("kept"), await stateOf("forgotten")];
  expect([kept.id, kept.inputs]).toEqual([
    `${JOB}/roles/datamigration.admin/group:database@example.com`,
    GRANTS.kept!.args,
  ]);
  expect([forgotten.id, forgotten.inputs]).toEqual([
    `${STORE}/roles/healthcare.fhirResourceReader/group:nurses@example.com`,
    GRANTS.forgotten!.args,
  ]);

  const auto = { ...PROGRAM.auto!, args: { ...PROGRAM.auto!.args, firewallEndpointAssociationId: "other" } };
  stack.declare({ assoc: PROGRAM.assoc!, auto, ...GRANTS });
  const replaced = await stack.project.up();
  expect(replaced.changes).toEqual({ update: 1, replace: 1 });
  expect(stack.emulator.resource(`${IN_C}/auto`)).toBeUndefined();
  expect(stack.emulator.resource(`${IN_C}/other`)).toBeDefined();

  // A failure names what it is about, and the state says it to everybody who may read it.
  stack.declare({ auto, assoc: { ...PROGRAM.assoc!, args: { ...PROGRAM.assoc!.args, network: "prod" } } });
  const failed = await stack.project.preview({ fail: "yes" });
  expect(failed.stdout + failed.stderr).toContain("must be the name of a network");
  const state = JSON.stringify(await stack.project.exportState());
  expect(state).toContain(NETWORK);
  expect(state).not.toMatch(/__inputs|migrationJobId/);
  expectPlain(refreshed.stdout, replaced.stdout, failed.stdout, failed.stderr, state);

  await stack.project.destroy();
  expect(stack.emulator.resource(`${IN_B}/prod`)).toBeUndefined();
  expect(stack.emulator.resource(`${IN_C}/other`)).toBeUndefined();
  // Nobody else loses access.
  expect(stack.policy(JOB).bindings).toEqual(OTHERS);
  expect(stack.policy(STORE).bindings).toEqual(OTHERS);
});

// A program that is gone tells nothing of what it declared: of all ways to delete, the one with the least to go by.
test("destroy right after the move deletes the resources that google-native created", async () => {
  begin();
  expect((await stack.project.destroy()).changes).toEqual({ delete: 5 });
  expect(stack.emulator.resource(`${IN_B}/prod`)).toBeUndefined();
  expect(stack.emulator.resource(`${IN_C}/auto`)).toBeUndefined();
  expect([stack.policy(JOB).bindings, stack.policy(STORE).bindings]).toEqual([OTHERS, OTHERS]);
});

// The test above deletes in this state, the one before replaces. tests/lifecycle/google-native.test.ts has both without an engine.
testInAll(
  "right after the move, a replacement and deletes remove only resources that google-native created",
  async () => {
    begin();
    const auto = association({
      ...PROGRAM.auto!.args,
      location: "europe-west1-d",
      firewallEndpoint: "organizations/1/locations/europe-west1-d/firewallEndpoints/e",
    });
    stack.declare({ auto });
    expect((await stack.project.up()).changes).toEqual({ replace: 1, delete: 3 });
    expect(stack.emulator.resource(`${IN_B}/prod`)).toBeUndefined();
    expect(stack.emulator.resource(`${IN_C}/auto`)).toBeUndefined();
    expect(stack.emulator.resource(IN_C.replace("-c/", "-d/") + "/auto")).toBeDefined();
    expect([stack.policy(JOB).bindings, stack.policy(STORE).bindings]).toEqual([OTHERS, OTHERS]);
  },
);
