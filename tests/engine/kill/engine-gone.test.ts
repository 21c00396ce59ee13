/**
 * The CLI is killed while the cloud answers nothing but "unavailable". The provider's process ends with it: it must not
 * go on to delete, minutes later, what the next run has declared again.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Emulator } from "../../../emulator";
import { engine, ENGINE_TIMEOUT_MS, missingHost, type EngineProject } from "../../support/engine";
import { untilSeen, type RunningEngine } from "../../support/engine-run";
import { PLUGIN_FORMS, type PluginForm } from "../../support/plugin";
import { descendantsWith, ended } from "../../support/processes";
import { ASSOCIATIONS, association, fhirGrant, FHIR_STORE } from "../../support/programs";
import { PackedStack } from "../dynamic/packed-stack";
import { GRANT, LINK, KilledStack } from "./scene";
import { skipped } from "../../support/skipped";
import { casesHere, testInAll } from "../../support/test-all";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const missing = missingHost("yaml") ?? (process.platform === "linux" ? undefined : "needs Linux");
const describeOrSkip = missing === undefined ? describe : describe.skip;

/** A stack with a grant and an association, through one front. */
interface Deployment {
  emulator: Emulator;
  project: EngineProject;
  /** In the command line of the provider's process. */
  provider: string;
  declare(what: "both" | "nothing"): void;
  dispose(): Promise<void>;
}

/** A launcher that stays, so that the provider's parent never changes, and that gives it no stdin. */
const LAUNCHER = `#!/bin/sh
node "$(node -p 'require.resolve("@pulumi/pulumi/cmd/dynamic-provider")')" "$@" </dev/null
`;

const folder = mkdtempSync(join(tmpdir(), "perimeter-launcher-"));
writeFileSync(join(folder, "pulumi-resource-pulumi-nodejs"), LAUNCHER, { mode: 0o755 });
afterAll(() => rmSync(folder, { recursive: true }));

/** What starts the provider, as the environment of a run. */
const BY_ENGINE = ["the engine", {}] as const;
const BY_LAUNCHER = [
  "a launcher",
  { PATH: [folder, engine().bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter) },
] as const;
const STARTS = [
  ["npm front", BY_ENGINE],
  ["npm front", BY_LAUNCHER],
  ...PLUGIN_FORMS.map((form) => [form, BY_ENGINE] as const),
] as const;

const FRONTS: Record<"npm front" | PluginForm, () => Promise<Deployment>> = {
  "npm front": async () => {
    const both = { link: association(), grant: fhirGrant() };
    const packed = await PackedStack.create({ resources: both, config: { "perimeter:grantMode": "merge" } });
    return {
      emulator: packed.emulator,
      project: packed.project,
      provider: "dynamic-provider/index.js",
      declare: (what) => packed.declare(what === "both" ? both : {}),
      dispose: () => packed.dispose(),
    };
  },
  "the script for Node.js": () => throughPlugin("the script for Node.js"),
  "the executable": () => throughPlugin("the executable"),
};

async function throughPlugin(form: PluginForm): Promise<Deployment> {
  const both = { link: LINK, grant: GRANT };
  const scene = await KilledStack.create(form, both);
  return {
    emulator: scene.emulator,
    project: scene.project,
    provider: "pulumi-resource-perimeter",
    declare: (what) => scene.declare(what === "both" ? both : {}),
    dispose: () => scene.dispose(),
  };
}

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

describeOrSkip.each(["npm front", ...PLUGIN_FORMS] as const)(`%s${skipped(missing)}`, (front) => {
  let stack: Deployment;
  beforeAll(async () => {
    stack = await FRONTS[front]();
    await stack.project.up();
    stack.emulator.setFaults(unavailable);
    stack.declare("nothing");
  });
  afterAll(() => stack?.dispose());

  const writes = () =>
    stack.emulator.requests().filter(({ method, path }) => method === "DELETE" || path.endsWith(":setIamPolicy"));

  const all = STARTS.filter(([each]) => each === front).flatMap(([, [by, env]]) =>
    Object.entries(KILLS).map(([signals, kill]) => ({ by, env, signals, kill })),
  );
  // The runtime decides what a process does after its parent: the executable gets both signals, the others SIGKILL.
  const cases = casesHere(
    all,
    ({ signals }) => signals === "SIGKILL" || front === "the executable",
    ({ by, signals }) => `started by ${by}, ends when the CLI gets ${signals}`,
  );

  // Each leaves the stack as it was.
  test.each(cases)("started by $by, ends when the CLI gets $signals", async ({ env, kill }) => {
    const { emulator, project } = stack;
    emulator.clearRequests();
    const running = project.start(["up", "--yes", "--skip-preview"], { env });
    await untilSeen(running, "its deletes", () => new Set(writes().map(({ method }) => method)).size === 2);
    const providers = descendantsWith(running.pid, stack.provider);
    expect(providers).not.toEqual([]);
    await kill(running);
    await running.done;
    await Promise.all(providers.map((pid) => ended(pid)));
    project.clearKilledRun();
  });

  // The test above shows for each front that the processes end. What follows is the same for all, so one front shows it.
  const testOnce = front === "the executable" ? test : testInAll;

  testOnce("deletes nothing after the cloud is available again and the next run declares both resources", async () => {
    const { emulator, project } = stack;
    emulator.setFaults([]);
    emulator.clearRequests();
    stack.declare("both");
    await project.up();
    expect(writes()).toEqual([]);
    expect(emulator.resource(`${ASSOCIATIONS}/prod`)).toBeDefined();
    expect(JSON.stringify(emulator.resource(FHIR_STORE)?.policy)).toContain(GRANT.member);
  });
});
