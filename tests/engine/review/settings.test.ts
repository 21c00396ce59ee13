/** With which settings the real engine carries out a plan: those of the environment, of another file, or of the state. */
import { onlyStack, type OneStack } from "../../support/answers";
import * as fs from "node:fs";
import * as path from "node:path";
import { startEmulator, type Emulator } from "../../../emulator";
import { reviewInFolder, reviewStack } from "../../../access";
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { FHIR_STORE, PROJECT } from "../../support/programs";
import { FRONTS } from "../../support/review-fronts";
import { changeLines, line, onStore, READER, ReviewedStack, VIEWER } from "../../support/reviewed-stack";
import { skipped } from "../../support/skipped";
import { casesHere } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const group = (name: string) => `group:${name}@example.com`;
const ZOE = "user:zoe@example.com";
const OTHERS = [{ role: VIEWER, members: [ZOE] }];
const messages = ({ resources, unknown }: OneStack) =>
  [...unknown, ...resources.flatMap((each) => each.unknown)].map(({ message }) => message);

let stack: ReviewedStack;
afterEach(() => stack?.dispose());

/** What the plan says of the mode is the same message of both fronts. */
const fronts = casesHere(
  FRONTS,
  (front) => front === "plugin",
  (front) => `${front}: a review knows the grant mode that the preview had from its environment`,
);

test.each(fronts)("%s: a review knows the grant mode that the preview had from its environment", async (front) => {
  stack = await ReviewedStack.create(front, { grant: { member: group("new") } });
  const { project } = stack;
  const config = JSON.stringify({ config: { "perimeter:project": PROJECT } });
  project.writeFiles({ [`Pulumi.${project.stack}.yaml`]: config });
  stack.others(OTHERS);
  const { stdout: plan } = await project.run(["preview", "--json", "--show-sames"], {
    env: { PERIMETER_GRANT_MODE: "merge" },
  });
  const state = JSON.stringify(await project.exportState());
  const reviewIn = async (mode: string) => {
    const environment = { ...project.env, PERIMETER_GRANT_MODE: mode };
    return (await stack.reviewPlan(plan, { state, environment })).result;
  };

  const same = await reviewIn("merge");
  expect([messages(same), same.verdict.exitCode]).toEqual([[], 0]);
  expect(onStore(same, FHIR_STORE).resources).toMatchObject([
    {
      endpointVariable: "PERIMETER_EMULATOR_HOST",
      grantModes: [{ mode: "merge", variable: "PERIMETER_GRANT_MODE" }],
    },
  ]);
  expect(messages(await reviewIn("replace"))).toContainEqual(
    expect.stringContaining(
      "worked in grant mode merge from PERIMETER_GRANT_MODE, and this review in replace from PERIMETER_GRANT_MODE",
    ),
  );
});

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;

describeHere(`settings of another file than the stack's${skipped(missing)}`, () => {
  const REPLACED = [line("+", group("new")), line("-", group("old")), line("-", ZOE, VIEWER)].sort();
  const args = ["--config-file", "replace.yaml"];

  beforeEach(async () => {
    stack = await ReviewedStack.create("plugin", { grant: { member: group("old") } });
    const { project } = stack;
    await project.up();
    stack.others([...OTHERS, { role: READER, members: [group("old")] }]);
    const merge = fs.readFileSync(path.join(project.dir, `Pulumi.${project.stack}.yaml`), "utf8");
    const replace = merge.replace("grantMode: merge", "grantMode: replace");
    expect(replace).not.toBe(merge);
    project.writeFiles({ "replace.yaml": replace });
    stack.declare({ grant: { member: group("new") } });
  });

  test("are those of a review with --config-file and --cwd, from any folder, and of the update", async () => {
    const { dir, stackOptions } = stack.project;
    const options = { ...stackOptions, cwd: path.parse(dir).root, args: ["--cwd", dir, ...args] };
    const reviewed = onlyStack(await reviewStack(options));
    expect([changeLines(reviewed), messages(reviewed)]).toEqual([REPLACED, []]);
    await stack.project.up({ args });
    expect(stack.policies()[FHIR_STORE]?.bindings).toEqual([{ role: READER, members: [group("new")] }]);
  });

  test("are those of a piped plan, and a note says that the folder has others", async () => {
    const { stdout: plan } = await stack.project.run(["preview", "--json", "--show-sames", ...args]);
    const reviewed = onlyStack(await reviewInFolder({ plan, ...stack.project.stackOptions }));
    expect([changeLines(reviewed), messages(reviewed)]).toEqual([REPLACED, []]);
    expect(reviewed.notes).toContainEqual(
      expect.stringMatching(/other settings .* in this folder \(perimeter:grantMode\)/),
    );
  });
});

describeHere(`a destroy${skipped(missing)}`, () => {
  let cloud: Emulator;
  beforeEach(async () => {
    const store = { service: "healthcare", name: FHIR_STORE, body: { version: "R4" } };
    cloud = await startEmulator({ seed: [{ ...store, policy: { bindings: OTHERS } }] });
  });
  afterEach(() => cloud?.stop());

  test("has the settings of the state, and with --run-program those of the stack", async () => {
    const config = { "perimeter:emulatorHost": `${cloud.host}:${cloud.port}` };
    stack = await ReviewedStack.create("plugin", { goes: { member: group("goes") } }, { config });
    const { project } = stack;
    await project.up();
    // The settings of the stack name another cloud from now on, in which nobody has the grant.
    await project.setConfig("perimeter:emulatorHost", `${stack.emulator.host}:${stack.emulator.port}`);
    const target = ["--target", stack.urn("goes")];
    const review = async (...args: string[]) =>
      onlyStack(await reviewStack({ ...project.stackOptions, destroy: true, args: [...args, ...target] }));
    const reviewed = await review();
    expect([changeLines(reviewed), messages(reviewed)]).toEqual([[line("-", group("goes"))], []]);
    expect(changeLines(await review("--run-program"))).toEqual([]);
    await project.destroy({ args: target });
    expect(stack.policies(cloud)[FHIR_STORE]?.bindings).toEqual(OTHERS);
  });
});
