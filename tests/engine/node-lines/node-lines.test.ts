/** What `make build` made runs on the Node lines with long-term support, and says first that an older one is too old. */
import { execFileSync, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { engines, exports as entries } from "../../../package.json";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { NODE_LINES, nodeOf, OLD_NODE } from "./node-lines";
import { packedPackage } from "../../support/pack";
import { builtPlugin, pluginFolder } from "../../support/plugin";
import { JAVASCRIPT } from "../../support/programs";
import { casesHere, leftOut } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const SCRIPT = "the script for Node.js";

/** `make test` has the newest one. The line that runs the tests is usually the oldest. */
const LINES = casesHere(
  NODE_LINES,
  (_, index) => index === NODE_LINES.length - 1,
  (version) => `Node ${version}`,
);

describe.each(LINES)("Node %s", (version) => {
  const node = nodeOf(version);
  if ("missing" in node) {
    test.skip(`skipped: ${node.missing}`, () => {});
    return;
  }

  test("runs the provider, the emulator and the plugin", () => {
    const output = execFileSync(node.path, [join(__dirname, "smoke.cjs")], { encoding: "utf8", timeout: 60_000 });
    expect(JSON.parse(output.trim().split("\n").at(-1) as string)).toEqual({
      id: "projects/demo-project/locations/us-central1-a/firewallEndpointAssociations/smoke",
      state: "ACTIVE",
      scope: "READY",
      pluginPort: expect.any(Number),
    });
  });
});

describe(`Node ${OLD_NODE}`, () => {
  const node = nodeOf(OLD_NODE);
  if ("missing" in node) {
    test.skip(`skipped: ${node.missing}`, () => {});
    return;
  }
  const needed = /^>=(\d+\.\d+)\.0$/.exec(engines.node)?.[1];
  const message = `Node.js ${needed} or newer is needed; this is v${OLD_NODE}: https://nodejs.org/`;
  const run = (...args: string[]) => spawnSync(node.path, args, { cwd: repositoryRoot, encoding: "utf8" });

  test.each([
    ["the command perimeter", join(packedPackage().nodeModules, ".bin/perimeter"), "doctor"],
    ["the plugin's script", builtPlugin(SCRIPT), "127.0.0.1:1"],
    [
      "the plugin in the npm package",
      join(packedPackage().nodeModules, "pulumi-perimeter/dist/provider/plugin/main.js"),
    ],
    ["make", "require-node.cjs"],
  ])("%s prints only which Node.js is needed", (_what, ...args) => {
    const { status, stdout, stderr } = run(...args);
    expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: `${message}\n` });
  });

  const modules = Object.entries(entries).flatMap(([entry, place]) =>
    typeof place === "string" ? [] : [[entry, place.default]],
  );

  test.each(modules)("an import of %s of the npm package fails with the required version", (_entry, file) => {
    const { status, stderr } = run("-e", `require(${JSON.stringify(file)})`);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`\nError: ${message}\n`)]);
  });

  describe("under the engine", () => {
    // The messages are those above, which the engine passes on.
    const missing = leftOut ?? missingHost("nodejs") ?? missingHost("yaml");
    const testHere = missing === undefined ? test : test.skip;
    const note = missing === undefined ? "" : ` [skipped: ${missing}]`;
    const oldFirst = (path = "") => [dirname(node.path), path].join(":");
    let project: EngineProject | undefined;
    afterEach(() => project?.dispose());

    const program = `require("pulumi-perimeter").fleet.v1beta.getScope({ location: "global", scopeId: "team-a" });`;
    testHere(`a program of the npm package is refused with the version that is needed${note}`, async () => {
      const { nodeModules } = packedPackage();
      project = await EngineProject.create({ program: { "index.js": program }, runtime: JAVASCRIPT, nodeModules });
      const env = { PATH: oldFirst(project.env.PATH), NODE_OPTIONS: "" };
      const { stdout } = await project.preview({ env, fail: "yes" });
      expect(stdout).toContain(`Error: ${message}`);
    });

    testHere(`a program of the plugin is refused with the version that is needed${note}`, async () => {
      const invoke = {
        "fn::invoke": { function: "perimeter:fleet/v1beta:getScope", arguments: { location: "global" } },
      };
      project = await EngineProject.create({
        program: { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", variables: { scope: invoke } }) },
        nodeModules: "none",
        path: [pluginFolder(SCRIPT)],
      });
      const { stdout, stderr } = await project.preview({ env: { PATH: oldFirst(project.env.PATH) }, fail: "yes" });
      expect(stdout + stderr).toContain(message);
    });
  });
});
