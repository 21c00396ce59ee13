import { stepsOf, type Load } from "../../tests/support/steps";
import { answerWith, onlyStack, type OneStack } from "../../tests/support/answers";
import { demoSeed, startEmulator, type Emulator } from "../../emulator";
import { htmlPage } from "../formats/html";
import { markdownText } from "../formats/markdown";
import { terminalText } from "../formats/terminal";
import type { ReviewedResource } from "../result/result";
import { access } from "../access";

const PROJECT = "projects/demo-project";
const AT = `${PROJECT}/locations/us-central1`;
const STORE = `${AT}/datasets/clinic/fhirStores/records`;
const DATASET = `${AT}/datasets/clinic`;
const TRIGGER = `${AT}/triggers/orders`;
const ADA = "user:ada@example.com";
const CUSTOM = `${PROJECT}/roles/auditor`;

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ seed: demoSeed });
  seed(PROJECT, [{ role: "roles/viewer", members: [ADA, "group:team@example.com"] }]);
});
afterEach(() => {
  jest.restoreAllMocks();
  return emulator.stop();
});

interface Binding {
  role: string;
  members: string[];
  condition?: { title: string; expression: string };
}

function seed(name: string, bindings: Binding[], body: object = {}): void {
  const service = name.includes("/datasets/") ? "healthcare" : "cloudresourcemanager";
  emulator.seed([{ service, name, body, policy: { version: 3, bindings } }]);
}

type Look = Omit<Parameters<typeof access>[0], "earlier"> & { earlier?: OneStack };
const look = async ({ earlier, ...more }: Look = { resources: [STORE, TRIGGER] }) =>
  onlyStack(await access({ environment: emulator.env, ...(earlier && { earlier: answerWith(earlier) }), ...more }));

const changesOf = ({ resources }: OneStack) =>
  resources.flatMap(({ resource, changes }) =>
    changes.map(({ change, principal, role }) => `${change} ${principal} ${role} on ${resource}`),
  );
const unknownOf = ({ resources }: OneStack) =>
  resources.flatMap(({ resource, unknown }) => unknown.map(({ message }) => `${resource}: ${message}`));

test("a role that is lost at the project is one loss, however many resources are below it", async () => {
  const earlier = await look();
  seed(PROJECT, [{ role: "roles/viewer", members: ["group:team@example.com"] }]);
  const result = await look({ earlier });
  expect(result.verdict.exitCode).toBe(2);
  expect(changesOf(result)).toEqual([`lost ${ADA} roles/viewer on ${PROJECT}`]);
  expect(result.resources[0]).toMatchObject({
    kind: "a project",
    api: "cloudresourcemanager",
    before: null,
    unknown: [],
  });
  expect(result.resources[0]?.changes[0]).toMatchObject({ steps: [] });
  const texts = [
    terminalText(answerWith(result), { width: 200, color: false }),
    markdownText(answerWith(result)),
    htmlPage(answerWith(result)),
  ];
  for (const text of texts) {
    expect(text).toContain("1 principal lost access on 1 resource");
    expect(text).toContain(PROJECT);
  }
  // The answer with the loss is an earlier answer, too.
  expect(await look({ earlier: result })).toMatchObject({ verdict: { exitCode: 0 }, resources: { length: 2 } });
});

test("gains, conditions, the dataset, folders and the organization are compared, too", async () => {
  const condition = { title: "until June", expression: 'request.time < timestamp("2127-06-01T00:00:00Z")' };
  const admin = "roles/healthcare.fhirStoreAdmin";
  seed("organizations/1", [{ role: "roles/owner", members: ["group:owners@example.com"] }]);
  seed("folders/7", [{ role: "roles/viewer", members: [ADA] }], { parent: "organizations/1" });
  seed(PROJECT, [{ role: "roles/viewer", members: [ADA] }], { parent: "folders/7" });
  seed(DATASET, [{ role: admin, members: [ADA] }]);
  const earlier = await look();
  seed("organizations/1", []);
  seed("folders/7", [{ role: "roles/viewer", members: [ADA], condition }], { parent: "organizations/1" });
  seed(PROJECT, [{ role: "roles/viewer", members: [ADA, "user:new@example.com"] }], { parent: "folders/7" });
  seed(DATASET, []);
  const result = await look({ earlier });
  expect(changesOf(result)).toEqual([
    `condition ${ADA} roles/viewer on folders/7`,
    "lost group:owners@example.com roles/owner on organizations/1",
    `gained user:new@example.com roles/viewer on ${PROJECT}`,
    `lost ${ADA} ${admin} on ${DATASET}`,
  ]);
  expect(unknownOf(result)).toEqual([]);
});

test("a grant above that has expired since then is not lost, and neither is one of an answer with direct grants only", async () => {
  const now = Date.now();
  const condition = { title: "t", expression: `request.time < timestamp("${new Date(now + 3_000).toISOString()}")` };
  seed(PROJECT, [{ role: "roles/viewer", members: [ADA], condition }]);
  const earlier = await look();
  expect(earlier.resources[0]?.inherited).toHaveLength(1);
  jest.spyOn(Date, "now").mockReturnValue(now + 3_100);
  expect(changesOf(await look({ earlier }))).toEqual([]);
  const direct = await look({ earlier, inherited: false });
  expect([changesOf(direct), direct.verdict.exitCode]).toEqual([[], 0]);
  seed(PROJECT, [{ role: "roles/viewer", members: [ADA] }]);
  const since = await look({ earlier: direct });
  expect([changesOf(since), since.verdict.exitCode]).toEqual([[], 0]);
  expect(since.notes).toContain("Access from above is not compared: one of the answers has only direct grants");
});

test("a loss above what could not be read is unknown, and one below it is known", async () => {
  seed("folders/7", [{ role: "roles/viewer", members: [ADA] }]);
  seed(
    PROJECT,
    [
      { role: "roles/viewer", members: [ADA] },
      { role: CUSTOM, members: [ADA] },
    ],
    { parent: "folders/7" },
  );
  emulator.seed([{ service: "iam", name: CUSTOM, body: { includedPermissions: ["healthcare.fhirStores.get"] } }]);
  const earlier = await look();
  seed(PROJECT, [{ role: CUSTOM, members: [ADA] }], { parent: "folders/7" });
  emulator.configure({ deny: ["resourcemanager.folders.getIamPolicy", "iam.roles.get"] });
  const result = await look({ earlier });
  expect(changesOf(result)).toEqual([`lost ${ADA} roles/viewer on ${PROJECT}`]);
  const message = (answer: string) =>
    `It is unknown whether access from here has changed: ${answer} could not read all of it.`;
  expect(unknownOf(result)).toEqual([`folders/7: ${message("this answer")}`, `${PROJECT}: ${message("this answer")}`]);
  emulator.configure({ deny: [] });
  expect(unknownOf(await look({ earlier: result }))).toEqual([
    `folders/7: ${message("the earlier answer")}`,
    `${PROJECT}: ${message("the earlier answer")}`,
  ]);
});

test("the policy of a project is compared, also where it is above another resource of the answer", async () => {
  const full = `//cloudresourcemanager.googleapis.com/${PROJECT}`;
  const grants = (...members: string[]) => ({ policy: { bindings: [{ role: "roles/owner", members }] } });
  emulator.mutate(PROJECT, grants(ADA));
  const resourcesNow = (earlier?: OneStack) => look({ resources: [full, TRIGGER], ...(earlier && { earlier }) });
  const earlier = await resourcesNow();
  expect((await resourcesNow(earlier)).resources.flatMap(({ changes, unknown }) => [...changes, ...unknown])).toEqual(
    [],
  );
  emulator.mutate(PROJECT, grants("user:eve@example.com"));
  const { resources } = await resourcesNow(earlier);
  const lines = resources.map(({ resource, isAbove, changes }) => [
    resource,
    isAbove,
    changes.map(({ change, principal }) => `${change} ${principal}`),
  ]);
  const changes = [`lost ${ADA}`, "gained user:eve@example.com"];
  expect(lines).toContainEqual([full, undefined, changes]);
  expect(lines).toContainEqual([PROJECT, true, changes]);
});

/** Compares two answers about some resources, below grants that are all different in the two. @param load a module by its path */
function comparing(load: Load) {
  const { UNKNOWN_POLICY: unknown } = load<typeof import("../result/grants")>("access/result/grants");
  const { compared: compare } = load<typeof import("./compare")>("access/changes/compare");
  const answers = load<typeof import("../../tests/support/answers")>("tests/support/answers");
  const project = "projects/demo-project";
  const answer = (name: string, grantsAbove: number, below: number) => {
    const inherited = Array.from({ length: grantsAbove }, (_, index) => {
      return { principal: `user:${name}-${index}@example.com`, role: "roles/viewer", from: "project demo-project" };
    });
    const resources = Array.from({ length: below }, (_, index): ReviewedResource => {
      const resource = `//pubsub.googleapis.com/${project}/topics/t${index}`;
      return { resource, kind: "a topic", api: "pubsub", ...unknown, before: [], after: [], inherited };
    });
    return answers.answerWith({ operation: "access", resources });
  };
  return ([grantsAbove, below]: [number, number]) =>
    compare(answers.onlyStack(answer("new", grantsAbove, below)), { earlier: answer("old", grantsAbove, below) });
}

test("exchanged grants above resources are in one entry, the last", () => {
  const compare = comparing((path) => jest.requireActual<never>(`../../${path}`));
  expect(compare([300, 200]).resources.at(-1)).toMatchObject({ resource: PROJECT, changes: { length: 600 } });
});

test("grants above resources are compared once, in steps that grow with their number", async () => {
  const [few = 0, many = 0, above = 0, further = 0] = await stepsOf(comparing, [
    [50, 20],
    [200, 20],
    [100, 1],
    [100, 21],
  ]);
  expect(many / few).toBeLessThan(6);
  // The grants above a further resource are read, and not compared again.
  expect((further - above) / 20 / above).toBeLessThan(0.6);
});
