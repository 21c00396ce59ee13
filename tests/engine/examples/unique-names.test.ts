/** examples/unique-names-yaml on the real engine, beside a stand-in for `@pulumi/random`: its plugin is in no package registry. */
import * as fs from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { changesAmong } from "../../support/changes";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { startRandomProvider, type RandomProvider } from "./random-provider";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const testOrSkip = missing === undefined ? test : test.skip;

let emulator: Emulator;
let random: RandomProvider;
let project: EngineProject;
afterAll(async () => {
  await project?.dispose();
  random?.stop();
  await emulator?.stop();
});

/** The creates that the cloud was asked for: the id and the request id of each. */
function creates(): string[][] {
  const made = changesAmong(emulator.requests()).filter(({ method }) => method === "POST");
  emulator.clearRequests();
  return made.map(({ query }) => [String(query.firewallEndpointAssociationId), String(query.requestId)]);
}

testOrSkip(
  `the id and the request id stay the same, also after a failure, until a replacement has new ones${skipped(missing)}`,
  async () => {
    emulator = await startEmulator({ seed: demoSeed });
    random = await startRandomProvider();
    const text = fs.readFileSync(path.join(repositoryRoot, "examples/unique-names-yaml/Pulumi.yaml"), "utf8");
    project = await EngineProject.create({
      // The YAML host that can be built is older than the engine, and knows this block under its former name only.
      program: { "Pulumi.yaml": engine().source === "build" ? text.replace(/^config:$/m, "configuration:") : text },
      env: { ...emulator.env, ...random.env },
      path: [pluginFolder()],
      nodeModules: "none",
    });
    // The names are not known before the first update.
    expect((await project.preview()).changes).toMatchObject({ create: 4 });
    emulator.addFaults([{ match: { method: "POST" }, fault: { status: "INVALID_ARGUMENT" } }]);
    await project.up({ fail: "yes" });
    const [failed = []] = creates();
    expect(failed).toEqual([expect.stringMatching(/^prod-[0-9a-f]{8}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)]);

    await project.up();
    expect(creates()).toEqual([failed]);
    expect(await project.outputs()).toEqual({
      association: `projects/demo-project/locations/us-central1-a/firewallEndpointAssociations/${failed[0]}`,
    });
    expect((await project.up()).changes).toEqual({});

    await project.setConfig("zone", "us-central1-b");
    await project.up();
    const [other = [], ...more] = creates();
    expect([more, other[0] === failed[0], other[1] === failed[1]]).toEqual([[], false, false]);
  },
);
