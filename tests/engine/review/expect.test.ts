import { answerWith, byEffect, onlyStack, type OneStack } from "../../support/answers";
import type { Answer } from "../../../access";
/** `perimeter access --expect` after an update on the real engine: what is not as the review before it expected. */
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { runCommand } from "../../support/command";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, JAVASCRIPT, MIGRATION_JOB, PROJECT } from "../../support/programs";
import { skipped } from "../../support/skipped";
import { casesHere } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const ROLE = "roles/healthcare.fhirStoreViewer";
const NURSES = { name: FHIR_STORE, role: ROLE, member: "group:nurses@example.com" };
const JOBS = { name: MIGRATION_JOB, role: "roles/viewer", member: "group:jobs@example.com" };
const DOCTORS = { ...NURSES, member: "group:doctors@example.com" };

let emulator: Emulator;
let project: EngineProject;

async function start(options: Pick<Parameters<typeof EngineProject.create>[0], "program" | "runtime" | "nodeModules">) {
  emulator = await startEmulator({ seed: demoSeed });
  project = await EngineProject.create({
    ...options,
    name: "p",
    config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
    env: emulator.env,
    path: [engine().bin, pluginFolder()],
  });
}
afterAll(async () => {
  await project?.dispose();
  await emulator?.stop();
});

const perimeter = (...args: string[]) => runCommand(args, { cwd: project.dir, env: project.env });
const file = (name: string) => path.join(project.dir, name);
const resultIn = (name: string) => onlyStack(JSON.parse(readFileSync(file(name), "utf8")) as Answer);
const textOf = (result: Partial<OneStack>) => JSON.stringify(answerWith(result));

/** Reviews an update, carries it out, and compares. */
async function expected(program: Record<string, string>, between: () => void = () => undefined) {
  project.writeFiles(program);
  const review = await perimeter("review", "--stack", project.stack, "--all", "--output", "review.json");
  expect([review.code, review.stderr]).toEqual([0, ""]);
  between();
  await project.up();
  const files = ["now.json", "now.html", "now.md", "-"].flatMap((name) => ["--output", name]);
  const { code, stdout } = await perimeter("access", "--stack", project.stack, "--expect", "review.json", ...files);
  const { violations } = byEffect(resultIn("now.json").verdict);
  const texts = [readFileSync(file("now.md"), "utf8"), readFileSync(file("now.html"), "utf8"), stdout];
  return { code, texts, messages: violations.map(({ rule, message }) => `${rule}: ${message}`) };
}

describe("a program of JavaScript", () => {
  /** @param last statements after the declaration of two grants that every program has */
  const program = (last = "") => ({
    "package.json": JSON.stringify({ name: "p", private: true, main: "index.js" }),
    "index.js": `
      const pulumi = require("@pulumi/pulumi");
      const { datamigration, healthcare } = require("pulumi-perimeter");
      const { DatasetFhirStoreIamMember } = healthcare.v1beta1;
      const { MigrationJobIamMember } = datamigration.v1beta1;
      new DatasetFhirStoreIamMember("nurses", ${JSON.stringify(NURSES)});
      new MigrationJobIamMember("jobs", ${JSON.stringify(JOBS)});
      ${last}
    `,
  });
  const grant = (name: string, args: object) => `new DatasetFhirStoreIamMember("${name}", ${JSON.stringify(args)})`;

  beforeAll(async () => {
    await start({ program: program(), runtime: JAVASCRIPT, nodeModules: packedPackage().nodeModules });
    await project.up();
  });
  afterAll(async () => {
    await project.dispose();
    await emulator.stop();
  });

  test("grants in apply, and behind isDryRun() on a resource that should not change, were in no preview", async () => {
    const hidden = grant("hidden", { ...NURSES, member: "user:in-apply@example.com" });
    const dry = JSON.stringify({ ...JOBS, member: "user:dry@example.com" });
    const { code, messages, texts } = await expected(
      program(`
        const doctors = ${grant("doctors", DOCTORS)};
        doctors.id.apply(() => { ${hidden}; });
        if (!pulumi.runtime.isDryRun()) new MigrationJobIamMember("dry", ${dry});
      `),
    );
    expect(code).toBe(2);
    expect(messages.sort()).toEqual([
      expect.stringMatching(/^expected: user:dry@example\.com has roles\/viewer .* manages this/),
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
});

const missing = missingHost("yaml");

// Each test continues from the one before it.
(missing === undefined ? describe : describe.skip)(`a program of YAML${skipped(missing)}`, () => {
  const program = (more: Record<string, object> = {}) => {
    const resource = (type: string, properties: object) => ({ type: `perimeter:${type}`, properties });
    const grants = Object.entries({ nurses: NURSES, ...more });
    const resources = Object.fromEntries([
      ...grants.map(([name, args]) => [name, resource("healthcare/v1beta1:DatasetFhirStoreIamMember", args)]),
      ["jobs", resource("datamigration/v1beta1:MigrationJobIamMember", JOBS)],
    ]) as object;
    return { "Pulumi.yaml": JSON.stringify({ name: "p", runtime: "yaml", resources }) };
  };

  beforeAll(() => start({ program: program(), nodeModules: "none" }));

  test("an update that does what the review expected is exit code 0, also for grants that it makes", async () => {
    const { code, messages, texts } = await expected(program({ doctors: DOCTORS }));
    expect([code, messages]).toEqual([0, []]);
    for (const text of texts) {
      expect(text).toContain("group:doctors@example.com");
      expect(text).toContain("The access is as the review expected");
      expect(text).not.toContain("Not as the review expected");
      expect(text).not.toContain("The stack has no grant that this command follows");
    }
  });

  test("the comparison can be masked; if the review names no stack and no project, a note says what was not checked", async () => {
    const { stack: _stack, project: _project, ...unnamed } = resultIn("review.json");
    project.writeFiles({ "unnamed.json": textOf(unnamed) });
    const args = ["access", "--stack", project.stack, "--expect", "unnamed.json", "--mask-principals"];
    const { code, stdout, stderr } = await perimeter(...args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("The access is as the review expected");
    expect(stdout).not.toContain("nurses@example.com");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "The review names no stack and no project, so it was not checked that it is about this stack",
    );
  });

  // The last test has another stack. access/gate/approved.test.ts has another project.
  const others = casesHere(
    [
      ["a result of access", { operation: "access" }, "The expected review: operation must be update or destroy"],
      ["another stack", { stack: "prod" }, "The expected review: stack must be test"],
      ["another project", { project: "q" }, "The expected review: project must be p"],
    ] as const,
    ([what]) => what === "a result of access",
    ([what]) => what,
  );
  test.each(others)("%s is refused in one line", async (_what, change, message) => {
    project.writeFiles({ "other.json": textOf({ ...resultIn("review.json"), ...change }) });
    const { code, stderr } = await perimeter("access", "--stack", project.stack, "--expect", "other.json");
    expect(code).toBe(1);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("without --all, the resources that the review left out are unknown: exit code 3", async () => {
    const review = await perimeter("review", "--stack", project.stack, "--output", "part.json");
    expect(review.code).toBe(0);
    const { code, stdout } = await perimeter("access", "--stack", project.stack, "--expect", "part.json");
    expect(code).toBe(3);
    expect(stdout).toContain("--all");
  });

  test("what somebody else grants and removes between the review and the update is named", async () => {
    const { code, messages } = await expected(program({ doctors: DOCTORS }), () => {
      const { bindings = [] } = emulator.resource(FHIR_STORE)?.policy as {
        bindings?: { role: string; members: string[] }[];
      };
      const kept = bindings.map((each) => ({
        ...each,
        members: each.members.filter((one) => !one.includes("nurses")),
      }));
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

  // The last one, because the stack is empty afterwards.
  test("a destroy is compared, too, also with a stack that has no resources left to name it", async () => {
    // The test before this one removed a grant of the state.
    await project.refresh();
    const destroy = ["--all", "--destroy", "--output", "destroy.json"];
    expect((await perimeter("review", "--stack", project.stack, ...destroy)).code).toBe(2);
    await project.destroy();
    const { code, stdout, stderr } = await perimeter("access", "--stack", project.stack, "--expect", "destroy.json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("The access is as the review expected");
    expect(stdout).toContain("The stack has no grant that this command follows");
    project.writeFiles({ "other.json": textOf({ ...resultIn("destroy.json"), stack: "prod" }) });
    expect(await perimeter("access", "--stack", project.stack, "--expect", "other.json")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The expected review: stack must be test") as string,
    });
  });
});
