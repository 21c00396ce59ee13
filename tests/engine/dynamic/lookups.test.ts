/** Lookups in a program on the real engine: both forms, and when the output form asks and when it waits. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { ASSOCIATIONS, PROJECT } from "../../support/programs";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let packed: PackedStack;
afterEach(() => packed?.dispose());

/** Each group of lookups reads resources of its own, so that the requests tell them apart. */
const PROGRAM = `"use strict";
const pulumi = require("@pulumi/pulumi");
const { fleet, eventing, apigateway, networksecurity } = require("pulumi-perimeter");

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

/** Lookups that wait for a resource. */
const waitingFor = (firewall, scope, trigger) => ({
  afterResource: fleet.v1beta.getScopeOutput(scope, { dependsOn: firewall.association }).name,
  afterComponent: eventing.v1.getTriggerOutput(trigger, { dependsOn: [firewall] }).name,
  ofUnknown: apigateway.v1beta.getGatewayIamPolicyOutput({
    location: "us-central1",
    gatewayId: firewall.association.createTime.apply((time) => (time ? "edge" : "nobody")),
  }).bindings.length,
});

const slow = { location: "global", scopeId: "slow" };
const before = fleet.v1beta.getScope(slow);
const firewall = new Firewall("component", "inner");
const { association } = firewall;
const after = [1, 2, 3].map(() => fleet.v1beta.getScopeOutput(slow, { dependsOn: association }).name);

const scope = { location: "global", scopeId: "team-a" };
const trigger = { location: "us-central1", triggerId: "orders" };
const waiting = {
  ...waitingFor(firewall, scope, trigger),
  ofKnown: eventing.v1.getTriggerIamPolicyOutput(trigger).bindings.length,
};
// Not yet there when the rest is.
const late = require("./late.json") ? { late: waitingFor(new Firewall("late", "late"), { ...scope, scopeId: "late" }, { ...trigger, triggerId: "late" }) } : {};

module.exports = async () => {
  const scope = { location: "global", scopeId: "team-b" };
  const trigger = { location: "us-central1", triggerId: "audit" };
  const gateway = { location: "us-central1", gatewayId: "internal", project: "demo-project" };
  // As within any \`apply\`; the error can be told from others, and leaves Pulumi's frames behind (see lookup.ts).
  const caught = pulumi.output("nobody").apply((scopeId) =>
    fleet.v1beta.getScope({ ...scope, scopeId }).catch(({ status, message, stack }) => ({ status, message, stack })),
  );
  const forms = {
    caught,
    direct: [
      await fleet.v1beta.getScope(scope),
      await eventing.v1.getTrigger(trigger),
      await eventing.v1.getTriggerIamPolicy(trigger),
      await apigateway.v1beta.getGatewayIamPolicy({ ...gateway, optionsRequestedPolicyVersion: 3 }),
    ],
    wrapped: [
      fleet.v1beta.getScopeOutput({ ...scope, scopeId: pulumi.output("team-b") }),
      eventing.v1.getTriggerOutput(trigger),
      eventing.v1.getTriggerIamPolicyOutput(trigger),
      apigateway.v1beta.getGatewayIamPolicyOutput({ ...gateway, optionsRequestedPolicyVersion: pulumi.output(3) }),
    ],
  };
  return { ...waiting, ...late, forms, slow: [pulumi.output(before).name, ...after] };
};
`;

const LOCATION = `projects/${PROJECT}/locations`;
const [SCOPE, SLOW] = ["team-a", "slow"].map((id) => `${LOCATION}/global/scopes/${id}`);
const TRIGGER = `${LOCATION}/us-central1/triggers/orders`;
const GATEWAY = `${LOCATION}/us-central1/gateways/edge`;

/** Every path but those of the lookups that the other assertions are about. */
const waitingPaths = () =>
  packed
    .heard()
    .map(({ path }) => path)
    .filter((path) => !/scopes\/(team-b|nobody|slow)$|triggers\/audit|gateways\/internal/.test(path));

test("both forms give the same result; the output form waits for its dependencies, and then sends a new request", async () => {
  packed = await PackedStack.create({ program: { "index.js": PROGRAM, "late.json": "false" } });
  const { project, emulator } = packed;
  const scope = { uid: "u", state: { code: "READY" } };
  emulator.seed(
    ["team-b", "slow"].map((id) => ({ service: "gkehub", name: `${LOCATION}/global/scopes/${id}`, body: scope })),
  );

  emulator.mutate(`${LOCATION}/us-central1/triggers/audit`, { policy: packed.policy(TRIGGER) });
  emulator.mutate(`${LOCATION}/us-central1/gateways/internal`, { policy: packed.policy(GATEWAY) });

  emulator.setFaults([{ match: { method: "GET", path: "/**/scopes/slow" }, fault: { delayMs: 10_000 } }]);
  await project.up();
  const { forms, slow, ...waited } = (await project.outputs()) as Record<string, unknown> & {
    forms: { direct: unknown[]; wrapped: unknown[]; caught: { status: string; message: string; stack: string } };
  };
  const heard = packed.heard();
  expect(waited).toEqual({ afterResource: SCOPE, afterComponent: TRIGGER, ofUnknown: 2, ofKnown: 2 });
  const requests = heard.map(({ method, path }) => `${method} ${path}`);
  const created = requests.indexOf(`POST ${ASSOCIATIONS}`);
  expect(created).toBeGreaterThanOrEqual(0);
  for (const path of [SCOPE, TRIGGER, `${GATEWAY}:getIamPolicy`]) {
    expect([path, requests.filter((each) => each === `GET ${path}`)]).toEqual([path, [`GET ${path}`]]);
    expect([path, requests.indexOf(`GET ${path}`) > created]).toEqual([path, true]);
  }

  // What waited for a resource does not get what a lookup before it was reading still.
  expect(slow).toEqual(Array(4).fill(SLOW));
  expect(requests.filter((each) => each === `GET ${SLOW}`).length).toBeGreaterThanOrEqual(2);

  const { caught, direct, wrapped } = forms;
  expect(caught).toMatchObject({
    status: "NOT_FOUND",
    message: expect.stringContaining(`${LOCATION}/global/scopes/nobody`),
  });
  expect(caught.stack).toMatch(/ at .*lookup/);
  expect(caught.stack).not.toContain("@pulumi/");
  expect(direct).toHaveLength(4);
  expect(direct).toMatchObject([
    { name: `${LOCATION}/global/scopes/team-b`, state: { code: "READY" } },
    { destination: { httpEndpoint: { uri: "http://10.77.0.7/events" } } },
    { bindings: [{ role: "roles/eventarc.viewer" }, { role: "roles/eventarc.admin" }], auditConfigs: [] },
    { bindings: [{ condition: { title: "until-july" } }, {}], auditConfigs: [{ service: "allServices" }] },
  ]);
  expect(wrapped).toEqual(direct);

  // At preview, what waits for a resource that is not there yet is unknown, and makes no request. Once the resource exists, a
  // preview knows the result: it is as before.
  project.writeFiles({ "late.json": "true" });
  const planned = await project.preview();
  expect(planned.changes).toEqual({ create: 2 });
  const unknown = [...planned.stdout.matchAll(/(\w+) *: \[?(?:output|unknown)/gi)].map(([, name]) => name);
  expect(unknown.sort()).toEqual(["afterComponent", "afterResource", "ofUnknown"]);
  expect(waitingPaths().sort()).toEqual([SCOPE, TRIGGER, `${TRIGGER}:getIamPolicy`, `${GATEWAY}:getIamPolicy`].sort());
});

test("lookups that fail before they send a request show their error, without a warning of Node.js above it", async () => {
  const program = `
    const { eventing, fleet } = require("pulumi-perimeter");
    exports.service = eventing.v1.getTriggerOutput({ location: "us-central1", triggerId: "a/b" }).destination.workflow;
    exports.other = eventing.v1.getTriggerOutput({ location: "us-central1", triggerId: "a/b" });
    exports.scope = fleet.v1beta.getScope({ location: "global", scopeId: "a/b" });`;
  packed = await PackedStack.create({ program: { "index.js": program } });
  const { stdout, stderr } = await packed.project.preview({ fail: "yes", env: { NODE_OPTIONS: "" } });
  expect(stdout).toMatch(/error: .*getTrigger: triggerId /);
  expect(`${stdout}${stderr}`).not.toMatch(/\(node:\d+\)|Warning/);
});
