/**
 * What decides who has access beside the steps on grants, on the real engine: the environment of the preview, resources that
 * another provider deletes, and several providers that replace one policy. A review says what it does not know.
 */
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { reviewStack, type ReviewResult } from "../../../access";
import { engine, EngineProject, ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import { FHIR_STORE, JAVASCRIPT, PROJECT } from "../../support/programs";
import { FRONTS, type Front } from "../../support/review-fronts";
import { changeLines, line, onStore, READER, ReviewWorld, VIEWER } from "../../support/review-world";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const group = (name: string) => `group:${name}@example.com`;
const ZOE = "user:zoe@example.com";
const OTHERS = [{ role: VIEWER, members: [ZOE] }];
const messages = ({ resources, unknown }: ReviewResult) =>
  [...unknown, ...resources.flatMap((each) => each.unknown)].map(({ message }) => message);
const holders = (world: ReviewWorld) =>
  (world.policies()[FHIR_STORE]?.bindings ?? []).flatMap(({ members = [] }) => members).sort();

let world: ReviewWorld | undefined;
afterEach(async () => {
  await world?.dispose();
  world = undefined;
});

/** A world whose stack has no grant mode of its own. */
async function withoutMode(front: Front, env: Record<string, string> = {}): Promise<ReviewWorld> {
  const created = await ReviewWorld.create(front, { grant: { member: group("new") } }, { env });
  world = created;
  const config = JSON.stringify({ config: { "perimeter:project": PROJECT } });
  created.project.writeFiles({ [`Pulumi.${created.project.stack}.yaml`]: config });
  created.others(OTHERS);
  return created;
}

describe.each(FRONTS)("a grant mode of the environment, with %s", (front) => {
  const REPLACED = [line("+", group("new")), line("-", ZOE, VIEWER)].sort();

  test("is used if the preview had it too, and the result names its environment variable", async () => {
    const created = await withoutMode(front, { PERIMETER_GRANT_MODE: "merge" });
    const { result } = await created.review();
    expect([messages(result), result.verdict.exitCode]).toEqual([[], 0]);
    expect(onStore(result, FHIR_STORE).resources).toMatchObject([
      {
        endpointVariable: "PERIMETER_EMULATOR_HOST",
        grantModes: [{ mode: "merge", variable: "PERIMETER_GRANT_MODE" }],
      },
    ]);
    await created.project.up();
    expect(holders(created)).toEqual([group("new"), ZOE]);
  });

  test.each([
    ["merge", "replace"],
    ["replace", "merge"],
  ])("%s makes the update's settings unknown if the preview used %s", async (mode, other) => {
    const created = await withoutMode(front, mode === "replace" ? { PERIMETER_GRANT_MODE: other } : {});
    const environment = { ...created.project.env, PERIMETER_GRANT_MODE: mode };
    const { result } = await created.review([], { environment });
    expect(messages(result)).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^It is unknown which settings the provider default has in the update: the preview worked in grant mode ${other}` +
            `${mode === "replace" ? " from PERIMETER_GRANT_MODE" : ""}, and this review in ${mode} from PERIMETER_GRANT_MODE\\. Run the preview, the review and the update with the same`,
        ),
      ),
    );
    expect(result.verdict.exitCode).toBe(mode === "merge" ? 3 : 2);
    await created.project.up();
    expect(holders(created)).toEqual(mode === "merge" ? [group("new")] : [group("new"), ZOE]);
  });

  test("makes the update's settings unknown if the environment of the review lacks it", async () => {
    const created = await withoutMode(front, { PERIMETER_GRANT_MODE: "merge" });
    const { PERIMETER_GRANT_MODE: _, ...environment } = created.project.env;
    const { result } = await created.review([], { environment });
    expect(changeLines(result)).toEqual(REPLACED);
    expect(messages(result)).toEqual([
      expect.stringMatching(/worked in grant mode merge from PERIMETER_GRANT_MODE, and this review in replace\./),
    ]);
  });

  test("an endpoint of another cloud in the environment makes the update's settings unknown", async () => {
    const created = await withoutMode(front, { PERIMETER_GRANT_MODE: "merge" });
    const other: Emulator = await startEmulator({ seed: demoSeed });
    try {
      const { result } = await created.review([], { environment: { ...created.project.env, ...other.env } });
      const [message = "", ...rest] = messages(result);
      expect([rest, result.verdict.exitCode]).toEqual([[], 3]);
      expect(message).toContain(
        `the preview worked with the API at ${created.emulator.url}/v1beta1/ from PERIMETER_EMULATOR_HOST, and this review with `,
      );
      expect(message).toContain(`${other.url}/v1beta1/ from PERIMETER_EMULATOR_HOST`);
    } finally {
      await other.stop();
    }
  });
});

const missing = missingHost("yaml");

(missing === undefined ? describe : describe.skip)(`explicit providers of the plugin${skipped(missing)}`, () => {
  const replace = { project: PROJECT, grantMode: "replace" };

  test.each(["default", "default_1_0_0"])(
    "a piped plan does not show the settings of a new explicit provider %s with another grant mode than the stack",
    async (name) => {
      const grants = { grant: { member: group("new"), provider: name } };
      const created = await ReviewWorld.create("plugin", grants, { providers: { [name]: replace } });
      world = created;
      created.others([]);
      const { result } = await created.review();
      expect(messages(result)).toEqual([
        expect.stringMatching(/worked in grant mode replace, and this review in merge\. .* give it another name$/),
      ]);
      expect(result.verdict.exitCode).toBe(3);
      const stack = {
        cwd: created.project.dir,
        pulumi: path.join(engine().bin, "pulumi"),
        environment: created.project.env,
      };
      const known = await reviewStack({ ...stack, stack: created.project.stack });
      expect([messages(known), known.verdict.exitCode]).toEqual([[], 0]);
      expect(onStore(known, FHIR_STORE).resources).toMatchObject([{ grantModes: [{ mode: "replace" }] }]);

      // With the stack's settings, it makes no difference whose provider it is.
      created.declare(grants, { [name]: { project: PROJECT, grantMode: "merge" } });
      const same = (await created.review()).result;
      expect([messages(same), same.verdict.exitCode]).toEqual([[], 0]);
    },
  );

  test("if two providers replace one policy, it is unknown who has access, unless one grant depends on the other", async () => {
    const providers = { first: replace, second: replace };
    const grants = (dependsOn: string[]) => ({
      one: { member: group("one"), provider: "first" },
      two: { member: group("two"), provider: "second", dependsOn },
    });
    const created = await ReviewWorld.create("plugin", grants([]), { providers });
    world = created;
    created.others(OTHERS);
    const { result } = await created.review();
    expect(messages(result)).toEqual([
      expect.stringMatching(
        /^It is unknown who has access after the update: one and two each replace the whole access policy/,
      ),
    ]);
    expect(result.verdict.violations.map(({ rule }) => rule)).toContain("unknown");

    created.declare(grants(["one"]), providers);
    const ordered = await created.update();
    expect([messages(ordered.result), ordered.wrong]).toEqual([[], []]);
    expect(changeLines(ordered.result)).toEqual([line("+", group("two")), line("-", ZOE, VIEWER)].sort());
    expect(holders(created)).toEqual([group("two")]);
  });

  test("if one provider replaces a policy and one adds to it, access is unknown unless one grant depends on the other", async () => {
    const providers = { first: replace, second: { project: PROJECT, grantMode: "merge" } };
    const grants = (dependsOn: string[]) => ({
      one: { member: group("one"), provider: "first" },
      two: { member: group("two"), provider: "second", dependsOn },
    });
    const created = await ReviewWorld.create("plugin", grants([]), { providers });
    world = created;
    created.others(OTHERS);
    const { result } = await created.review();
    expect(messages(result)).toEqual([
      expect.stringMatching(/one replaces the whole access policy, two adds to it, and/),
    ]);

    created.declare(grants(["one"]), providers);
    const ordered = await created.update();
    expect([messages(ordered.result), ordered.wrong]).toEqual([[], []]);
    expect(holders(created)).toEqual([group("one"), group("two")]);
  });
});

describe("a resource that another provider deletes or replaces", () => {
  /** A store of a dynamic provider. Its delete empties the policy, as a cloud does that deletes the store. */
  const program = (version: number | undefined, id: string) => `"use strict";
const pulumi = require("@pulumi/pulumi");
const { healthcare } = require("pulumi-perimeter");
const name = ${JSON.stringify(FHIR_STORE)};
const provider = {
  create: async () => ({ id: ${JSON.stringify(id)}, outs: { name } }),
  diff: async (_id, olds, news) => ({ changes: true, replaces: olds.version === news.version ? [] : ["version"], deleteBeforeReplace: true }),
  delete: async () => {
    const url = "http://" + process.env.PERIMETER_EMULATOR_HOST + "/v1beta1/" + ${JSON.stringify(FHIR_STORE)} + ":setIamPolicy";
    const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: '{"policy":{"bindings":[]}}' });
    if (!answer.ok) throw new Error(await answer.text());
  },
};
class Store extends pulumi.dynamic.Resource {
  constructor(version) { super(provider, "store", { version, name }); }
}
${version === undefined ? "const store = undefined;" : `const store = new Store(${version});`}
new healthcare.v1beta1.DatasetFhirStoreIamMember("grant", {
  name, role: ${JSON.stringify(READER)}, member: ${JSON.stringify(group("nurses"))},
}, { dependsOn: store });
`;
  const DATASET = FHIR_STORE.replace(/\/fhirStores.*/, "");

  test.each<[string, string, number | undefined, RegExp[]]>([
    ["a store that is replaced", FHIR_STORE, 2, []],
    ["a store that is deleted", FHIR_STORE, undefined, []],
    [
      "a dataset that is deleted",
      DATASET,
      undefined,
      [/^It is unknown who loses access to what is in .*: the plan deletes store/],
    ],
  ])("all lose access to %s, as the update then shows", async (_what, id, version, unknown) => {
    const { nodeModules } = packedPackage();
    const emulator = await startEmulator({ seed: demoSeed });
    const files = (at: number | undefined) => ({
      "package.json": JSON.stringify({ name: "p", private: true, main: "index.js" }),
      "index.js": program(at, id),
    });
    const project = await EngineProject.create({
      program: files(1),
      name: "p",
      runtime: JAVASCRIPT,
      config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
      env: { ...emulator.env },
      nodeModules,
    });
    try {
      await project.up();
      emulator.mutate(FHIR_STORE, { policy: { bindings: [...OTHERS, { role: READER, members: [group("nurses")] }] } });
      project.writeFiles(files(version));
      const stack = { cwd: project.dir, pulumi: path.join(engine().bin, "pulumi"), environment: project.env };
      const result = await reviewStack({ ...stack, stack: project.stack });
      expect(messages(result)).toEqual(unknown.map((each) => expect.stringMatching(each) as string));
      expect(result.verdict.exitCode).toBe(2);
      expect(changeLines(result)).toEqual([line("-", ZOE, VIEWER), line("-", group("nurses"))].sort());

      await project.up();
      expect(emulator.resource(FHIR_STORE)?.policy?.bindings ?? []).toEqual([]);
    } finally {
      await project.dispose();
      await emulator.stop();
    }
  });
});
