/** A stack moves from the dynamic front to the plugin without anything happening to the cloud. */
import * as fs from "node:fs";
import * as path from "node:path";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { linkPackage } from "../../support/node-modules";
import { nodeSdk, pluginFolder } from "../../support/plugin";
import {
  association,
  ASSOCIATIONS,
  fhirGrant,
  FHIR_STORE,
  migrationGrant,
  PROJECT,
  type Declared,
} from "../../support/programs";
import { PackedStack } from "../dynamic/packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const REQUEST_ID = "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11";

const RESOURCES: Record<string, Declared> = {
  prod: association({ labels: { team: "network" }, requestId: REQUEST_ID }),
  edge: association({
    firewallEndpointAssociationId: "edge",
    network: `projects/${PROJECT}/global/networks/edge`,
  }),
  migration: migrationGrant(),
  records: fhirGrant({ condition: { title: "office-hours", expression: "request.time.getHours() < 19" } }),
};

let stack: PackedStack;
afterEach(() => stack?.dispose());

/** The one import of the program is another: here, the package of that name is. */
function changeImport(): void {
  const packages = path.join(stack.project.dir, "node_modules");
  fs.rmSync(path.join(packages, "pulumi-perimeter"));
  linkPackage(packages, "pulumi-perimeter", nodeSdk());
}

function opsOf(result: OperationResult): string[] {
  return result.steps
    .filter(({ type }) => type.includes("v1beta1:"))
    .map(({ op, name }) => `${op} ${name}`)
    .sort();
}

async function types(): Promise<string[]> {
  const { deployment } = await stack.project.exportState();
  return (deployment.resources ?? [])
    .map(({ type }) => type)
    .filter((type) => type !== "pulumi:pulumi:Stack")
    .sort();
}

const MOVED = [
  "perimeter:datamigration/v1beta1:MigrationJobIamMember",
  "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
  "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
  "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
  "pulumi:providers:perimeter",
];

test("a stack moves from the dynamic front by a changed import", async () => {
  stack = await PackedStack.create({ resources: RESOURCES, path: [pluginFolder()] });
  await stack.project.up();
  changeImport();
  stack.heard();
  const moved = await stack.project.up({ args: ["--diff"] });
  if (process.env.PERIMETER_TRANSCRIPTS) process.stderr.write(moved.stdout);
  expect(opsOf(moved)).toEqual(["same edge", "same migration", "same prod", "same records"]);
  expect(moved.changes).toEqual(expect.not.objectContaining({ replace: expect.anything() as unknown }));
  expect(stack.heardChanges()).toEqual([]);
  expect(await types()).toEqual(MOVED);

  // From here on it is a stack of the plugin as any other.
  expect((await stack.project.refresh()).changes).toEqual({});
  const { resources = [] } = (await stack.project.exportState()).deployment;
  const grant = resources.find(({ type }) => type === MOVED[0]);
  expect(grant?.outputs).toMatchObject({ etag: expect.stringMatching(/.+/) as string, project: PROJECT });
  const { records: _grant, edge: _link, ...rest } = RESOURCES;
  stack.declare({ ...rest, prod: association({ labels: { team: "security" }, requestId: REQUEST_ID }) });
  // Of these, and of no other.
  expect((await stack.project.up()).changes).toEqual({ update: 1, delete: 2 });
  expect(stack.heardChanges().sort()).toEqual([
    `DELETE ${ASSOCIATIONS}/edge`,
    `PATCH ${ASSOCIATIONS}/prod`,
    `POST ${FHIR_STORE}:setIamPolicy`,
  ]);
});
