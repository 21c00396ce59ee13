/** Stacks whose files the tests write are to the CLI as those that it makes itself, and what is read there is what it prints. */
import * as fs from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import type { StackState } from "../../support/state";
import { StackFiles } from "../../support/file-backend";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const name = `a stack of files${missing === undefined ? "" : ` [skipped: ${missing}]`}`;
const PROGRAM = {
  "Pulumi.yaml": JSON.stringify({
    name: "sample",
    runtime: "yaml",
    configuration: { word: { type: "string" } },
    outputs: { said: "${word}", nested: { list: [1, "two"] } },
  }),
};

let project: EngineProject;
afterEach(() => project?.dispose());

(missing === undefined ? test : test.skip)(name, async () => {
  project = await EngineProject.create({ program: PROGRAM, nodeModules: "none", config: { "other:flag": true } });
  const json = async (...args: string[]) => JSON.parse((await project.run(args)).stdout) as unknown;
  const settingsOf = (stack: string) =>
    parse(fs.readFileSync(path.join(project.dir, `Pulumi.${stack}.yaml`), "utf8")) as Record<string, unknown>;

  // What the CLI makes, in the same backend.
  await project.run(["stack", "init", "made", "--secrets-provider", "hashivault://tests"]);
  const made = new StackFiles(path.join(project.dir, "../state"), project.dir, "sample", "made");
  expect(await json("stack", "ls", "--json")).toMatchObject([{ name: "made" }, { name: "test" }]);
  expect(Object.keys(settingsOf("made"))).toEqual(Object.keys(settingsOf("test")).filter((key) => key !== "config"));
  expect(made.read().deployment.resources ?? []).toEqual([]);

  // Settings: the same text for the same keys.
  for (const [key, value] of [
    ["word", "true: # yes"],
    ["other:number", "007"],
    ["gone", "x"],
  ] as const) {
    await project.run(["config", "set", "--stack", "made", "--plaintext", "--", key, value]);
    await project.setConfig(key, value);
  }
  await project.run(["config", "rm", "--stack", "made", "gone"]);
  await project.removeConfig("gone");
  expect(settingsOf("test").config).toEqual({ "other:flag": true, ...(settingsOf("made").config as object) });

  // The state and its outputs.
  await project.up();
  const outputs = { said: "true: # yes", nested: { list: [1, "two"] } };
  expect(await project.outputs()).toEqual(outputs);
  expect(await json("stack", "output", "--json")).toEqual(outputs);
  const state = await project.exportState();
  expect(await json("stack", "export")).toEqual(state);

  // A state that is put back, by us and by the CLI.
  const changed = JSON.parse(JSON.stringify(state).replaceAll("true: # yes", "no")) as StackState;
  project.importState(changed);
  expect(await json("stack", "export")).toEqual(changed);
  await project.run(["stack", "import"], { input: JSON.stringify(state) });
  expect(await project.exportState()).toEqual(state);
  expect((await project.preview()).changes).toEqual({});

  // A secret is encrypted with the key that both take, and only the CLI can read it.
  await project.setConfig("word", "open sesame", { secret: true });
  await project.up();
  expect(JSON.stringify(await project.exportState())).not.toContain("sesame");
  expect(await project.outputs()).toMatchObject({ said: "open sesame" });
});
