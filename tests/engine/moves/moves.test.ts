/** A stack moves to the plugin without anything happening to the cloud: from the dynamic front, and from google-native. */
import * as fs from "node:fs";
import * as path from "node:path";
import { ENGINE_TIMEOUT_MS, type OperationResult, type StepState } from "../../support/engine";
import { nodeSdk, pluginFolder } from "../../support/plugin";
import {
  association,
  ASSOCIATIONS,
  fhirGrant,
  migrationGrant,
  MIGRATION_JOB,
  PROJECT,
  type Declared,
} from "../../support/programs";
import { World } from "../dynamic/world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const REQUEST_ID = "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11";

const RESOURCES: Record<string, Declared> = {
  prod: association({ labels: { team: "network" }, requestId: REQUEST_ID }),
  migration: migrationGrant(),
  records: fhirGrant({ condition: { title: "office-hours", expression: "request.time.getHours() < 19" } }),
};

let world: World;
afterEach(() => world?.dispose());

/** The one import of the program is another: here, the package of that name is. */
function changeImport(): void {
  const place = path.join(world.project.dir, "node_modules/pulumi-perimeter");
  fs.rmSync(place);
  fs.symlinkSync(nodeSdk(), place, "junction");
}

function opsOf(result: OperationResult): string[] {
  return result.steps
    .filter(({ type }) => type.includes("v1beta1:"))
    .map(({ op, name }) => `${op} ${name}`)
    .sort();
}

async function types(): Promise<string[]> {
  const { deployment } = await world.project.exportState();
  return (deployment.resources ?? [])
    .map(({ type }) => type)
    .filter((type) => type !== "pulumi:pulumi:Stack")
    .sort();
}

const MOVED = [
  "perimeter:datamigration/v1beta1:MigrationJobIamMember",
  "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
  "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
  "pulumi:providers:perimeter",
];

/** What both moves must come to. */
async function moves(): Promise<void> {
  world.heard();
  const planned = await world.project.preview({ diff: true });
  if (process.env.PERIMETER_TRANSCRIPTS) process.stderr.write(planned.stdout);
  expect(opsOf(planned)).toEqual(["same migration", "same prod", "same records"]);
  expect((await world.project.up()).changes).toEqual(
    expect.not.objectContaining({ replace: expect.anything() as unknown }),
  );
  expect(world.heardChanges()).toEqual([]);
  expect(await types()).toEqual(MOVED);

  // From here on it is a stack of the plugin as any other.
  expect((await world.project.refresh()).changes).toEqual({});
  const { resources = [] } = (await world.project.exportState()).deployment;
  const grant = resources.find(({ type }) => type === MOVED[0]);
  expect(grant?.outputs).toMatchObject({ etag: expect.stringMatching(/.+/) as string, project: PROJECT });
  expect((await world.project.preview()).changes).toEqual({});
  world.declare({ ...RESOURCES, prod: association({ labels: { team: "security" }, requestId: REQUEST_ID }) });
  expect((await world.project.up()).changes).toEqual({ update: 1 });
  expect(world.heardChanges()).toEqual([`PATCH ${ASSOCIATIONS}/prod`]);
  await world.project.destroy();
  expect(world.emulator.resource(`${ASSOCIATIONS}/prod`)).toBeUndefined();
}

test("from the dynamic front, by changing the import", async () => {
  world = await World.create({ resources: RESOURCES, path: [pluginFolder()] });
  await world.project.up();
  changeImport();
  await moves();
});

test("from google-native, by its exported state", async () => {
  world = await World.create({ resources: {}, path: [pluginFolder()] });
  // What is in the cloud, google-native made.
  world.declare(RESOURCES);
  changeImport();
  await world.project.up();
  // Without another administrator, taking the grant away would be refused: nothing says that it was not always there.
  const { bindings = [] } = world.policy(MIGRATION_JOB) as { bindings?: object[] };
  const owner = { role: "roles/owner", members: ["user:grace@example.com"] };
  world.emulator.mutate(MIGRATION_JOB, { policy: { ...world.policy(MIGRATION_JOB), bindings: [...bindings, owner] } });
  const made = await world.project.exportState();
  await world.project.importState({
    ...made,
    deployment: { ...made.deployment, resources: asGoogleNative(made.deployment.resources ?? []) },
  });
  await moves();
});

const PROVIDER = "urn:pulumi:test::sample::pulumi:providers:google-native::default_0_32_0";
const PROVIDER_ID = "8d1e7e3f-93c0-4b86-9a0e-6a1ce1d1f4a2";

/** The resources as google-native 0.32 has them in a state: its types and ids, `__inputs` in outputs, nothing of ours. */
function asGoogleNative(resources: readonly StepState[]): StepState[] {
  const stack = resources.filter(({ type }) => type === "pulumi:pulumi:Stack");
  const parent = stack[0]?.urn;
  const native = (
    type: string,
    name: string,
    id: string,
    inputs: Record<string, unknown>,
    more: Record<string, unknown>,
  ) => ({
    urn: `urn:pulumi:test::sample::google-native:${type}::${name}`,
    custom: true,
    id,
    type: `google-native:${type}`,
    inputs,
    outputs: { ...inputs, ...more, __inputs: inputs },
    parent,
    provider: `${PROVIDER}::${PROVIDER_ID}`,
  });
  const { project: _, ...prod } = { project: PROJECT, ...RESOURCES.prod?.args };
  const id = `${ASSOCIATIONS}/prod`;
  const times = { createTime: "2026-01-12T09:30:00Z", updateTime: "2026-01-12T09:30:00Z" };
  const grantId = ({ name, role, member }: Record<string, unknown>) => [name, role, member].join("/");
  const [migration = {}, records = {}] = [RESOURCES.migration?.args, RESOURCES.records?.args];
  return [
    ...stack,
    {
      urn: PROVIDER,
      custom: true,
      id: PROVIDER_ID,
      type: "pulumi:providers:google-native",
      inputs: { project: PROJECT, version: "0.32.0" },
      outputs: { project: PROJECT, version: "0.32.0" },
    },
    native(
      "networksecurity/v1beta1:FirewallEndpointAssociation",
      "prod",
      id,
      { ...prod, project: PROJECT },
      {
        ...times,
        name: id,
        reconciling: false,
        state: "ACTIVE",
        tlsInspectionPolicy: "",
      },
    ),
    native("datamigration/v1beta1:MigrationJobIamMember", "migration", grantId(migration), migration, {}),
    native("healthcare/v1beta1:DatasetFhirStoreIamMember", "records", grantId(records), records, {}),
  ] as StepState[];
}
