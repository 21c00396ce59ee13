import { byEffect, onlyStack, type OneStack } from "../../support/answers";
/**
 * What decides who has access beside the steps on grants, on the real engine: the environment of the preview, resources that
 * another provider deletes, and several providers that replace one policy. A review says what it does not know.
 */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { reviewStack } from "../../../access";
import { EngineProject, ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { OTHER_TYPES, OtherProvider, policyCloud } from "../../support/other-provider";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, PROJECT, storeOf } from "../../support/programs";
import { FRONTS, type Front } from "../../support/review-fronts";
import { changeLines, line, onStore, READER, ReviewWorld, VIEWER } from "../../support/review-world";
import { skipped } from "../../support/skipped";
import { STORE_GRANT } from "../../support/tokens";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const group = (name: string) => `group:${name}@example.com`;
const ZOE = "user:zoe@example.com";
const OTHERS = [{ role: VIEWER, members: [ZOE] }];
const messages = ({ resources, unknown }: OneStack) =>
  [...unknown, ...resources.flatMap((each) => each.unknown)].map(({ message }) => message);

let world: ReviewWorld | undefined;
afterEach(async () => {
  await world?.dispose();
  world = undefined;
});

/** A world whose stack has no grant mode of its own. */
async function withoutMode(front: Front): Promise<ReviewWorld> {
  const created = await ReviewWorld.create(front, { grant: { member: group("new") } });
  world = created;
  const config = JSON.stringify({ config: { "perimeter:project": PROJECT } });
  created.project.writeFiles({ [`Pulumi.${created.project.stack}.yaml`]: config });
  created.others(OTHERS);
  return created;
}

/** A preview in this environment, and reviews of it in others. */
async function previewed(created: ReviewWorld, env: Record<string, string>) {
  const { stdout: plan } = await created.project.run(["preview", "--json", "--show-sames"], { env });
  const state = JSON.stringify(await created.project.exportState());
  return async (variables: Record<string, string>) => {
    const environment = { ...created.project.env, ...variables };
    return (await created.reviewPlan(plan, { state, environment })).result;
  };
}

const MERGE = { PERIMETER_GRANT_MODE: "merge" };
const REPLACE = { PERIMETER_GRANT_MODE: "replace" };
const ONE_ENVIRONMENT = "\\. Run the preview, the review and the update with the same";
const saying = (clause: string) => expect.stringMatching(new RegExp(clause)) as string;

const [front = "npm", ...otherFronts] = FRONTS;

describe(`a grant mode of the environment, with ${front}`, () => {
  const REPLACED = [line("+", group("new")), line("-", ZOE, VIEWER)].sort();

  test("is used if the preview had it too; another one makes the update's settings unknown", async () => {
    const created = await withoutMode(front);
    const reviewIn = await previewed(created, MERGE);

    // The result names the environment variable.
    const same = await reviewIn(MERGE);
    expect([messages(same), same.verdict.exitCode]).toEqual([[], 0]);
    expect(onStore(same, FHIR_STORE).resources).toMatchObject([
      {
        endpointVariable: "PERIMETER_EMULATOR_HOST",
        grantModes: [{ mode: "merge", variable: "PERIMETER_GRANT_MODE" }],
      },
    ]);

    const replace = await reviewIn(REPLACE);
    expect(messages(replace)).toContainEqual(
      saying(
        "^It is unknown which settings the provider default has in the update: the preview worked in grant mode merge from " +
          `PERIMETER_GRANT_MODE, and this review in replace from PERIMETER_GRANT_MODE${ONE_ENVIRONMENT}`,
      ),
    );
    expect(replace.verdict.exitCode).toBe(2);

    const without = await reviewIn({});
    expect(changeLines(without)).toEqual(REPLACED);
    expect(messages(without)).toEqual([
      saying("worked in grant mode merge from PERIMETER_GRANT_MODE, and this review in replace\\."),
    ]);

    const other: Emulator = await startEmulator({ seed: demoSeed });
    try {
      const elsewhere = await reviewIn({ ...MERGE, ...other.env });
      const [message = "", ...rest] = messages(elsewhere);
      expect([rest, elsewhere.verdict.exitCode]).toEqual([[], 3]);
      expect(message).toContain(
        `the preview worked with the API at ${created.emulator.url}/v1beta1/ from PERIMETER_EMULATOR_HOST, and this review with `,
      );
      expect(message).toContain(`${other.url}/v1beta1/ from PERIMETER_EMULATOR_HOST`);
    } finally {
      await other.stop();
    }

    await created.project.up({ env: MERGE });
    expect(created.holders()).toEqual([group("new"), ZOE]);
  });

  test("of the review alone makes the update's settings unknown", async () => {
    const created = await withoutMode(front);
    const result = await (await previewed(created, {}))(MERGE);
    expect(messages(result)).toContainEqual(
      saying(`worked in grant mode replace, and this review in merge from PERIMETER_GRANT_MODE${ONE_ENVIRONMENT}`),
    );
    expect(result.verdict.exitCode).toBe(3);
    await created.project.up();
    expect(created.holders()).toEqual([group("new")]);
  });
});

test.each(otherFronts)(
  "the review reads the grant mode that a preview with %s had from its environment",
  async (other) => {
    const reviewIn = await previewed(await withoutMode(other), MERGE);
    expect(messages(await reviewIn(MERGE))).toEqual([]);
    expect(messages(await reviewIn(REPLACE))).toContainEqual(
      saying(
        "worked in grant mode merge from PERIMETER_GRANT_MODE, and this review in replace from PERIMETER_GRANT_MODE",
      ),
    );
  },
);

const missing = missingHost("yaml");

(missing === undefined ? describe : describe.skip)(`explicit providers of the plugin${skipped(missing)}`, () => {
  const replace = { project: PROJECT, grantMode: "replace" };

  const merge = { ...replace, grantMode: "merge" };
  // settings.test.ts has the other names that look like the engine's own.
  const LIKE_DEFAULT = "default_1_0_0";
  const [BOTH, OWN] = [storeOf("both"), storeOf("own")];
  const grants = (dependsOn: Record<"two" | "added", string[]>) => ({
    one: { member: group("one"), provider: "first" },
    two: { member: group("two"), provider: "second", dependsOn: dependsOn.two },
    replacing: { name: BOTH, member: group("replacing"), provider: "first" },
    added: { name: BOTH, member: group("added"), provider: "third", dependsOn: dependsOn.added },
    own: { name: OWN, member: group("own"), provider: LIKE_DEFAULT },
  });
  const providers = { first: replace, second: replace, third: merge };
  const RACES = [
    /^It is unknown who has access after the update: one and two each replace the whole access policy/,
    /replacing replaces the whole access policy, added adds to it, and/,
  ];
  let shared: ReviewWorld;
  let steps: Awaited<ReturnType<typeof carryOut>>;

  beforeAll(async () => {
    const unordered = grants({ two: [], added: [] });
    shared = await ReviewWorld.create("plugin", unordered, { providers: { ...providers, [LIKE_DEFAULT]: replace } });
    for (const store of [FHIR_STORE, BOTH]) shared.others(OTHERS, store);
    shared.others([], OWN);
    steps = await carryOut();
  });
  afterAll(() => shared?.dispose());

  async function carryOut() {
    const { result: piped } = await shared.review();
    const known = onlyStack(await reviewStack(shared.project.stackOptions));
    shared.declare(grants({ two: ["one"], added: ["replacing"] }), { ...providers, [LIKE_DEFAULT]: merge });
    return { piped, known, ordered: await shared.update() };
  }

  test("a piped plan does not show the settings of a new explicit provider default_1_0_0 with another grant mode than the stack", () => {
    const { piped, known, ordered } = steps;
    const other = /worked in grant mode replace, and this review in merge\. .* give it another name$/;
    expect(messages(piped)).toContainEqual(expect.stringMatching(other));
    expect(messages(piped)).toHaveLength(RACES.length + 1);
    expect(messages(known)).not.toContainEqual(expect.stringMatching(other));
    expect(messages(known)).toHaveLength(RACES.length);
    expect(byEffect(piped.verdict).violations).toContainEqual(
      expect.objectContaining({ rule: "unknown", message: expect.stringMatching(other) as string }),
    );
    expect(onStore(known, OWN).resources).toMatchObject([{ grantModes: [{ mode: "replace" }], unknown: [] }]);
    expect(byEffect(known.verdict).violations.filter(({ resource }) => resource === OWN)).toEqual([]);

    // With the stack's settings, it makes no difference whose provider it is.
    expect(messages(ordered.result)).toEqual([]);
    expect(shared.holders(OWN)).toEqual([group("own")]);
  });

  test("if two providers replace one policy, it is unknown who has access, unless one grant depends on the other", () => {
    const { piped, ordered } = steps;
    expect(messages(piped)).toContainEqual(expect.stringMatching(RACES[0]!));
    expect(byEffect(piped.verdict).violations.map(({ rule }) => rule)).toContain("unknown");
    expect([messages(ordered.result), ordered.wrong]).toEqual([[], []]);
    expect(changeLines(onStore(ordered.result, FHIR_STORE))).toEqual(
      [line("+", group("two")), line("-", ZOE, VIEWER)].sort(),
    );
    expect(shared.holders(FHIR_STORE)).toEqual([group("two")]);
  });

  test("if one provider replaces a policy and one adds to it, access is unknown unless one grant depends on the other", () => {
    const { piped, ordered } = steps;
    expect(messages(piped)).toContainEqual(expect.stringMatching(RACES[1]!));
    expect([messages(ordered.result), ordered.wrong]).toEqual([[], []]);
    expect(shared.holders(BOTH)).toEqual([group("added"), group("replacing")]);
  });
});

(missing === undefined ? describe : describe.skip)(
  `resources that another provider deletes or replaces${skipped(missing)}`,
  () => {
    const STORES = { replaced: storeOf("replaced"), deleted: storeOf("deleted") };
    const DATASET = FHIR_STORE.replace("/clinic/", "/archive/").replace(/\/fhirStores.*/, "");
    const NAMES = [...Object.values(STORES), `${DATASET}/fhirStores/inside`];
    const [STORE_TYPE, DATASET_TYPE] = OTHER_TYPES;
    const parent = (type: string, resource: string, version = 1) => ({ type, properties: { resource, version } });

    /** Resources of another provider, and a grant on each store. */
    function files(parents: Record<string, object>): Record<string, string> {
      const grants = NAMES.map((name) => [
        name.replace(/^.*\//, ""),
        {
          type: STORE_GRANT,
          properties: { name, role: READER, member: group("nurses") },
          options: { dependsOn: Object.keys(parents).map((each) => `\${${each}}`) },
        },
      ]);
      const resources = { ...parents, ...(Object.fromEntries(grants) as object) };
      return { "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources }) };
    }

    test("all lose access to them and to what is in them, as the update then shows", async () => {
      const stores = NAMES.map((name) => ({ service: "healthcare", name, body: { version: "R4" } }));
      const emulator = await startEmulator({
        seed: [...demoSeed, { service: "healthcare", name: DATASET }, ...stores],
      });
      // As in a cloud, the policies of a deleted resource and of what is in it go with it.
      const remove = (id: string) => {
        for (const name of NAMES) if (`${name}/`.startsWith(`${id}/`)) emulator.mutate(name, { policy: {} });
      };
      const provider = await OtherProvider.start({ remove, ...policyCloud(emulator) });
      const project = await EngineProject.create({
        program: files({
          "a-store": parent(STORE_TYPE, STORES.replaced),
          "b-store": parent(STORE_TYPE, STORES.deleted),
          dataset: parent(DATASET_TYPE, DATASET),
        }),
        config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
        env: { ...emulator.env, ...provider.env },
        path: [pluginFolder()],
        nodeModules: "none",
      });
      try {
        await project.up();
        const held = { policy: { bindings: [...OTHERS, { role: READER, members: [group("nurses")] }] } };
        for (const name of NAMES) emulator.mutate(name, held);
        project.writeFiles(files({ "a-store": parent(STORE_TYPE, STORES.replaced, 2) }));
        const result = onlyStack(await reviewStack(project.stackOptions));
        // Only the dataset may have had more in it.
        expect(messages(result)).toEqual([
          expect.stringMatching(/^It is unknown who loses access to what is in .*: the plan deletes dataset/),
        ]);
        expect(result.verdict.exitCode).toBe(2);
        for (const name of NAMES) {
          const lost = [line("-", ZOE, VIEWER), line("-", group("nurses"))].sort();
          expect([name, changeLines(onStore(result, name))]).toEqual([name, lost]);
        }

        await project.up();
        for (const name of NAMES) expect(emulator.resource(name)?.policy?.bindings ?? []).toEqual([]);
      } finally {
        await project.dispose();
        provider.stop();
        await emulator.stop();
      }
    });
  },
);
