/** A project's id and its number are one project to the cloud: writing the other one, or none, changes nothing. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { ASSOCIATIONS, association, PROJECT } from "../../support/programs";
import { ASSOCIATION } from "../../support/tokens";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const testOrSkip = missing === undefined ? test : test.skip;
const NUMBER = "123456789012";

let emulator: Emulator | undefined;
let project: EngineProject | undefined;
afterEach(async () => {
  await project?.dispose();
  await emulator?.stop();
});

/** JSON is YAML too. */
function program(args: Record<string, unknown>): Record<string, string> {
  const link = { type: ASSOCIATION, properties: { ...association().args, ...args } };
  const outputs = { name: "${link.name}", project: "${link.project}" };
  return { "Pulumi.yaml": JSON.stringify({ name: "respelled", runtime: "yaml", resources: { link }, outputs }) };
}

testOrSkip("no spelling of the project replaces an association; another project does", async () => {
  emulator = await startEmulator({ seed: demoSeed });
  project = await EngineProject.create({
    program: program({}),
    config: { "perimeter:project": PROJECT },
    nodeModules: "none",
    path: [pluginFolder()],
    env: emulator.env,
  });
  await project.up();
  const outputs = await project.outputs();
  expect(outputs).toEqual({ name: `${ASSOCIATIONS}/prod`, project: PROJECT });
  emulator.clearRequests();

  const network = `projects/${NUMBER}/global/networks/prod`;
  const spellings: [args: Record<string, unknown>, configured: string][] = [
    [{}, NUMBER],
    [{ project: PROJECT }, NUMBER],
    [{ project: NUMBER }, PROJECT],
    [{ project: NUMBER, network }, NUMBER],
    [{ network }, PROJECT],
    [{}, PROJECT],
  ];
  for (const [args, configured] of spellings) {
    project.writeFiles(program(args));
    await project.setConfig("perimeter:project", configured);
    expect([args, configured, (await project.up()).changes]).toEqual([args, configured, {}]);
    expect(await project.outputs()).toEqual(outputs);
  }
  expect((await project.refresh()).changes).toEqual({});
  expect(emulator.requests().filter(({ method }) => method !== "GET")).toEqual([]);

  // An update under the other spelling changes what is asked for, in place, and neither name nor id.
  project.writeFiles(program({ project: NUMBER, labels: { team: "security" } }));
  expect((await project.up()).changes).toEqual({ update: 1 });
  expect(await project.outputs()).toEqual(outputs);
  expect(emulator.resource(`${ASSOCIATIONS}/prod`)?.body).toMatchObject({ labels: { team: "security" } });

  project.writeFiles(program({ project: "another-project" }));
  expect((await project.preview()).step("link", "replace").keys).toEqual(["project"]);
  project.writeFiles(program({ project: "210987654321" }));
  expect((await project.preview()).step("link", "replace").keys).toEqual(["project"]);
});
