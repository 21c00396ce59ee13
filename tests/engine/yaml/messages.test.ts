/** What users of the plugin read when their configuration is wrong or nothing listens: once, and what to do. */
import * as fs from "node:fs";
import * as path from "node:path";
import {
  ENGINE_TIMEOUT_MS,
  EngineProject,
  missingHost,
  repositoryRoot,
  type ProjectOptions,
} from "../../support/engine";
import { freePort } from "../../support/free-port";
import { nodeSdk, pluginFolder, pythonSdk } from "../../support/plugin";
import { FHIR_STORE, JAVASCRIPT, MIGRATION_JOB } from "../../support/programs";
import { ensureVenv } from "../../support/python";
import { casesHere } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

/** Three resources, none of which has anything to do with another. */
const RESOURCES = {
  link: {
    type: "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
    properties: {
      firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/edge",
      network: "projects/demo-project/global/networks/prod",
      location: "us-central1-a",
      firewallEndpointAssociationId: "link",
    },
  },
  job: {
    type: "perimeter:datamigration/v1beta1:MigrationJobIamMember",
    properties: { name: MIGRATION_JOB, role: "roles/viewer", member: "user:ada@example.com" },
  },
  store: {
    type: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
    properties: { name: FHIR_STORE, role: "roles/viewer", member: "user:ada@example.com" },
  },
};
// JSON is YAML too.
const YAML = { program: { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources: RESOURCES }) } };

const python = ensureVenv();
/** A program of each language that uses the default provider. */
const PROGRAMS: Record<string, { missing?: string; options(): ProjectOptions }> = {
  YAML: { missing: missingHost("yaml"), options: () => ({ ...YAML, nodeModules: "none" }) },
  "Node.js": {
    missing: missingHost("nodejs"),
    options: () => ({
      program: {
        "package.json": '{"name":"sample","private":true,"main":"index.js"}',
        "index.js": `const perimeter = require("pulumi-perimeter-sdk");
exports.state = perimeter.fleet.v1beta.getScopeOutput({ location: "global", scopeId: "team-a" }).state;`,
      },
      runtime: JAVASCRIPT,
      packages: { "pulumi-perimeter-sdk": nodeSdk() },
    }),
  },
  Python: {
    ...("missing" in python ? python : {}),
    options: () => {
      if ("missing" in python) throw new Error(python.missing);
      return {
        program: {
          "__main__.py": `import pulumi, pulumi_perimeter as perimeter
pulumi.export("state", perimeter.fleet.v1beta.get_scope_output(location="global", scope_id="team-a").state)`,
        },
        runtime: "python",
        nodeModules: "none",
        path: [python.bin],
        env: { ...python.env, PYTHONPATH: pythonSdk(python) },
      };
    },
  },
};

let project: EngineProject | undefined;
afterEach(() => project?.dispose());

async function create({ path = [], ...options }: ProjectOptions): Promise<EngineProject> {
  project = await EngineProject.create({ ...options, path: [pluginFolder(), ...path] });
  return project;
}

/** The plugin refuses the key: the language makes no difference to it. */
const programs = casesHere(
  Object.entries(PROGRAMS),
  ([language]) => language === "YAML",
  ([language]) => `a misspelled key of the stack's configuration, ${language}`,
);

describe.each(programs)("a misspelled key of the stack's configuration, %s", (_language, program) => {
  const here = program.missing === undefined ? test : test.skip;
  here(`is refused with the key that was meant${program.missing ? ` [skipped: ${program.missing}]` : ""}`, async () => {
    const config = { "perimeter:grantmode": "merge", "perimeter:project": "demo-project" };
    const { messages } = await (await create({ ...program.options(), config })).preview({ fail: "yes" });
    const said = messages("error").filter((each) => each.includes("grantmode"));
    expect(said).toEqual([
      expect.stringMatching(/perimeter:grantmode is not a key of the configuration \(did you mean "grantMode"\?\)/),
    ]);
  });
});

const yaml = missingHost("yaml");
const describeYaml = yaml === undefined ? describe : describe.skip;
describeYaml(`once, for three resources${yaml === undefined ? "" : ` [skipped: ${yaml}]`}`, () => {
  const config = { "perimeter:project": "demo-project" };

  test("names a wrong environment variable", async () => {
    const env = { PERIMETER_GRANT_MODE: "append" };
    const { stdout, stderr, messages } = await (
      await create({ ...YAML, nodeModules: "none", config, env })
    ).up({ fail: "yes" });
    // The engine of today ends with an error of its own, which names no resource.
    expect(messages("error").filter((text) => text !== "update failed")).toEqual([
      'The provider\'s configuration is wrong:\n  PERIMETER_GRANT_MODE must be one of replace, merge, got "append"',
    ]);
    expect(stdout + stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
  });

  test("reports at each resource, without waiting, that the emulator is not running", async () => {
    const port = await freePort();
    const env = { PERIMETER_EMULATOR_HOST: `127.0.0.1:${port}` };
    const { stdout, stderr, messages } = await (
      await create({ ...YAML, nodeModules: "none", config, env })
    ).up({ fail: "yes", args: ["--continue-on-error"] });
    for (const name of ["link", "job", "store"]) {
      expect(messages("error", name)).toEqual([
        expect.stringContaining(
          `Is the emulator running? Start it with: pulumi plugin run --kind resource perimeter -- emulator --port ${port}`,
        ),
      ]);
    }
    expect(stdout + stderr).not.toContain("trying again");
    expect(stdout + stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
  });

  const TROUBLESHOOTING = fs.readFileSync(path.join(repositoryRoot, "docs/guides/troubleshooting.md"), "utf8");

  /** Expects each text in what the engine printed, and in the guide: texts of others change with their releases. */
  function expectExplained({ stdout, stderr }: { stdout: string; stderr: string }, ...texts: string[]): void {
    for (const text of texts) {
      expect(stdout + stderr).toContain(text);
      expect(TROUBLESHOOTING.replace(/\s+/g, " ")).toContain(text);
    }
  }

  // Nothing listens there: the engine tries to download, and cannot.
  const OFFLINE = { PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "", HTTPS_PROXY: "http://127.0.0.1:9" };

  test.each<[string, Record<string, string>, string]>([
    ["and may not be downloaded", {}, "no resource plugin 'pulumi-resource-perimeter' found in the workspace"],
    ["and cannot be downloaded", OFFLINE, "could not find latest version for provider perimeter"],
  ])("a plugin that is missing %s: the guide has the engine's message", async (_name, env, words) => {
    project = await EngineProject.create({ ...YAML, nodeModules: "none", config, env });
    const refused = await project.preview({ fail: "yes" });
    expectExplained(refused, 'internal error loading package "perimeter"', words);
  });

  test("a plugin of another version than the program's SDK reports both versions, and the guide has the message", async () => {
    const options = { version: "99.0.0" };
    const job = { ...RESOURCES.job, options };
    const program = { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources: { job } }) };
    const env = { PERIMETER_EMULATOR_HOST: `127.0.0.1:${await freePort()}` };
    // The engine takes a plugin of any version from PATH.
    const project = await create({ program, nodeModules: "none", config, env, unpatched: true });
    const previewed = await project.preview();
    const said = "The program's SDK requires version 99.0.0 of this plugin, but the engine started version";
    expect(previewed.messages("warning").filter((each) => each.includes(said))).toHaveLength(1);
    expectExplained(previewed, "resource plugin perimeter is expected to have version >=");
    expect(TROUBLESHOOTING.replace(/\s+/g, " ")).toContain(said.replace("99.0.0", "…"));
  });
});
