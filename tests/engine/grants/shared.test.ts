/**
 * Grants that several resources of one program want, on the real engine: renames that fail half way, two clouds, two
 * spellings of a project, provider processes that are killed, and what they leave behind. Each explicit provider is a
 * process of its own.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { demoSeed, startEmulator, type Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, missingHost } from "../../support/engine";
import { descendantsWith } from "../../support/processes";
import { pluginFolder } from "../../support/plugin";
import { FHIR_STORE, PROJECT } from "../../support/programs";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;
const ROLE = "roles/healthcare.fhirResourceReader";
const MEMBER = "user:new@example.com";
const NUMBER = "123456789";

let clouds: Emulator[] = [];
let project: EngineProject;

/** The program's resources, and explicit providers by name, each with the cloud that it belongs to. */
function program(resources: Record<string, object>, providers: Record<string, Emulator> = {}): Record<string, string> {
  const explicit = Object.entries(providers).map(([name, { host, port }]) => [
    name,
    {
      type: "pulumi:providers:perimeter",
      properties: { emulatorHost: `${host}:${port}`, grantMode: "merge", project: PROJECT },
    },
  ]);
  const all = { ...Object.fromEntries(explicit), ...resources } as Record<string, object>;
  // JSON is YAML too.
  return { "Pulumi.yaml": JSON.stringify({ name: "sample", runtime: "yaml", resources: all }) };
}

function grant(options: Record<string, unknown> = {}, name = FHIR_STORE): object {
  return {
    type: "perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember",
    properties: { name, role: ROLE, member: MEMBER },
    options,
  };
}

async function start(files: (clouds: Emulator[]) => Record<string, string>, count = 1): Promise<void> {
  clouds = await Promise.all(
    Array.from({ length: count }, () => startEmulator({ seed: demoSeed, projectNumbers: { [NUMBER]: PROJECT } })),
  );
  project = await EngineProject.create({
    program: files(clouds),
    config: { "perimeter:project": PROJECT, "perimeter:grantMode": "merge" },
    nodeModules: "none",
    path: [pluginFolder()],
    env: clouds[0]?.env,
  });
}

afterEach(async () => {
  await project?.dispose();
  await Promise.all(clouds.map((each) => each.stop()));
});

function isGranted(cloud = clouds[0] as Emulator): boolean {
  return JSON.stringify(cloud.resource(FHIR_STORE)?.policy ?? {}).includes(MEMBER);
}

/** The names of the grants in the state. */
async function grants(): Promise<string[]> {
  const { resources = [] } = (await project.exportState()).deployment;
  return resources.filter(({ urn }) => urn.includes("IamMember::")).map(({ urn }) => urn.split("::").at(-1) ?? "");
}

const runs = () => path.join(path.dirname(project.dir), "home/.cache/perimeter/runs");
const leftBehind = () => (fs.existsSync(runs()) ? fs.readdirSync(runs()) : []);

async function expectSettled(names: string[]): Promise<void> {
  expect([isGranted(), await grants()]).toEqual([true, names]);
  expect((await project.refresh({ args: ["--expect-no-changes"] })).changes).toEqual({});
  await project.destroy();
  expect([isGranted(), await grants(), leftBehind()]).toEqual([false, [], []]);
}

describeHere(`grants that several resources want${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  test("a rename whose new resource fails (--continue-on-error) loses and forgets nothing", async () => {
    await start(() => program({ old: grant() }));
    await project.up();
    project.writeFiles(program({ new: grant() }));
    clouds[0]?.setFaults([{ match: { id: "**.getIamPolicy" }, times: 0, fault: { status: "PERMISSION_DENIED" } }]);
    const failed = await project.up({ args: ["--continue-on-error", "--skip-preview"], fail: "yes" });
    expect(failed.messages("error", "old").join("\n")).toMatch(/Kept this grant on .*::new declares the same one/);
    expect([isGranted(), await grants()]).toEqual([true, ["old"]]);
    expect(leftBehind()).toEqual([]);

    clouds[0]?.setFaults([]);
    await project.up();
    await expectSettled(["new"]);
  });

  test("of two grants with the same names in two clouds, the one that goes goes", async () => {
    const both = (all: Emulator[]) => ({ a: all[0] as Emulator, b: all[1] as Emulator });
    const [here, there] = [grant({ provider: "${a}" }), grant({ provider: "${b}" })];
    await start((all) => program({ here, there }, both(all)), 2);
    await project.up();
    expect(clouds.map(isGranted)).toEqual([true, true]);
    project.writeFiles(program({ there }, both(clouds)));
    await project.up();
    expect([clouds.map(isGranted), await grants()]).toEqual([[false, true], ["there"]]);
    await project.destroy();
    expect([clouds.map(isGranted), leftBehind()]).toEqual([[false, false], []]);
  });

  test("a rename that spells the project by its number revokes nothing", async () => {
    await start(() => program({ old: grant() }));
    await project.up();
    project.writeFiles(program({ new: grant({}, FHIR_STORE.replace(PROJECT, NUMBER)) }));
    expect((await project.up()).changes).toEqual({ create: 1, delete: 1 });
    await expectSettled(["new"]);
  });

  test("a provider process that is killed in the middle of a run leaves its notes to the others", async () => {
    const providers = (all: Emulator[]) => ({ a: all[0] as Emulator, b: all[0] as Emulator });
    await start((all) => program({ old: grant({ provider: "${a}" }) }, providers(all)));
    await project.up();
    // The grant moves from the one provider to the other; what comes after it takes as long as the test wants.
    const link = {
      type: "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
      properties: {
        firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
        network: `projects/${PROJECT}/global/networks/prod`,
        location: "us-central1-a",
        firewallEndpointAssociationId: "prod",
      },
      options: { provider: "${a}", dependsOn: ["${new}"] },
    };
    project.writeFiles(program({ new: grant({ provider: "${b}" }), link }, providers(clouds)));
    const [cloud] = clouds as [Emulator];
    cloud.configure({ operationMs: 60_000 });
    const running = project.start(["up", "--yes", "--skip-preview"]);
    let ended = false;
    void running.done.then(() => (ended = true));
    const isCreating = () =>
      cloud.requests().some(({ method, path: url }) => method === "GET" && url.includes("/operations/"));
    while (!isCreating()) {
      if (ended) throw new Error(running.output());
      await sleep(20);
    }
    const killed = processThatMade();
    process.kill(killed, "SIGKILL");
    cloud.advance(60_000);
    const { code, stdout, stderr } = await running.done;
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining("deleted")]);
    expect(leftBehind()).toEqual([]);
    cloud.configure({ operationMs: 0 });
    await expectSettled(["new"]);
  });

  test("a folder that another user has taken is not used: a warning says what is not protected", async () => {
    await start(() => program({ old: grant() }));
    const temporary = project.env.TMPDIR as string;
    const occupied = path.join(temporary, `perimeter-${process.getuid?.() ?? "user"}`);
    fs.mkdirSync(occupied, { mode: 0o700 });
    if (process.getuid?.() === 0) execFileSync("chown", ["65534", occupied]);
    else fs.chmodSync(occupied, 0o777);
    const up = await project.up({ env: { HOME: path.join(temporary, "none") }, args: ["--skip-preview"] });
    const warnings = up.messages("warning").filter((each) => !each.includes("from $PATH"));
    expect(warnings).toEqual([
      expect.stringMatching(
        /cannot tell each other .*(belongs to another user|is open to other users).*explicit provider/s,
      ),
    ]);
    expect([isGranted(), fs.readdirSync(occupied)]).toEqual([true, []]);
  });

  test("what a killed run leaves behind, the next run removes", async () => {
    await start(() => program({ old: grant() }));
    const [cloud] = clouds as [Emulator];
    cloud.setFaults([{ match: { id: "**.setIamPolicy" }, fault: { stall: true, when: "after" } }]);
    const running = project.start(["up", "--yes", "--skip-preview"]);
    while (!cloud.requests().some(({ method }) => method === "POST")) await sleep(20);
    expect(leftBehind()).toHaveLength(1);
    // As when a machine goes down: the provider processes see nothing of the engine's end.
    const plugins = descendantsWith(running.pid, "pulumi-resource-perimeter");
    for (const pid of plugins) process.kill(pid, "SIGSTOP");
    running.kill("SIGKILL");
    await running.done;
    for (const pid of plugins) process.kill(pid, "SIGKILL");
    expect(leftBehind()).toHaveLength(1);
    await project.run(["cancel", "--yes"], { fail: "maybe" });
    await project.refresh({ args: ["--clear-pending-creates"] });
    await project.up();
    await expectSettled(["old"]);
  });
});

describeHere("ctrl-C while a grant's policy is written", () => {
  test("keeps the grant in the state, and the next up settles it", async () => {
    await start(() => program({ access: grant() }));
    const [cloud] = clouds as [Emulator];
    cloud.setFaults([{ match: { id: "**.setIamPolicy" }, fault: { stall: true, when: "after" } }]);
    const running = project.start(["up", "--yes", "--skip-preview"]);
    while (!cloud.requests().some(({ method }) => method === "POST")) await sleep(20);
    running.kill("SIGINT");
    const { code, stdout, stderr } = await running.done;
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/The grant may be in the access policy/);
    const { resources = [], pending_operations: pending = [] } = (await project.exportState()).deployment;
    expect(pending).toEqual([]);
    expect(resources.find(({ urn }) => urn.endsWith("::access"))).toMatchObject({
      id: `${FHIR_STORE}/${ROLE}/${MEMBER}`,
      initErrors: [expect.stringContaining("next pulumi up")],
    });

    cloud.setFaults([]);
    expect((await project.up()).changes).toEqual({ update: 1 });
    await expectSettled(["access"]);
  });

  test("of a timeout, too", async () => {
    await start(() => program({ access: grant({ customTimeouts: { create: "5s" } }) }));
    const [cloud] = clouds as [Emulator];
    cloud.setFaults([{ match: { id: "**.setIamPolicy" }, times: 0, fault: { stall: true, when: "before" } }]);
    await project.up({ args: ["--skip-preview"], fail: "yes" });
    expect([isGranted(), await grants()]).toEqual([false, ["access"]]);
    cloud.setFaults([]);
    expect((await project.up()).changes).toEqual({ update: 1 });
    await expectSettled(["access"]);
  });
});

/** The provider process of the run that has made something. */
function processThatMade(): number {
  const [run = ""] = leftBehind();
  const made = fs
    .readdirSync(path.join(runs(), run))
    .filter((name) => name.endsWith(".notes"))
    .filter((name) => /^made /m.test(fs.readFileSync(path.join(runs(), run, name), "latin1")));
  expect(made).toHaveLength(1);
  return Number.parseInt(made[0] as string, 10);
}
