/** `reportUnmanaged` on the real engine: what a refresh lists, and what it must not show. */
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { untilSeen } from "../../support/engine-run";
import { pluginFolder } from "../../support/plugin";
import { MIGRATION_JOB, PROJECT } from "../../support/programs";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;
const ROLE = "roles/datamigration.viewer";
const STRANGER = "user:stranger@example.com";

let emulator: Emulator;
let project: EngineProject;

afterEach(async () => {
  await project?.dispose();
  await emulator?.stop();
});

/** A stack with a grant to each member, and somebody else's grant beside them. */
async function stackOf(members: readonly string[], configured: readonly string[] = []) {
  const resources = Object.fromEntries(
    [...members, ...configured.map((_, at) => `\${member${at}}`)].map((member, at) => [
      `grant${at}`,
      {
        type: "perimeter:datamigration/v1beta1:MigrationJobIamMember",
        properties: { name: MIGRATION_JOB, role: ROLE, member },
      },
    ]),
  );
  const configuration = Object.fromEntries(
    configured.map((_, at) => [`member${at}`, { type: "string", secret: true }]),
  );
  emulator = await startEmulator({ seed: demoSeed });
  project = await EngineProject.create({
    program: { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", configuration, resources }) },
    config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge", "perimeter:reportUnmanaged": "true" },
    env: { ...emulator.env },
    path: [pluginFolder()],
    nodeModules: "none",
  });
  const secrets = configured.flatMap((member, at) => ["--secret", `member${at}=${member}`]);
  if (secrets.length > 0) await project.run(["config", "set-all", ...secrets]);
  await project.up();
  const policy = emulator.resource(MIGRATION_JOB)?.policy as { bindings: { role: string; members: string[] }[] };
  policy.bindings.find(({ role }) => role === ROLE)?.members.push(STRANGER);
  emulator.mutate(MIGRATION_JOB, { policy });
}

const refresh = () => project.run(["refresh", "--yes", "--skip-preview", "--parallel", "1"]);
/** The names in the list, however often it is shown. */
const listed = (output: string) => [...new Set(output.match(/\S+(?= roles\/datamigration\.viewer)/g))];

describeHere(`a refresh with --parallel 1${skipped(missing)}`, () => {
  test("lists unmanaged grants once, after all grants have been read", async () => {
    await stackOf(["user:a@example.com", "user:b@example.com", "user:c@example.com"]);
    const { code, stdout } = await refresh();
    expect(code).toBe(0);
    expect(listed(stdout)).toEqual([STRANGER]);
    const diagnostics = stdout.slice(stdout.indexOf("Diagnostics:"));
    expect(diagnostics.match(/this stack does not manage these grants/g)).toHaveLength(1);
  });

  test("never shows a secret member, before or after its grant is read", async () => {
    const secrets = ["user:canary-one@example.com", "user:canary-two@example.com", "user:canary-three@example.com"];
    await stackOf([], secrets);
    const { stdout, stderr } = await refresh();
    expect(stdout).toContain("this stack does not manage these grants");
    expect(stdout + stderr).not.toContain("canary");
    expect(listed(stdout)).toEqual(["user:[secret]"]);
    const targeted = await project.run(["refresh", "--yes", "--skip-preview", "--target", "**grant0"]);
    expect(targeted.stdout + targeted.stderr).not.toContain("canary");
  });
});

describeHere(`a refresh that is interrupted while this provider waits for another one${skipped(missing)}`, () => {
  let other: Emulator;
  afterEach(() => other?.stop());

  test("lists nothing, because grants that are not read yet would count as unmanaged", async () => {
    const grant = (member: string, options: object = {}) => ({
      type: "perimeter:datamigration/v1beta1:MigrationJobIamMember",
      properties: { name: MIGRATION_JOB, role: ROLE, member },
      options,
    });
    other = await startEmulator({ seed: demoSeed });
    emulator = await startEmulator({ seed: demoSeed });
    const elsewhere = {
      type: "pulumi:providers:perimeter",
      properties: { emulatorHost: `${other.host}:${other.port}`, grantMode: "merge", project: PROJECT },
    };
    const resources = {
      elsewhere,
      first: grant("user:first@example.com"),
      between: grant("user:between@example.com", { provider: "${elsewhere}", dependsOn: ["${first}"] }),
      last: grant("user:last@example.com", { dependsOn: ["${between}"] }),
    };
    project = await EngineProject.create({
      program: { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources }) },
      config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge", "perimeter:reportUnmanaged": "true" },
      env: { ...emulator.env },
      path: [pluginFolder()],
      nodeModules: "none",
    });
    await project.up();
    other.setFaults([{ match: { path: "**:getIamPolicy" }, times: 0, fault: { stall: true, when: "before" } }]);
    other.clearRequests();
    const running = project.start(["refresh", "--yes", "--skip-preview", "--parallel", "1"]);
    await untilSeen(running, "a read of the other cloud", () => other.requests().length > 0);
    running.kill("SIGINT");
    const { code, stdout, stderr } = await running.done;
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toMatch(/this stack does not manage these grants|last@example/);
  });
});
