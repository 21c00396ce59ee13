/**
 * What each step of a run costs, in counts that do not depend on the machine: requests to the APIs, calls to the engine, and
 * bytes in the state. A number that rises here makes every `pulumi up` slower.
 */
import { demoSeed } from "../../emulator";
import { emulator, engine, useCloudAndEngine } from "../support/cloud-and-engine";
import { ASSOCIATION, JOB_GRANT } from "../support/tokens";
import { PluginClient, type Props } from "./plugin-client";

const INPUTS: Record<string, Props> = {
  [ASSOCIATION]: {
    project: "demo-project",
    location: "us-central1-a",
    firewallEndpointAssociationId: "link",
    firewallEndpoint: "organizations/1234/locations/us-central1-a/firewallEndpoints/edge",
    network: "projects/demo-project/global/networks/main",
    labels: { team: "network" },
  },
  [JOB_GRANT]: {
    name: "projects/demo-project/locations/us-central1/migrationJobs/orders-to-sql",
    role: "roles/viewer",
    member: "user:ada@example.com",
  },
};

useCloudAndEngine({ seed: demoSeed });

/** Runs a step in a run of its own, as an engine does, and counts. */
async function counted<T>(step: (plugin: PluginClient) => Promise<T>) {
  const plugin = await PluginClient.inProcess(engine.address, emulator.env);
  await plugin.configure({ project: "demo-project" });
  emulator.clearRequests();
  engine.lines.length = 0;
  const result = await step(plugin);
  await plugin.close();
  return { result, counts: { requests: emulator.requests().length, engine: engine.lines.length } };
}

test.each([
  [ASSOCIATION, { preview: 0, create: 3, same: 0, refresh: 1, update: 3, delete: 2 }, 770],
  [JOB_GRANT, { preview: 2, create: 2, same: 0, refresh: 1, update: undefined, delete: 2 }, 370],
])("the steps of %s", async (type, expected, bytes) => {
  const news = INPUTS[type] as Props;
  const preview = await counted(async (plugin) =>
    plugin.create(type, (await plugin.check(type, news)).inputs, { preview: true }),
  );
  const create = await counted(async (plugin) => {
    const { inputs } = await plugin.check(type, news);
    return { inputs, ...(await plugin.create(type, inputs)) };
  });
  const prior = create.result;
  const same = await counted(async (plugin) =>
    plugin.diff(type, prior.id, prior, (await plugin.check(type, news)).inputs),
  );
  expect(same.result.changes).toBe("DIFF_NONE");
  const refresh = await counted((plugin) => plugin.read(type, prior.id, prior));
  const update =
    expected.update === undefined
      ? undefined
      : await counted((plugin) => plugin.update(type, prior.id, prior, { ...prior.inputs, labels: { team: "other" } }));
  const gone = await counted((plugin) => plugin.delete(type, prior.id, prior));
  expect({
    preview: preview.counts.requests,
    create: create.counts.requests,
    same: same.counts.requests,
    refresh: refresh.counts.requests,
    update: update?.counts.requests,
    delete: gone.counts.requests,
  }).toEqual(expected);
  const calls = [preview, create, same, refresh, gone].map(({ counts }) => counts.engine);
  // A wait that lasts no time has no message. The preview of a grant has two: the settings of the environment, once for a
  // provider, and who gains access.
  expect(calls).toEqual([type === JOB_GRANT ? 2 : 0, 0, 0, 0, 0]);
  const state = Buffer.byteLength(JSON.stringify({ inputs: prior.inputs, outputs: prior.outputs }));
  expect(state).toBeLessThanOrEqual(bytes);
  expect(state).toBeGreaterThan(bytes / 2);
});
