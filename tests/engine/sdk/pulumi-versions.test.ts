/**
 * The TypeScript examples of both fronts on the real engine: with the oldest version of Pulumi's SDK that the package accepts,
 * and with the newest one. Nothing is patched. `make test` runs the npm front with the oldest version, and without the preview
 * and the refresh: the versions in between, the SDK of the plugin and these commands depend on less of Pulumi's SDK. It checks
 * the types with a faster compiler than Pulumi does.
 */
import { spawnSync } from "node:child_process";
import * as path from "node:path";
import { demoSeed, startEmulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { COMMON_OUTPUTS, LISTED_OUTPUTS } from "../../support/firewall";
import { pluginFolder } from "../../support/plugin";
import { nodeModulesWith, PULUMI_VERSIONS } from "./pulumi-versions";
import { casesHere, leftOut } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const [OLDEST] = PULUMI_VERSIONS;
const VERSIONS = casesHere(
  PULUMI_VERSIONS,
  (version) => version === OLDEST,
  (version) => `@pulumi/pulumi ${version}`,
);

describe.each(VERSIONS)("@pulumi/pulumi %s", (version) => {
  const installed = nodeModulesWith(version);
  const missing = missingHost("nodejs") ?? ("missing" in installed ? installed.missing : undefined);
  if (missing !== undefined || "missing" in installed) {
    test.skip(`skipped: ${missing}`, () => {});
    return;
  }

  const EXAMPLES = ["firewall-typescript", "firewall-plugin-typescript"];
  test.each(casesHere(EXAMPLES, (example) => example === EXAMPLES[0]))("%s: up and destroy work, with their preview and refresh in `make test-all`", async (name) => {
    const emulator = await startEmulator({ seed: demoSeed });
    cleanUps.push(() => emulator.stop());
    const before = emulator.resources().map((each) => each.name);
    const project = await EngineProject.create({
      program: path.join(repositoryRoot, "examples", name),
      config: { "perimeter:project": "demo-project" },
      env: emulator.env,
      nodeModules: installed.nodeModules,
      path: [pluginFolder()],
      unpatched: true,
    });
    cleanUps.push(() => project.dispose());
    if (leftOut !== undefined) {
      expectTypes(project.dir);
      project.env.PULUMI_NODEJS_TRANSPILE_ONLY = "true";
    }

    if (leftOut === undefined) expect((await project.preview()).changes).toEqual({ create: 6 });
    expect((await project.up()).changes).toEqual({ create: 6 });
    expect(await project.outputs()).toEqual({ ...COMMON_OUTPUTS, ...LISTED_OUTPUTS });
    if (leftOut === undefined) expect((await project.refresh()).changes).toEqual({});
    expect((await project.destroy()).changes).toEqual({ delete: 6 });
    expect(emulator.resources().map((each) => each.name)).toEqual(before);
  });
});

function expectTypes(folder: string): void {
  const tsc = path.join(repositoryRoot, "node_modules/typescript7/bin/tsc");
  // This compiler does not have the module resolution of the example's tsconfig.json.
  const options = ["--noEmit", "--module", "node16", "--moduleResolution", "node16"];
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", folder, ...options], { encoding: "utf8" });
  expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
}
