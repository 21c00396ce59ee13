/** No message of this front shows what a program marks as secret, even where an answer of the cloud quotes it. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import type { RunResult } from "../../support/engine-run";
import { association, fhirGrant, FHIR_STORE, PROJECT, type Declared } from "../../support/programs";
import { World } from "./world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let world: World;
afterEach(() => world?.dispose());

const FIRST = "group:canary-first@example.com";
const SECOND = "group:canary-second@example.com";

function expectNoCanary({ stdout, stderr }: RunResult): void {
  expect(stdout + stderr).not.toMatch(/canary/i);
}

const grant = (member: string): Record<string, Declared> => ({ records: fhirGrant({ member: `secret:${member}` }) });

/** Has the cloud refuse every request, with a message that quotes it. */
const quoting = (text: string) => [
  {
    times: 0,
    fault: { status: "PERMISSION_DENIED" as const, message: `Nobody knows ${text.toUpperCase()} (${text}).` },
  },
];

test("a secret member: neither refusals nor a preview of its replacement show it, in any verb", async () => {
  world = await World.create({ config: { "perimeter:allowLockout": true } });
  const { project, emulator } = world;
  emulator.setFaults(quoting(FIRST));
  world.declare(grant(FIRST));
  // What cannot be told is said, and so is what the cloud refused.
  const preview = await project.preview();
  expect(preview.messages("info", "records").join()).toContain("Nobody knows [secret] ([secret])");
  const created = await project.up({ fail: "yes" });
  expect(created.messages("error", "records").join()).toContain("Nobody knows [secret] ([secret])");
  for (const result of [preview, created]) expectNoCanary(result);

  emulator.setFaults([]);
  expectNoCanary(await project.up());
  expect(JSON.stringify(world.policy(FHIR_STORE))).toContain(FIRST);

  // The member is secret before and after, and so is whom the policy loses.
  world.declare(grant(SECOND));
  const replacement = await project.preview();
  expect(replacement.messages("warning", "records").join()).toMatch(/- group:\[secret\] /);
  expectNoCanary(replacement);
  world.declare(grant(FIRST));

  emulator.setFaults(quoting(FIRST));
  const refreshed = await project.refresh({ fail: "yes" });
  const destroyed = await project.destroy({ fail: "yes" });
  for (const result of [refreshed, destroyed]) {
    expect(result.messages("error", "records").join()).toContain("Nobody knows [secret] ([secret])");
    expectNoCanary(result);
  }
  emulator.setFaults([]);
  expectNoCanary(await project.destroy());
});

test("a secret project, of a resource, as the default, and of a lookup", async () => {
  const project = "canary-project";
  world = await World.create({
    resources: {
      prod: association({ project: `secret:${project}` }),
      other: association({
        firewallEndpointAssociationId: "other",
        network: `projects/${PROJECT}/global/networks/other`,
      }),
      records: fhirGrant({ name: `secret:${FHIR_STORE.replace(PROJECT, project)}` }),
    },
    config: {},
  });
  world.emulator.setFaults(quoting(project));
  await world.project.setConfig("perimeter:project", `${project}-default`, { secret: true });
  const preview = await world.project.preview();
  expect(preview.messages("info", "records").join()).toContain("cannot be told");
  expectNoCanary(preview);
  const created = await world.project.up({ fail: "yes", args: ["--continue-on-error"] });
  for (const name of ["prod", "other", "records"]) expect(created.messages("error", name)).not.toEqual([]);
  expectNoCanary(created);

  // Secret projects that exist: what lies in the state is encrypted.
  world.emulator.setFaults([]);
  world.declare({ other: association() });
  await world.project.up();
  const { resources = [] } = (await world.project.exportState()).deployment;
  const inputs = resources.find(({ urn }) => urn.endsWith("::other"))?.inputs;
  expect(inputs).toMatchObject({ project: { ciphertext: expect.any(String) } });

  // So is what the output form of a lookup answers.
  const name = `projects/${project}-default/locations/global/scopes/team-a`;
  world.emulator.seed([{ service: "gkehub", name, body: { uid: "u", state: { code: "READY" } } }]);
  world.project.writeFiles({
    "index.js": `const { fleet } = require("pulumi-perimeter");
exports.scope = fleet.v1beta.getScopeOutput({ location: "global", scopeId: "team-a" }).name;
`,
  });
  expectNoCanary(await world.project.up());
  expect(await world.project.outputs()).toEqual({ scope: name });
  expect(JSON.stringify(await world.project.exportState())).not.toMatch(/canary/);

  world.project.writeFiles({
    "index.js": `const pulumi = require("@pulumi/pulumi");
const { fleet } = require("pulumi-perimeter");
exports.scope = fleet.v1beta.getScopeOutput({ location: "global", scopeId: pulumi.secret("canary-scope"), project: "demo-project" }).name;
`,
  });
  const looked = await world.project.preview({ fail: "yes" });
  expect(looked.messages("error").join()).toContain("projects/demo-project/locations/global/scopes/[secret]");
  expectNoCanary(looked);
});

test("traces of requests hide what the program keeps secret", async () => {
  world = await World.create({
    env: { PERIMETER_LOG: "trace" },
    resources: {
      prod: association({ labels: { team: "secret:canary-team" }, project: "secret:canary-project" }),
      records: fhirGrant({ role: "secret:projects/canary-project/roles/canary_role" }),
    },
  });
  const traced = async (command: string[]) => {
    const { stdout, stderr } = await world.project.run([...command, "--debug"]);
    return (stdout + stderr).split("\n").filter((line) => line.includes("perimeter: "));
  };
  const lines = [
    ...(await traced(["preview"])),
    ...(await traced(["up", "--yes", "--skip-preview"])),
    ...(await traced(["refresh", "--yes", "--skip-preview"])),
    ...(await traced(["destroy", "--yes", "--skip-preview"])),
  ];
  expect(lines.filter((line) => line.includes("perimeter: POST"))).not.toEqual([]);
  expect(lines.filter((line) => line.includes("perimeter: > {")).join()).toContain("[secret]");
  expect(lines.filter((line) => /canary/i.test(line))).toEqual([]);
});
