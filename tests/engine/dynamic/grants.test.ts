/** Grants on the real engine: what their writes keep and replace, and how two of them get along. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { fhirGrant, FHIR_STORE, migrationGrant, MIGRATION_JOB } from "../../support/programs";
import type { Exchange } from "./wire-tap";
import { World } from "./world";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let world: World;
afterEach(() => world?.dispose());

const AUDIT = [{ service: "allServices", auditLogConfigs: [{ logType: "DATA_READ" }] }];
const OTHERS = { role: "roles/viewer", members: ["user:ada@example.com", "user:grace@example.com"] };
const GRANT = { role: "roles/datamigration.admin", members: ["group:database@example.com"] };
const VIEWER = "roles/datamigration.viewer";
/** Somebody has to be able to change the policy, or the provider refuses the write. */
const OTHER_ADMIN = { role: "roles/owner", members: ["user:grace@example.com"] };
const CONDITION = { title: "office-hours", expression: "request.time.getHours() < 19" };

function policyOf(exchange: Exchange | undefined): Record<string, unknown> {
  const body = (exchange?.method === "POST" ? exchange.body : { policy: exchange?.answer }) as {
    policy: Record<string, unknown>;
  };
  return body.policy;
}

test("replace: the policy becomes the grant alone, on the etag just read, and audit configs stay", async () => {
  world = await World.create({
    resources: { migration: migrationGrant(), records: fhirGrant({ condition: CONDITION }) },
  });
  const { project, emulator } = world;
  emulator.mutate(MIGRATION_JOB, { policy: { bindings: [OTHERS], auditConfigs: AUDIT } });
  await project.up();
  const heard = world.heard();

  const [read, write, ...more] = heard.filter(({ path }) => path.startsWith(MIGRATION_JOB));
  expect(more).toEqual([]);
  expect(read).toMatchObject({
    method: "GET",
    path: `${MIGRATION_JOB}:getIamPolicy`,
    query: { "options.requestedPolicyVersion": "3" },
  });
  expect(write).toMatchObject({ method: "POST", path: `${MIGRATION_JOB}:setIamPolicy` });
  expect(policyOf(write)).toEqual({
    version: 1,
    etag: policyOf(read).etag,
    bindings: [GRANT],
    auditConfigs: AUDIT,
  });
  expect(world.policy(MIGRATION_JOB)).toMatchObject({ bindings: [GRANT], auditConfigs: AUDIT });

  const conditional = heard.find(({ path }) => path === `${FHIR_STORE}:setIamPolicy`);
  expect(policyOf(conditional)).toMatchObject({
    version: 3,
    bindings: [{ role: "roles/healthcare.fhirResourceReader", condition: CONDITION }],
  });
  expect((await project.preview({ refresh: true })).changes).toEqual({});

  // Another member: the new grant is there before the old one goes.
  world.heard();
  world.declare({ migration: migrationGrant({ member: "group:dba@example.com" }) });
  const replaced = await project.up();
  const ops = replaced.steps.filter(({ name }) => name === "migration").map(({ op }) => op);
  expect(ops.filter((op) => op !== "replace")).toEqual(["create-replacement", "delete-replaced"]);
  const written = world.heard().filter(({ method, path }) => method === "POST" && path.startsWith(MIGRATION_JOB));
  expect(written.map((each) => policyOf(each).bindings)).toEqual([[{ ...GRANT, members: ["group:dba@example.com"] }]]);

  // What others have added since is theirs when the grant goes.
  emulator.mutate(MIGRATION_JOB, {
    policy: {
      bindings: [{ ...GRANT, members: ["group:dba@example.com", "user:ada@example.com"] }, OTHERS],
      auditConfigs: AUDIT,
    },
  });
  await project.destroy();
  expect(world.policy(MIGRATION_JOB)).toMatchObject({
    bindings: [{ ...GRANT, members: ["user:ada@example.com"] }, OTHERS],
    auditConfigs: AUDIT,
  });
});

test("two grants on one resource are refused at preview in replace mode, and kept apart in merge mode", async () => {
  const first = migrationGrant({ role: VIEWER });
  const second = migrationGrant({ role: "roles/viewer", member: "user:new@example.com" });
  world = await World.create({ resources: { first, second: { ...second, dependsOn: ["first"] } } });
  const { project, emulator } = world;
  emulator.mutate(MIGRATION_JOB, { policy: { bindings: [OTHER_ADMIN, OTHERS], auditConfigs: AUDIT } });

  const refused = await project.preview({ fail: "yes" });
  const [error] = refused.messages("error", "second");
  expect(error).toContain(MIGRATION_JOB);
  expect(error).toMatch(/grantMode.*merge/);
  // The first grant's preview may have looked by then at who has access.
  expect(world.heardChanges()).toEqual([]);

  await project.setConfig("perimeter:grantMode", "merge");
  await project.up();
  const viewers = { role: VIEWER, members: ["group:database@example.com"] };
  const shared = { ...OTHERS, members: [...OTHERS.members, "user:new@example.com"] };
  expect(world.policy(MIGRATION_JOB)).toMatchObject({ bindings: [OTHER_ADMIN, shared, viewers], auditConfigs: AUDIT });

  // Another member while others hold the same role: there is no moment without either.
  world.heard();
  world.declare({ first: migrationGrant({ role: VIEWER, member: "group:dba@example.com" }), second });
  await project.up();
  const written = world.heard().filter(({ method }) => method === "POST");
  expect(written.map((each) => policyOf(each).bindings)).toEqual([
    [OTHER_ADMIN, shared, { ...viewers, members: [...viewers.members, "group:dba@example.com"] }],
    [OTHER_ADMIN, shared, { ...viewers, members: ["group:dba@example.com"] }],
  ]);

  await project.destroy();
  expect(world.policy(MIGRATION_JOB)).toMatchObject({ bindings: [OTHER_ADMIN, OTHERS], auditConfigs: AUDIT });
});

test("a grant whose write may have been made stays in the state, and the next update settles it", async () => {
  world = await World.create({ resources: { records: fhirGrant() }, config: { "perimeter:grantMode": "merge" } });
  const { project, emulator } = world;
  // The answer to the write is lost, and then the policy may not be read: nobody knows what became of it.
  emulator.setFaults([
    { match: { id: "**.setIamPolicy" }, fault: { reset: "after" } },
    { match: { id: "**.getIamPolicy" }, skip: 1, times: 0, fault: { status: "PERMISSION_DENIED" } },
  ]);
  const failed = await project.up({ args: ["--skip-preview"], fail: "yes" });
  expect(failed.messages("error", "records").join("\n")).toContain("The grant may be in the access policy");
  const stateOf = async () => {
    const { resources = [], pending_operations: pending = [] } = (await project.exportState()).deployment;
    expect(pending).toEqual([]);
    return resources.find(({ urn }) => urn.endsWith("::records"));
  };
  const kept = await stateOf();
  expect(kept).toMatchObject({ initErrors: [expect.stringContaining("the next pulumi up looks")] });
  expect(kept?.outputs).toMatchObject({ __provider: kept?.inputs?.__provider, __identity: kept?.inputs?.__identity });

  emulator.setFaults([]);
  expect((await project.up()).changes).toEqual({ update: 1 });
  const settled = await stateOf();
  expect(settled).not.toHaveProperty("initErrors");
  expect(settled?.outputs).toMatchObject({ __identity: kept?.inputs?.__identity, etag: world.policy(FHIR_STORE).etag });
  expect(JSON.stringify(world.policy(FHIR_STORE))).toContain("group:nurses@example.com");
  expect((await project.up()).changes).toEqual({});
});

test("a rename whose new grant fails (--continue-on-error) loses and forgets nothing", async () => {
  world = await World.create({ resources: { old: fhirGrant() }, config: { "perimeter:grantMode": "merge" } });
  const { project, emulator } = world;
  const state = async () => {
    const { resources = [] } = (await project.exportState()).deployment;
    const names = resources.filter(({ urn }) => urn.includes("IamMember::")).map(({ urn }) => urn.split("::").at(-1));
    return [names, JSON.stringify(world.policy(FHIR_STORE)).includes("group:nurses@example.com")];
  };
  await project.up();
  world.declare({ new: fhirGrant() });
  emulator.setFaults([{ match: { id: "**.getIamPolicy" }, times: 0, fault: { status: "PERMISSION_DENIED" } }]);
  const failed = await project.up({ args: ["--continue-on-error", "--skip-preview"], fail: "yes" });
  expect(failed.messages("error", "old").join("\n")).toMatch(/Kept this grant on .*::new declares the same one/);
  expect(await state()).toEqual([["old"], true]);

  emulator.setFaults([]);
  await project.up();
  expect(await state()).toEqual([["new"], true]);
  await project.destroy();
  expect(await state()).toEqual([[], false]);
});
