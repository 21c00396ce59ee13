/** docs/guides/without-a-program.md: its commands as a user pastes them, with an installed plugin, on the real engine. */
import { execFile, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { version } from "../../../package.json";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { ASSOCIATIONS, TOPIC } from "../../support/programs";
import { skipped } from "../../support/skipped";
import { extract } from "../../support/snippets";
import { ANY_GRANT, ASSOCIATION } from "../../support/tokens";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const PAGE = "docs/guides/without-a-program.md";
const GRANTS = `//pubsub.googleapis.com/${TOPIC}/roles/pubsub`;

const missing =
  missingHost("yaml") ?? (spawnSync("jq", ["--version"]).status === 0 ? undefined : "the program jq is not on PATH");
const testOrSkip = missing === undefined ? test : test.skip;

let emulator: Emulator;
let project: EngineProject;
afterAll(async () => {
  await project?.dispose();
  await emulator?.stop();
});

testOrSkip(`every command of the page works, and the imports have what the lists name${skipped(missing)}`, async () => {
  emulator = await startEmulator({ seed: demoSeed });
  project = await EngineProject.create({
    program: { "Pulumi.yaml": JSON.stringify({ name: "adopted", runtime: "yaml" }) },
    env: emulator.env,
    nodeModules: "none",
  });
  await project.run(["plugin", "install", "resource", "perimeter", version, "--file", pluginFolder()]);
  // Hosts that were built here are older than the CLI, and generate no code. The page says so.
  const more = engine().source === "build" ? " --generate-code=false" : "";
  const scripts = extract(PAGE, fs.readFileSync(path.join(repositoryRoot, PAGE), "utf8"))
    .snippets.filter(({ kind }) => kind === "shell")
    .map(({ text }) => text.replaceAll(/^pulumi import .*$/gm, (command) => command + more));
  // Not at once: the emulator is in this process.
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", scripts.join("")], {
    cwd: project.dir,
    env: { ...project.env, PULUMI_STACK: project.stack },
    timeout: ENGINE_TIMEOUT_MS / 2,
  });
  expect(stdout).toContain("projects/demo-project/locations/global/scopes/team-a");

  const lists = ["associations.json", "grants.json"].map(
    (file) => JSON.parse(fs.readFileSync(path.join(project.dir, file), "utf8")) as { resources: { name: string }[] },
  );
  expect(lists.map(({ resources }) => resources.map(({ name }) => name))).toEqual([
    ["link-us-central1-a"],
    ["orders-viewer-support-example-com"],
  ]);
  const { resources = [] } = (await project.exportState()).deployment;
  expect(resources.filter(({ type }) => type.startsWith("perimeter:")).map(({ type, id }) => [type, id])).toEqual([
    [ASSOCIATION, `${ASSOCIATIONS}/link`],
    // The grant that the page creates and deletes is neither in the cloud nor in the stack.
    [ANY_GRANT, `${GRANTS}.viewer/group:support@example.com`],
  ]);
});
