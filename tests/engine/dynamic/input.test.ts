/** Wrong input and configuration on the real engine: refused at preview, all at once, each with its property. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { OperationResult } from "../../support/engine-events";
import { association, declaring, FHIR_STORE, fhirGrant, PROJECT } from "../../support/programs";
import { testInAll } from "../../support/test-all";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let stack: PackedStack;
afterEach(() => stack?.dispose());

/** What the engine says of each property of a resource that was refused, by the property's path. */
function problems(refused: OperationResult, name: string): Record<string, string> {
  return Object.fromEntries(
    refused.messages("error", name).flatMap((message) => {
      const found = /resource '[^']+' has a problem: (\S+) (.*)/s.exec(message);
      return found ? [[found[1] ?? "", found[2] ?? ""]] : [];
    }),
  );
}

test("one preview reports all problems of a resource, without its secrets and without requests", async () => {
  const { network: _, ...args } = association({
    firewallEndpoint: "inspection",
    requestId: "00000000-0000-0000-0000-000000000000",
    lables: { team: "network" },
    labels: { team: "Not A Label", owner: "secret:CANARY LABEL" },
  }).args;
  stack = await PackedStack.create({ resources: { prod: { ...association(), args } } });
  const { project } = stack;
  await project.removeConfig("perimeter:project");
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

  expect(refused.stdout + refused.stderr).not.toMatch(/CANARY/);
  expect(stack.heard()).toEqual([]);
});

// The test above has the same of an association, and provider/core/validate.test.ts the rules of all resources.
testInAll("one preview reports all problems of a grant, without its secrets and without requests", async () => {
  const condition = { title: "no expression" };
  const unclear = { name: "datasets/clinic", role: undefined, member: "secret:CANARY-member", condition };
  stack = await PackedStack.create({ resources: { records: fhirGrant(unclear) } });
  const refused = await stack.project.preview({ fail: "yes" });
  expect(problems(refused, "records")).toEqual({
    name: expect.stringMatching(/fhirStores/),
    role: expect.stringMatching(/is required/),
    member: expect.stringMatching(/must be one of/),
    "condition.expression": expect.stringMatching(/is required/),
  });

  expect(refused.stdout + refused.stderr).not.toMatch(/CANARY/);
  expect(stack.heard()).toEqual([]);
});

const FIRST_LOOKUP = `
  const lookups = require("pulumi-perimeter").fleet.v1beta;
  await lookups.getScope({ location: "global", scopeId: "team-a" }).catch(({ message }) => console.log(message));
`;
const LOOKUP = `"use strict";
const { fleet } = require("pulumi-perimeter");
module.exports = { scope: fleet.v1beta.getScopeOutput(require("./lookup.json")).name };
`;

test("resources and lookups refuse a wrong configuration once, with the suggested key", async () => {
  const { "index.js": declares = "", ...files } = declaring({ records: fhirGrant() });
  stack = await PackedStack.create({
    program: { ...files, "index.js": `module.exports = async () => {\n${FIRST_LOOKUP}${declares}};` },
    config: { "perimeter:grantmode": "merge", "perimeter:grantMode": "append" },
  });
  const { project } = stack;
  const meant = /perimeter:grantmode is not a .*\(did you mean "grantMode"\?\)/;
  const refused = await project.preview({ fail: "yes" });
  const message = refused.messages("error", "records").join("\n");
  expect(message).toMatch(meant);
  expect(message).toMatch(/perimeter:grantMode must be one of replace, merge/);
  // Once among the diagnostics beside what the program tells of the lookup, without a stack trace.
  const said = refused.diagnostics.filter((each) => meant.test(each.message)).map(({ severity }) => severity);
  expect(said.sort()).toEqual(["error", "info"]);
  expect(refused.stdout + refused.stderr).not.toMatch(/^.* at .*[\\/]pulumi-perimeter[\\/]/m);
  expect(stack.heard()).toEqual([]);
});

// lookups.test.ts has lookups that fail before they send a request, and the test above a lookup that is refused.
testInAll("a failed lookup ends the program with its message, without a stack", async () => {
  stack = await PackedStack.create({
    program: { "index.js": LOOKUP, "lookup.json": '{ "location": "", "scopeid": "team-a" }' },
  });
  const refused = await stack.project.preview({ fail: "yes" });
  const message = refused.messages("error").join("\n");
  expect(message).toMatch(/location must not be empty/);
  expect(message).toMatch(/scopeId is required/);
  expect(message).toMatch(/scopeid is not a property.*did you mean "scopeId"/);
  expect(message).not.toMatch(/^ +at /m);
});

test("a preview warns of values that the API may refuse, and lists obstacles of a create", async () => {
  stack = await PackedStack.create({
    resources: { prod: association() },
    // A key that Pulumi itself reads is no mistake; the project may come from the environment.
    config: { "perimeter:pluginDownloadURL": "https://example.com/plugins" },
    env: { GOOGLE_CLOUD_PROJECT: PROJECT },
  });
  const { project } = stack;
  await project.removeConfig("perimeter:project");
  expect((await project.up()).step("prod", "create").new?.inputs).toMatchObject({ project: PROJECT });

  await project.setConfig("perimeter:preflight", "true");
  stack.declare({
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

/** A FHIR store that another provider than this package's creates, and a grant on it that names it by a literal. */
const CREATES_THE_STORE = `"use strict";
const pulumi = require("@pulumi/pulumi");
const { healthcare } = require("pulumi-perimeter");
const name = "STORE";
class Store extends pulumi.dynamic.Resource {
  constructor(options) {
    super({
      async create() {
        const [parent, id] = name.split("/fhirStores/");
        const url = "http://" + process.env.PERIMETER_EMULATOR_HOST + "/v1beta1/" + parent + "/fhirStores?fhirStoreId=" + id;
        const headers = { "content-type": "application/json" };
        const { ok } = await fetch(url, { method: "POST", headers, body: '{"version":"R4"}' });
        if (!ok) throw new Error("the store was not created");
        return { id: name };
      },
    }, "store", {}, options);
  }
}
const store = new Store();
new healthcare.v1beta1.DatasetFhirStoreIamMember(
  "nurses",
  { name, role: "roles/healthcare.fhirResourceReader", member: "group:nurses@example.com" },
  { dependsOn: store },
);
`;

test("a grant on a missing store fails the preview only if the program creates nothing else", async () => {
  const missing = `${FHIR_STORE}-2`;
  stack = await PackedStack.create({
    resources: { prod: association(), nurses: fhirGrant({ name: missing }) },
    config: { "perimeter:grantMode": "merge" },
  });
  const { project } = stack;
  const refused = await project.preview({ fail: "yes" });
  expect(refused.messages("error", "nurses").join("\n")).toMatch(
    new RegExp(
      `${missing}: NOT_FOUND: .*\\n +No other resource of this program can create it: correct the input .name.`,
    ),
  );
  expect(refused.messages("error", "prod")).toEqual([]);

  // The first deployment of a program in which another resource creates the store.
  project.writeFiles({ "index.js": CREATES_THE_STORE.replace("STORE", missing) });
  const previewed = await project.preview();
  expect(previewed.messages("info", "nurses")).toEqual([
    expect.stringContaining(
      `${missing} does not exist (NOT_FOUND), so nobody has access to it. The update fails unless`,
    ),
    expect.stringMatching(/healthcare API at \S+ from PERIMETER_EMULATOR_HOST$/),
  ]);
});
