/**
 * SIGKILL of the plugin or of the CLI while each of many resources is at another point of its create, update or delete, and
 * then `up`: exactly one of each, and `refresh` finds nothing. Finding a process by its parents needs /proc, so this is for
 * Linux.
 */
import type { FaultRule } from "../../../emulator";
import { changesAmong } from "../../support/changes";
import { drifts } from "../../support/drift";
import { ENGINE_TIMEOUT_MS, missingHost } from "../../support/engine";
import type { RunningEngine } from "../../support/engine-run";
import type { PluginForm } from "../../support/plugin";
import { ended } from "../../support/processes";
import { CREATE_MS, GRANT, LINK, pluginOf, KilledStack, type Declared, type Properties, type Seen } from "./scene";

const missing = missingHost("yaml") ?? (process.platform === "linux" ? undefined : "needs Linux");
const describeOrSkip = missing === undefined ? describe : describe.skip;

interface Point {
  what: string;
  /** Where its association is: each has a zone of its own, which is in the path of all its requests. */
  zone: string;
  /** The request at which it is when the process is killed, as its path goes on after the zone. */
  at: Omit<Seen, "path"> & { path: string };
  /** What its requests meet. */
  faults?: (Omit<FaultRule, "match"> & { match: { method: string; path: string } })[];
}

const LINKS = "firewallEndpointAssociations";
const POLLED = { method: "GET", path: "operations/", answered: true };
/** The request gets no answer: before its effect, or after. */
const stalled = (method: string, path: string, when: "before" | "after" = "after") => ({
  match: { method, path },
  fault: { stall: true as const, when },
});
/** Its poll hears that the operation is over. */
const over = { match: { method: "GET", path: "operations/*" }, fault: { body: { name: "operation", done: true } } };

const CREATES: Point[] = [
  {
    what: "create, before its effect",
    zone: "us-central1-a",
    at: { method: "POST", path: LINKS },
    faults: [stalled("POST", LINKS, "before")],
  },
  {
    what: "create, after its effect",
    zone: "us-central1-b",
    at: { method: "POST", path: LINKS },
    faults: [stalled("POST", LINKS)],
  },
  { what: "create, while polling", zone: "us-central1-c", at: POLLED },
  {
    what: "create, after it is done",
    zone: "us-central1-d",
    at: { method: "GET", path: `${LINKS}/prod` },
    faults: [over, stalled("GET", `${LINKS}/*`)],
  },
];
const UPDATES: Point[] = [
  {
    what: "update, after its effect",
    zone: "us-east1-b",
    at: { method: "PATCH", path: `${LINKS}/prod` },
    faults: [stalled("PATCH", `${LINKS}/*`)],
  },
  { what: "update, while polling", zone: "us-east1-c", at: POLLED },
];
const DELETES: Point[] = [
  {
    what: "delete, after its effect",
    zone: "us-west1-a",
    at: { method: "DELETE", path: `${LINKS}/prod` },
    faults: [stalled("DELETE", `${LINKS}/*`)],
  },
  { what: "delete, while polling", zone: "us-west1-b", at: POLLED },
];

/** An association in each zone. */
function linksIn(points: readonly Point[], labels: Properties = LINK.labels): Declared {
  const link = (zone: string) => {
    const firewallEndpoint = LINK.firewallEndpoint.replace(LINK.location, zone);
    return { ...LINK, firewallEndpoint, location: zone, labels };
  };
  return Object.fromEntries(points.map(({ zone }) => [zone, link(zone)]));
}

const CHANGED = { team: "security" };
const BEFORE = { ...linksIn(UPDATES), ...linksIn(DELETES) };
const MIDDLE = { ...linksIn(CREATES), ...linksIn(UPDATES, CHANGED), ...linksIn(DELETES), grant: GRANT };
const { grant: _, ...END } = { ...linksIn(CREATES), ...linksIn(UPDATES, CHANGED), grant: GRANT };

/** Defines the tests in which one of the two processes is killed, for these forms of the plugin. */
export function walkKills(victim: "plugin" | "CLI", forms: readonly PluginForm[]): void {
  jest.setTimeout(ENGINE_TIMEOUT_MS);
  const skipped = missing === undefined ? "" : ` [skipped: ${missing}]`;
  describeOrSkip.each(forms)(`the ${victim} is killed, with %s${skipped}`, (form) => cases(victim, form));
}

function cases(victim: "plugin" | "CLI", form: PluginForm): void {
  let scene: KilledStack;
  let others: string[];

  beforeAll(async () => {
    scene = await KilledStack.create(form, BEFORE);
    others = scene.readers();
    await scene.project.up();
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
    if (victim === "CLI") {
      await scene.project.run(["cancel", "--yes"], { fail: "maybe" });
      scene.project.clearKilledRun();
    }
  }

  /**
   * Declares this, kills when all are at their points and the grant is being written, and does what a user does then.
   *
   * @returns what the refresh after it changed
   */
  async function killedAt(points: readonly Point[], declared: Declared): Promise<Record<string, number>> {
    // Long enough to be killed while it polls, and over when the next run polls.
    scene.emulator.configure({ operationMs: CREATE_MS });
    const rules = points.flatMap(({ zone, faults = [] }) =>
      faults.map((rule) => ({ ...rule, match: { ...rule.match, path: `**/${zone}/${rule.match.path}` } })),
    );
    scene.emulator.setFaults([...rules, stalled("POST", "**:setIamPolicy")]);
    scene.declare(declared);
    await kill(
      await scene.upUntil(
        { method: "POST", path: /:setIamPolicy$/ },
        ...points.map(({ zone, at }) => ({ ...at, path: new RegExp(`/${zone}/${at.path}`) })),
      ),
    );
    scene.emulator.setFaults([]);
    scene.emulator.advance(CREATE_MS);
    scene.emulator.configure({ operationMs: 0 });
    return scene.recover();
  }

  async function expectSettled(): Promise<void> {
    const planned = await scene.project.preview({ refresh: true });
    expect([planned.changes, drifts(planned)]).toEqual([{}, {}]);
    // The engine warns of creates that it saw begin and not end, until it is told to forget them.
    expect(planned.stdout).not.toMatch(/interrupted|pending/i);
  }

  const linksOf = ({ zone }: Point) =>
    scene.emulator.resources().filter(({ name }) => name.includes(`/${zone}/${LINKS}/`));

  describe("while it creates and updates", () => {
    beforeAll(async () => {
      await killedAt([...CREATES, ...UPDATES], MIDDLE);
    });

    test.each([...CREATES, ...UPDATES])("at $what", async (point) => {
      const labels = UPDATES.includes(point) ? CHANGED : LINK.labels;
      expect(linksOf(point).map(({ body }) => [body.state, body.labels])).toEqual([["ACTIVE", labels]]);
      expect((await scene.stateOf(point.zone))?.id).toBe(linksOf(point)[0]?.name);
    });

    test("at the write of a grant's create, after its effect", () => {
      expect(scene.readers()).toEqual([...others, GRANT.member]);
    });

    test("the next up leaves no resource that the engine treats as interrupted", async () => {
      expect((await scene.project.exportState()).deployment).not.toHaveProperty("pending_operations");
    });
  });

  describe("while it deletes", () => {
    let refreshed: Record<string, number>;
    beforeAll(async () => {
      refreshed = await killedAt(DELETES, END);
    });

    test("nothing is left to do of what was killed before", () => {
      expect(refreshed).not.toHaveProperty("update");
      const written = changesAmong(scene.emulator.requests());
      const zones = DELETES.map(({ zone }) => zone).join("|");
      const isDelete = new RegExp(`^(DELETE .*/(${zones})/${LINKS}/prod|POST .*:setIamPolicy)$`);
      expect(written.map(({ method, path }) => `${method} ${path}`).filter((each) => !isDelete.test(each))).toEqual([]);
      expect(written).not.toEqual([]);
    });

    test.each(DELETES)("at $what", async (point) => {
      expect(linksOf(point)).toEqual([]);
      expect(await scene.stateOf(point.zone)).toBeUndefined();
    });

    test("at the write of a grant's delete, after its effect", () => {
      expect(scene.readers()).toEqual(others);
    });

    test("a preview after the next up shows no changes", expectSettled);
  });
}
