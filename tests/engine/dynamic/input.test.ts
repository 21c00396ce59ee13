/** Wrong input and configuration on the real engine: refused at preview, all at once, each with its property. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { association, fhirGrant, migrationGrant } from "../../support/programs";
import { World } from "./world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let world: World;
afterEach(() => world?.dispose());

/** What the engine says of each property of a resource that was refused, by the property's path. */
function problems(refused: OperationResult, name: string): Record<string, string> {
  return Object.fromEntries(
    refused.messages("error", name).flatMap((message) => {
      const found = /resource '[^']+' has a problem: (\S+) (.*)/s.exec(message);
      return found ? [[found[1] ?? "", found[2] ?? ""]] : [];
    }),
  );
}

test("one preview tells everything that is wrong with a resource, and asks nobody", async () => {
  const { network: _, ...args } = association().args;
  const wrong = { requestId: "not-a-uuid", lables: { team: "network" }, labels: { team: "Not A Label" } };
  world = await World.create({ resources: { prod: { ...association(), args: { ...args, ...wrong } } } });
  const { project } = world;
  expect(problems(await project.preview({ fail: "yes" }), "prod")).toEqual({
    network: expect.stringMatching(/is required/),
    requestId: expect.stringMatching(/must be a valid UUID/),
    lables: expect.stringMatching(/is not a property.*did you mean "labels"/),
    "labels.team": expect.stringMatching(/must be a label value/),
  });

  const zero = { requestId: "00000000-0000-0000-0000-000000000000", firewallEndpoint: "inspection" };
  world.declare({ prod: association(zero) });
  expect(problems(await project.preview({ fail: "yes" }), "prod")).toEqual({
    requestId: expect.stringMatching(/must not be the zero UUID/),
    firewallEndpoint: expect.stringMatching(/organizations\//),
  });

  world.declare({ migration: migrationGrant({ member: "allUsers", role: undefined }) });
  expect(problems(await project.preview({ fail: "yes" }), "migration")).toEqual({
    member: expect.stringMatching(/allUsers/),
    role: expect.stringMatching(/is required/),
  });

  world.declare({ records: fhirGrant({ name: "datasets/clinic", condition: { title: "no expression" } }) });
  expect(problems(await project.preview({ fail: "yes" }), "records")).toEqual({
    name: expect.stringMatching(/fhirStores/),
    "condition.expression": expect.stringMatching(/is required/),
  });
  expect(world.heard()).toEqual([]);
});

test("no project anywhere: the error lists where it looked; a wrong configuration key is named", async () => {
  world = await World.create({ resources: { prod: association() } });
  const { project } = world;
  project.removeConfig("perimeter:project");
  const homeless = await project.preview({ fail: "yes" });
  const { project: message } = problems(homeless, "prod");
  expect(message).toMatch(/^is required/);
  for (const place of ["perimeter:project", "GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"]) {
    expect(message).toContain(place);
  }

  const found = await project.preview({ env: { GOOGLE_CLOUD_PROJECT: "demo-project" } });
  expect(found.step("prod", "create").new?.inputs).toMatchObject({ project: "demo-project" });

  await project.setConfig("perimeter:project", "demo-project");
  await project.setConfig("perimeter:grantMode", "append");
  const misconfigured = await project.preview({ fail: "yes" });
  expect(misconfigured.messages("error").join("\n")).toMatch(/perimeter:grantMode must be one of replace, merge/);
});

test("a misspelled configuration key is refused, with the key that was meant, by resources and by lookups", async () => {
  world = await World.create({ resources: { records: fhirGrant() }, config: { "perimeter:grantmode": "merge" } });
  const { project } = world;
  const meant = /perimeter:grantmode is not a .*\(did you mean "grantMode"\?\)/;
  for (const refused of [await project.preview({ fail: "yes" }), await project.up({ fail: "yes" })]) {
    expect(refused.messages("error", "records").join("\n")).toMatch(meant);
    // Once among the diagnostics, without a stack trace.
    expect(refused.diagnostics.filter(({ message }) => meant.test(message))).toHaveLength(1);
    expect(refused.stdout + refused.stderr).not.toMatch(/^.* at .*[\\/]pulumi-perimeter[\\/]/m);
  }
  project.writeFiles({
    "index.js": `module.exports = { scope: require("pulumi-perimeter").fleet.v1beta.getScopeOutput({ location: "global", scopeId: "team-a" }).name };`,
  });
  expect((await project.preview({ fail: "yes" })).messages("error").join("\n")).toMatch(meant);
  expect(world.heard()).toEqual([]);
  // Keys that Pulumi itself reads are not mistakes.
  project.removeConfig("perimeter:grantmode");
  await project.setConfig("perimeter:pluginDownloadURL", "https://example.com/plugins");
  await project.preview();
});

test("a lookup that fails ends the program with its message, not with a stack", async () => {
  world = await World.create({
    program: {
      "index.js": `"use strict";
const { fleet } = require("pulumi-perimeter");
module.exports = { scope: fleet.v1beta.getScopeOutput({ location: "", scopeid: "team-a" }).name };
`,
    },
  });
  const refused = await world.project.preview({ fail: "yes" });
  const message = refused.messages("error").join("\n");
  expect(message).toMatch(/location must not be empty/);
  expect(message).toMatch(/scopeId is required/);
  expect(message).toMatch(/scopeid is not a property.*did you mean "scopeId"/);
  expect(message).not.toMatch(/^ +at /m);
});

test("what the API may refuse of an association is warned of at preview, and what stands in its way is told", async () => {
  const doubtful = association({ firewallEndpointAssociationId: "1st" });
  world = await World.create({ resources: { doubtful }, config: { "perimeter:project": "demo-project" } });
  const { project } = world;
  const planned = await project.preview();
  expect(planned.messages("warning", "doubtful")).toEqual([
    expect.stringContaining("firewallEndpointAssociationId should begin with a letter"),
  ]);
  // Resources that exist are not checked again.
  world.declare({ doubtful: association() });
  await project.up();
  await project.setConfig("perimeter:preflight", "true");
  expect((await project.preview()).messages("error")).toEqual([]);
  world.declare({ doubtful: association(), again: association() });
  const blocked = await project.preview({ fail: "yes" });
  expect(blocked.messages("error", "again").join()).toMatch(/prod exists already/);
  // Once beside the resource; where the engine shows why the program ended, that says no more.
  const others = blocked.messages("error").filter((message) => !message.includes("prod exists already"));
  expect(blocked.messages("error")).toHaveLength(others.length + 1);
  expect(others.join()).toMatch(/^(The preview found .*: see its error)?$/);
  expect(blocked.stdout + blocked.stderr).not.toMatch(/^ *at /m);
});
