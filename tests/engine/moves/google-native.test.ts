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
import type { OperationResult } from "../../support/engine-events";
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
/** The first `up` with our SDK, and what it changed in the cloud. */
let move: { result: OperationResult; changes: string[] };
/** The state after it: it still has google-native's ids, for only a refresh changes an id. */
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
    emulator: { seed: CLOUD },
  });
  stack.project.importState(theExport());
  // Only the export is encrypted with the passphrase. The state that this writes has the key of the tests.
  const result = await stack.project.up({ args: ["--diff"], env: { PULUMI_CONFIG_PASSPHRASE: "x" } });
  move = { result, changes: stack.heardChanges() };
  moved = await stack.project.exportState();
});
afterAll(() => stack?.dispose());

/** Begins again right after the move. */
function begin(): void {
  stack.emulator.reset();
  stack.project.importState(moved);
  stack.heard();
}

function resourceOf(state: StackState, name: string): StepState {
  const found = state.deployment.resources?.find(({ urn }) => urn.endsWith(`::${name}`));
  if (!found) throw new Error(`${name} is not in the state`);
  return found;
}

/** Nothing of a stack's messages and state takes a name for a secret. */
function expectPlain(...texts: string[]): void {
  for (const text of texts) expect(text).not.toContain("[secret]");
}

describe("the first up with our SDK", () => {
  test("replaces google-native's provider, and changes no other resource", () => {
    const steps = move.result.steps.map(({ op, type, name }) => `${op} ${type.startsWith("pulumi:") ? type : name}`);
    expect(steps.sort()).toEqual([
      "create pulumi:providers:perimeter",
      "delete pulumi:providers:google-native",
      "same assoc",
      "same auto",
      "same forgotten",
      "same kept",
      "same pulumi:pulumi:Stack",
    ]);
  });

  test("changes nothing in the cloud", () => {
    expect(move.changes).toEqual([]);
  });

  test("shows no name as a secret", () => {
    expectPlain(move.result.stdout);
  });
});

describe("the life of what was moved", () => {
  const OTHER = `${IN_C}/other`;
  let updated: OperationResult;
  let update: { changes: string[]; body: unknown };
  let refreshed: OperationResult;
  let refreshedState: StackState;
  let replaced: OperationResult;
  let replacement: Record<"before" | "after", unknown>;
  let failed: OperationResult;
  let lastState: string;

  beforeAll(async () => {
    const { project, emulator } = stack;
    begin();
    const labelled = { ...PROGRAM.assoc!, args: { ...PROGRAM.assoc!.args, labels: { team: "two" } } };
    stack.declare({ ...PROGRAM, ...GRANTS, assoc: labelled });
    updated = await project.up();
    update = { changes: stack.heardChanges(), body: emulator.resource(`${IN_B}/prod`)?.body };

    // The first since the move: all but one are as google-native made them.
    refreshed = await project.refresh();
    refreshedState = await project.exportState();

    const auto = { ...PROGRAM.auto!, args: { ...PROGRAM.auto!.args, firewallEndpointAssociationId: "other" } };
    stack.declare({ assoc: PROGRAM.assoc!, auto, ...GRANTS });
    replaced = await project.up();
    replacement = { before: emulator.resource(`${IN_C}/auto`), after: emulator.resource(OTHER) };

    stack.declare({ auto, assoc: { ...PROGRAM.assoc!, args: { ...PROGRAM.assoc!.args, network: "prod" } } });
    failed = await project.preview({ fail: "yes" });
    lastState = JSON.stringify(await project.exportState());
    await project.destroy();
  });

  test("an update changes a moved association in place", () => {
    expect(updated.changes).toEqual({ update: 1 });
    expect(update).toMatchObject({ changes: [`PATCH ${IN_B}/prod`], body: { labels: { team: "two" } } });
  });

  test("a refresh finds no drift", () => {
    expect(refreshed.changes).toEqual({});
  });

  test("a refresh gives moved associations our ids and outputs", () => {
    expect(resourceOf(refreshedState, "auto")).toMatchObject({
      id: `${IN_C}/auto`,
      outputs: {
        firewallEndpointAssociationId: "auto",
        location: "europe-west1-c",
        project: "acme",
        reconciling: false,
      },
    });
    expect(resourceOf(refreshedState, "assoc").id).toBe(`${IN_B}/prod`);
  });

  test.each([
    ["as it was made", "kept", `${JOB}/roles/datamigration.admin/group:database@example.com`],
    // google-native forgot whom it granted what.
    [
      "that google-native refreshed",
      "forgotten",
      `${STORE}/roles/healthcare.fhirResourceReader/group:nurses@example.com`,
    ],
  ])("a refresh gives a grant %s our id and the inputs of the program", (_title, name, id) => {
    expect(resourceOf(refreshedState, name)).toMatchObject({ id });
    expect(resourceOf(refreshedState, name).inputs).toEqual(GRANTS[name]?.args);
  });

  test("a replacement deletes the moved association", () => {
    expect(replaced.changes).toEqual({ update: 1, replace: 1 });
    expect(replacement).toEqual({ before: undefined, after: expect.anything() });
  });

  test("a failure names the property and what is wrong", () => {
    expect(failed.stdout + failed.stderr).toContain("must be the name of a network");
  });

  test("the state has no inputs of google-native, and names in plain text", () => {
    expect(lastState).toContain(NETWORK);
    expect(lastState).not.toMatch(/__inputs|migrationJobId/);
  });

  test("neither messages nor the state show a name as a secret", () => {
    expectPlain(refreshed.stdout, replaced.stdout, failed.stdout, failed.stderr, lastState);
  });

  test("a destroy deletes the associations", () => {
    expect(stack.emulator.resource(`${IN_B}/prod`)).toBeUndefined();
    expect(stack.emulator.resource(OTHER)).toBeUndefined();
  });

  test("a destroy removes the grants, and nobody else loses access", () => {
    expect([stack.policy(JOB).bindings, stack.policy(STORE).bindings]).toEqual([OTHERS, OTHERS]);
  });
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
