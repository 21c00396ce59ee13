/** What the dynamic front leaves in the state: a constant for each type, no configuration, and secrets as secrets. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import type { StackState, StepState } from "../../support/state";
import { association, declaring, fhirGrant, migrationGrant, PROJECT } from "../../support/programs";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

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

const LABEL = "canary-label-7f3a";
const TOKEN = "canary-token-91c2";

const OTHERS = {
  migration: migrationGrant(),
  records: fhirGrant(),
  identified: association({
    network: `projects/${PROJECT}/global/networks/identified`,
    firewallEndpointAssociationId: "identified",
  }),
};
const labelled = (labels: Record<string, string>) => ({ prod: association({ labels }), ...OTHERS });

let stack: PackedStack;
/** What the `up` of a program left, in JavaScript, and then, with other labels, in TypeScript. */
const created = {} as { result: OperationResult; state: StackState };
const updated = {} as { result: OperationResult; state: StackState };
/** What the cloud has after the first. */
let cloud: string;
/** The last state, with its secrets in plain text. */
let plain: StepState[];

beforeAll(async () => {
  stack = await PackedStack.create({
    resources: labelled({ team: "network", owner: `secret:${LABEL}` }),
    config: { "perimeter:requestReason": "canary-reason-0c41" },
  });
  const { project, emulator } = stack;
  await project.setConfig("perimeter:accessToken", TOKEN, { secret: true });
  created.result = await project.up();
  created.state = await project.exportState();
  cloud = JSON.stringify(emulator.resources());

  project.importState(withOtherIdentities(created.state));
  project.writeFiles({
    "index.ts": typescript ?? "",
    "tsconfig.json": "{}",
    "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "nodejs", main: "index.ts" }),
  });
  stack.declare(labelled({ team: "security", owner: `secret:${LABEL}-2` }));
  updated.result = await project.up({ args: ["--diff"] });
  updated.state = await project.exportState();
  plain = (await project.exportState({ showSecrets: true })).deployment.resources ?? [];
});
afterAll(() => stack?.dispose());

/** Some resources get identities that they would not get now, or none in their outputs. */
function withOtherIdentities(state: StackState): StackState {
  const older = structuredClone(state);
  const aged = (older.deployment.resources ?? []).filter(({ urn }) => /::(identified|records)$/.test(urn));
  expect(aged.map(({ inputs }) => inputs?.__identity)).toEqual(Array(2).fill(expect.stringContaining("::")));
  for (const { inputs, outputs } of aged) {
    if (inputs?.__identity) inputs.__identity = "sample/test/prod";
    if (outputs?.__identity) delete outputs.__identity;
  }
  return older;
}

test.each([
  ["JavaScript", created, "index.js"],
  ["TypeScript", updated, "index.ts"],
])("a program in %s writes the same text of the provider for each type", (_language, run, file) => {
  expect(filesOf(run.state)).toEqual([`project:///${file}`]);
  expect(providerTexts(run.state)).toMatchObject(twice);
});

test("an update shows only what it changes, also where the state has other identities than now", () => {
  expect(updated.result.stdout).toMatch(/~ +team *: "network" => "security"/);
  expect(updated.result.steps.filter(({ op }) => op === "update").map(({ name }) => name)).toEqual(["prod"]);
  expect(updated.result.changes).toEqual({ update: 1 });
});

test("the cloud gets a secret label in plain text", () => {
  expect(cloud).toContain(LABEL);
});

test.each([
  ["up that creates", created],
  ["up that updates", updated],
])("neither the messages nor the state of an %s have secrets in plain text", (_title, { result, state }) => {
  for (const text of [result.stdout, result.stderr, JSON.stringify(state)])
    expect(text).not.toMatch(/canary-(label|token)/);
});

test("no resource of ours has configuration in its state", () => {
  // The engine itself notes it with the dynamic providers' own entry, encrypted where it is secret.
  const ours = JSON.stringify(plain.filter(({ type }) => type !== "pulumi:providers:pulumi-nodejs"));
  expect(ours).toContain(`${LABEL}-2`);
  expect(ours).not.toMatch(/canary-(token|reason)|127\.0\.0\.1/);
});
