/** Inline programs of the Automation API: many stacks and many runs in one process, each with its own configuration. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { fhirGrant, FHIR_STORE, PROJECT } from "../../support/programs";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const BETA = "beta-project";
const GRANT = fhirGrant().args as { role: string; member: string };

/** Previews two stacks of one inline program one after the other, and then updates both side by side. */
const DRIVER = `"use strict";
const path = require("node:path");
const fs = require("node:fs");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const pulumi = require("@pulumi/pulumi");
const perimeter = require("pulumi-perimeter");

const workDir = path.join(__dirname, "inline");
fs.mkdirSync(workDir, { recursive: true });

/** What each run of the program looked up. */
const lookups = [];

async function program() {
  const project = new pulumi.Config("perimeter").require("project");
  const { role, member } = ${JSON.stringify(GRANT)};
  const scope = () => perimeter.fleet.v1beta.getScope({ location: "global", scopeId: "team-a" });
  const before = await scope();
  // Lets the other stack's run get to the middle of its work.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const after = await scope();
  const name = "projects/" + project + ${JSON.stringify(FHIR_STORE.slice(`projects/${PROJECT}`.length))};
  new perimeter.healthcare.v1beta1.DatasetFhirStoreIamMember("grant", { name, role, member });
  lookups.push({ stack: pulumi.getStack(), scopes: [before.name, after.name] });
}

/** With its settings in a file: a start of the CLI for each of them takes longer. */
async function stackOf(name, settings) {
  const config = Object.fromEntries(Object.entries(settings).map(([key, value]) => ["perimeter:" + key, value]));
  const args = { stackName: name, projectName: "inline", program };
  // A passphrase would cost each start of the CLI as much again.
  const secretsProvider = "hashivault://tests";
  const stack = await LocalWorkspace.createStack(args, { workDir, secretsProvider, stackSettings: { [name]: { config } } });
  // An update returns the outputs and the history, for which it starts the CLI three times.
  return Object.assign(stack, { outputs: async () => ({}), info: async () => undefined });
}

const known = (text) => text.includes("will lose");

async function main() {
  const settings = JSON.parse(process.env.SETTINGS);
  const alpha = await stackOf("alpha", settings.alpha);
  const beta = await stackOf("beta", settings.beta);
  const previews = [(await alpha.preview()).stdout, (await beta.preview()).stdout].map(known);
  const sequential = lookups.splice(0);
  await Promise.all([alpha.up(), beta.up()]);
  const parallel = lookups.sort((one, other) => (one.stack < other.stack ? -1 : 1));
  console.log("RESULT " + JSON.stringify({ previews, sequential, parallel }));
}
main().catch((error) => {
  console.error(error);
  process.exit(1);
});
`;

let world: PackedStack;
let beta: Emulator;
afterEach(async () => {
  await world?.dispose();
  await beta?.stop();
});

test("each run uses the project, the endpoint and the grant mode of its stack, in sequence and in parallel", async () => {
  world = await PackedStack.create({ program: { "driver.js": DRIVER } });
  beta = await startEmulator({ seed: JSON.parse(JSON.stringify(demoSeed).replaceAll(PROJECT, BETA)) as unknown });
  const settings = {
    alpha: { project: PROJECT, emulatorHost: new URL(world.emulator.url).host, grantMode: "replace" },
    beta: { project: BETA, emulatorHost: new URL(beta.url).host, grantMode: "merge" },
  };
  const { PERIMETER_EMULATOR_HOST: _, ...env } = world.project.env;
  const { stdout } = await promisify(execFile)(process.execPath, ["driver.js"], {
    cwd: world.project.dir,
    env: { ...env, SETTINGS: JSON.stringify(settings) },
  });
  const scopes = [PROJECT, BETA].map((project, index) => ({
    stack: ["alpha", "beta"][index],
    scopes: Array(2).fill(`projects/${project}/locations/global/scopes/team-a`),
  }));
  expect(JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "{}")).toEqual({
    // In merge mode nobody loses access.
    previews: [true, false],
    sequential: scopes,
    parallel: scopes,
  });
  for (const [cloud, project] of [
    [world.emulator, PROJECT],
    [beta, BETA],
  ] as const) {
    const paths = cloud.requests().map(({ path }) => path);
    expect(paths.some((path) => path.endsWith(":setIamPolicy"))).toBe(true);
    expect(paths.filter((path) => !path.includes(`projects/${project}/`))).toEqual([]);
  }
});
