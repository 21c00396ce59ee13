/**
 * examples/firewall-typescript: the program without a plugin runs on the real engine; the one with `@pulumi/random`, whose
 * plugin not every machine can have, is compiled and run under Pulumi's own mocks, so neither rots.
 */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { demoSeed, startEmulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, repositoryRoot } from "../../support/engine";
import { packedPackage } from "../../support/pack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const EXAMPLE = path.join(repositoryRoot, "examples/firewall-typescript");

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

test("without-random.ts: preview, up, outputs, destroy", async () => {
  const emulator = await startEmulator({ seed: demoSeed });
  cleanUps.push(() => emulator.stop());
  const before = emulator.resources().map(({ name }) => name);
  const project = await EngineProject.create({
    program: EXAMPLE,
    config: {
      "perimeter:project": "demo-project",
      "firewall-typescript:requestId": "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11",
    },
    env: { ...emulator.env },
    nodeModules: packedPackage().nodeModules,
  });
  cleanUps.push(() => project.dispose());
  project.useMain("without-random.ts");

  expect((await project.preview()).changes).toEqual({ create: 4 });
  expect((await project.up()).changes).toEqual({ create: 4 });
  expect(await project.outputs()).toEqual({
    association: "projects/demo-project/locations/us-central1-a/firewallEndpointAssociations/prod",
    state: "ACTIVE",
    migrationPolicyEtag: expect.stringMatching(/.+/),
    recordsProject: "demo-project",
    scopeState: "READY",
    scopeNamespaceLabels: { "cost-centre": "4711" },
    ordersService: "orders",
    triggerRoles: ["roles/eventarc.viewer", "roles/eventarc.admin"],
    gatewayConditions: ["until-july"],
  });
  expect((await project.destroy()).changes).toEqual({ delete: 4 });
  expect(emulator.resources().map(({ name }) => name)).toEqual(before);
});

test("index.ts, with @pulumi/random: compiled, and run with lookups answered by mocks", () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perimeter-example-")));
  cleanUps.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  for (const file of ["index.ts", "firewall.ts", "without-random.ts", "tsconfig.json"]) {
    fs.copyFileSync(path.join(EXAMPLE, file), path.join(folder, file));
  }
  const { nodeModules } = packedPackage();
  linkModules(nodeModules, path.join(folder, "node_modules"));
  const tsc = path.join(nodeModules, "typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "--outDir", "out"], { cwd: folder, stdio: "inherit" });

  // A process of its own: jest's modules are not Node's, and mocks belong to the process.
  fs.writeFileSync(path.join(folder, "out/mocked.js"), MOCKED);
  const printed = execFileSync(process.execPath, ["out/mocked.js"], {
    cwd: folder,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      PULUMI_CONFIG: JSON.stringify({ "perimeter:project": "demo-project", "firewall-typescript:team": "security" }),
    },
  });
  const { outputs, resources, calls } = JSON.parse(printed) as {
    outputs: Record<string, unknown>;
    resources: Record<string, { type: string; inputs: Record<string, unknown> }>;
    calls: string[];
  };
  expect(Object.keys(resources).sort()).toEqual(["migration", "prod", "records", "request-id"]);
  expect(resources["request-id"]).toMatchObject({ type: "random:index/randomUuid:RandomUuid" });
  expect(resources.prod?.inputs).toMatchObject({
    location: "us-central1-a",
    labels: { team: "security" },
    requestId: "8d3e5c1c-9d63-4f2e-a1b4-2f7d7c0a6b55",
  });
  expect(calls.sort()).toEqual([
    "perimeter:apigateway/v1beta:getGatewayIamPolicy",
    "perimeter:eventing/v1:getTrigger",
    "perimeter:eventing/v1:getTriggerIamPolicy",
    "perimeter:fleet/v1beta:getScope",
  ]);
  expect(outputs).toEqual({
    association: "name of prod",
    state: "state of prod",
    migrationPolicyEtag: "etag of migration",
    recordsProject: "project of records",
    scopeState: "mocked",
    scopeNamespaceLabels: { mocked: "yes" },
    ordersService: "mocked-service",
    triggerRoles: ["roles/mocked"],
    gatewayConditions: ["mocked-condition"],
  });
});

function linkModules(from: string, to: string): void {
  fs.mkdirSync(path.join(to, "@pulumi"), { recursive: true });
  for (const name of fs.readdirSync(from).filter((each) => !each.startsWith(".") && each !== "@pulumi")) {
    fs.symlinkSync(path.join(from, name), path.join(to, name), "junction");
  }
  for (const name of ["pulumi", "random"]) {
    fs.symlinkSync(path.join(repositoryRoot, "node_modules/@pulumi", name), path.join(to, "@pulumi", name), "junction");
  }
}

const MOCKED = `"use strict";
const pulumi = require("@pulumi/pulumi");
const resources = {};
const calls = [];
const policy = {
  auditConfigs: [], etag: "e", version: 3,
  bindings: [{ role: "roles/mocked", members: [], condition: { title: "mocked-condition", expression: "true" } }],
};
const answers = {
  getScope: { state: { code: "mocked" }, namespaceLabels: { mocked: "yes" } },
  getTrigger: { destination: { managedRun: { service: "mocked-service" } } },
  getTriggerIamPolicy: policy,
  getGatewayIamPolicy: policy,
};
pulumi.runtime.setMocks(
  {
    newResource({ name, type, inputs }) {
      resources[name] = { type, inputs };
      const made = Object.fromEntries(["name", "state", "etag", "project"].map((key) => [key, key + " of " + name]));
      return { id: name + "-id", state: { ...inputs, ...made, result: "8d3e5c1c-9d63-4f2e-a1b4-2f7d7c0a6b55" } };
    },
    call({ token }) {
      calls.push(token);
      return answers[token.split(":").pop()];
    },
  },
  "firewall-typescript",
  "test",
);
pulumi.output(require("./index.js")).apply((outputs) => console.log(JSON.stringify({ outputs, resources, calls })));
`;
