/**
 * Grants that several resources of one program want, on the real engine: renames that fail half way, two clouds, two
 * spellings of a project, provider processes that are killed, and what they leave behind. Each explicit provider is a
 * process of its own.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Emulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { descendantsWith } from "../../support/processes";
import { PROJECT, storeOf } from "../../support/programs";
import {
  asked,
  clouds,
  expectSettled,
  grant,
  grants,
  isGranted,
  leftBehind,
  MEMBER,
  NUMBER,
  program,
  project,
  ROLE,
  runs,
  start,
  stop,
  STORES,
  type Store,
} from "./scene";
import { skipped } from "../../support/skipped";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeHere = missing === undefined ? describe : describe.skip;
describeHere(`grants that several resources want${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () => {
  // The grant that is moved goes from the one provider of a cloud to the other.
  const providers = (all: Emulator[]) => ({ a: all[0], b: all[1], c: all[0] }) as Record<string, Emulator>;
  const there = grant("clouds", { provider: "${b}" });
  const renamed = {
    failingNew: grant("failing"),
    there,
    numberNew: grant("number", {}, storeOf("number").replace(PROJECT, NUMBER)),
    late: grant("late", { customTimeouts: { create: "5s" } }),
  };
  let failed: OperationResult;

  beforeAll(async () => {
    const before = {
      failingOld: grant("failing"),
      here: grant("clouds", { provider: "${a}" }),
      there,
      numberOld: grant("number"),
      movedOld: grant("moved", { provider: "${a}" }),
    };
    await start((all) => program(before, providers(all)), 2);
    await project.up();
    expect(STORES.map((store) => isGranted(store))).toEqual([true, true, true, true, false, false, false]);
    expect(isGranted("clouds", clouds[1])).toBe(true);

    project.writeFiles(program({ ...renamed, movedOld: before.movedOld }, providers(clouds)));
    clouds[0]?.setFaults([
      { match: { path: "**/failing:getIamPolicy" }, times: 0, fault: { status: "PERMISSION_DENIED" } },
      { match: { path: "**/late:setIamPolicy" }, times: 0, fault: { stall: true, when: "before" } },
    ]);
    failed = await project.up({ args: ["--continue-on-error"], fail: "yes" });
  });
  afterAll(stop);

  test("if the new resource of a rename fails (--continue-on-error), the grant stays in the policy and in the state", async () => {
    expect(failed.messages("error", "failingOld").join("\n")).toMatch(
      /Kept this grant on .*::failingNew declares the same grant/,
    );
    expect([isGranted("failing"), await grants("failing")]).toEqual([true, ["failingOld"]]);
  });

  test("a delete in one of two clouds removes the grant there, although the other cloud keeps a grant with the same names", async () => {
    expect(clouds.map((cloud) => isGranted("clouds", cloud))).toEqual([false, true]);
    expect([await grants("here"), await grants("there")]).toEqual([[], ["there"]]);
  });

  test("a rename that names the project by its number keeps the grant in the policy", async () => {
    expect([failed.step("numberNew").op, failed.step("numberOld").op]).toEqual(["create", "delete"]);
    expect([isGranted("number"), await grants("number")]).toEqual([true, ["numberNew"]]);
  });

  test("a grant that reaches its time limit stays in the state", async () => {
    expect([isGranted("late"), await grants("late")]).toEqual([false, ["late"]]);
  });

  test("the next up completes the grants that failed or reached their time limit", async () => {
    clouds[0]?.setFaults([]);
    expect((await project.up()).changes).toEqual({ create: 1, delete: 1, update: 1 });
    expect([isGranted("failing"), await grants("failing"), isGranted("late")]).toEqual([true, ["failingNew"], true]);
  });

  test("the other provider processes use the facts of a process that was killed in the same run", async () => {
    // What comes after the grant takes as long as the test wants.
    const link = {
      type: "perimeter:networksecurity/v1beta1:FirewallEndpointAssociation",
      properties: {
        firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
        network: `projects/${PROJECT}/global/networks/prod`,
        location: "us-central1-a",
        firewallEndpointAssociationId: "prod",
      },
      options: { provider: "${a}", dependsOn: ["${movedNew}"] },
    };
    project.writeFiles(
      program({ ...renamed, movedNew: grant("moved", { provider: "${c}" }), link }, providers(clouds)),
    );
    const [cloud] = clouds as [Emulator];
    cloud.configure({ operationMs: 60_000 });
    const running = project.start(["up", "--yes", "--skip-preview"]);
    await asked(running, "GET", /\/operations\//);
    const killed = processThatMade();
    process.kill(killed, "SIGKILL");
    cloud.advance(60_000);
    const { code, stdout, stderr } = await running.done;
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining("deleted")]);
    expect([isGranted("moved"), await grants("moved")]).toEqual([true, ["movedNew"]]);
    cloud.configure({ operationMs: 0 });
  });

  test("a refresh keeps all grants, and a destroy removes all", expectSettled);
});

describeHere(`a run that ends while a policy is being written${skipped(missing)}`, () => {
  const killed = grant("killed");
  const stall = (store: Store) =>
    clouds[0]?.setFaults([{ match: { path: `**/${store}:setIamPolicy` }, fault: { stall: true, when: "after" } }]);
  beforeAll(() => start(() => program({ killed })));
  afterAll(stop);
  let dead: string[];

  test("when the machine stops, the file with the run's facts remains", async () => {
    stall("killed");
    const running = project.start(["up", "--yes", "--skip-preview"]);
    await asked(running, "POST", /killed:setIamPolicy/);
    expect(leftBehind()).toHaveLength(1);
    // The provider processes see nothing of the engine's end.
    const plugins = descendantsWith(running.pid, "pulumi-resource-perimeter");
    for (const pid of plugins) process.kill(pid, "SIGSTOP");
    running.kill("SIGKILL");
    await running.done;
    for (const pid of plugins) process.kill(pid, "SIGKILL");
    dead = leftBehind();
    expect(dead).toHaveLength(1);
    project.clearKilledRun();
    await project.refresh({ args: ["--clear-pending-creates"] });
  });

  test("after ctrl-C, the grant is in the state; the run has deleted the file of the killed run", async () => {
    const interrupted = grant("interrupted", { dependsOn: ["${killed}"] });
    project.writeFiles(program({ killed, interrupted }));
    stall("interrupted");
    const running = project.start(["up", "--yes", "--skip-preview"]);
    await asked(running, "POST", /interrupted:setIamPolicy/);
    running.kill("SIGINT");
    const { code, stdout, stderr } = await running.done;
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/The grant may be in the access policy/);
    const { resources = [], pending_operations: pending = [] } = (await project.exportState()).deployment;
    expect(pending).toEqual([]);
    expect(resources.find(({ urn }) => urn.endsWith("::interrupted"))).toMatchObject({
      id: `${storeOf("interrupted")}/${ROLE}/${MEMBER}`,
      initErrors: [expect.stringContaining("next pulumi up")],
    });
    expect([isGranted("killed"), await grants("killed")]).toEqual([true, ["killed"]]);
    for (const each of dead) expect(leftBehind()).not.toContain(each);
  });

  test("the next up completes the interrupted grant", async () => {
    clouds[0]?.setFaults([]);
    expect((await project.up()).changes).toEqual({ update: 1 });
    expect([isGranted("interrupted"), await grants()]).toEqual([true, ["killed", "interrupted"]]);
    await expectSettled();
  });
});

describeHere(`a machine without a folder that provider processes can share${skipped(missing)}`, () => {
  const MOVED = ["failing", "moved", "late", "killed"] as const;
  const from = (provider: string) =>
    Object.fromEntries(MOVED.map((store) => [`${store}-${provider}`, grant(store, { provider: `\${${provider}}` })]));
  const providers = (all: Emulator[]) => ({ a: all[0], b: all[0] }) as Record<string, Emulator>;
  const granted = () => MOVED.filter((store) => isGranted(store));
  afterAll(stop);

  test("a move of four grants between two providers deletes none, and the messages name the remedy", async () => {
    await start((all) => program(from("a"), providers(all)));
    await project.up();
    expect(granted()).toEqual(MOVED);

    // The folder of another user, and files in place of folders: root may write to any folder.
    const temporary = project.env.TMPDIR as string;
    const occupied = path.join(temporary, `perimeter-${process.getuid?.() ?? "user"}`);
    fs.mkdirSync(occupied, { mode: 0o700 });
    if (process.getuid?.() === 0) execFileSync("chown", ["65534", occupied]);
    else fs.chmodSync(occupied, 0o777);
    fs.rmSync(path.join(project.env.PULUMI_HOME as string, "perimeter"), { recursive: true, force: true });
    fs.writeFileSync(path.join(project.env.PULUMI_HOME as string, "perimeter"), "");
    project.writeFiles(program(from("b"), providers(clouds)));
    const moved = await project.up({ env: { HOME: path.join(temporary, "none") }, fail: "yes" });
    expect(granted()).toEqual(MOVED);
    expect((await grants()).sort()).toEqual([...Object.keys(from("a")), ...Object.keys(from("b"))].sort());
    const [warning] = moved.messages("warning").filter((each) => !each.includes("from $PATH"));
    expect(warning).toMatch(/deletes none of them: .*(belongs to another user|is open to other users).*PULUMI_HOME/s);
    expect(moved.messages("error", "moved-a").join()).toMatch(
      /Kept this grant on .*it is unknown whether another resource.*Set/s,
    );
    expect(fs.readdirSync(occupied)).toEqual([]);
  });

  test("the next up with a shared folder deletes the old resources and keeps the grants", async () => {
    const settled = await project.up();
    expect(settled.changes).toEqual({ delete: 4 });
    expect([granted(), (await grants()).sort()]).toEqual([MOVED, Object.keys(from("b")).sort()]);
  });
});

describeHere(`a grant that a protected and an unprotected resource declare${skipped(missing)}`, () => {
  afterAll(stop);

  // The engine sends the delete of the one, and nothing that names the other (docs/grants-limits.md, "What is not protected").
  test("destroy --exclude-protected deletes the grant, and the next up with --refresh creates it again", async () => {
    const both = { kept: grant("killed", { protect: true }), gone: grant("killed") };
    await start(() => program(both));
    await project.up();
    const calls = path.join(project.env.TMPDIR as string, "calls.json");
    await project.destroy({ args: ["--exclude-protected"], env: { PULUMI_DEBUG_GRPC: calls } });
    const sent = fs.readFileSync(calls, "utf8");
    expect([sent.includes("::gone"), sent.includes("::kept")]).toEqual([true, false]);
    expect([isGranted("killed"), await grants()]).toEqual([false, ["kept"]]);

    project.writeFiles(program({ kept: both.kept }));
    await project.up({ args: ["--refresh"] });
    expect([isGranted("killed"), await grants()]).toEqual([true, ["kept"]]);
  });
});

/** The provider process of the run that has made something. */
function processThatMade(): number {
  const [run = ""] = leftBehind();
  const lines = fs.readFileSync(path.join(runs(), run), "utf8").split("\n");
  const made = lines.filter((line) => line.includes(',"made",'));
  expect(made).toHaveLength(1);
  return Number.parseInt((JSON.parse(made[0] as string) as string[])[0] as string, 10);
}
