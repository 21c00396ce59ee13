/** Lookups in a program on the real engine: both forms, and when the output form asks and when it waits. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { ASSOCIATIONS } from "../../support/programs";
import { World } from "./world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let world: World;
afterEach(() => world?.dispose());

const header = `"use strict";
const pulumi = require("@pulumi/pulumi");
const perimeter = require("pulumi-perimeter");
const { fleet, eventing, apigateway, networksecurity } = perimeter;
`;

test("both forms give the same result, and a missing resource is an error that names it", async () => {
  world = await World.create({
    program: {
      "index.js": `${header}
module.exports = async () => {
  const scope = { location: "global", scopeId: "team-a" };
  const trigger = { location: "us-central1", triggerId: "orders" };
  const gateway = { location: "us-central1", gatewayId: "edge", project: "demo-project" };
  // As within any \`apply\`; the error can be told from others, and leaves Pulumi's frames behind (see lookup.ts).
  const caught = pulumi.output("nobody").apply((scopeId) =>
    fleet.v1beta.getScope({ ...scope, scopeId }).catch(({ status, stack }) => ({ status, stack })),
  );
  return {
    caught,
    direct: [
      await fleet.v1beta.getScope(scope),
      await eventing.v1.getTrigger(trigger),
      await eventing.v1.getTriggerIamPolicy(trigger),
      await apigateway.v1beta.getGatewayIamPolicy({ ...gateway, optionsRequestedPolicyVersion: 3 }),
    ],
    wrapped: [
      fleet.v1beta.getScopeOutput({ ...scope, scopeId: pulumi.output("team-a") }),
      eventing.v1.getTriggerOutput(trigger),
      eventing.v1.getTriggerIamPolicyOutput(trigger),
      apigateway.v1beta.getGatewayIamPolicyOutput({ ...gateway, optionsRequestedPolicyVersion: pulumi.output(3) }),
    ],
  };
};
`,
    },
  });
  const { project } = world;
  await project.up();
  const { direct, wrapped, caught } = (await project.outputs()) as Record<"direct" | "wrapped", unknown[]> & {
    caught: { status: string; stack: string };
  };
  expect(caught.status).toBe("NOT_FOUND");
  expect(caught.stack).toMatch(/ at .*lookup/);
  expect(caught.stack).not.toContain("@pulumi/");
  expect(direct).toHaveLength(4);
  expect(direct).toMatchObject([
    { name: "projects/demo-project/locations/global/scopes/team-a", state: { code: "READY" } },
    { destination: { managedRun: { service: "orders" } } },
    { bindings: [{ role: "roles/eventarc.viewer" }, { role: "roles/eventarc.admin" }], auditConfigs: [] },
    { bindings: [{ condition: { title: "until-july" } }, {}], auditConfigs: [{ service: "allServices" }] },
  ]);
  expect(wrapped).toEqual(direct);

  project.writeFiles({
    "index.js": `${header}
module.exports = { state: fleet.v1beta.getScopeOutput({ location: "global", scopeId: "nobody" }).state.code };
`,
  });
  const failed = await project.preview({ fail: "yes" });
  expect(failed.messages("error").join("\n")).toContain("projects/demo-project/locations/global/scopes/nobody");
});

test("the output form waits for what it depends on: unknown at preview, without a request", async () => {
  world = await World.create({
    program: {
      "index.js": `${header}
class Firewall extends pulumi.ComponentResource {
  constructor(name, id) {
    super("test:index:Firewall", name);
    this.association = new networksecurity.v1beta1.FirewallEndpointAssociation(name, {
      firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
      network: "projects/demo-project/global/networks/" + id,
      location: "us-central1-a",
      firewallEndpointAssociationId: id,
    }, { parent: this });
    this.registerOutputs();
  }
}
const firewall = new Firewall("component", "inner");
const scope = { location: "global", scopeId: "team-a" };
const trigger = { location: "us-central1", triggerId: "orders" };

exports.afterResource = fleet.v1beta.getScopeOutput(scope, { dependsOn: firewall.association }).name;
exports.afterComponent = eventing.v1.getTriggerOutput(trigger, { dependsOn: [firewall] }).name;
exports.ofUnknown = apigateway.v1beta.getGatewayIamPolicyOutput({
  location: "us-central1",
  gatewayId: firewall.association.createTime.apply((time) => (time ? "edge" : "nobody")),
}).bindings.length;
exports.ofKnown = eventing.v1.getTriggerIamPolicyOutput(trigger).bindings.length;
`,
    },
  });
  const { project } = world;

  const planned = await project.preview();
  expect(planned.stdout).toMatch(/afterResource *: \[?(output|unknown)/i);
  expect(planned.stdout).toMatch(/afterComponent *: \[?(output|unknown)/i);
  expect(planned.stdout).toMatch(/ofUnknown *: \[?(output|unknown)/i);
  expect(planned.stdout).toMatch(/ofKnown *: 2/);
  expect(world.heard().map(({ path }) => path)).toEqual([
    "projects/demo-project/locations/us-central1/triggers/orders:getIamPolicy",
  ]);

  await project.up();
  expect(await project.outputs()).toEqual({
    afterResource: "projects/demo-project/locations/global/scopes/team-a",
    afterComponent: "projects/demo-project/locations/us-central1/triggers/orders",
    ofUnknown: 2,
    ofKnown: 2,
  });
  const requests = world.heard().map(({ method, path }) => `${method} ${path}`);
  const created = requests.indexOf(`POST ${ASSOCIATIONS}`);
  const dependent = requests.filter((each) => /scopes\/team-a$|triggers\/orders$|gateways\/edge/.test(each));
  expect(created).toBeGreaterThanOrEqual(0);
  expect(dependent).toHaveLength(3);
  for (const each of dependent) expect(requests.indexOf(each)).toBeGreaterThan(created);

  // Once the resource exists, a preview knows the result.
  const known = await project.preview();
  expect(known.changes).toEqual({});
  expect(world.heard()).toHaveLength(4);
});

test("a lookup that waited for a resource does not get what one before it was reading still", async () => {
  const match = { method: "GET", path: "/**/scopes/team-a" };
  world = await World.create({
    emulator: { faults: [{ match, fault: { delayMs: 10_000 } }] },
    program: {
      "index.js": `${header}
const scope = { location: "global", scopeId: "team-a" };
const before = fleet.v1beta.getScope(scope);
const association = new networksecurity.v1beta1.FirewallEndpointAssociation("a", {
  firewallEndpoint: "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection",
  network: "projects/demo-project/global/networks/prod",
  location: "us-central1-a",
  firewallEndpointAssociationId: "a",
});
const after = [1, 2, 3].map(() => fleet.v1beta.getScopeOutput(scope, { dependsOn: association }).name);
module.exports = { names: [pulumi.output(before).name, ...after] };
`,
    },
  });
  await world.project.up();
  expect(await world.project.outputs()).toEqual({
    names: Array(4).fill("projects/demo-project/locations/global/scopes/team-a"),
  });
  const reads = world.heard().filter(({ method, path }) => method === "GET" && path.endsWith("scopes/team-a"));
  expect(reads.length).toBeGreaterThanOrEqual(2);
});
