/**
 * The CLI is killed while the cloud answers nothing but "unavailable". The provider's process ends with it: it must not
 * go on to delete, minutes later, what the next run has declared again.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Emulator } from "../../../emulator";
import { engine, ENGINE_TIMEOUT_MS, missingHost, type EngineProject } from "../../support/engine";
import type { RunningEngine } from "../../support/engine-run";
import { descendantsWith, ended } from "../../support/processes";
import { ASSOCIATIONS, association, fhirGrant, FHIR_STORE } from "../../support/programs";
import { World } from "../dynamic/world";
import { GRANT, LINK, Scene } from "./scene";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml") ?? (process.platform === "linux" ? undefined : "needs Linux");
const describeOrSkip = missing === undefined ? describe : describe.skip;

/** A stack with a grant and an association, through one front. */
interface Stack {
  emulator: Emulator;
  project: EngineProject;
  /** In the command line of the provider's process. */
  provider: string;
  declare(what: "both" | "nothing"): void;
  dispose(): Promise<void>;
}

async function npmFront(env: Record<string, string> = {}): Promise<Stack> {
  const both = { link: association(), grant: fhirGrant() };
  const world = await World.create({ config: { "perimeter:grantMode": "merge" }, env });
  return {
    emulator: world.emulator,
    project: world.project,
    provider: "dynamic-provider/index.js",
    declare: (what) => world.declare(what === "both" ? both : {}),
    dispose: () => world.dispose(),
  };
}

/** A launcher that stays, so that the provider's parent never changes, and that gives it no stdin. */
const LAUNCHER = `#!/bin/sh
node "$(node -p 'require.resolve("@pulumi/pulumi/cmd/dynamic-provider")')" "$@" </dev/null
`;

const folder = mkdtempSync(join(tmpdir(), "perimeter-launcher-"));
writeFileSync(join(folder, "pulumi-resource-pulumi-nodejs"), LAUNCHER, { mode: 0o755 });
afterAll(() => rmSync(folder, { recursive: true }));

const FRONTS: Record<string, () => Promise<Stack>> = {
  "npm front": () => npmFront(),
  "npm front, behind a launcher": () =>
    npmFront({ PATH: [folder, engine().bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter) }),
  plugin: async () => {
    const scene = await Scene.create();
    return {
      emulator: scene.emulator,
      project: scene.project,
      provider: "pulumi-resource-perimeter",
      declare: (what) => scene.declare(what === "both" ? { link: LINK, grant: GRANT } : {}),
      dispose: () => scene.dispose(),
    };
  },
};

const KILLS: Record<string, (running: RunningEngine) => Promise<void>> = {
  SIGKILL: (running) => Promise.resolve(running.kill("SIGKILL", "process")),
  // As pipelines do it.
  "SIGTERM and then SIGKILL": async (running) => {
    running.kill("SIGTERM", "process");
    await running.waitFor(/cancelling/);
    running.kill("SIGKILL", "process");
  },
};

const unavailable = [
  { path: "**:setIamPolicy", method: "POST" },
  { path: "**/firewallEndpointAssociations/*", method: "DELETE" },
].map((match) => ({ match, times: 0, fault: { status: "UNAVAILABLE" as const } }));

describeOrSkip.each(Object.keys(FRONTS))("%s", (front) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await (FRONTS[front] as () => Promise<Stack>)();
    stack.declare("both");
    await stack.project.up();
  });
  afterAll(() => stack?.dispose());

  // Each leaves the stack as it was.
  test.each(Object.keys(KILLS))("ends with a CLI that got %s, and deletes nothing any more", async (signals) => {
    const { emulator, project } = stack;
    const writes = () =>
      emulator.requests().filter(({ method, path }) => method === "DELETE" || path.endsWith(":setIamPolicy"));

    emulator.setFaults(unavailable);
    emulator.clearRequests();
    stack.declare("nothing");
    const running = project.start(["up", "--yes", "--skip-preview"]);
    let over = false;
    void running.done.then(() => (over = true));
    while (new Set(writes().map(({ method }) => method)).size < 2) {
      if (over) throw new Error(`ended without its deletes:\n${running.output()}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const providers = descendantsWith(running.pid, stack.provider);
    expect(providers).not.toEqual([]);
    await (KILLS[signals] as (running: RunningEngine) => Promise<void>)(running);
    await running.done;
    await Promise.all(providers.map((pid) => ended(pid)));

    // The cloud is back, and the next run wants both again.
    emulator.setFaults([]);
    emulator.clearRequests();
    await project.run(["cancel", "--yes"], { fail: "maybe" });
    stack.declare("both");
    await project.up();
    expect(writes()).toEqual([]);
    expect(emulator.resource(`${ASSOCIATIONS}/prod`)).toBeDefined();
    expect(JSON.stringify(emulator.resource(FHIR_STORE)?.policy)).toContain(GRANT.member);
  });
});
