/**
 * The commands of the guide that leave `@pulumi/gcp`, as pasted, and the code that the import generates. The plugin of
 * `@pulumi/gcp` is not available: its resources are in the state only, where `pulumi state delete` finds them.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import type { Policy } from "../../../provider/iam/policy";
import { changesAmong } from "../../support/changes";
import { ENGINE_TIMEOUT_MS, EngineProject, programGenerators, repositoryRoot } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, PROJECT, TOPIC } from "../../support/programs";
import { commandsOf } from "../../support/shell-commands";
import { extract } from "../../support/snippets";
import { casesHere } from "../../support/test-all";
import { LANGUAGES, type Language } from "../adopt/languages";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const GUIDE = "docs/guides/migrating.md";
const text = fs.readFileSync(path.join(repositoryRoot, GUIDE), "utf8");
const SECTION = "## From `@pulumi/gcp`\n";
const section = text.slice(text.indexOf(SECTION)).split(/\n(?=## )/)[0] ?? "";
/** The commands of each snippet, without `pulumi`. */
const SNIPPETS = extract(GUIDE, section)
  .snippets.filter(({ kind }) => kind === "shell")
  .map((snippet) => commandsOf(snippet.text).map(({ words: [, ...args] }) => args));

const GRANTS: Record<string, { resource: string; role: string; member: string }> = {
  nurses: { resource: FHIR_STORE, role: "roles/healthcare.fhirResourceReader", member: "group:nurses@example.com" },
  publishers: { resource: TOPIC, role: "roles/pubsub.publisher", member: "group:orders@example.com" },
};

let emulator: Emulator;
let project: EngineProject;
beforeEach(async () => {
  emulator = await startEmulator({ seed: demoSeed });
  for (const { resource, role, member } of Object.values(GRANTS)) {
    const { bindings = [] } = emulator.resource(resource)?.policy as Policy;
    emulator.mutate(resource, { policy: { bindings: [...bindings, { role, members: [member] }] } });
  }
});
afterEach(async () => {
  await project?.dispose();
  await emulator.stop();
});

const CASES = casesHere(LANGUAGES, ({ name }) => name === "YAML").flatMap((language) =>
  SNIPPETS.map((commands, at) => [language.name, at + 1, language, commands] as const),
);

test("the guide has two snippets that import", () => {
  expect(SNIPPETS.map((commands) => commands.filter(([command]) => command === "import").length)).toEqual([1, 1]);
});

describe.each(CASES)("a program in %s, by snippet %d", (_name, _at, language: Language, commands) => {
  const run = language.missing === undefined ? test : test.skip;
  run("takes over the grant: no write, no change, and nothing left of the old resource", async () => {
    const { path: folders = [], env, ...needs } = language.needs();
    project = await EngineProject.create({
      program: language.alone(),
      config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
      stack: "dev",
      ...needs,
      path: [pluginFolder(), ...folders],
      env: { ...emulator.env, ...env },
    });
    const urn = commands.flat().find((word) => word.startsWith("urn:")) ?? "";
    await withOld(urn);
    const generated = path.join(path.dirname(project.dir), "generated");
    const PATH = [...programGenerators(), project.env.PATH].join(path.delimiter);
    const answers: Record<string, string[]> = {
      import: ["--yes", "--skip-preview", "--out", generated],
      state: ["--yes"],
    };
    for (const args of commands) await project.run([...args, ...(answers[args[0] ?? ""] ?? [])], { env: { PATH } });
    project.writeFiles(language.alone(fs.readFileSync(generated, "utf8")));
    expect((await project.preview()).changes).toEqual({});
    const { resources = [] } = (await project.exportState()).deployment;
    expect(resources.map((each) => each.type).filter((type) => type.startsWith("gcp:"))).toEqual([]);
    expect(changesAmong(emulator.requests())).toEqual([]);
  });
});

/** Puts a resource of another provider into the state, as a component, for which the engine needs no plugin. */
async function withOld(urn: string): Promise<void> {
  await project.up();
  const state = await project.exportState();
  const type = urn.split("::")[2] ?? "";
  state.deployment.resources?.push({ urn, type, custom: false });
  project.importState(state);
}
