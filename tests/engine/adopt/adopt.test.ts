/**
 * Grants made by hand, taken over with the file of `perimeter access --adopt`: the next preview changes nothing. `make test` runs
 * YAML, in import-file.test.ts; the file is the same for all languages, and Pulumi generates the code.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import type { ImportFile } from "../../../access";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { changesAmong } from "../../support/changes";
import { runCommand } from "../../support/command";
import { ENGINE_TIMEOUT_MS, EngineProject, programGenerators } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { ASSOCIATIONS, PROJECT } from "../../support/programs";
import { describeInAll } from "../../support/test-all";
import { LANGUAGES, STORE, type Language } from "./languages";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const READER = "roles/healthcare.fhirResourceReader";
const CONDITION = { title: "office hours", description: "by/day", expression: 'request.time.getHours("UTC") < 19' };
const HAND = "user:hand@example.com";
const LOCATION = `projects/${PROJECT}/locations/us-central1-a`;

for (const language of LANGUAGES) {
  describeInAll(`a program in ${language.name}`, () => {
    if (language.missing === undefined) steps(language);
    else test.skip(`[skipped: ${language.missing}]`, () => undefined);
  });
}

function steps(language: Language): void {
  let emulator: Emulator;
  let project: EngineProject;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: [...demoSeed, { service: "healthcare", name: STORE, body: {} }] });
    const { path: folders = [], env, ...needs } = language.needs();
    project = await EngineProject.create({
      program: language.program(),
      config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
      ...needs,
      path: [pluginFolder(), ...folders],
      env: { ...emulator.env, ...env },
    });
    await project.up();
    emulator.mutate(STORE, {
      policy: {
        version: 3,
        bindings: [
          { role: READER, members: ["group:nurses@example.com", HAND] },
          { role: READER, members: [HAND], condition: CONDITION },
        ],
      },
    });
    const firewallEndpoint = "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection";
    const link = { network: `projects/${PROJECT}/global/networks/prod`, state: "ACTIVE", labels: { team: "network" } };
    emulator.seed([
      { service: "networksecurity", name: `${ASSOCIATIONS}/by-hand`, body: { ...link, firewallEndpoint } },
    ]);
  });

  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  const adopt = () =>
    runCommand(
      ["access", "--stack", project.stack, "--adopt", "adopt.json", "--associations", LOCATION, "--no-inherited"],
      { cwd: project.dir, env: project.env },
    );

  const providers = async () =>
    (await project.exportState()).deployment.resources
      ?.filter(({ type }) => type === "pulumi:providers:perimeter")
      .map(({ urn }) => urn)
      .sort();

  test("takes over grants and associations with the code that Pulumi generates", async () => {
    const { code, stderr } = await adopt();
    expect([code, stderr]).toEqual([
      0,
      `adopt.json has 6 resources to adopt: pulumi import --stack ${project.stack} --file adopt.json\n`,
    ]);
    const { resources } = JSON.parse(fs.readFileSync(path.join(project.dir, "adopt.json"), "utf8")) as ImportFile;
    const known = await providers();
    const before = emulator.requests().length;

    const generated = path.join(path.dirname(project.dir), "generated");
    const PATH = [...programGenerators(), project.env.PATH].join(path.delimiter);
    await project.run(["import", "--yes", "--skip-preview", "--file", "adopt.json", "--out", generated], {
      env: { PATH },
    });
    // The import uses the providers of the program, in their versions.
    expect(await providers()).toEqual(known);
    const text = fs.readFileSync(generated, "utf8");
    for (const { name } of resources) expect(text).toContain(name);
    project.writeFiles(language.program(text));
    expect((await project.preview()).changes).toEqual({});
    expect(await providers()).toEqual(known);
    const sent = emulator.requests().slice(before);
    expect(changesAmong(sent)).toEqual([]);

    const again = await adopt();
    expect([again.code, again.stderr]).toEqual([0, "adopt.json is not written: there is nothing to adopt\n"]);
  });
}
