/**
 * An update that does not come to its end. Nothing is made twice, and nothing that was made is forgotten.
 *
 * Pulumi's dynamic provider process does not pass a cancellation on, and after a first interrupt the engine waits for the
 * calls in flight. So ctrl-C once waits for the create; only a second one, or a kill, leaves it behind, and then the next
 * update sends the same request id and is answered with the operation that is already there.
 */
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { RunningEngine } from "../../support/engine-run";
import { association, ASSOCIATIONS } from "../../support/programs";
import type { Exchange } from "./wire-tap";
import { World } from "./world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

/** Longer than any test runs, shorter than a request id is remembered. */
const LONG = 30 * 60_000;
const ZONES = ["a", "b", "c", "d"] as const;
/** Each in a zone of its own, so that their operations can be told apart. The tests add one after the other. */
const [PROD, LEFT, UNREAD, KILLED] = ZONES;
const placeOf = (zone: string) => ASSOCIATIONS.replace("-a/", `-${zone}/`);
const nameOf = (zone: string) => `${placeOf(zone)}/prod`;
const resources = (zones: readonly string[]) =>
  Object.fromEntries(
    zones.map((zone) => {
      const location = `us-central1-${zone}`;
      const firewallEndpoint = `organizations/123456789/locations/${location}/firewallEndpoints/inspection`;
      return [zone, association({ location, firewallEndpoint })];
    }),
  );

let world: World;
beforeAll(async () => {
  world = await World.create({ emulator: { operationMs: LONG } });
});
afterAll(() => world?.dispose());

/** Starts an update, and returns when it waits for operations in these zones. */
async function upUntilPolling(declared: readonly string[], polled: readonly string[]): Promise<RunningEngine> {
  world.declare(resources(declared));
  const { length } = world.emulator.requests();
  const running = world.project.start(["up", "--yes", "--skip-preview"]);
  for (const zone of polled) await untilPolled(running, zone, length);
  return running;
}

/** Waits until an operation of the zone is polled, by a request behind these many. */
async function untilPolled(
  running: RunningEngine,
  zone: string,
  after = world.emulator.requests().length,
): Promise<void> {
  let ended = false;
  void running.done.finally(() => (ended = true));
  const isPoll = ({ path }: { path: string }) => path.includes(`us-central1-${zone}/operations/`);
  while (!world.emulator.requests().slice(after).some(isPoll)) {
    if (ended) throw new Error(`ended before it polled in zone ${zone}:\n${running.output()}`);
    await sleep(50);
  }
}

async function states() {
  const { resources = [], pending_operations: pending = [] } = (await world.project.exportState()).deployment;
  return { of: (zone: string) => resources.find(({ id }) => id === nameOf(zone)), pending };
}

/** All creates that were sent for the zone since the first test. */
const sent: Exchange[] = [];
function creates(zone: string): Exchange[] {
  sent.push(...world.heard());
  return sent.filter(({ method, path }) => method === "POST" && path === placeOf(zone));
}

async function expectFinished(zone: string): Promise<void> {
  expect(world.emulator.resource(nameOf(zone))).toBeDefined();
  const state = (await states()).of(zone);
  expect(state?.outputs).toMatchObject({ state: "ACTIVE" });
  expect(state?.outputs).not.toHaveProperty("__pending");
  expect(state).not.toHaveProperty("initErrors");
}

test("one ctrl-C waits for the create and keeps its resource", async () => {
  const running = await upUntilPolling([PROD], [PROD]);
  running.kill("SIGINT");
  await running.waitFor(/cancelling/);
  await untilPolled(running, PROD);
  world.emulator.advance(LONG);
  const { code, stdout } = await running.done;
  expect(code).not.toBe(0);
  expect(stdout).toMatch(/update canceled/);
  expect((await states()).pending).toEqual([]);
  await expectFinished(PROD);
  expect(creates(PROD)).toHaveLength(1);
});

test("two ctrl-C abandon the create, and a wait that failed earlier keeps the resource as not ready", async () => {
  const before = sent.length;
  const match = { path: `/**/us-central1-${UNREAD}/operations/*` };
  world.emulator.setFaults([{ match, times: 1, fault: { status: "PERMISSION_DENIED" } }]);
  const running = await upUntilPolling([PROD, LEFT, UNREAD], [LEFT, UNREAD]);
  await running.waitFor(/creating failed/);
  running.kill("SIGINT");
  await running.waitFor(/cancelling/);
  running.kill("SIGINT");
  const { code, stdout, stderr } = await running.done;
  expect(code).not.toBe(0);

  const { of, pending } = await states();
  expect(of(LEFT)).toBeUndefined();
  expect(pending).toMatchObject([{ type: "creating", resource: { urn: expect.stringMatching(`::${LEFT}$`) } }]);
  const [create] = creates(UNREAD);
  const operation = (create?.answer as { name: string }).name;
  const unread = of(UNREAD);
  expect(unread?.outputs).toMatchObject({ __pending: { verb: "create", operation: operation.split("/").at(-1) } });
  expect(unread?.outputs?.__provider).toBe(unread?.inputs?.__provider);
  expect(unread?.initErrors).toEqual([expect.stringContaining(operation)]);
  expect(stdout + stderr).toContain(operation);
  // Nobody was asked about what the update before had made.
  expect(sent.slice(before).filter(({ path }) => path.includes(`us-central1-${PROD}/`))).toEqual([]);
});

test("a kill of all processes abandons the create", async () => {
  const running = await upUntilPolling([PROD, LEFT, UNREAD, KILLED], [LEFT, UNREAD, KILLED]);
  const processes = descendants(running.pid);
  expect(processes.length).toBeGreaterThan(2);
  for (const pid of [running.pid, ...processes]) killNow(pid);
  expect((await running.done).signal).toBe("SIGKILL");
  expect((await states()).of(KILLED)).toBeUndefined();
  world.project.clearKilledRun();
});

test("the next update waits for all earlier creates, and repeats none of them", async () => {
  const running = await upUntilPolling([PROD, LEFT, UNREAD, KILLED], [LEFT, UNREAD, KILLED]);
  world.emulator.advance(LONG);
  expect((await running.done).code).toBe(0);
  expect(world.emulator.resources().filter(({ name }) => /firewallEndpointAssociations/.test(name))).toHaveLength(4);
  for (const zone of ZONES) await expectFinished(zone);

  expect([creates(PROD).length, creates(UNREAD).length]).toEqual([1, 1]);
  for (const zone of [LEFT, KILLED]) {
    // Asked again with the same request id, the cloud answers with the operation that is there already.
    const asked = creates(zone).map(({ query, answer }) => [query.requestId, (answer as { name?: string })?.name]);
    expect([zone, asked.length > 1]).toEqual([zone, true]);
    expect([zone, ...new Set(asked.map((each) => each.join()))]).toEqual([zone, asked[0]?.join()]);
    expect(asked[0]).toEqual([expect.any(String), expect.any(String)]);
  }
});

/** A process whose parent was killed may have ended by itself. */
function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Processes that it started, and those that they started. */
function descendants(pid: number): number[] {
  const table = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" });
  const pairs = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []));
  return below(pid);
}
