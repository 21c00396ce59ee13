/**
 * SIGKILL of the plugin or of the CLI at requests of create, update and delete, and then `up`: exactly one of each, and
 * `refresh` finds nothing. Each case begins with a state that was saved. Finding a process by its parents needs /proc, so
 * this is for Linux.
 */
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import type { RunningEngine } from "../../support/engine-run";
import { ended } from "../../support/processes";
import { CHANGED, CREATE_MS, DELETE, GRANT, LINK, pluginOf, POLL, Scene, type Declared, type Saved } from "./scene";

const missing = missingHost("yaml") ?? (process.platform === "linux" ? undefined : "needs Linux");
const describeOrSkip = missing === undefined ? describe : describe.skip;

const CREATE = { method: "POST", path: /firewallEndpointAssociations$/ };
const UPDATE = { method: "PATCH", path: /firewallEndpointAssociations\/prod$/ };
const READ = { method: "GET", path: /firewallEndpointAssociations\/prod$/ };
const SET = { method: "POST", path: /:setIamPolicy$/ };
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
  ["update, after its effect", { ...UPDATE }, stalled(`${LINKS}/*`, "PATCH", "after"), LINK, CHANGED],
  ["update, while polling", { ...POLL, answered: true }, [], LINK, CHANGED],
  ["delete, after its effect", { ...DELETE }, stalled(`${LINKS}/*`, "DELETE", "after"), LINK, undefined],
  ["delete, while polling", { ...POLL, answered: true }, [], LINK, undefined],
] as const;

/** Defines the tests in which one of the two processes is killed. */
export function walkKills(victim: "plugin" | "CLI"): void {
  jest.setTimeout(ENGINE_TIMEOUT_MS);
  describeOrSkip(`the ${victim} is killed${missing === undefined ? "" : ` [skipped: ${missing}]`}`, () =>
    cases(victim),
  );
}

function cases(victim: "plugin" | "CLI"): void {
  let scene: Scene;
  let saved: Record<"nothing" | "link" | "grant", Saved>;

  beforeAll(async () => {
    scene = await Scene.create();
    const nothing = await scene.save();
    const made = async (declared: Declared) => {
      scene.restore(nothing);
      scene.declare(declared);
      await scene.project.up();
      return scene.save();
    };
    saved = { nothing, link: await made({ link: LINK }), grant: await made({ grant: GRANT }) };
  });
  afterAll(() => scene?.dispose());

  async function kill(running: RunningEngine): Promise<void> {
    const plugin = pluginOf(running);
    if (victim === "plugin") {
      process.kill(plugin, "SIGKILL");
    } else {
      running.kill("SIGKILL", "process");
      await running.done;
      // A plugin whose engine was killed ends by itself.
      await ended(plugin);
    }
    await running.done;
    // The CLI's own children do not matter here; the lock on the state does.
    scene.emulator.setFaults([]);
    if (victim === "CLI") await scene.project.run(["cancel", "--yes"], { fail: "maybe" });
  }

  test.each(POINTS)("at %s", async (what, request, faults, before, after) => {
    scene.restore("network" in before ? saved.link : saved.nothing);
    // Long enough to be killed while it polls, and over when the next run polls.
    const long = what.endsWith("polling");
    scene.emulator.configure({ operationMs: long ? CREATE_MS : 0 });
    scene.emulator.setFaults(faults);
    scene.declare(after ? { link: after } : {});
    await kill(await scene.upUntil(request));
    if (long) scene.emulator.advance(CREATE_MS);

    await scene.recover();
    expect(scene.links().map((each) => [each.body.state, each.body.labels])).toEqual(
      after ? [["ACTIVE", after.labels]] : [],
    );
    expect((await scene.stateOf("link"))?.id).toBe(after ? scene.links()[0]?.name : undefined);
    expect((await scene.project.refresh({ args: ["--expect-no-changes"] })).changes).toEqual({});
    const planned = await scene.project.preview();
    expect(planned.changes).toEqual({});
    // The engine warns of creates that it saw begin and not end, until it is told to forget them.
    expect(planned.stdout).not.toMatch(/interrupted|pending/i);
  });

  test.each(["create", "delete"] as const)("at the write of a grant's %s, after its effect", async (verb) => {
    scene.restore(verb === "create" ? saved.nothing : saved.grant);
    const others = scene.readers().filter((each) => each !== GRANT.member);
    expect(scene.readers().includes(GRANT.member)).toBe(verb === "delete");
    scene.emulator.setFaults(stalled("**:setIamPolicy", "POST", "after"));
    scene.declare(verb === "create" ? { grant: GRANT } : {});
    await kill(await scene.upUntil(SET));
    await scene.recover();
    expect(scene.readers()).toEqual(verb === "create" ? [...others, GRANT.member] : others);
    expect((await scene.project.refresh({ args: ["--expect-no-changes"] })).changes).toEqual({});
  });
}
