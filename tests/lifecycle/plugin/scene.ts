/** The plugin as an engine sees it, over gRPC, against the emulator: what the tests of its methods share. */
import { rmSync } from "node:fs";
import { demoSeed } from "../../../emulator";
import { emulator, engine, useCloudAndEngine } from "../../support/cloud-and-engine";
import { builtPlugin, PLUGIN_FORMS } from "../../support/plugin";
import { casesHere } from "../../support/test-all";
import { ASSOCIATIONS, MIGRATION_JOB } from "../../support/programs";
import { CallError, newHome, PluginClient, spawnPlugin, type Prior, type Props } from "../plugin-client";

export const ENDPOINT = "organizations/1234/locations/us-central1-a/firewallEndpoints/edge";
export const NETWORK = "projects/demo-project/global/networks/main";
export const LINK = `${ASSOCIATIONS}/link`;
export const CANARY = "canary-person@example.com";

export const linkInputs = (more: Props = {}): Props => ({
  firewallEndpoint: ENDPOINT,
  network: NETWORK,
  firewallEndpointAssociationId: "link",
  location: "us-central1-a",
  project: "demo-project",
  labels: { env: "dev" },
  ...more,
});
export const grantInputs = (more: Props = {}): Props => ({
  name: MIGRATION_JOB,
  role: "roles/datamigration.admin",
  member: "user:ada@example.com",
  ...more,
});

export { emulator, engine };
/** The plugin of the test that runs. */
export let plugin: PluginClient;
let environmentOfPlugin: Record<string, string> = {};

/** For each suite. */
export const useCloud = (): void => useCloudAndEngine({ seed: demoSeed });

type Start = (environment?: Record<string, string>) => Promise<PluginClient>;

const FRONTS: [string, Start][] = [
  ["in process", (environment) => PluginClient.inProcess(engine.address, { ...emulator.env, ...environment })],
  ...PLUGIN_FORMS.map((form): [string, Start] => [
    `as ${form}`,
    async (environment) => {
      const home = newHome();
      const { port, process, ended } = await spawnPlugin(builtPlugin(form), ["--logtostderr", "-v=9", engine.address], {
        env: { HOME: home, ...emulator.env, ...environment },
      });
      return new PluginClient(port, async () => {
        process.kill("SIGINT");
        await ended;
        rmSync(home, { recursive: true });
      });
    },
  ]),
];

let start: Start;

/** One plugin serves all tests, as configured anew by each, unless a test wants another environment or run. */
export async function restart(environment: Record<string, string> = {}): Promise<void> {
  await plugin.close();
  plugin = await start(environment);
  environmentOfPlugin = environment;
}

/** Declares these tests for the executable, and in `make test-all` for the other fronts, which run the same code. */
export function describePlugin(tests: (form: string) => void): void {
  describeOn((form) => form === "as the executable", tests);
}

/**
 * Declares these tests for each form of the built plugin, and in `make test-all` for the plugin's server in this process: they
 * depend on the runtime, or make a call that no other suite makes of the script for Node.js.
 */
export function describeEachPlugin(tests: (form: string) => void): void {
  describeOn((form) => form !== "in process", tests);
}

function describeOn(isHere: (form: string) => boolean, tests: (form: string) => void): void {
  useCloud();
  const here = casesHere(
    FRONTS,
    ([form]) => isHere(form),
    ([form]) => `the plugin ${form}`,
  );
  describe.each(here)("the plugin %s", (form, front) => {
    beforeAll(async () => {
      start = front;
      plugin = await start();
    });
    beforeEach(async () => {
      if (Object.keys(environmentOfPlugin).length > 0) await restart();
      plugin.answers.length = 0;
      await plugin.configure({ project: "demo-project" });
    });
    afterAll(() => plugin.close());

    tests(form);
  });
}

export const failing = async (call: Promise<unknown>): Promise<CallError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CallError)) throw new Error(`should have failed with a CallError, got ${String(error)}`);
  return error;
};

/** As `pulumi up` creates it. */
export async function up(type: string, news: Props): Promise<Prior & { id: string; inputs: Props }> {
  const { inputs, failures } = await plugin.check(type, news);
  expect(failures).toEqual([]);
  const { id, outputs } = await plugin.create(type, inputs);
  return { id, inputs, outputs };
}

/** The engine starts a plugin for each of its runs. */
export async function nextRun(): Promise<void> {
  await restart();
  await plugin.configure({ project: "demo-project" });
}

/** As `pulumi refresh` does: Read, then Diff of what the program last asked for against what was read. */
export async function refresh(type: string, prior: Prior & { id: string; inputs: Props }) {
  const live = await plugin.read(type, prior.id, prior);
  return live.id === "" ? undefined : { live, drift: await plugin.diff(type, live.id, live, prior.inputs) };
}
