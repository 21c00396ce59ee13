/** Wrong input and configuration on the real engine: refused at preview, all at once, each with its property. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { association, declaring, fhirGrant, PROJECT } from "../../support/programs";
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

test("one preview tells everything that is wrong with a resource, without its secrets, and asks nobody", async () => {
  const { network: _, ...args } = association({
    firewallEndpoint: "inspection",
    requestId: "00000000-0000-0000-0000-000000000000",
    lables: { team: "network" },
    labels: { team: "Not A Label", owner: "secret:CANARY LABEL" },
  }).args;
  world = await World.create({ resources: { prod: { ...association(), args } } });
  const { project } = world;
  project.removeConfig("perimeter:project");
  const refused = await project.preview({ fail: "yes" });
  const { project: homeless, ...others } = problems(refused, "prod");
  expect(others).toEqual({
    network: expect.stringMatching(/is required/),
    firewallEndpoint: expect.stringMatching(/organizations\//),
    requestId: expect.stringMatching(/must not be the zero UUID/),
    lables: expect.stringMatching(/is not a property.*did you mean "labels"/),
    "labels.team": expect.stringMatching(/must be a label value/),
    "labels.owner": expect.stringMatching(/must be a label value/),
  });
  // Where there is no project, the error lists where it looked.
  expect(homeless).toMatch(/^is required/);
  for (const place of ["perimeter:project", "GOOGLE_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"]) {
    expect(homeless).toContain(place);
  }

  // The engine shows what is wrong with the first resource that it refuses, so this one has a preview of its own.
  const condition = { title: "no expression" };
  const unclear = { name: "datasets/clinic", role: undefined, member: "secret:CANARY-member", condition };
  world.declare({ records: fhirGrant(unclear) });
  const refusedGrant = await project.preview({ fail: "yes" });
  expect(problems(refusedGrant, "records")).toEqual({
    name: expect.stringMatching(/fhirStores/),
    role: expect.stringMatching(/is required/),
    member: expect.stringMatching(/must be one of/),
    "condition.expression": expect.stringMatching(/is required/),
  });

  for (const { stdout, stderr } of [refused, refusedGrant]) expect(stdout + stderr).not.toMatch(/CANARY/);
  expect(world.heard()).toEqual([]);
});

const FIRST_LOOKUP = `
  const lookups = require("pulumi-perimeter").fleet.v1beta;
  await lookups.getScope({ location: "global", scopeId: "team-a" }).catch(({ message }) => console.log(message));
`;
const LOOKUP = `"use strict";
const { fleet } = require("pulumi-perimeter");
module.exports = { scope: fleet.v1beta.getScopeOutput(require("./lookup.json")).name };
`;

test("a wrong configuration is refused once, with the key that was meant, by resources and by lookups", async () => {
  const { "index.js": declares = "", ...files } = declaring({ records: fhirGrant() });
  world = await World.create({
    program: { ...files, "index.js": `module.exports = async () => {\n${FIRST_LOOKUP}${declares}};` },
    config: { "perimeter:grantmode": "merge", "perimeter:grantMode": "append" },
  });
  const { project } = world;
  const meant = /perimeter:grantmode is not a .*\(did you mean "grantMode"\?\)/;
  const refused = await project.preview({ fail: "yes" });
  const message = refused.messages("error", "records").join("\n");
  expect(message).toMatch(meant);
  expect(message).toMatch(/perimeter:grantMode must be one of replace, merge/);
  // Once among the diagnostics beside what the program tells of the lookup, without a stack trace.
  const said = refused.diagnostics.filter((each) => meant.test(each.message)).map(({ severity }) => severity);
  expect(said.sort()).toEqual(["error", "info"]);
  expect(refused.stdout + refused.stderr).not.toMatch(/^.* at .*[\\/]pulumi-perimeter[\\/]/m);
  expect(world.heard()).toEqual([]);
});

test("a lookup that fails ends the program with its message, not with a stack", async () => {
  world = await World.create({
    program: { "index.js": LOOKUP, "lookup.json": '{ "location": "", "scopeid": "team-a" }' },
  });
  const refused = await world.project.preview({ fail: "yes" });
  const message = refused.messages("error").join("\n");
  expect(message).toMatch(/location must not be empty/);
  expect(message).toMatch(/scopeId is required/);
  expect(message).toMatch(/scopeid is not a property.*did you mean "scopeId"/);
  expect(message).not.toMatch(/^ +at /m);
});

test("what the API may refuse of an association is warned of at preview, and what stands in its way is told", async () => {
  world = await World.create({
    resources: { prod: association() },
    // A key that Pulumi itself reads is no mistake; the project may come from the environment.
    config: { "perimeter:pluginDownloadURL": "https://example.com/plugins" },
    env: { GOOGLE_CLOUD_PROJECT: PROJECT },
  });
  const { project } = world;
  project.removeConfig("perimeter:project");
  expect((await project.up()).step("prod", "create").new?.inputs).toMatchObject({ project: PROJECT });

  await project.setConfig("perimeter:preflight", "true");
  world.declare({
    prod: association(),
    doubtful: association({ firewallEndpointAssociationId: "1st", network: "projects/p/global/networks/other" }),
    again: { ...association(), dependsOn: ["prod", "doubtful"] },
  });
  const blocked = await project.preview({ fail: "yes" });
  expect(blocked.messages("warning", "doubtful")).toEqual([
    expect.stringContaining("firewallEndpointAssociationId should begin with a letter"),
  ]);
  expect(blocked.messages("error", "again").join()).toMatch(/prod exists already/);
  // Once beside the resource; where the engine shows why the program ended, that says no more. Nothing is said of the
  // resource that exists, which is not checked again.
  const others = blocked.messages("error").filter((message) => !message.includes("prod exists already"));
  expect(blocked.messages("error")).toHaveLength(others.length + 1);
  expect(others.join()).toMatch(/^(The preview found .*: see its error)?$/);
  expect(blocked.stdout + blocked.stderr).not.toMatch(/^ *at /m);
});
