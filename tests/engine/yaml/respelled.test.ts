/** A project's id and its number are one project to the cloud: writing the other one, or none, changes nothing. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { changesAmong } from "../../support/changes";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { ASSOCIATIONS, association, PROJECT } from "../../support/programs";
import { ASSOCIATION } from "../../support/tokens";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const testOrSkip = missing === undefined ? test : test.skip;
const NUMBER = "123456789012";

let emulator: Emulator | undefined;
let project: EngineProject | undefined;
afterEach(async () => {
  await project?.dispose();
  await emulator?.stop();
});

/** By the configured project: what programs write. */
const SPELLINGS: Record<string, Record<string, unknown>[]> = {
  [NUMBER]: [{}, { project: PROJECT }, { project: NUMBER, network: NUMBER }],
  [PROJECT]: [{ project: NUMBER }, { network: NUMBER }, {}],
};
const NAMES = ["one", "two", "three"];

/** Associations, each on a network of its own, which is spelled as the given project. JSON is YAML too. */
function program(written: readonly Record<string, unknown>[]): Record<string, string> {
  const links = written.map(({ network = PROJECT, ...args }, at) => {
    const own = {
      firewallEndpointAssociationId: NAMES[at],
      network: `projects/${network as string}/global/networks/${NAMES[at]}`,
    };
    return [NAMES[at], { type: ASSOCIATION, properties: { ...association(own).args, ...args } }] as const;
  });
  const outputs = Object.fromEntries(links.map(([name]) => [name, [`\${${name}.name}`, `\${${name}.project}`]]));
  const resources = Object.fromEntries(links);
  return { "Pulumi.yaml": JSON.stringify({ name: "respelled", runtime: "yaml", resources, outputs }) };
}

testOrSkip(
  `a different spelling of the project does not replace an association; a different project does${skipped(missing)}`,
  async () => {
    emulator = await startEmulator({ seed: demoSeed });
    project = await EngineProject.create({
      program: program([{}, {}, {}]),
      config: { "perimeter:project": PROJECT },
      nodeModules: "none",
      path: [pluginFolder()],
      env: emulator.env,
    });
    await project.up();
    const outputs = await project.outputs();
    expect(outputs).toEqual(Object.fromEntries(NAMES.map((name) => [name, [`${ASSOCIATIONS}/${name}`, PROJECT]])));
    emulator.clearRequests();

    for (const [configured, written] of Object.entries(SPELLINGS)) {
      project.writeFiles(program(written));
      await project.setConfig("perimeter:project", configured);
      expect([configured, (await project.up()).changes]).toEqual([configured, {}]);
      expect(await project.outputs()).toEqual(outputs);
    }
    expect((await project.refresh()).changes).toEqual({});
    expect(changesAmong(emulator.requests())).toEqual([]);

    // An update under the other spelling changes what is asked for, in place, and neither name nor id.
    const changed = { project: NUMBER, labels: { team: "security" } };
    project.writeFiles(program([changed, changed, {}]));
    expect((await project.up()).changes).toEqual({ update: 2 });
    expect(await project.outputs()).toEqual(outputs);
    for (const name of ["one", "two"]) {
      expect(emulator.resource(`${ASSOCIATIONS}/${name}`)?.body).toMatchObject({ labels: { team: "security" } });
    }

    project.writeFiles(program([{ project: "another-project" }, { project: "210987654321" }, {}]));
    const planned = await project.preview();
    expect(planned.changes).toEqual({ replace: 2 });
    for (const name of ["one", "two"]) expect([name, planned.step(name, "replace").keys]).toEqual([name, ["project"]]);
  },
);
