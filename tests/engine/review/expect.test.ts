/** `perimeter access --expect` after an update on the real engine: what is not as the review before it expected. */
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import type { ReviewResult } from "../../../access";
import { engine, ENGINE_TIMEOUT_MS, EngineProject } from "../../support/engine";
import { packedPackage, runPacked } from "../../support/pack";
import { FHIR_STORE, JAVASCRIPT, MIGRATION_JOB, PROJECT } from "../../support/programs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const ROLE = "roles/healthcare.fhirStoreViewer";

/** @param last statements after the declaration of two grants that every program has */
const program = (last = "") => ({
  "package.json": JSON.stringify({ name: "p", private: true, main: "index.js" }),
  "index.js": `
    const pulumi = require("@pulumi/pulumi");
    const { datamigration, healthcare } = require("pulumi-perimeter");
    const { DatasetFhirStoreIamMember } = healthcare.v1beta1;
    const { MigrationJobIamMember } = datamigration.v1beta1;
    const name = ${JSON.stringify(FHIR_STORE)};
    const role = ${JSON.stringify(ROLE)};
    new DatasetFhirStoreIamMember("nurses", { name, role, member: "group:nurses@example.com" });
    new MigrationJobIamMember("jobs", { name: ${JSON.stringify(MIGRATION_JOB)}, role: "roles/viewer", member: "group:jobs@example.com" });
    ${last}
  `,
});

let emulator: Emulator;
let project: EngineProject;

beforeAll(async () => {
  emulator = await startEmulator({ seed: demoSeed });
  project = await EngineProject.create({
    program: program(),
    name: "p",
    runtime: JAVASCRIPT,
    config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
    env: emulator.env,
    path: [engine().bin],
    nodeModules: packedPackage().nodeModules,
  });
  await project.up();
});
afterAll(async () => {
  await project?.dispose();
  await emulator?.stop();
});

const perimeter = (...args: string[]) => runPacked(args, { cwd: project.dir, env: project.env });
const file = (name: string) => path.join(project.dir, name);
const resultIn = (name: string) => JSON.parse(readFileSync(file(name), "utf8")) as ReviewResult;

/** Reviews an update, carries it out, and compares. */
async function expected(last: string, between: () => void = () => undefined) {
  project.writeFiles(program(last));
  const review = await perimeter("review", "--stack", project.stack, "--all", "--output", "review.json");
  // The grants of the test before go, so the review may have a loss.
  expect([0, 2]).toContain(review.code);
  expect(review.stderr).toBe("");
  between();
  await project.up();
  const { code, stdout } = await perimeter("access", "--stack", project.stack, "--expect", "review.json");
  const files = ["now.json", "now.html", "now.md"].flatMap((name) => ["--output", name]);
  const written = await perimeter("access", "--stack", project.stack, "--expect", "review.json", ...files);
  expect(written.code).toBe(code);
  const { violations } = resultIn("now.json").verdict;
  const texts = [stdout, readFileSync(file("now.md"), "utf8"), readFileSync(file("now.html"), "utf8")];
  return { code, texts, messages: violations.map(({ rule, message }) => `${rule}: ${message}`) };
}

const grant = (name: string, member: string) =>
  `new DatasetFhirStoreIamMember("${name}", { name, role, member: "${member}" })`;

test("an update that does what the review expected is exit code 0, also for grants that it makes", async () => {
  const { code, messages, texts } = await expected(grant("doctors", "group:doctors@example.com"));
  expect([code, messages]).toEqual([0, []]);
  for (const text of texts) {
    expect(text).toContain("group:doctors@example.com");
    expect(text).toContain("The access is as the review expected");
    expect(text).not.toContain("Not as the review expected");
  }
});

test("a grant that the program makes in apply was in no preview", async () => {
  const hidden = grant("hidden", "user:in-apply@example.com");
  const { code, messages, texts } = await expected(
    `const first = ${grant("first", "group:first@example.com")}; first.id.apply(() => { ${hidden}; });`,
  );
  expect(code).toBe(2);
  expect(messages).toEqual([
    expect.stringMatching(
      /^expected: user:in-apply@example\.com has roles\S+ on \S+, and the review did not expect it\. The stack manages this grant/,
    ),
  ]);
  for (const text of texts) {
    expect(text).toContain("Exit code 2");
    expect(text).toContain("Not as the review expected");
    expect(text).toContain("user:in-apply@example.com");
    expect(text).toContain("and the review did not expect it");
  }
});

test("a grant behind isDryRun() was in no preview, also on a resource that the review expected unchanged", async () => {
  const member = '{ name: "' + MIGRATION_JOB + '", role: "roles/viewer", member: "user:dry@example.com" }';
  const { code, messages } = await expected(
    `if (!pulumi.runtime.isDryRun()) new MigrationJobIamMember("dry", ${member});`,
  );
  expect(code).toBe(2);
  // The grants that were in the review before are gone, as it says; only the new one was not expected.
  expect(messages).toEqual([
    expect.stringMatching(/^expected: user:dry@example\.com has roles\/viewer .* manages this/),
  ]);
});

test("what somebody else grants and removes between the review and the update is named", async () => {
  const { code, messages } = await expected("", () => {
    const { bindings = [] } = emulator.resource(FHIR_STORE)?.policy as {
      bindings?: { role: string; members: string[] }[];
    };
    const kept = bindings.map((each) => ({ ...each, members: each.members.filter((one) => !one.includes("nurses")) }));
    const drift = [...kept, { role: "roles/healthcare.fhirStoreAdmin", members: ["user:mallory@example.com"] }];
    emulator.mutate(FHIR_STORE, { policy: { bindings: drift.filter(({ members }) => members.length > 0) } });
  });
  expect(code).toBe(2);
  expect(messages).toEqual([
    expect.stringMatching(
      /nurses@example\.com does not have .* The update did not make this grant, or somebody removed it/,
    ),
    expect.stringMatching(/mallory@example\.com has .* The stack does not manage this grant: somebody else made it/),
  ]);
});

test("without --all, the resources that the review left out are unknown: exit code 3", async () => {
  await project.up();
  const review = await perimeter("review", "--stack", project.stack, "--output", "part.json");
  expect(review.code).toBe(0);
  const { code, stdout } = await perimeter("access", "--stack", project.stack, "--expect", "part.json");
  expect(code).toBe(3);
  expect(stdout).toContain("--all");
});

test("a review that names no stack and no project is compared, and a note says what was not checked", async () => {
  const review = await perimeter("review", "--stack", project.stack, "--all", "--output", "review.json");
  expect(review.code).toBe(0);
  const { stack: _stack, project: _project, ...unnamed } = resultIn("review.json");
  project.writeFiles({ "unnamed.json": JSON.stringify(unnamed) });
  const { code, stdout, stderr } = await perimeter("access", "--stack", project.stack, "--expect", "unnamed.json");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "The review names no stack and no project, so it was not checked that it is about this stack",
  );
});

test("a masked review is refused, and the comparison itself can be masked", async () => {
  const masked = ["--mask-principals", "--output", "masked.json"];
  expect((await perimeter("review", "--stack", project.stack, "--all", ...masked)).code).toBe(0);
  expect(await perimeter("access", "--stack", project.stack, "--expect", "masked.json")).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "error: masked.json cannot be compared: it was written with --mask-principals. Write one without that option\n",
  });
  const args = ["access", "--stack", project.stack, "--expect", "review.json", "--mask-principals"];
  const { code, stdout } = await perimeter(...args);
  expect(code).toBe(0);
  expect(stdout).toContain("The access is as the review expected");
  expect(stdout).not.toContain("nurses@example.com");
});

test.each([
  ["no JSON", "# Access review"],
  ["another JSON", JSON.stringify({ name: "p" })],
])("a file that is no review, but %s, is refused in one line", async (_what, text) => {
  project.writeFiles({ "other.json": text });
  expect(await perimeter("access", "--stack", project.stack, "--expect", "other.json")).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^error: other\.json is not what `perimeter access [^\n]* prints\n$/) as string,
  });
});

test.each([
  ["a result of access", { operation: "access" }, "The expected review: operation must be update or destroy"],
  ["another stack", { stack: "prod" }, "The expected review: stack must be test"],
  ["another project", { project: "q" }, "The expected review: project must be p"],
])("%s is refused in one line", async (_what, change, message) => {
  project.writeFiles({ "other.json": JSON.stringify({ ...resultIn("review.json"), ...change }) });
  const { code, stderr } = await perimeter("access", "--stack", project.stack, "--expect", "other.json");
  expect(code).toBe(1);
  expect(stderr).toContain(`error: ${message}`);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

// The last one, because the stack is empty afterwards.
test("a destroy is compared, too, also with a stack that has no resources left to name it", async () => {
  project.writeFiles(program());
  await project.up();
  const destroy = ["--all", "--destroy", "--output", "destroy.json"];
  expect((await perimeter("review", "--stack", project.stack, ...destroy)).code).toBe(2);
  await project.destroy();
  const { code, stdout, stderr } = await perimeter("access", "--stack", project.stack, "--expect", "destroy.json");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("The access is as the review expected");
  project.writeFiles({ "other.json": JSON.stringify({ ...resultIn("destroy.json"), stack: "prod" }) });
  expect(await perimeter("access", "--stack", project.stack, "--expect", "other.json")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The expected review: stack must be test") as string,
  });
});
