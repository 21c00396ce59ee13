/** Ctrl-C during each verb of an association: what continues in the cloud is kept, and the next run waits for it. */
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import { PLUGIN_FORMS } from "../../support/plugin";
import { CHANGED, CREATE_MS, DELETE, LINK, POLL, KilledStack } from "./scene";
import { skipped } from "../../support/skipped";
import { casesHere } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml");
const describeOrSkip = missing === undefined ? describe : describe.skip;

// tests/lifecycle/plugin/process.test.ts sends signals to each form.
const FORMS = casesHere(
  PLUGIN_FORMS,
  (form) => form === "the executable",
  (form) => `ctrl-C, with ${form}`,
);

describeOrSkip.each(FORMS)(`ctrl-C, with %s${skipped(missing)}`, (form) => {
  let scene: KilledStack;
  beforeAll(async () => {
    scene = await KilledStack.create(form);
  });
  afterAll(() => scene?.dispose());

  test("during a create: ends at once, keeps the resource with its operation, and the next up sends no second create", async () => {
    scene.emulator.configure({ operationMs: CREATE_MS });
    scene.declare({ link: LINK });
    const running = await scene.upUntil({ ...POLL, answered: true });
    running.kill("SIGINT");
    const { code, stdout, stderr } = await running.done;
    const polls = () => scene.emulator.requests().filter((each) => POLL.path.test(each.path)).length;
    const polled = polls();
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/Operation projects\/\S+\/operations\/\S+ \(create\) continues in the cloud/);
    const state = await scene.stateOf("link");
    expect(state).toMatchObject({ id: scene.links()[0]?.name, initErrors: [expect.stringContaining("continues")] });
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

  test("during an update: the next up waits for it, and starts no other update", async () => {
    scene.emulator.configure({ operationMs: CREATE_MS });
    scene.declare({ link: CHANGED });
    const running = await scene.upUntil({ ...POLL, answered: true });
    running.kill("SIGINT");
    expect((await running.done).code).not.toBe(0);
    scene.emulator.advance(CREATE_MS);
    await scene.project.up();
    const patches = scene.emulator.requests().filter((each) => each.method === "PATCH");
    expect([patches.length, scene.links()[0]?.body.labels]).toEqual([1, CHANGED.labels]);
    expect((await scene.project.refresh({ args: ["--expect-no-changes"] })).changes).toEqual({});
  });

  test("during a delete: the next destroy continues, and no resource remains", async () => {
    scene.emulator.configure({ operationMs: CREATE_MS });
    scene.declare({});
    const running = await scene.upUntil({ ...POLL, answered: true });
    running.kill("SIGINT");
    const { stdout, stderr } = await running.done;
    expect(stdout + stderr).toMatch(/\(delete\) continues in the cloud.*again to wait for it/s);
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
