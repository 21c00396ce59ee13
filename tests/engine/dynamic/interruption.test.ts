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

let world: World;
afterEach(() => world?.dispose());

/** Longer than any test runs, shorter than a request id is remembered. */
const LONG = 30 * 60_000;
const NAME = `${ASSOCIATIONS}/prod`;

/** Starts an update, and returns when it has begun to wait for its create. */
async function upUntilCreating(): Promise<RunningEngine> {
  world = await World.create({ resources: { prod: association() }, emulator: { operationMs: LONG } });
  const running = world.project.start(["up", "--yes", "--skip-preview"]);
  await untilPolled();
  return running;
}

/** Waits for one more poll of an operation. */
async function untilPolled(): Promise<void> {
  const polls = () => world.emulator.requests().filter(({ path }) => path.includes("/operations/")).length;
  const before = polls();
  while (polls() === before) await sleep(50);
}

async function states() {
  const { resources = [], pending_operations: pending = [] } = (await world.project.exportState()).deployment;
  return { prod: resources.find(({ id }) => id === NAME), pending };
}

const associations = () => world.emulator.resources().filter(({ name }) => name.startsWith(ASSOCIATIONS));
const posts = (exchanges: Exchange[]) => exchanges.filter(({ method }) => method === "POST");

/** The next update waits for the create that an earlier one began. */
async function finish(): Promise<void> {
  const again = world.project.start(["up", "--yes", "--skip-preview"]);
  await untilPolled();
  world.emulator.advance(LONG);
  expect((await again.done).code).toBe(0);
}

async function expectOneFinished(): Promise<void> {
  expect(associations()).toMatchObject([{ name: NAME }]);
  const { prod } = await states();
  expect(prod?.outputs).toMatchObject({ state: "ACTIVE" });
  expect(prod?.outputs).not.toHaveProperty("__pending");
  expect(prod).not.toHaveProperty("initErrors");
}

test("ctrl-C once waits for the create and keeps what it made", async () => {
  const running = await upUntilCreating();
  running.kill("SIGINT");
  await running.waitFor(/cancelling/);
  await untilPolled();
  world.emulator.advance(LONG);
  const { code, stdout } = await running.done;
  expect(code).not.toBe(0);
  expect(stdout).toMatch(/update canceled/);
  expect((await states()).pending).toEqual([]);
  await expectOneFinished();
  expect(posts(world.heard())).toHaveLength(1);

  expect((await world.project.up()).changes).toEqual({});
  expect(world.heard()).toEqual([]);
});

test("ctrl-C twice leaves the create behind, and the next update finds it", async () => {
  const running = await upUntilCreating();
  running.kill("SIGINT");
  await running.waitFor(/cancelling/);
  running.kill("SIGINT");
  expect((await running.done).code).not.toBe(0);
  const { prod, pending } = await states();
  expect(prod).toBeUndefined();
  expect(pending).toMatchObject([{ type: "creating" }]);

  await finish();
  const [first, second, ...more] = posts(world.heard());
  expect(more).toEqual([]);
  expect(second?.query.requestId).toBe(first?.query.requestId);
  expect(second?.answer).toMatchObject({ name: (first?.answer as { name: string }).name });
  await expectOneFinished();
});

test("a kill of everything leaves the create behind, and the next update finds it", async () => {
  const running = await upUntilCreating();
  const processes = descendants(running.pid);
  expect(processes.length).toBeGreaterThan(2);
  for (const pid of [running.pid, ...processes]) process.kill(pid, "SIGKILL");
  expect((await running.done).signal).toBe("SIGKILL");
  // The killed run did not release its lock on the stack.
  await world.project.run(["cancel", "--yes"]);

  await finish();
  const [first, second, ...more] = posts(world.heard());
  expect(more).toEqual([]);
  expect(second?.query.requestId).toBe(first?.query.requestId);
  await expectOneFinished();
});

test("a wait that fails keeps the resource as not ready, and the next update waits on", async () => {
  const id = "networksecurity.projects.locations.operations.get";
  world = await World.create({
    resources: { prod: association() },
    emulator: { operationMs: LONG, faults: [{ match: { id }, times: 1, fault: { status: "PERMISSION_DENIED" } }] },
  });
  const failed = await world.project.up({ fail: "yes" });
  const message = failed.messages("error", "prod").join("\n");
  const { prod, pending } = await states();
  const operation = (posts(world.heard())[0]?.answer as { name: string }).name;
  expect(pending).toEqual([]);
  expect(prod?.outputs).toMatchObject({ __pending: { verb: "create", operation: operation.split("/").at(-1) } });
  expect(prod?.outputs?.__provider).toBe(prod?.inputs?.__provider);
  expect(prod?.initErrors).toEqual([expect.stringContaining(operation)]);
  expect(message).toContain(operation);

  await finish();
  expect(world.heardChanges()).toEqual([]);
  await expectOneFinished();
});

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
