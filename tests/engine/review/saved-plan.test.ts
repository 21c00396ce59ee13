/** What a review takes from the plan that the engine saves, because the printed one omits it: default providers, and the version. */
import * as fs from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { readPlan, withSavedPlan } from "../../../access/plan/plan";
import { ENGINE_TIMEOUT_MS, engine, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, PROJECT } from "../../support/programs";
import { GET_SCOPE, STORE_GRANT } from "../../support/tokens";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const grant = { name: FHIR_STORE, role: "roles/healthcare.fhirStoreViewer", member: "user:ada@example.com" };
/** The grant has an explicit provider, so only the lookup uses the default one. */
const program = {
  name: "sample",
  runtime: "yaml",
  variables: {
    scope: {
      "fn::invoke": { function: GET_SCOPE, arguments: { scopeId: "team-a", location: "global" }, return: "name" },
    },
  },
  resources: {
    eu: { type: "pulumi:providers:perimeter", properties: { project: PROJECT } },
    grant: { type: STORE_GRANT, properties: grant, options: { provider: "${eu}" } },
  },
  outputs: { scope: "${scope}" },
};

let emulator: Emulator;
let project: EngineProject;
afterEach(async () => {
  await project?.dispose();
  await emulator?.stop();
});

const missing = missingHost("yaml");
(missing === undefined ? test : test.skip)(
  `names the version of Pulumi, and has the default provider of a lookup, new and in the state${skipped(missing)}`,
  async () => {
    emulator = await startEmulator({ seed: demoSeed });
    project = await EngineProject.create({
      program: { "Pulumi.yaml": JSON.stringify(program) },
      config: { "perimeter:project": PROJECT },
      env: emulator.env,
      path: [pluginFolder()],
      nodeModules: "none",
    });
    const file = path.join(project.dir, "saved.json");
    const providers = async () => {
      const { stdout } = await project.run(["preview", "--json", "--show-sames", `--save-plan=${file}`]);
      const plan = readPlan(stdout);
      const shown = new Set(plan.steps.map(({ urn }) => urn));
      const { steps: all, engine: version } = withSavedPlan(plan, fs.readFileSync(file, "utf8"));
      expect(version).toBe(`v${engine().version}`);
      return all.filter(({ urn }) => !shown.has(urn)).map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`);
    };
    expect(await providers()).toEqual(["create default"]);
    await project.up();
    expect(await providers()).toEqual(["same default"]);
  },
);
