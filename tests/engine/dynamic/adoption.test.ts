/** An association belongs to the resource that began its create: no other stack, component or backend adopts or deletes it. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, type ProjectOptions } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import { pluginFolder } from "../../support/plugin";
import { association, ASSOCIATIONS, declaring, JAVASCRIPT, PROJECT } from "../../support/programs";
import { ASSOCIATION } from "../../support/tokens";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const NAME = `${ASSOCIATIONS}/prod`;

let emulator: Emulator;
let projects: EngineProject[] = [];
beforeEach(async () => {
  emulator = await startEmulator({ seed: demoSeed });
  projects = [];
});
afterEach(async () => {
  for (const project of projects) await project.dispose();
  await emulator.stop();
});

/** A stack of always the same names, in a `file://` backend of its own. */
async function stackIn(options: ProjectOptions): Promise<EngineProject> {
  const project = await EngineProject.create({
    name: "adoption",
    config: { "perimeter:project": PROJECT },
    env: emulator.env,
    ...options,
  });
  projects.push(project);
  return project;
}

const npm = (program: Record<string, string>) =>
  stackIn({
    program: { "package.json": '{"name":"sample","private":true,"main":"index.js"}', ...program },
    runtime: JAVASCRIPT,
    nodeModules: packedPackage().nodeModules,
  });

const yamlProgram = (name: string) => ({
  // JSON is YAML too.
  "Pulumi.yaml": JSON.stringify({
    name: "adoption",
    runtime: "yaml",
    resources: { [name]: { type: ASSOCIATION, properties: association().args } },
  }),
});
const plugin = () => stackIn({ program: yamlProgram("link"), nodeModules: "none", path: [pluginFolder()] });

const FRONTS: [name: string, stack: () => Promise<EngineProject>, missing: string | undefined, advice: string][] = [
  [
    "npm front",
    () => npm(declaring({ link: association() })),
    missingHost("nodejs"),
    "FirewallEndpointAssociation.get(",
  ],
  ["plugin", plugin, missingHost("yaml"), "pulumi import"],
];

describe.each(FRONTS)("through the %s", (_front, stack, missing, advice) => {
  const testOrSkip = missing === undefined ? test : test.skip;

  testOrSkip("the same stack in another backend does not take the first one's", async () => {
    const [first, second] = [await stack(), await stack()];
    await first.up();
    const refused = await second.up({ fail: "yes" });
    const message = refused.messages("error", "link").join("\n");
    expect(message).toContain("ALREADY_EXISTS");
    expect(message).toContain(advice);
    await second.destroy();
    expect(emulator.resource(NAME)?.body).toMatchObject({ state: "ACTIVE" });
    expect((await first.refresh()).changes).toEqual({});
  });
});

/** The association `link`, below a component or not. */
const inComponent = (component: boolean) => ({
  "index.js": `"use strict";
const pulumi = require("@pulumi/pulumi");
const { networksecurity } = require("pulumi-perimeter");
const opts = ${component} ? { parent: new pulumi.ComponentResource("test:index:Edge", "edge") } : {};
new networksecurity.v1beta1.FirewallEndpointAssociation("link", ${JSON.stringify(association().args)}, opts);
`,
});

(missingHost("nodejs") === undefined ? test : test.skip)(
  "a move into a component without an alias is refused as often as it is tried, and takes nothing away",
  async () => {
    const project = await npm(inComponent(false));
    await project.up();
    project.writeFiles(inComponent(true));
    for (const args of [[], ["--continue-on-error"], ["--refresh"], []]) {
      await project.up({ fail: "yes", args });
      expect([args, emulator.resource(NAME)?.body.state]).toEqual([args, "ACTIVE"]);
    }
    project.writeFiles(inComponent(false));
    await project.up();
    expect((await project.refresh()).changes).toEqual({});
    expect(emulator.resource(NAME)?.body).toMatchObject({ state: "ACTIVE" });
  },
);

(missingHost("yaml") === undefined ? test : test.skip)(
  "a rename without an alias is refused through the plugin, and the delete names the alias",
  async () => {
    const project = await plugin();
    await project.up();
    project.writeFiles(yamlProgram("renamed"));
    const refused = await project.up({ fail: "yes", args: ["--continue-on-error"] });
    expect(refused.messages("error", "renamed").join()).toContain("ALREADY_EXISTS");
    expect(refused.messages("error", "link").join()).toMatch(/::renamed declares the same association.*alias/s);
    expect(emulator.resource(NAME)?.body).toMatchObject({ state: "ACTIVE" });
    project.writeFiles(yamlProgram("link"));
    expect((await project.up()).changes).toEqual({});
  },
);
