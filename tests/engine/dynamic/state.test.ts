/** What the dynamic front leaves in the state: a constant for each type, no configuration, and secrets as secrets. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { StackState } from "../../support/state";
import { association, declaring, fhirGrant, migrationGrant, PROJECT } from "../../support/programs";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let stack: PackedStack;
afterEach(() => stack?.dispose());

/** Byte for byte: another text in a later release would show every resource as changed. */
const TEXTS = {
  prod: 'exports.handler=()=>require("pulumi-perimeter/backend").backend("networksecurity/v1beta1:FirewallEndpointAssociation")',
  migration:
    'exports.handler=()=>require("pulumi-perimeter/backend").backend("datamigration/v1beta1:MigrationJobIamMember")',
  records:
    'exports.handler=()=>require("pulumi-perimeter/backend").backend("healthcare/v1beta1:DatasetFhirStoreIamMember")',
};

const isOurs = ({ type }: { type: string }): boolean => type.startsWith("pulumi-nodejs:dynamic/");

/** The files in which the program declares the resources. */
function filesOf(state: StackState): string[] {
  const positions = (state.deployment.resources ?? []).filter(isOurs).map(({ sourcePosition }) => sourcePosition);
  return [...new Set(positions.map((each) => String(each).split("#", 1).join()))];
}

function providerTexts(state: StackState): Record<string, unknown[]> {
  const dynamic = (state.deployment.resources ?? []).filter(isOurs);
  return Object.fromEntries(
    dynamic.map(({ urn, inputs, outputs }) => [urn.split("::").at(-1), [inputs?.__provider, outputs?.__provider]]),
  );
}

const twice = Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, [text, text]]));

const typescript = declaring({})["index.js"]?.replace('"use strict";', "export {};\n// @ts-nocheck");

test("the state has the same constant provider text for each type from JavaScript and TypeScript, without configuration or secrets", async () => {
  const label = "canary-label-7f3a";
  const token = "canary-token-91c2";
  const others = {
    migration: migrationGrant(),
    records: fhirGrant(),
    identified: association({
      network: `projects/${PROJECT}/global/networks/identified`,
      firewallEndpointAssociationId: "identified",
    }),
  };
  const labelled = (labels: Record<string, string>) => ({ prod: association({ labels }), ...others });
  stack = await PackedStack.create({
    resources: labelled({ team: "network", owner: `secret:${label}` }),
    config: { "perimeter:requestReason": "canary-reason-0c41" },
  });
  const { project } = stack;
  await project.setConfig("perimeter:accessToken", token, { secret: true });
  const created = await project.up();
  const first = await project.exportState();
  expect(providerTexts(first)).toMatchObject(twice);
  expect(filesOf(first)).toEqual(["project:///index.js"]);
  expect(Object.values(TEXTS).map(({ length }) => length)).toEqual([118, 110, 111]);
  // The requests hold them in plain text; the state and the terminal do not.
  expect(JSON.stringify(stack.emulator.resources())).toContain(label);

  // The same program in TypeScript, on a state with other identities than now, shows what it changes and no more.
  const older = structuredClone(first);
  const aged = (older.deployment.resources ?? []).filter(({ urn }) => /::(identified|records)$/.test(urn));
  expect(aged.map(({ inputs }) => inputs?.__identity)).toEqual(Array(2).fill(expect.stringContaining("::")));
  for (const { inputs, outputs } of aged) {
    if (inputs?.__identity) inputs.__identity = "sample/test/prod";
    if (outputs?.__identity) delete outputs.__identity;
  }
  project.importState(older);
  project.writeFiles({
    "index.ts": typescript ?? "",
    "tsconfig.json": "{}",
    "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "nodejs", main: "index.ts" }),
  });
  stack.declare(labelled({ team: "security", owner: `secret:${label}-2` }));
  const updated = await project.up({ args: ["--diff"] });
  expect(updated.stdout).toMatch(/~ +team *: "network" => "security"/);
  expect(updated.steps.filter(({ op }) => op === "update").map(({ name }) => name)).toEqual(["prod"]);
  expect(updated.changes).toEqual({ update: 1 });
  const second = await project.exportState();
  expect(providerTexts(second)).toMatchObject(twice);
  expect(filesOf(second)).toEqual(["project:///index.ts"]);
  const printed = [created, updated].map(({ stdout, stderr }) => stdout + stderr);
  for (const text of [...printed, JSON.stringify(first), JSON.stringify(second)]) {
    expect(text).not.toMatch(/canary-(label|token)/);
  }

  // Configuration: the engine itself notes it with the dynamic providers' own entry, encrypted where it is secret.
  const plain = (await project.exportState({ showSecrets: true })).deployment.resources ?? [];
  const ours = JSON.stringify(plain.filter(({ type }) => type !== "pulumi:providers:pulumi-nodejs"));
  expect(ours).toContain(`${label}-2`);
  expect(ours).not.toMatch(/canary-(token|reason)|127\.0\.0\.1/);
});
