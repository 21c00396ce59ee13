/** `pulumi plugin run`, Pulumi's own way to run the command that is in the executable, on the real engine. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, PROJECT } from "../../support/programs";
import { STORE_GRANT } from "../../support/tokens";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let emulator: Emulator;
let project: EngineProject;
afterAll(async () => {
  await project?.dispose();
  await emulator?.stop();
});

test("a review of a stack has the stack's plan, the lines of the program and the exit code of the gate", async () => {
  emulator = await startEmulator({ seed: demoSeed });
  const properties = { name: FHIR_STORE, role: "roles/healthcare.fhirStoreViewer", member: "group:nurses@example.com" };
  const resources = { nurses: { type: STORE_GRANT, properties } };
  project = await EngineProject.create({
    program: { "Pulumi.yaml": JSON.stringify({ name: "clinic", runtime: "yaml", resources }, null, 2) },
    config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
    env: emulator.env,
    path: [pluginFolder()],
    nodeModules: "none",
  });
  const run = ["plugin", "run", "--kind", "resource", "perimeter", "--"];
  const review = ["review", "--stack", project.stack, "--no-new-access"];
  const { code, stdout } = await project.run([...run, ...review], { fail: "yes" });
  expect([code, stdout]).toEqual([2, expect.stringMatching(/\+ group:nurses@example\.com.*Pulumi\.yaml:\d+/s)]);
});
