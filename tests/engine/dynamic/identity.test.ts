/** Two resources of this front are told apart by all that the engine tells them apart by: stack, parent, type and name. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { association, fhirGrant } from "../../support/programs";
import { World } from "./world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let world: World;
afterEach(() => world?.dispose());

const CHILD = JSON.stringify(association().args);
const TWO_COMPONENTS = `"use strict";
const pulumi = require("@pulumi/pulumi");
const { networksecurity } = require("pulumi-perimeter");

for (const type of ["test:index:First", "test:index:Second"]) {
  const component = new pulumi.ComponentResource(type, type.slice(-5));
  new networksecurity.v1beta1.FirewallEndpointAssociation("link", ${CHILD}, { parent: component });
}
`;

test("children of the same name in two components are two resources", async () => {
  world = await World.create({ program: { "index.js": TWO_COMPONENTS } });
  const failed = await world.project.up({ fail: "yes" });
  // The cloud refuses the second; the provider does not adopt the first one for it.
  expect(failed.messages("error").join("\n")).toMatch(/ALREADY_EXISTS|already/);
  const posts = world.heard().filter(({ method }) => method === "POST");
  expect(new Set(posts.map(({ query }) => query.requestId)).size).toBeGreaterThan(1);
  const { resources = [] } = (await world.project.exportState()).deployment;
  const links = resources.filter(({ type }) => type.endsWith("FirewallEndpointAssociation"));
  expect(links).toHaveLength(1);
  const [link] = links;
  expect(link?.inputs?.__identity).toBe(`organization/${link?.urn}`);
  // Nothing but the components' children: what a resource is told apart by makes it depend on nothing.
  expect(link?.dependencies ?? []).toEqual([]);
});

test("a state with another identity than now shows no change", async () => {
  world = await World.create({ resources: { prod: association(), records: fhirGrant() } });
  const { project } = world;
  await project.up();
  const state = await project.exportState();
  for (const { inputs, outputs } of state.deployment.resources ?? []) {
    if (inputs?.__identity) inputs.__identity = "sample/test/prod";
    if (outputs?.__identity) delete outputs.__identity;
  }
  project.importState(state);
  expect((await project.preview()).changes).toEqual({});
  expect((await project.up()).changes).toEqual({});
});
