/**
 * The engine starts the plugin in the folder of the project, whose files may come from a stranger's pull request. Files that a
 * runtime reads by itself are planted there, in the folders above, beside the plugin and at home: they have no effect.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { dependencies } from "../../../package.json";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { builtPlugin, PLUGIN_FORMS } from "../../support/plugin";
import { ASSOCIATIONS, PROJECT } from "../../support/programs";
import { ASSOCIATION, GET_SCOPE } from "../../support/tokens";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;

/** Without a project: the environment has it. JSON is YAML too. */
const PROGRAM = JSON.stringify({
  name: "planted",
  runtime: "yaml",
  variables: {
    scope: { "fn::invoke": { function: GET_SCOPE, arguments: { location: "global", scopeId: "team-a" } } },
  },
  resources: {
    link: {
      type: ASSOCIATION,
      properties: {
        firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
        network: `projects/${PROJECT}/global/networks/prod`,
        location: "us-central1-a",
        firewallEndpointAssociationId: "prod",
      },
    },
  },
  outputs: { project: "${link.project}", scope: "${scope.name}" },
});

const ENV_FILES = ["", ".local", ".production", ".production.local", ".development", ".development.local", ".test"];
const CODE = "planted.cjs";

/** Files that set variables or run code, by their place in a folder. The code writes its folder into the file of marks. */
function harmful(folder: string, name: string, marks: string): Record<string, string> {
  const code = path.join(folder, CODE);
  const preload = `preload = [${JSON.stringify(code)}]\n[run]\npreload = [${JSON.stringify(code)}]\n`;
  const environment = (file: string) => [
    `GOOGLE_PROJECT=${name}${file.replaceAll(".", "-")}`,
    `BUN_OPTIONS=--preload=${code}`,
    `NODE_OPTIONS=--require=${code}`,
  ];
  const run = `require("node:fs").appendFileSync(${JSON.stringify(marks)}, ${JSON.stringify(`${name}\n`)});\n`;
  const modules = ["fs", "http2", "bun", ...Object.keys(dependencies)];
  return {
    [CODE]: run,
    ...Object.fromEntries(ENV_FILES.map((file) => [`.env${file}`, environment(`.env${file}`).join("\n")])),
    "bunfig.toml": preload,
    ".bunfig.toml": preload,
    "package.json": JSON.stringify({ type: "module", imports: { "#*": `./${CODE}` }, main: CODE }),
    "tsconfig.json": JSON.stringify({ compilerOptions: { baseUrl: ".", paths: { "*": [`./${CODE}`] } } }),
    "jsconfig.json": JSON.stringify({ compilerOptions: { baseUrl: ".", paths: { "*": [`./${CODE}`] } } }),
    "node.config.json": JSON.stringify({ nodeOptions: { import: [code], require: [code] } }),
    ".noderc": `--require=${code}\n`,
    ".npmrc": `node-options=--require=${code}\n`,
    ".pnp.cjs": run,
    ...Object.fromEntries(modules.map((each) => [`node_modules/${each}/index.js`, run])),
  };
}

/** The same files with a text that no parser takes. */
function broken(folder: string, name: string, marks: string): Record<string, string> {
  return Object.fromEntries(Object.keys(harmful(folder, name, marks)).map((file) => [file, "{ broken = [\n"]));
}

describeHere.each(PLUGIN_FORMS)(`%s${missing === undefined ? "" : ` [skipped: ${missing}]`}`, (form) => {
  let emulator: Emulator;
  let project: EngineProject;
  /** Folders by a name that can begin the id of a Google Cloud project. */
  let folders: Record<string, string>;
  let marks: string;

  beforeAll(async () => {
    emulator = await startEmulator({ seed: demoSeed });
    project = await EngineProject.create({
      program: { "Pulumi.yaml": PROGRAM },
      nodeModules: "none",
      // With a module to preload, Node.js would read the package.json of the folder in which it starts.
      env: { ...emulator.env, GOOGLE_CLOUD_PROJECT: PROJECT, NODE_OPTIONS: "" },
    });
    const above = path.dirname(project.dir);
    const home = project.env.HOME as string;
    folders = { here: project.dir, above, home, config: path.join(home, ".config") };
    folders.plugins = path.join(above, "plugins");
    folders.plugin = path.join(folders.plugins, "perimeter");
    for (const folder of Object.values(folders)) fs.mkdirSync(folder, { recursive: true });
    fs.copyFileSync(builtPlugin(form), path.join(folders.plugin, path.basename(builtPlugin(form))));
    project.env.PATH = [folders.plugin, project.env.PATH].join(path.delimiter);
    project.env.XDG_CONFIG_HOME = folders.config as string;
    marks = path.join(above, "marks");
  });
  afterAll(async () => {
    await project?.dispose();
    await emulator?.stop();
  });

  function plant(files: typeof harmful, except: (folder: string, file: string) => boolean = () => false): void {
    for (const [name, folder] of Object.entries(folders)) {
      for (const [file, text] of Object.entries(files(folder, name, marks))) {
        if (except(name, file)) continue;
        fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        fs.writeFileSync(path.join(folder, file), text);
      }
    }
  }
  const codeThatRan = () => (fs.existsSync(marks) ? fs.readFileSync(marks, "utf8").trim().split("\n") : []);

  test("takes no setting and runs no code from files that set variables or preload code", async () => {
    plant(harmful);
    const made = await project.up({ fail: "maybe" });
    expect(codeThatRan()).toEqual([]);
    expect([made.code, made.changes]).toEqual([0, { create: 2 }]);
    expect(await project.outputs()).toEqual({
      project: PROJECT,
      scope: `projects/${PROJECT}/locations/global/scopes/team-a`,
    });
    expect(emulator.resource(`${ASSOCIATIONS}/prod`)).toBeDefined();
  });

  test("works when these files are invalid", async () => {
    // Node.js reads the nearest package.json above each script, and ends where it is broken, before the script begins.
    const readByNode = (folder: string, file: string) =>
      form === "the script for Node.js" && file === "package.json" && !["here", "home", "config"].includes(folder);
    plant(broken, readByNode);
    expect((await project.up({ args: ["--refresh"] })).changes).toEqual({});
    expect(codeThatRan()).toEqual([]);
  });
});
