/**
 * SIGKILL of the plugin and of the CLI at requests of create, update and delete, and then `up`: exactly one of each, and
 * `refresh` finds nothing. Finding a process by its parents needs /proc, so this is for Linux.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { GRANT, LINK, pluginOf, Scene } from "./scene";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml") ?? (process.platform === "linux" ? undefined : "needs Linux");
const describeOrSkip = missing === undefined ? describe : describe.skip;
/** As long as the real API takes at most, and well within the hour for which it remembers a request id. */
const CREATE_MS = 15 * 60_000;
const VICTIMS = ["plugin", "CLI"] as const;
type Victim = (typeof VICTIMS)[number];

const CREATE = { method: "POST", path: /firewallEndpointAssociations$/ };
const UPDATE = { method: "PATCH", path: /firewallEndpointAssociations\/prod$/ };
const DELETE = { method: "DELETE", path: /firewallEndpointAssociations\/prod$/ };
const POLL = { method: "GET", path: /\/operations\// };
const READ = { method: "GET", path: /firewallEndpointAssociations\/prod$/ };
const SET = { method: "POST", path: /:setIamPolicy$/ };
const changed = { ...LINK, labels: { team: "security" } };

/** The request gets no answer: before its effect, or after. */
const stalled = (path: string, method: string, when: "before" | "after") => [
  { match: { path, method }, fault: { stall: true as const, when } },
];
const LINKS = "**/firewallEndpointAssociations";
const POINTS = [
  ["create, before its effect", { ...CREATE }, stalled(LINKS, "POST", "before"), {}, LINK],
  ["create, after its effect", { ...CREATE }, stalled(LINKS, "POST", "after"), {}, LINK],
  ["create, while polling", { ...POLL, answered: true }, [], {}, LINK],
  ["create, after it is done", { ...READ }, stalled(`${LINKS}/*`, "GET", "after"), {}, LINK],
  ["update, after its effect", { ...UPDATE }, stalled(`${LINKS}/*`, "PATCH", "after"), LINK, changed],
  ["update, while polling", { ...POLL, answered: true }, [], LINK, changed],
  ["delete, after its effect", { ...DELETE }, stalled(`${LINKS}/*`, "DELETE", "after"), LINK, undefined],
  ["delete, while polling", { ...POLL, answered: true }, [], LINK, undefined],
] as const;

describeOrSkip("killed", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.create();
  });
  afterAll(() => scene?.dispose());

  async function kill(victim: Victim, running: Awaited<ReturnType<Scene["upUntil"]>>): Promise<void> {
    if (victim === "plugin") {
      process.kill(pluginOf(running), "SIGKILL");
    } else {
      const plugin = pluginOf(running);
      running.kill("SIGKILL", "process");
      await running.done;
      await gone(plugin);
    }
    await running.done;
    // The CLI's own children do not matter here; the lock on the state does.
    scene.emulator.setFaults([]);
    if (victim === "CLI") await scene.project.run(["cancel", "--yes"], { fail: "maybe" });
  }

  const cases = VICTIMS.flatMap((victim) => POINTS.map(([what, ...point]) => [victim, what, ...point] as const));

  test.each(cases)("the %s at %s", async (victim, what, request, faults, before, after) => {
    scene.emulator.reset();
    scene.emulator.configure({ operationMs: 0 });
    scene.declare({});
    await scene.project.up({ args: ["--refresh"] });
    if ("network" in before) {
      scene.declare({ link: before });
      await scene.project.up();
    }
    // Long enough to be killed while it polls, and over when the next run polls.
    const long = what.endsWith("polling");
    scene.emulator.configure({ operationMs: long ? CREATE_MS : 0 });
    scene.emulator.setFaults(faults);
    scene.declare(after ? { link: after } : {});
    const running = await scene.upUntil(request);
    await kill(victim, running);
    if (long) scene.emulator.advance(CREATE_MS);

    await scene.recover();
    // The engine warns of creates that it saw begin and not end, until it is told to forget them.
    expect((await scene.project.up()).stdout).not.toMatch(/interrupted|pending/i);
    expect(scene.links().map((each) => [each.body.state, each.body.labels])).toEqual(
      after ? [["ACTIVE", after.labels]] : [],
    );
    expect((await scene.stateOf("link"))?.id).toBe(after ? scene.links()[0]?.name : undefined);
    expect((await scene.project.refresh({ args: ["--expect-no-changes"] })).changes).toEqual({});
    expect((await scene.project.preview()).changes).toEqual({});
  });

  test.each(VICTIMS.flatMap((victim) => [[victim, "create"] as const, [victim, "delete"] as const]))(
    "the %s at the write of a grant's %s, after its effect",
    async (victim, verb) => {
      scene.emulator.reset();
      scene.declare(verb === "create" ? {} : { grant: GRANT });
      await scene.project.up({ args: ["--refresh"] });
      const others = scene.readers().filter((each) => each !== GRANT.member);
      scene.emulator.setFaults(stalled("**:setIamPolicy", "POST", "after"));
      scene.declare(verb === "create" ? { grant: GRANT } : {});
      await kill(victim, await scene.upUntil(SET));
      await scene.recover();
      expect(scene.readers()).toEqual(verb === "create" ? [...others, GRANT.member] : others);
      expect((await scene.project.refresh({ args: ["--expect-no-changes"] })).changes).toEqual({});
    },
  );
});

/** A plugin whose engine was killed ends by itself. */
async function gone(pid: number): Promise<void> {
  for (let wait = 0; wait < 1_200; wait++) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(50);
  }
  throw new Error("the plugin outlives its engine");
}

describeOrSkip("ctrl-C", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.create();
  });
  afterAll(() => scene?.dispose());

  test("during a create: ends at once, keeps it with its operation, and the next up posts no second one", async () => {
    scene.emulator.configure({ operationMs: CREATE_MS });
    scene.declare({ link: LINK });
    const running = await scene.upUntil({ ...POLL, answered: true });
    running.kill("SIGINT");
    const { code, stdout, stderr } = await running.done;
    const polls = () => scene.emulator.requests().filter((each) => POLL.path.test(each.path)).length;
    const polled = polls();
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/Operation projects\/\S+\/operations\/\S+ \(create\) goes on in the cloud/);
    const state = await scene.stateOf("link");
    expect(state).toMatchObject({ id: scene.links()[0]?.name, initErrors: [expect.stringContaining("goes on")] });
    expect(state?.outputs).toMatchObject({
      // Its last part only: the rest is the project and the location, which may be secrets.
      __pending: { verb: "create", operation: expect.stringMatching(/^operation-[^/]+$/) },
    });
    expect(polls()).toBe(polled);

    scene.emulator.advance(CREATE_MS);
    await scene.project.up();
    expect([scene.posts(), scene.links().length, scene.links()[0]?.body.state]).toEqual([1, 1, "ACTIVE"]);
    const after = await scene.stateOf("link");
    expect(after?.initErrors).toBeUndefined();
    expect(after?.outputs).not.toHaveProperty("__pending");
    expect((await scene.project.refresh({ args: ["--expect-no-changes"] })).changes).toEqual({});
  });

  test("during an update: the next up waits for it, and does not begin another", async () => {
    scene.emulator.configure({ operationMs: CREATE_MS });
    scene.declare({ link: changed });
    const running = await scene.upUntil({ ...POLL, answered: true });
    running.kill("SIGINT");
    expect((await running.done).code).not.toBe(0);
    scene.emulator.advance(CREATE_MS);
    await scene.project.up();
    const patches = scene.emulator.requests().filter((each) => each.method === "PATCH");
    expect([patches.length, scene.links()[0]?.body.labels]).toEqual([1, changed.labels]);
    expect((await scene.project.refresh({ args: ["--expect-no-changes"] })).changes).toEqual({});
  });

  test("during a delete: the next destroy goes on, and nothing is left", async () => {
    scene.emulator.configure({ operationMs: CREATE_MS });
    scene.declare({});
    const running = await scene.upUntil({ ...POLL, answered: true });
    running.kill("SIGINT");
    const { stdout, stderr } = await running.done;
    expect(stdout + stderr).toMatch(/\(delete\) goes on in the cloud.*waits until it is gone/s);
    // The engine keeps what it knew before the delete, whatever the error says.
    expect(await scene.stateOf("link")).toMatchObject({ id: scene.links()[0]?.name });
    expect((await scene.stateOf("link"))?.outputs).not.toHaveProperty("__pending");
    const again = scene.project.start(["up", "--yes", "--skip-preview"]);
    await scene.until({ ...DELETE, answered: true }, again);
    scene.emulator.advance(CREATE_MS);
    expect((await again.done).code).toBe(0);
    expect(scene.links()).toEqual([]);
    expect(await scene.stateOf("link")).toBeUndefined();
  });
});
