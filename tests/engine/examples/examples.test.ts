/** Examples on the real engine, each with the defaults with which its README has it run. */
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { CommandService, runPackage } from "../../support/command-service";
import { engine, ENGINE_TIMEOUT_MS, EngineProject, missingHost, repositoryRoot } from "../../support/engine";
import { packedPackage } from "../../support/pack";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, MIGRATION_JOB } from "../../support/programs";
import { skipped } from "../../support/skipped";
import { testInAll } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let emulator: Emulator;
let project: EngineProject;
let service: CommandService | undefined;
beforeEach(async () => {
  emulator = await startEmulator({ seed: demoSeed });
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await project?.dispose();
  await emulator.stop();
});

const missing = missingHost("yaml");
const yaml = missing === undefined ? test : test.skip;

async function open(example: string, config: Record<string, string> = {}): Promise<void> {
  project = await EngineProject.create({
    program: path.join(repositoryRoot, "examples", example),
    config,
    env: emulator.env,
    path: [pluginFolder()],
    nodeModules: packedPackage().nodeModules,
  });
}

function membersOf(name: string): Record<string, string[]> {
  const policy = emulator.resource(name)?.policy as { bindings?: { role: string; members: string[] }[] } | undefined;
  return Object.fromEntries((policy?.bindings ?? []).map(({ role, members }) => [role, members]));
}

test("team-access-typescript: creating and deleting a team changes only the access of this team", async () => {
  await open("team-access-typescript");
  const before = membersOf(FHIR_STORE);
  await project.up();
  expect(await project.outputs()).toEqual({ access: { orders: [MIGRATION_JOB], ward: [FHIR_STORE] } });
  expect(membersOf(MIGRATION_JOB)).toEqual({ "roles/datamigration.admin": ["group:orders@example.com"] });
  expect(membersOf(FHIR_STORE)["roles/healthcare.fhirResourceReader"]).toEqual([
    ...(before["roles/healthcare.fhirResourceReader"] ?? []),
    "group:nurses@example.com",
  ]);
  await project.destroy();
  expect(membersOf(FHIR_STORE)).toEqual(before);
});

yaml(
  `review-in-ci: passes a gain that the rules allow, and stops one that they do not${skipped(missing)}`,
  async () => {
    await open("review-in-ci", { "perimeter:grantMode": "merge" });
    if (engine().source === "build") {
      // The YAML host that can be built is older than the engine, and knows this block under its former name only.
      const program = fs.readFileSync(path.join(project.dir, "Pulumi.yaml"), "utf8");
      project.writeFiles({ "Pulumi.yaml": program.replace(/^config:$/m, "configuration:") });
    }
    const bin = path.join(project.dir, "..", "shims");
    fs.mkdirSync(bin);
    service = await CommandService.start(bin, ({ args, ...asked }) =>
      runPackage({ args: args.filter((each) => each !== "--no-install"), ...asked }),
    );
    const review = async () => {
      const PATH = [bin, project.env.PATH].join(path.delimiter);
      const options = { cwd: project.dir, env: { ...project.env, PATH, PULUMI_STACK: project.stack } };
      const running = promisify(execFile)("bash", ["review.sh"], options);
      running.child.stdin?.end();
      return running.then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: { code: number; stdout: string; stderr: string }) => error,
      );
    };
    const allowed = await review();
    expect(allowed.stdout).toContain("### Access review: 1 principal gains access on 1 resource");
    expect(allowed.code).toBe(0);
    await project.setConfig("reader", "user:eve@example.com");
    const stopped = await review();
    expect(stopped.stdout).toContain("No entry of mayGain allows it");
    expect(stopped.code).toBe(2);
    // The review of a failed preview is shown in place of the review before.
    await project.setConfig("perimeter:grantMode", "both");
    const failed = await review();
    expect([failed.code, failed.stdout]).toEqual([3, expect.stringMatching(/Incomplete: .*grantMode must be one of/s)]);
    expect(failed.stdout).not.toContain("mayGain");
  },
);

/** Changes the program of an example. */
function change(file: string, from: string, to: string): void {
  const text = fs.readFileSync(path.join(project.dir, file), "utf8");
  expect(text).toContain(from);
  project.writeFiles({ [file]: text.replace(from, to) });
}

/** A passphrase would cost each start of the CLI as much again. */
const withoutPassphrase = (envVars: string) =>
  change("main.ts", envVars, `secretsProvider: "hashivault://tests", ${envVars}`);

// dynamic/automation.test.ts previews and updates stacks of an inline program; the example below uses the same emulator.
testInAll("automation-typescript: one process creates, previews, updates and destroys the stack", async () => {
  // Its own emulator and state: what the project gives is the folder, the packages and the environment.
  await open("automation-typescript");
  withoutPassphrase("envVars: {");
  const { stdout } = await runMain();
  expect(stdout).toContain("planned: { create: 2 }");
  expect(stdout).toContain("group:nurses@example.com");
  expect(stdout).toContain("left over: false");
});

describe("review-automation-typescript", () => {
  beforeEach(async () => {
    await open("review-automation-typescript");
    // The example has an emulator of its own.
    delete project.env.PERIMETER_EMULATOR_HOST;
    withoutPassphrase("envVars: environment");
  });

  test("stops at a step that was not reviewed, updates what was reviewed, and finds the access as the review expected", async () => {
    change(
      "main.ts",
      "await stack.up({ plan });",
      `const fs = require("node:fs");
      const file = join(workDir, "index.ts");
      const text = fs.readFileSync(file, "utf8");
      fs.writeFileSync(file, text.replace("nurses@", "everyone@"));
      await stack.up({ plan }).then(() => console.log("everyone!"), ({ message }) => console.log(message));
      fs.writeFileSync(file, text);
      await stack.up({ plan });`,
    );
    const { stdout } = await runMain();
    expect(stdout).toMatch(/1 principal gains access on 1 resource\.[^]*at index\.ts:3[^]*Exit code 0/);
    expect(stdout).toMatch(/violates plan/);
    expect(stdout).not.toContain("everyone!");
    expect(stdout).toContain("The access is as the review expected");
  });

  testInAll("stops before an update that the rules do not allow", async () => {
    change("infra/index.ts", "fhirResourceReader", "fhirStoreAdmin");
    await expect(runMain()).rejects.toMatchObject({ code: 2, stdout: expect.stringContaining("1 rule violated") });
  });
});

/** Runs the program of the example in a process of its own. */
function runMain() {
  return promisify(execFile)(process.execPath, ["-r", "ts-node/register/transpile-only", "main.ts"], {
    cwd: project.dir,
    env: project.env,
  });
}
