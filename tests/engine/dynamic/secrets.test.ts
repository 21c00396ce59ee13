/** No message of this front shows what a program marks as secret, even where an answer of the cloud quotes it. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { RunResult } from "../../support/engine-run";
import { association, declaring, fhirGrant, FHIR_STORE, migrationGrant, PROJECT } from "../../support/programs";
import { leftOut, noteLeftOut } from "../../support/test-all";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let stack: PackedStack;
afterEach(() => stack?.dispose());

const FIRST = "group:canary-first@example.com";
const SECOND = "group:canary-second@example.com";
const PROJECT_OF_ONE = "canary-project";
const DEFAULT_PROJECT = "canary-default-project";

/** Has the traces of requests among what is printed. */
const DEBUG = { args: ["--debug"] };
const traced: string[] = [];

function expectNoCanary({ stdout, stderr }: RunResult): void {
  // Pulumi's own lines about its calls show ids, which are plain (docs/fronts.md).
  const lines = (stdout + stderr).split("\n").filter((line) => !/ debug: Register/.test(line));
  expect(lines.filter((line) => /canary/i.test(line))).toEqual([]);
  traced.push(...lines.filter((line) => line.includes("perimeter: ")));
}

/** Has the cloud refuse all requests below a path, with a message that quotes the secret. */
const quoting = (text: string, path: string) => ({
  match: { path },
  times: 0,
  fault: { status: "PERMISSION_DENIED" as const, message: `Nobody knows ${text.toUpperCase()} (${text}).` },
});
const QUOTED = "Nobody knows [secret] ([secret])";

/** An association with a network of its own. */
const link = (id: string, args: Record<string, unknown> = {}) =>
  association({
    network: `projects/${PROJECT}/global/networks/${id}`,
    firewallEndpointAssociationId: id,
    ...args,
  });

const LOOKUP = `
exports.scope = perimeter.fleet.v1beta.getScopeOutput({ location: "global", scopeId: "team-a" }).name;
`;
const FAILING_LOOKUP = `"use strict";
const pulumi = require("@pulumi/pulumi");
const { fleet } = require("pulumi-perimeter");
const args = { location: "global", scopeId: pulumi.secret("canary-scope"), project: "demo-project" };
exports.scope = fleet.v1beta.getScopeOutput(args).name;
`;

test("no command shows secret members, projects, labels and lookups, and the state encrypts them", async () => {
  const made = {
    records: fhirGrant({ member: `secret:${FIRST}` }),
    migration: migrationGrant({
      member: `secret:${FIRST}`,
      role: `secret:projects/${PROJECT_OF_ONE}/roles/canary_role`,
    }),
    labelled: link("labelled", { labels: { team: "secret:canary-label" } }),
  };
  const program = declaring(made);
  stack = await PackedStack.create({
    program: { ...program, "index.js": program["index.js"] + LOOKUP },
    config: { "perimeter:allowLockout": true },
    env: { PERIMETER_LOG: "trace" },
  });
  const { project, emulator } = stack;
  await project.setConfig("perimeter:project", DEFAULT_PROJECT, { secret: true });
  const scope = `projects/${DEFAULT_PROJECT}/locations/global/scopes/team-a`;
  emulator.seed([{ service: "gkehub", name: scope, body: { uid: "u", state: { code: "READY" } } }]);

  expectNoCanary(await project.up(DEBUG));
  expect(JSON.stringify(stack.policy(FHIR_STORE))).toContain(FIRST);
  const { resources = [] } = (await project.exportState()).deployment;
  const inputs = resources.find(({ urn }) => urn.endsWith("::labelled"))?.inputs;
  expect(inputs).toMatchObject({ project: { ciphertext: expect.any(String) } });
  expect(await project.outputs()).toEqual({ scope });
  // An id or an output made of a secret is plain (docs/fronts.md).
  const expectEncrypted = async () => {
    const state = JSON.stringify(await project.exportState());
    expect(state.replaceAll(/"(id|name)":"[^"]*"/g, "")).not.toMatch(/canary/);
  };
  await expectEncrypted();

  // The member is secret before and after, and so is whom the policy loses. What cannot be told of others is said.
  const refused = {
    member: fhirGrant({ name: `${FHIR_STORE}-2`, member: `secret:${FIRST}` }),
    store: fhirGrant({ name: `secret:${FHIR_STORE.replace(PROJECT, PROJECT_OF_ONE)}` }),
    own: link("own", { project: `secret:${PROJECT_OF_ONE}` }),
    byDefault: link("by-default"),
  };
  const faults = [quoting(FIRST, `/**/${FHIR_STORE}-2:*`), quoting(PROJECT_OF_ONE, `/**/${PROJECT_OF_ONE}/**`)];
  emulator.setFaults(faults);
  stack.declare({ ...made, ...refused, records: fhirGrant({ member: `secret:${SECOND}` }) });
  const planned = await project.preview(DEBUG);
  expect(planned.messages("info", "member").join()).toContain(QUOTED);
  expect(planned.messages("info", "store").join()).toContain("It is unknown who gains and who loses access");
  expect(planned.messages("warning", "records").join()).toMatch(/- group:\[secret\] /);
  expectNoCanary(planned);

  // So is what the cloud refuses.
  emulator.setFaults([...faults, quoting(DEFAULT_PROJECT, `/**/${DEFAULT_PROJECT}/**/by-default`)]);
  stack.declare({ ...made, ...refused });
  const created = await project.up({ fail: "yes", args: ["--continue-on-error", "--refresh", "--debug"] });
  for (const name of Object.keys(refused)) {
    expect([name, created.messages("error", name).join()]).toEqual([name, expect.stringContaining(QUOTED)]);
  }
  expectNoCanary(created);
  await expectEncrypted();

  project.writeFiles({ "index.js": FAILING_LOOKUP });
  const looked = await project.preview({ fail: "yes" });
  expect(looked.messages("error").join()).toContain("projects/demo-project/locations/global/scopes/[secret]");
  expectNoCanary(looked);

  emulator.setFaults([quoting(FIRST, `/**/${FHIR_STORE}:*`)]);
  const refreshed = await project.refresh({ fail: "yes", ...DEBUG });
  const destroyed = await project.destroy({ fail: "yes", args: ["--continue-on-error", "--debug"] });
  for (const result of [refreshed, destroyed]) {
    expect(result.messages("error", "records").join()).toContain(QUOTED);
    expectNoCanary(result);
  }
  // The default project's create was made, and only its end could not be seen.
  expect(destroyed.changes).toEqual({ delete: 3 });
  await expectEncrypted();

  // Traces of requests were among what was printed.
  for (const method of ["GET", "POST", "DELETE"])
    expect(traced).toContainEqual(expect.stringContaining(`perimeter: ${method}`));
  expect(traced.filter((line) => line.includes("perimeter: > {")).join()).toContain("[secret]");
});

noteLeftOut("a refresh that fails after one that finds a member before a secret one");
test("after a refresh that finds a member before a secret one, no message or state shows the secret member", async () => {
  const role = "roles/healthcare.fhirResourceReader";
  const others = "group:canary-others@example.com";
  const records = {
    type: "healthcare.v1beta1.DatasetFhirStoreIamBinding",
    args: { name: FHIR_STORE, role, members: [`secret:${FIRST}`, others] },
  };
  stack = await PackedStack.create({ resources: { records } });
  const { project, emulator } = stack;
  await project.up();
  emulator.mutate(FHIR_STORE, { policy: { bindings: [{ role, members: [SECOND, FIRST, others] }] } });
  const results = [await project.refresh(DEBUG)];
  const { resources = [] } = (await project.exportState()).deployment;
  const { inputs, outputs } = resources.find(({ urn }) => urn.endsWith("::records")) ?? {};
  const encrypted = { members: { ciphertext: expect.any(String) } };
  expect([inputs, outputs]).toMatchObject([encrypted, encrypted]);
  emulator.setFaults([quoting(FIRST, `/**/${FHIR_STORE}:*`)]);
  // The test above has a refresh that fails.
  if (leftOut === undefined) results.push(await project.refresh({ fail: "yes", ...DEBUG }));
  results.push(await project.destroy({ fail: "yes", ...DEBUG }));
  for (const result of results.slice(1)) expect(result.messages("error", "records").join()).toContain(QUOTED);
  // The delete warns of the member that stays.
  emulator.setFaults([]);
  results.push(await project.destroy(DEBUG));
  expect(results.at(-1)?.stdout).toMatch(/warning: .* keep the role: 1 principal/);
  for (const result of results) expectNoCanary(result);
});
