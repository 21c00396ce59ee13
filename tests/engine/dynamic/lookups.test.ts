/** Lookups in a program on the real engine: both forms, and when the output form asks and when it waits. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { ASSOCIATIONS, PROJECT } from "../../support/programs";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

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

/** Lookups that fail before they send a request. */
const FAILING = `
  const { eventing, fleet } = require("pulumi-perimeter");
  exports.service = eventing.v1.getTriggerOutput({ location: "us-central1", triggerId: "a/b" }).destination.workflow;
  exports.other = eventing.v1.getTriggerOutput({ location: "us-central1", triggerId: "a/b" });
  exports.scope = fleet.v1beta.getScope({ location: "global", scopeId: "a/b" });`;

const LOCATION = `projects/${PROJECT}/locations`;
const [SCOPE, SLOW] = ["team-a", "slow"].map((id) => `${LOCATION}/global/scopes/${id}`);
const TRIGGER = `${LOCATION}/us-central1/triggers/orders`;
const GATEWAY = `${LOCATION}/us-central1/gateways/edge`;

let packed: PackedStack;
let outputs: Record<string, unknown> & {
  forms: { direct: unknown[]; wrapped: unknown[]; caught: { status: string; message: string; stack: string } };
};
/** The requests of the `up`, as "METHOD path". */
let requests: string[];
/** A preview of the program with another component, `late`. */
let planned: OperationResult;
let paths: string[];
/** A preview of the lookups that fail. */
let failed: OperationResult;

beforeAll(async () => {
  packed = await PackedStack.create({ program: { "index.js": PROGRAM, "late.json": "false" } });
  const { project, emulator } = packed;
  const scope = { uid: "u", state: { code: "READY" } };
  emulator.seed(
    ["team-b", "slow"].map((id) => ({ service: "gkehub", name: `${LOCATION}/global/scopes/${id}`, body: scope })),
  );
  emulator.mutate(`${LOCATION}/us-central1/triggers/audit`, { policy: packed.policy(TRIGGER) });
  emulator.mutate(`${LOCATION}/us-central1/gateways/internal`, { policy: packed.policy(GATEWAY) });
  // The first is answered long after the resources are there.
  emulator.setFaults([{ match: { method: "GET", path: "/**/scopes/slow" }, times: 1, fault: { delayMs: 5_000 } }]);
  await project.up();
  outputs = (await project.outputs()) as typeof outputs;
  requests = packed.heard().map(({ method, path }) => `${method} ${path}`);

  project.writeFiles({ "late.json": "true" });
  planned = await project.preview();
  paths = packed.heard().map(({ path }) => path);

  project.writeFiles({ "index.js": FAILING });
  failed = await project.preview({ fail: "yes", env: { NODE_OPTIONS: "" } });
});
afterAll(() => packed?.dispose());

test("a lookup returns the resource or the policy", () => {
  expect(outputs.forms.direct).toHaveLength(4);
  expect(outputs.forms.direct).toMatchObject([
    { name: `${LOCATION}/global/scopes/team-b`, state: { code: "READY" } },
    { destination: { httpEndpoint: { uri: "http://10.77.0.7/events" } } },
    { bindings: [{ role: "roles/eventarc.viewer" }, { role: "roles/eventarc.admin" }], auditConfigs: [] },
    { bindings: [{ condition: { title: "until-july" } }, {}], auditConfigs: [{ service: "allServices" }] },
  ]);
});

test("the output form gives the same result as the direct form", () => {
  expect(outputs.forms.wrapped).toEqual(outputs.forms.direct);
});

test("the error of a lookup has its status and says what is missing, without frames of Pulumi", () => {
  const { caught } = outputs.forms;
  expect(caught).toMatchObject({
    status: "NOT_FOUND",
    message: expect.stringContaining(`${LOCATION}/global/scopes/nobody`),
  });
  expect(caught.stack).toMatch(/ at .*lookup/);
  expect(caught.stack).not.toContain("@pulumi/");
});

test("the output form gives results that depend on resources and components", () => {
  const { afterResource, afterComponent, ofUnknown, ofKnown } = outputs;
  expect({ afterResource, afterComponent, ofUnknown, ofKnown }).toEqual({
    afterResource: SCOPE,
    afterComponent: TRIGGER,
    ofUnknown: 2,
    ofKnown: 2,
  });
});

test.each([
  ["a resource", SCOPE],
  ["a component", TRIGGER],
  ["an output of a resource", `${GATEWAY}:getIamPolicy`],
])("the output form sends one request, after the create, for what depends on %s", (_title, path) => {
  const created = requests.indexOf(`POST ${ASSOCIATIONS}`);
  expect(created).toBeGreaterThanOrEqual(0);
  expect(requests.filter((each) => each === `GET ${path}`)).toHaveLength(1);
  expect(requests.indexOf(`GET ${path}`)).toBeGreaterThan(created);
});

test("a lookup that waits for a resource sends a request of its own, while an earlier equal one is still answered", () => {
  expect(outputs.slow).toEqual(Array(4).fill(SLOW));
  expect(requests.filter((each) => each === `GET ${SLOW}`).length).toBeGreaterThanOrEqual(2);
});

test("in a preview, the results of lookups that wait for a resource which does not exist yet are unknown", () => {
  expect(planned.changes).toEqual({ create: 2 });
  const unknown = [...planned.stdout.matchAll(/(\w+) *: \[?(?:output|unknown)/gi)].map(([, name]) => name);
  // The results for the first component are known: it did not change.
  expect(unknown.sort()).toEqual(["afterComponent", "afterResource", "ofUnknown"]);
});

test("a preview sends the requests of lookups that wait for resources that are there, and no others", () => {
  const waiting = paths.filter(
    (path) => !/scopes\/(team-b|nobody|slow)$|triggers\/audit|gateways\/internal/.test(path),
  );
  expect(waiting.sort()).toEqual([SCOPE, TRIGGER, `${TRIGGER}:getIamPolicy`, `${GATEWAY}:getIamPolicy`].sort());
});

test("a lookup that fails before it sends a request shows its error", () => {
  expect(failed.stdout).toMatch(/error: .*getTrigger: triggerId /);
});

test("a lookup that fails before it sends a request causes no warning of Node.js", () => {
  expect(failed.stdout + failed.stderr).not.toMatch(/\(node:\d+\)|Warning/);
});
