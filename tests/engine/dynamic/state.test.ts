/** What the dynamic front leaves in the state: a constant for each type, no configuration, and secrets as secrets. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { StackState } from "../../support/state";
import { association, declaring, fhirGrant, migrationGrant } from "../../support/programs";
import { World } from "./world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let world: World;
afterEach(() => world?.dispose());

/** Byte for byte: another text in a later release would show every resource as changed. */
const TEXTS = {
  prod: 'exports.handler=()=>require("pulumi-perimeter/backend").backend("networksecurity/v1beta1:FirewallEndpointAssociation")',
  migration:
    'exports.handler=()=>require("pulumi-perimeter/backend").backend("datamigration/v1beta1:MigrationJobIamMember")',
  records:
    'exports.handler=()=>require("pulumi-perimeter/backend").backend("healthcare/v1beta1:DatasetFhirStoreIamMember")',
};

function providerTexts(state: StackState): Record<string, unknown[]> {
  const dynamic = (state.deployment.resources ?? []).filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/"));
  return Object.fromEntries(
    dynamic.map(({ urn, inputs, outputs }) => [urn.split("::").at(-1), [inputs?.__provider, outputs?.__provider]]),
  );
}

const twice = Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, [text, text]]));

test("one constant for each type, from JavaScript and TypeScript programs alike; no configuration, no secret", async () => {
  const label = "canary-label-7f3a";
  const token = "canary-token-91c2";
  const resources = {
    prod: association({ labels: { team: "network", owner: `secret:${label}` } }),
    migration: migrationGrant(),
    records: fhirGrant(),
  };
  world = await World.create({ resources, config: { "perimeter:requestReason": "canary-reason-0c41" } });
  const { project } = world;
  await project.setConfig("perimeter:accessToken", token, { secret: true });
  const printed = [await project.up()];
  const state = await project.exportState();
  expect(providerTexts(state)).toEqual(twice);
  expect(Object.values(TEXTS).map(({ length }) => length)).toEqual([118, 110, 111]);

  // The requests hold them in plain text; the state and the terminal do not.
  expect(JSON.stringify(world.emulator.resources())).toContain(label);
  world.declare({ ...resources, prod: association({ labels: { team: "security", owner: `secret:${label}-2` } }) });
  printed.push(await project.preview({ diff: true }), await project.up(), await project.refresh());
  const texts = [
    ...[state, await project.exportState()].map((each) => JSON.stringify(each)),
    ...printed.map(({ stdout, stderr }) => stdout + stderr),
  ];
  for (const text of texts) expect(text).not.toMatch(/canary-(label|token)/);

  // Configuration: the engine itself notes it with the dynamic providers' own entry, encrypted where it is secret.
  const plain = (await project.exportState({ showSecrets: true })).deployment.resources ?? [];
  const ours = JSON.stringify(plain.filter(({ type }) => type !== "pulumi:providers:pulumi-nodejs"));
  expect(ours).toContain(`${label}-2`);
  expect(ours).not.toMatch(/canary-(token|reason)|127\.0\.0\.1/);

  // The same program in TypeScript shows no change.
  project.writeFiles({
    "index.ts": typescript ?? "",
    "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "nodejs", main: "index.ts" }),
  });
  project.writeFiles({ "tsconfig.json": "{}" });
  expect((await project.preview()).changes).toEqual({});
});

const typescript = declaring({})["index.js"]?.replace('"use strict";', "export {};\n// @ts-nocheck");

test("a secret that breaks a rule is not quoted in the error", async () => {
  world = await World.create({ resources: { prod: association({ labels: { owner: "secret:CANARY LABEL" } }) } });
  const label = await world.project.preview({ fail: "yes" });
  expect(label.messages("error", "prod").join()).toMatch(/labels\.owner/);
  expect(label.stdout + label.stderr).not.toMatch(/CANARY/);

  world.declare({ migration: migrationGrant({ member: "secret:CANARY-member" }) });
  const member = await world.project.preview({ fail: "yes" });
  expect(member.messages("error", "migration").join()).toMatch(/member must be one of/);
  expect(member.stdout + member.stderr).not.toMatch(/CANARY/);
});
