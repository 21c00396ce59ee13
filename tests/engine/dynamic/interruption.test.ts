/**
 * An update through the npm front that does not come to its end. Nothing is made twice, and nothing that was made is forgotten.
 *
 * Pulumi's dynamic provider process does not pass a cancellation on, and after a first interrupt the engine waits for the
 * calls in flight. So ctrl-C once waits for the create; only a second one, or a kill, leaves it behind, and then the next
 * update sends the same request id and is answered with the operation that is already there.
 */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { untilSeen, type RunningEngine } from "../../support/engine-run";
import { association, ASSOCIATIONS } from "../../support/programs";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

/** Longer than any test runs, shorter than a request id is remembered. */
const LONG = 30 * 60_000;
const ZONES = ["a", "b"] as const;
const [LEFT, UNREAD] = ZONES;
const placeOf = (zone: string) => ASSOCIATIONS.replace("-a/", `-${zone}/`);
const nameOf = (zone: string) => `${placeOf(zone)}/prod`;
/** Associations, each in another zone: the path of an operation shows which association it is of. */
const resources = Object.fromEntries(
  ZONES.map((zone) => {
    const location = `us-central1-${zone}`;
    const firewallEndpoint = `organizations/123456789/locations/${location}/firewallEndpoints/inspection`;
    return [zone, association({ location, firewallEndpoint })];
  }),
);

let stack: PackedStack;
beforeEach(async () => {
  stack = await PackedStack.create({ resources, emulator: { operationMs: LONG } });
});
afterEach(() => stack?.dispose());

/** Waits until an operation of each zone is polled from now on. */
async function untilPolled(running: RunningEngine): Promise<void> {
  const { length } = stack.emulator.requests();
  const isPolled = (zone: string) =>
    stack.emulator
      .requests()
      .slice(length)
      .some(({ path }) => path.includes(`us-central1-${zone}/operations/`));
  for (const zone of ZONES) await untilSeen(running, `a poll in zone ${zone}`, () => isPolled(zone));
}

async function upUntilPolling(): Promise<RunningEngine> {
  const running = stack.project.start(["up", "--yes", "--skip-preview"]);
  await untilPolled(running);
  return running;
}

async function states() {
  const { resources = [], pending_operations: pending = [] } = (await stack.project.exportState()).deployment;
  return { of: (zone: string) => resources.find(({ id }) => id === nameOf(zone)), pending };
}

async function expectFinished(): Promise<void> {
  const { of } = await states();
  for (const zone of ZONES) {
    expect(stack.emulator.resource(nameOf(zone))).toBeDefined();
    expect(of(zone)?.outputs).toMatchObject({ state: "ACTIVE" });
    expect(of(zone)?.outputs).not.toHaveProperty("__pending");
    expect(of(zone)).not.toHaveProperty("initErrors");
  }
}

test("one ctrl-C waits for the creates and keeps their resources", async () => {
  const running = await upUntilPolling();
  running.kill("SIGINT");
  await running.waitFor(/cancelling/);
  await untilPolled(running);
  stack.emulator.advance(LONG);
  const { code, stdout } = await running.done;
  expect(code).not.toBe(0);
  expect(stdout).toMatch(/update canceled/);
  expect((await states()).pending).toEqual([]);
  await expectFinished();
});

test("two ctrl-C abandon a create; the next update waits for it, as for one whose wait failed, and makes nothing twice", async () => {
  const match = { path: `/**/us-central1-${UNREAD}/operations/*` };
  stack.emulator.setFaults([{ match, times: 1, fault: { status: "PERMISSION_DENIED" } }]);
  const running = await upUntilPolling();
  await running.waitFor(/creating failed/);
  running.kill("SIGINT");
  await running.waitFor(/cancelling/);
  running.kill("SIGINT");
  expect((await running.done).code).not.toBe(0);

  const { of, pending } = await states();
  expect(of(LEFT)).toBeUndefined();
  expect(pending).toMatchObject([{ type: "creating", resource: { urn: expect.stringMatching(`::${LEFT}$`) } }]);
  const unread = of(UNREAD);
  expect(unread?.outputs).toMatchObject({ __pending: { verb: "create", operation: expect.any(String) } });
  expect(unread?.outputs?.__provider).toBe(unread?.inputs?.__provider);
  expect(unread?.initErrors).toEqual([expect.stringContaining("/operations/")]);

  const next = await upUntilPolling();
  stack.emulator.advance(LONG);
  expect((await next.done).code).toBe(0);
  await expectFinished();
  const posts = stack.heard().filter(({ method }) => method === "POST");
  const asked = (zone: string) =>
    posts
      .filter(({ path }) => path === placeOf(zone))
      .map(({ query, answer }) => `${query.requestId} ${(answer as { name: string }).name}`);
  // Asked again with the same request id, the cloud answers with the operation that is there already.
  const [first, ...again] = asked(LEFT);
  expect(again).toEqual([first]);
  expect(asked(UNREAD)).toHaveLength(1);
});
