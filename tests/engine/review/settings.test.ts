import { byEffect, onlyStack, type OneStack } from "../../support/answers";
/**
 * With which settings a plan is carried out, on the real engine: what a review says is compared with what the update then
 * does in two clouds.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { startEmulator, type Emulator } from "../../../emulator";
import { accessOfStack, reviewInFolder, reviewStack } from "../../../access";
import { engine, ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { FHIR_STORE, PROJECT, storeOf } from "../../support/programs";
import { changeLines, line, onStore, READER, ReviewWorld, VIEWER } from "../../support/review-world";
import { skipped } from "../../support/skipped";
import { casesHere } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const group = (name: string) => `group:${name}@example.com`;
const ZOE = "user:zoe@example.com";
const missing = missingHost("yaml");

(missing === undefined ? describe : describe.skip)(`the settings of a provider${skipped(missing)}`, () => {
  let world: ReviewWorld;

  /** Another cloud, in which only Zoe has access. */
  const startOther = () => {
    const policy = { bindings: [{ role: VIEWER, members: [ZOE] }] };
    return startEmulator({ seed: [{ service: "healthcare", name: FHIR_STORE, body: { version: "R4" }, policy }] });
  };

  const pulumi = () => ({
    cwd: world.project.dir,
    pulumi: path.join(engine().bin, "pulumi"),
    environment: world.project.env,
  });
  const stack = () => ({ ...pulumi(), stack: world.project.stack });

  /** Reviews a plan as the command does in the project's folder. */
  async function reviewPiped(args = ["preview", "--json", "--show-sames"], destroy = false): Promise<OneStack> {
    const { stdout: plan } = await world.project.run(args);
    return onlyStack(await reviewInFolder({ plan, destroy, ...pulumi() }));
  }

  const messages = ({ resources, unknown }: OneStack) =>
    [...unknown, ...resources.flatMap((each) => each.unknown)].map(({ message }) => message);

  describe("explicit providers of another cloud", () => {
    let other: Emulator;
    const there = (grantMode: string) => ({ emulatorHost: `${other.host}:${other.port}`, project: PROJECT, grantMode });

    beforeEach(async () => {
      other = await startOther();
    });
    afterEach(async () => {
      await world?.dispose();
      await other?.stop();
    });

    // influences.test.ts and the random programs of `make test` have providers with the other names.
    const names = casesHere(["default-eu", "default", "default_1_0_0"], (name) => name === "default-eu");
    describe.each(names)("an explicit provider called %s", (name) => {
      const grant = (member: string) => ({ grant: { member: group(member), provider: name } });

      test("is reviewed with its own settings; the review of a piped plan says that they are unknown", async () => {
        world = await ReviewWorld.create("plugin", grant("first"), { providers: { [name]: there("merge") } });
        const created = onlyStack(await reviewStack(stack()));
        expect(changeLines(created)).toEqual([line("+", group("first"))]);
        expect(created.resources.map(({ endpoint }) => endpoint)).toEqual([`${other.url}/v1beta1/`]);
        expect([messages(created), created.verdict.exitCode]).toEqual([[], 0]);
        await world.project.up();
        expect(world.holders(FHIR_STORE, other)).toEqual([group("first"), ZOE]);

        const now = onlyStack(await accessOfStack(stack()));
        expect(now.resources).toMatchObject([{ endpoint: `${other.url}/v1beta1/`, unmanaged: [{ principal: ZOE }] }]);
        expect([now.unknown, now.verdict.exitCode]).toEqual([[], 0]);

        world.declare(grant("second"), { [name]: there("replace") });
        const piped = await reviewPiped();
        const why = new RegExp(`^It is unknown which settings the provider ${name} has in the update: .*another name`);
        // What the provider itself said at preview shows that the settings which the review took are not those of the update.
        const differs =
          /^It is unknown who loses access to .*: the preview reported 2 principals, and this review finds 1\./;
        const previewed = /the preview worked in grant mode replace, and this review in merge\./;
        expect(messages(piped)).toEqual([why, previewed, differs].map((each): unknown => expect.stringMatching(each)));
        expect(byEffect(piped.verdict).violations.map(({ rule }) => rule)).toContain("unknown");

        // The preview that the review runs itself saves what its output leaves out.
        const reviewed = onlyStack(await reviewStack(stack()));
        expect(changeLines(reviewed)).toEqual(
          [line("+", group("second")), line("-", group("first")), line("-", ZOE, VIEWER)].sort(),
        );
        expect([messages(reviewed), reviewed.verdict.exitCode]).toEqual([[], 2]);
        await world.project.up();
        expect(world.holders(FHIR_STORE, other)).toEqual([group("second")]);
      });
    });

    test("without the state, the settings of an explicit provider that the plan does not contain are unknown", async () => {
      const quiet = storeOf("quiet");
      const policy = { bindings: [{ role: VIEWER, members: [ZOE] }] };
      other.seed([{ service: "healthcare", name: quiet, body: { version: "R4" }, policy }]);
      const first = { one: { member: group("one"), provider: "cloud" }, here: { member: group("here") } };
      world = await ReviewWorld.create("plugin", first, { providers: { cloud: there("replace") } });
      await world.project.up();

      world.declare({
        ...first,
        two: { name: quiet, member: group("two"), provider: "cloud" },
        more: { member: group("more") },
      });
      const { stdout: plan } = await world.project.run(["preview", "--json"]);
      const { result } = await world.reviewPlan(plan);
      expect(changeLines(result)).toEqual([line("+", group("more")), line("+", group("two"))]);
      // The grants of the other provider are clear.
      expect(onStore(result, FHIR_STORE).resources).toMatchObject([{ unknown: [] }]);
      const [unknown] = onStore(result, quiet).resources;
      expect(unknown?.unknown.map(({ message }) => message)).toEqual([
        expect.stringMatching(
          /^It is unknown which settings the provider cloud has in the update: neither the plan nor/,
        ),
      ]);
      expect(result.verdict.exitCode).toBe(3);

      const known = onlyStack(await reviewInFolder({ plan, ...pulumi() }));
      // providers.test.ts carries out such a change.
      expect(changeLines(onStore(known, quiet))).toEqual([line("+", group("two")), line("-", ZOE, VIEWER)]);
      expect([messages(known), known.verdict.exitCode]).toEqual([[], 2]);
    });
  });

  // Each test continues from the one before it.
  describe("in another file than the stack's", () => {
    const others = [{ role: VIEWER, members: [ZOE] }];
    const REPLACED = [line("+", group("new")), line("-", group("old")), line("-", ZOE, VIEWER)].sort();
    const args = ["--config-file", "replace.yaml"];
    let plan: string;
    let state: string;

    beforeAll(async () => {
      world = await ReviewWorld.create("plugin", { grant: { member: group("old") } });
      await world.project.up();
      world.others([...others, { role: READER, members: [group("old")] }]);
      const file = `Pulumi.${world.project.stack}.yaml`;
      const merge = fs.readFileSync(path.join(world.project.dir, file), "utf8");
      const replace = merge.replace("grantMode: merge", "grantMode: replace");
      expect(replace).not.toBe(merge);
      world.project.writeFiles({ "replace.yaml": replace });
      world.declare({ grant: { member: group("new") } });
      state = JSON.stringify(await world.project.exportState());
      plan = (await world.project.run(["preview", "--json", "--show-sames", ...args])).stdout;
    });
    afterAll(() => world?.dispose());

    test("a review uses --config-file and --cwd after --, from any folder", async () => {
      const { dir } = world.project;
      const options = { ...stack(), cwd: path.parse(dir).root, args: ["--cwd", dir, ...args] };
      const reviewed = onlyStack(await reviewStack(options));
      expect(changeLines(reviewed)).toEqual(REPLACED);
      expect([messages(reviewed), reviewed.notes.filter((each) => each.includes("settings"))]).toEqual([[], []]);
      const destroyed = onlyStack(await reviewStack({ ...options, destroy: true }));
      expect(changeLines(destroyed)).toEqual([line("-", group("old"))]);
    });

    test("a state of another stack is not used, and the review says so", async () => {
      const other = state.replaceAll(`urn:pulumi:${world.project.stack}::p::`, "urn:pulumi:prod::p::");
      const { result } = await world.reviewPlan(plan, { state: other });
      expect(messages(result)).toEqual([
        expect.stringMatching(/the state is of the stack p\/prod, and the plan of p\/test/),
      ]);
      expect(messages((await world.reviewPlan(plan, { state })).result)).toEqual([]);
    });

    test("a piped plan is reviewed with its own settings, and a note says that the folder has other settings", async () => {
      const reviewed = onlyStack(await reviewInFolder({ plan, ...pulumi() }));
      expect(changeLines(reviewed)).toEqual(REPLACED);
      expect(reviewed.notes).toContainEqual(
        expect.stringMatching(/other settings .* in this folder \(perimeter:grantMode\)/),
      );
      expect([messages(reviewed), reviewed.verdict.exitCode]).toEqual([[], 2]);
      await world.project.up({ args });
      expect(world.policies()[FHIR_STORE]?.bindings).toEqual([{ role: READER, members: [group("new")] }]);
    });

    test("a state that is newer than the plan is not used, and the review says so", async () => {
      const later = JSON.stringify(await world.project.exportState());
      expect(messages((await world.reviewPlan(plan, { state: later })).result)).toEqual([
        expect.stringMatching(/made with another state/),
        expect.stringMatching(/whether group:old@example\.com keeps/),
        expect.stringMatching(/: the preview reported 2 principals, .*The access policy may have changed since/),
      ]);
    });
  });

  // Each test continues from the one before it.
  describe("a destroy with targets, whose plan looks like an update's", () => {
    const stays = { two: { member: group("one") }, goes: { member: group("goes") }, stays: { member: group("stays") } };
    const grants = { one: { member: group("one") }, ...stays };
    const urn = (name: string) => ["--target", world.urn(name)];
    const command = (...args: string[]) => ["destroy", "--preview-only", "--json", ...args];
    const reviewDestroy = (...args: string[]) => reviewPiped(command(...args), true);
    const UNSAID = expect.stringMatching(
      /^It is unknown whether the delete of one removes .* a destroy does not\. .* add --destroy/,
    ) as string;
    let cloud: Emulator;

    beforeAll(async () => {
      cloud = await startOther();
      const config = { "perimeter:emulatorHost": `${cloud.host}:${cloud.port}` };
      world = await ReviewWorld.create("plugin", grants, { config });
    });
    afterAll(async () => {
      await world?.dispose();
      await cloud?.stop();
    });

    test("the outputs of the stack show that the plan may be of a destroy, and that one is of an update", async () => {
      const more = { outputs: { shown: 1 } };
      world.declare(grants, {}, more);
      await world.project.up();
      const state = await world.project.exportState();
      const reviewed = await reviewDestroy(...urn("one"));
      expect(changeLines(reviewed)).toEqual([line("-", group("one"))]);
      expect([reviewed.operation, messages(reviewed), reviewed.verdict.exitCode]).toEqual(["destroy", [], 2]);
      const unsaid = await reviewPiped(command(...urn("one")));
      expect([unsaid.operation, unsaid.verdict.exitCode]).toEqual(["update", 3]);
      expect(messages(unsaid)).toContainEqual(UNSAID);
      world.declare(stays, {}, more);
      const update = await reviewPiped();
      // merge-mode.test.ts carries out such an update.
      expect([update.operation, changeLines(update), messages(update)]).toEqual(["update", [], []]);

      // For the next tests: as if the stack never had outputs.
      delete state.deployment.resources?.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs;
      world.project.importState(state);
      world.declare(grants);
    });

    test("a grant that another resource also declares is lost, also if the destroy runs the program", async () => {
      const reviewed = await reviewDestroy(...urn("one"));
      expect([changeLines(reviewed), reviewed.verdict.exitCode]).toEqual([[line("-", group("one"))], 2]);
      const unsaid = await reviewPiped(command(...urn("one")));
      expect(messages(unsaid)).toContainEqual(UNSAID);
      expect(unsaid.verdict.exitCode).toBe(3);
      const run = ["--run-program", ...urn("one")];
      const withProgram = await reviewDestroy("--show-sames", ...run);
      expect(changeLines(withProgram)).toEqual([line("-", group("one"))]);
      expect([withProgram.operation, messages(withProgram)]).toEqual(["destroy", []]);
      await world.project.destroy({ args: run });
      expect(world.holders(FHIR_STORE, cloud)).toEqual([group("goes"), group("stays"), ZOE]);
    });

    test("a destroy has the settings of the state, and with --run-program those of the stack", async () => {
      await world.project.setConfig("perimeter:emulatorHost", `${world.emulator.host}:${world.emulator.port}`);
      const reviewed = await reviewDestroy(...urn("goes"));
      // The cloud of the settings of the state, which the destroy uses, has this grant.
      expect([changeLines(reviewed), messages(reviewed)]).toEqual([[line("-", group("goes"))], []]);
      const known = onlyStack(await reviewStack({ ...stack(), destroy: true, args: urn("goes") }));
      expect(changeLines(known)).toEqual([line("-", group("goes"))]);
      expect([messages(known), known.verdict.exitCode]).toEqual([[], 2]);

      // With --run-program, the provider uses the settings of the stack. They name another cloud, in which nobody has the grant.
      const args = ["--run-program", ...urn("goes")];
      expect(changeLines(onlyStack(await reviewStack({ ...stack(), destroy: true, args })))).toEqual([]);
      await world.project.destroy({ args: urn("goes") });
      expect(world.holders(FHIR_STORE, cloud)).toEqual([group("stays"), ZOE]);
    });
  });
});
