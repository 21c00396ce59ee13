/** An association belongs to the resource that began its create: no other stack, component or backend adopts or deletes it. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost, type ProjectOptions } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import { pluginFolder } from "../../support/plugin";
import { association, ASSOCIATIONS, JAVASCRIPT, PROJECT } from "../../support/programs";
import { ASSOCIATION } from "../../support/tokens";
import { drifts } from "../../support/drift";
import { skipped } from "../../support/skipped";

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

/** The association `link`, in a component or at the root, and children of one name in two components. */
const PROGRAM = `"use strict";
const pulumi = require("@pulumi/pulumi");
const { networksecurity } = require("pulumi-perimeter");
const { edge, twin } = require("./scene.json");
const link = ${JSON.stringify(association().args)};
const Association = networksecurity.v1beta1.FirewallEndpointAssociation;

new Association("link", link, edge ? { parent: new pulumi.ComponentResource("test:index:Edge", "edge") } : {});
for (const type of twin ? ["test:index:First", "test:index:Second"] : []) {
  new Association("twin", { ...link, ...twin }, { parent: new pulumi.ComponentResource(type, type.slice(-5)) });
}
`;
const scene = (what: { edge?: boolean; twin?: Record<string, string> }) => ({ "scene.json": JSON.stringify(what) });

const npm = () =>
  stackIn({
    program: {
      "package.json": '{"name":"sample","private":true,"main":"index.js"}',
      "index.js": PROGRAM,
      ...scene({}),
    },
    runtime: JAVASCRIPT,
    nodeModules: packedPackage().nodeModules,
  });

const yamlProgram = (name: string, args: Record<string, unknown> = {}, options: Record<string, unknown> = {}) => ({
  // JSON is YAML too.
  "Pulumi.yaml": JSON.stringify({
    name: "adoption",
    runtime: "yaml",
    resources: { [name]: { type: ASSOCIATION, properties: association(args).args, options } },
  }),
});
const plugin = () => stackIn({ program: yamlProgram("link"), nodeModules: "none", path: [pluginFolder()] });

const associationsIn = async (project: EngineProject) =>
  ((await project.exportState()).deployment.resources ?? []).filter(({ type }) => type.includes("EndpointAssociation"));

/** Another stack of the same names, in another backend: it gets told, and has nothing that it could destroy. */
async function expectRefusedElsewhere(other: EngineProject, advice: string): Promise<void> {
  const refused = await other.up({ fail: "yes" });
  const message = refused.messages("error", "link").join("\n");
  expect(message).toContain("ALREADY_EXISTS");
  expect(message).toContain(advice);
  expect(await associationsIn(other)).toEqual([]);
  expect(emulator.resource(NAME)?.body).toMatchObject({ state: "ACTIVE" });
}

(missingHost("nodejs") === undefined ? test : test.skip)(
  `npm front: only the resource that started a create can adopt its result: not a stack in another backend, a move without an alias, or a resource of the same name${skipped(missingHost("nodejs"))}`,
  async () => {
    const project = await npm();
    await project.up();
    await expectRefusedElsewhere(await npm(), "FirewallEndpointAssociation.get(");

    // The first move meets children of the same name in two components: the second is refused, not adopted.
    const twin = { network: `projects/${PROJECT}/global/networks/twin`, firewallEndpointAssociationId: "twin" };
    project.writeFiles(scene({ edge: true, twin }));
    const moved = await project.up({ fail: "yes", args: ["--continue-on-error"] });
    expect(moved.messages("error", "link").join()).toContain("ALREADY_EXISTS");
    expect(moved.messages("error", "twin").join()).toContain("ALREADY_EXISTS");
    const [twinInState, ...others] = (await associationsIn(project)).filter(({ urn }) => urn.endsWith("::twin"));
    expect(others).toEqual([]);
    expect(twinInState?.inputs?.__identity).toBe(`organization/${twinInState?.urn}`);
    // Nothing but the components' children: what a resource is told apart by makes it depend on nothing.
    expect(twinInState?.dependencies ?? []).toEqual([]);

    // Undone, there is nothing to repair.
    expect(emulator.resource(NAME)?.body).toMatchObject({ state: "ACTIVE" });
    project.writeFiles(scene({}));
    const undone = await project.up({ args: ["--refresh"] });
    expect(undone.changes).toEqual({ delete: 4 });
    expect(drifts(undone)).toEqual({});
    expect(emulator.resource(NAME)?.body).toMatchObject({ state: "ACTIVE" });
    expect((await associationsIn(project)).map(({ id }) => id)).toEqual([NAME]);
  },
);

(missingHost("yaml") === undefined ? test : test.skip)(
  `plugin: only the resource that started a create can adopt its result: not a stack in another backend or a rename without an alias; with an alias, a replacement deletes the old one${skipped(missingHost("yaml"))}`,
  async () => {
    const project = await plugin();
    await project.up();
    await expectRefusedElsewhere(await plugin(), "pulumi import");

    project.writeFiles(yamlProgram("renamed"));
    const refused = await project.up({ fail: "yes", args: ["--continue-on-error"] });
    expect(refused.messages("error", "renamed").join()).toContain("ALREADY_EXISTS");
    expect(refused.messages("error", "link").join()).toMatch(/::renamed declares the same association.*alias/s);
    expect(emulator.resource(NAME)?.body).toMatchObject({ state: "ACTIVE" });
    project.writeFiles(yamlProgram("link"));
    const undone = await project.up({ args: ["--refresh"] });
    expect([undone.changes, drifts(undone)]).toEqual([{}, {}]);

    // With an alias, and replaced at once: the delete of the old one comes by its old name, and is no other resource's.
    const aliases = [`urn:pulumi:test::adoption::${ASSOCIATION}::link`];
    project.writeFiles(yamlProgram("renamed", { firewallEndpointAssociationId: "other" }, { aliases }));
    expect((await project.up()).changes).toEqual({ replace: 1 });
    expect(emulator.resource(NAME)).toBeUndefined();
    expect(emulator.resource(`${ASSOCIATIONS}/other`)?.body).toMatchObject({ state: "ACTIVE" });
  },
);
