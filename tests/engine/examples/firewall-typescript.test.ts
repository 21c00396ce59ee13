/** examples/firewall-typescript on the real engine. */
import * as path from "node:path";
import { demoSeed, startEmulator } from "../../../emulator";
import { ENGINE_TIMEOUT_MS, EngineProject, repositoryRoot } from "../../support/engine";
import { packedPackage } from "../../support/pack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

const EXAMPLE = path.join(repositoryRoot, "examples/firewall-typescript");

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

test("firewall-typescript: preview, up, outputs and destroy work", async () => {
  const emulator = await startEmulator({ seed: demoSeed });
  cleanUps.push(() => emulator.stop());
  const before = emulator.resources().map(({ name }) => name);
  const project = await EngineProject.create({
    program: EXAMPLE,
    config: { "perimeter:project": "demo-project" },
    env: emulator.env,
    nodeModules: packedPackage().nodeModules,
    unpatched: true,
  });
  cleanUps.push(() => project.dispose());

  expect((await project.preview()).changes).toEqual({ create: 4 });
  expect((await project.up()).changes).toEqual({ create: 4 });
  expect(await project.outputs()).toEqual({
    association: "projects/demo-project/locations/us-central1-a/firewallEndpointAssociations/prod",
    state: "ACTIVE",
    migrationPolicyEtag: expect.stringMatching(/.+/),
    recordsProject: "demo-project",
    scopeState: "READY",
    scopeNamespaceLabels: { "cost-centre": "4711" },
    ordersService: "orders",
    triggerRoles: ["roles/eventarc.viewer", "roles/eventarc.admin"],
    gatewayConditions: ["until-july"],
  });
  expect((await project.destroy()).changes).toEqual({ delete: 4 });
  expect(emulator.resources().map(({ name }) => name)).toEqual(before);
});
