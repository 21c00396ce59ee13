/** An import or a read of a resource that the stack has, by a different spelling of its id: nothing is deleted in the cloud. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { changesAmong } from "../../support/changes";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { pluginFolder } from "../../support/plugin";
import { association, ASSOCIATIONS, FHIR_STORE, MIGRATION_JOB, PROJECT, TRIGGER } from "../../support/programs";
import { skipped } from "../../support/skipped";
import type { StackState } from "../../support/state";
import { leftOut, noteLeftOut } from "../../support/test-all";
import { ANY_GRANT, ASSOCIATION, JOB_GRANT, STORE_GRANT } from "../../support/tokens";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const testOrSkip = missing === undefined ? test : test.skip;

interface Resource {
  type: string;
  properties?: Record<string, unknown>;
  options?: Record<string, unknown>;
  get?: { id: string };
}

const NUMBER = "123456789012";
const LINK = `${ASSOCIATIONS}/prod`;
const link = (args: Record<string, unknown> = {}) => ({ type: ASSOCIATION, properties: association(args).args });

const ROLE = "roles/datamigration.admin";
const MEMBER = "group:database@example.com";
const VIEWERS = ["group:platform@example.com", "user:ada@example.com"];
const PUBLISHERS = {
  resource: "//pubsub.googleapis.com/projects/demo-project/topics/orders",
  role: "roles/pubsub.publisher",
};

/** What the stack has. */
const DECLARED: Record<string, Resource> = {
  link: link(),
  member: { type: JOB_GRANT, properties: { name: MIGRATION_JOB, role: ROLE, member: MEMBER } },
  binding: {
    type: "perimeter:eventing/v1:TriggerIamBinding",
    properties: { name: TRIGGER, role: "roles/eventarc.viewer", members: VIEWERS },
  },
  any: { type: ANY_GRANT, properties: { ...PUBLISHERS, member: MEMBER } },
};

const numbered = (text: string) => text.replaceAll(PROJECT, NUMBER);
/** The ids of these resources in other spellings: every round uses one of each. */
const SPELLINGS: Record<keyof typeof DECLARED, string>[] = [
  {
    link: `//networksecurity.googleapis.com/${LINK}`,
    member: `//datamigration.googleapis.com/${MIGRATION_JOB} ${ROLE} ${MEMBER}`,
    binding: `//eventarc.googleapis.com/${TRIGGER} roles/eventarc.viewer`,
    any: `${PUBLISHERS.resource} ${PUBLISHERS.role} ${MEMBER}`,
  },
  {
    link: `https://networksecurity.googleapis.com/v1beta1/${LINK}`,
    member: `https://datamigration.googleapis.com/v1beta1/${MIGRATION_JOB} ${ROLE} ${MEMBER}`,
    binding: `https://eventarc.googleapis.com/v1/${TRIGGER} roles/eventarc.viewer`,
    any: `https://pubsub.googleapis.com/v1/projects/demo-project/topics/orders ${PUBLISHERS.role} ${MEMBER}`,
  },
  {
    link: numbered(LINK),
    member: `${numbered(MIGRATION_JOB)} ${ROLE} ${MEMBER}`,
    binding: `${numbered(TRIGGER)} roles/eventarc.viewer`,
    any: `${numbered(PUBLISHERS.resource)} ${PUBLISHERS.role} ${MEMBER}`,
  },
];

type Ids = (typeof SPELLINGS)[number];
/** `make test` has one round, with a spelling of each kind. provider/core/reference.test.ts has all spellings of a name. */
const [LONG, URL, NUMBERED] = SPELLINGS as [Ids, Ids, Ids];
const MIXED: Ids = { link: URL.link, member: LONG.member, binding: NUMBERED.binding, any: NUMBERED.any } as Ids;
const ROUNDS = leftOut === undefined ? SPELLINGS : [MIXED];
noteLeftOut("rounds with the other spellings of each id");

let emulator: Emulator;
let project: EngineProject;
/** What each test starts from. */
let managed: StackState;
let cloud: ReturnType<Emulator["export"]>;

const cloudOf = (seed: readonly unknown[]) => startEmulator({ seed: [...seed], projectNumbers: { [NUMBER]: PROJECT } });

beforeAll(async () => {
  if (missing !== undefined) return;
  const topic = { service: "pubsub", name: "projects/demo-project/topics/orders" };
  emulator = await cloudOf([...demoSeed, topic]);
  project = await EngineProject.create({
    program: program(DECLARED),
    config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
    env: emulator.env,
    path: [pluginFolder()],
    nodeModules: "none",
  });
  await project.up();
  managed = await project.exportState();
  cloud = emulator.export();
  await emulator.stop();
});
beforeEach(async () => {
  if (missing !== undefined) return;
  emulator = await cloudOf(cloud);
  Object.assign(project.env, emulator.env);
  project.writeFiles(program(DECLARED));
  project.importState(managed);
});
afterEach(() => emulator?.stop());
afterAll(() => project?.dispose());

/** JSON is YAML too. */
function program(resources: Record<string, Resource>): Record<string, string> {
  return { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources }) };
}

/** The program with the resource option `import`. A grant is declared with the project's spelling in its id. */
const importing = (ids: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(ids).map(([name, id]) => {
      const text = JSON.stringify(DECLARED[name]);
      const declared = JSON.parse(id.includes(NUMBER) && name !== "link" ? numbered(text) : text) as Resource;
      return [name, { ...declared, options: { import: id } }];
    }),
  );
const reading = (ids: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [name, { type: DECLARED[name]?.type ?? "", get: { id } }]),
  );

/** What the cloud was asked to change. */
function changes(): string[] {
  const made = changesAmong(emulator.requests()).map(({ method, path }) => `${method} ${decodeURIComponent(path)}`);
  emulator.clearRequests();
  return made;
}

/** The resources in the state by name, one entry for each record. */
async function records(): Promise<string[]> {
  const { resources = [] } = (await project.exportState()).deployment;
  return resources
    .filter(({ urn }) => !/::pulumi:(pulumi|providers):/.test(urn))
    .map(({ urn }) => urn.split("::").at(-1) ?? "");
}

const NAMES = Object.keys(DECLARED);

testOrSkip(
  `importing what the stack has, by another spelling, keeps it in the cloud and once in the state${skipped(missing)}`,
  async () => {
    for (const ids of ROUNDS) {
      project.writeFiles(program(importing(ids)));
      const imported = await project.up();
      for (const name of NAMES) expect([name, imported.step(name, "import-replacement").name]).toEqual([name, name]);
      expect([ids.link, changes()]).toEqual([ids.link, []]);
      expect((await records()).sort()).toEqual([...NAMES].sort());
      expect(imported.messages("info", "link").join()).toContain("/prod stays in the cloud");
      expect((await project.preview({ refresh: true })).changes).toEqual({});
    }
    // What the stack has is deleted with it.
    await project.destroy();
    expect(emulator.resource(LINK)).toBeUndefined();
    expect(JSON.stringify([MIGRATION_JOB, TRIGGER].map((name) => emulator.resource(name)?.policy))).not.toMatch(
      /database@|platform@/,
    );
  },
);

testOrSkip(
  `a run that fails after such an import, and the next run, keep the resources in the cloud${skipped(missing)}`,
  async () => {
    const imported = importing(SPELLINGS[0] as Record<string, string>);
    const failing = { type: STORE_GRANT, properties: { name: FHIR_STORE, role: "roles/viewer", member: MEMBER } };
    emulator.setFaults([
      { match: { path: `/**/${FHIR_STORE}:setIamPolicy` }, times: 0, fault: { status: "PERMISSION_DENIED" } },
    ]);
    project.writeFiles(program({ ...imported, failing }));
    await project.up({ fail: "yes" });
    expect((await records()).sort()).toEqual([...NAMES, ...NAMES].sort());
    emulator.setFaults([]);
    emulator.clearRequests();

    // The update that the older record of the association is deleted after does not change that.
    const updated = {
      ...imported,
      link: { ...link({ labels: { team: "network" } }), options: { import: SPELLINGS[0]?.link } },
    };
    project.writeFiles(program(updated));
    await project.up();
    expect(changes()).toEqual([expect.stringMatching(new RegExp(`^PATCH /v1beta1/${LINK}`))]);
    expect((await records()).sort()).toEqual([...NAMES].sort());
  },
);

testOrSkip(
  `reading what the stack has, by another spelling and under the same name, keeps it in the cloud${skipped(missing)}`,
  async () => {
    for (const ids of ROUNDS) {
      project.importState(managed);
      project.writeFiles(program(reading(ids)));
      await project.up();
      expect([ids.link, changes()]).toEqual([ids.link, []]);
      expect((await records()).sort()).toEqual([...NAMES].sort());
    }
  },
);

testOrSkip(
  `importing another resource under the same name deletes the one that the stack had${skipped(missing)}`,
  async () => {
    const { name: _, ...body } = emulator.resource(LINK)?.body ?? {};
    const other = { network: `projects/${PROJECT}/global/networks/other` };
    emulator.seed([{ service: "networksecurity", name: `${ASSOCIATIONS}/other`, body: { ...body, ...other } }]);
    const properties = association({ firewallEndpointAssociationId: "other", ...other }).args;
    const imported = { type: ASSOCIATION, properties, options: { import: `${ASSOCIATIONS}/other` } };
    project.writeFiles(program({ ...DECLARED, link: imported }));
    await project.up();
    expect(changes()).toEqual([expect.stringMatching(new RegExp(`^DELETE /v1beta1/${LINK}`))]);
  },
);

testOrSkip(`a replacement that the user requests still deletes the association${skipped(missing)}`, async () => {
  const labelled = link({ labels: { team: "network" } });
  // A create with the request id of an earlier one is sent again.
  const methods = () => [...new Set(changes().map((each) => each.split(" ")[0]))];
  project.writeFiles(program({ ...DECLARED, link: { ...labelled, options: { replaceOnChanges: ["labels"] } } }));
  await project.up({ args: ["--refresh"] });
  expect(methods()).toEqual(["DELETE", "POST"]);
  const { urn = "" } =
    (await project.exportState()).deployment.resources?.find((each) => /::link$/.test(each.urn)) ?? {};
  project.writeFiles(program({ ...DECLARED, link: { ...labelled, options: { deleteBeforeReplace: true } } }));
  await project.up({ args: ["--refresh", "--replace", urn] });
  expect(methods()).toEqual(["DELETE", "POST"]);
  expect(emulator.resource(LINK)).toBeDefined();
});
