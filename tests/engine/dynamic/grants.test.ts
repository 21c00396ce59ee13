/** Grants on the real engine: what their writes keep and replace, and how two of them get along. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { fhirGrant, FHIR_STORE, migrationGrant, MIGRATION_JOB } from "../../support/programs";
import { drifts } from "../../support/drift";
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

/** The bindings of each write to the resource, in their order. */
const writtenTo = (name: string) =>
  world
    .heard()
    .filter(({ method, path }) => method === "POST" && path.startsWith(`${name}:`))
    .map((each) => policyOf(each).bindings);

test("replace: the policy becomes the grant alone, with the etag that was read, and audit configs stay", async () => {
  const records = fhirGrant({ condition: CONDITION });
  world = await World.create({ resources: { migration: migrationGrant(), records } });
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
  const restricted = { role: "roles/healthcare.fhirResourceReader", members: ["group:nurses@example.com"] };
  expect(policyOf(conditional)).toMatchObject({ version: 3, bindings: [{ ...restricted, condition: CONDITION }] });

  // Nothing has drifted; and a second grant on one resource is refused, with the mode that keeps them apart.
  const dependsOn = ["migration", "records"];
  const second = { ...migrationGrant({ role: VIEWER }), dependsOn };
  world.declare({ migration: migrationGrant(), records, second });
  const refused = await project.preview({ refresh: true, fail: "yes" });
  const [error] = refused.messages("error", "second");
  expect(error).toContain(MIGRATION_JOB);
  expect(error).toMatch(/grantMode.*merge/);
  expect(drifts(refused)).toEqual({});
  for (const name of dependsOn) expect([name, refused.step(name, "same").name]).toEqual([name, name]);
  // A grant's preview may have looked by then at who has access.
  expect(world.heardChanges()).toEqual([]);

  // Another member: the new grant is there before the old one goes. What others have added to a grant is theirs when it goes.
  const kept = [{ ...restricted, condition: CONDITION, members: ["user:ada@example.com"] }, OTHERS];
  const added = [{ ...kept[0], members: [...restricted.members, "user:ada@example.com"] }, OTHERS];
  emulator.mutate(FHIR_STORE, { policy: { version: 3, bindings: added, auditConfigs: AUDIT } });
  world.declare({ migration: migrationGrant({ member: "group:dba@example.com" }) });
  const replaced = await project.up();
  const ops = replaced.steps.filter(({ name }) => name === "migration").map(({ op }) => op);
  expect(ops.filter((op) => op !== "replace")).toEqual(["create-replacement", "delete-replaced"]);
  expect(writtenTo(MIGRATION_JOB)).toEqual([[{ ...GRANT, members: ["group:dba@example.com"] }]]);
  expect(world.policy(FHIR_STORE)).toMatchObject({ bindings: kept, auditConfigs: AUDIT });
});

test("merge: several grants on one resource succeed, and a grant that fails is not lost", async () => {
  const first = migrationGrant({ role: VIEWER });
  const second = { ...migrationGrant({ role: "roles/viewer", member: "user:new@example.com" }), dependsOn: ["first"] };
  const unsure = fhirGrant();
  const moved = fhirGrant({ name: `${FHIR_STORE}-2` });
  const seed = [{ service: "healthcare", name: `${FHIR_STORE}-2`, body: {} }];
  world = await World.create({
    resources: { first, second, unsure, old: moved },
    config: { "perimeter:grantMode": "merge" },
  });
  const { project, emulator } = world;
  emulator.seed(seed);
  emulator.mutate(MIGRATION_JOB, { policy: { bindings: [OTHER_ADMIN, OTHERS], auditConfigs: AUDIT } });
  /** The grants in the state by their names, and that no operation is left pending there. */
  const grants = async () => {
    const { resources = [], pending_operations: pending = [] } = (await project.exportState()).deployment;
    expect(pending).toEqual([]);
    const found = resources.filter(({ urn }) => urn.includes("IamMember::"));
    return Object.fromEntries(found.map((each) => [each.urn.split("::").at(-1), each]));
  };
  const movedIsGranted = () => JSON.stringify(world.policy(`${FHIR_STORE}-2`)).includes("group:nurses@example.com");

  // The answer to the write is lost, and then the policy may not be read: nobody knows what became of the grant.
  emulator.setFaults([
    { match: { path: `/**/${FHIR_STORE}:setIamPolicy` }, fault: { reset: "after" } },
    { match: { path: `/**/${FHIR_STORE}:getIamPolicy` }, skip: 1, times: 0, fault: { status: "PERMISSION_DENIED" } },
  ]);
  const failed = await project.up({ args: ["--continue-on-error"], fail: "yes" });
  const told = failed.messages("error", "unsure");
  expect(told.join("\n")).toContain("The grant may be in the access policy");
  // Once, and without a stack trace.
  expect(told).toHaveLength(1);
  expect(failed.stdout + failed.stderr).not.toMatch(/^.* at .*[\\/]pulumi-perimeter[\\/]/m);
  const kept = (await grants()).unsure;
  expect(kept).toMatchObject({ initErrors: [expect.stringContaining("the next pulumi up reads the policy")] });
  expect(kept?.outputs).toMatchObject({ __provider: kept?.inputs?.__provider, __identity: kept?.inputs?.__identity });
  const viewers = { role: VIEWER, members: ["group:database@example.com"] };
  const shared = { ...OTHERS, members: [...OTHERS.members, "user:new@example.com"] };
  expect(world.policy(MIGRATION_JOB)).toMatchObject({ bindings: [OTHER_ADMIN, shared, viewers], auditConfigs: AUDIT });

  // The next update settles it. Another member while others hold the same role: there is no moment without either. And a
  // rename whose new grant fails.
  world.heard();
  world.declare({
    first: migrationGrant({ role: VIEWER, member: "group:dba@example.com" }),
    second,
    unsure,
    new: moved,
  });
  emulator.setFaults([
    { match: { path: `/**/${FHIR_STORE}-2:getIamPolicy` }, times: 0, fault: { status: "PERMISSION_DENIED" } },
  ]);
  const settling = await project.up({ args: ["--continue-on-error"], fail: "yes" });
  const settled = (await grants()).unsure;
  expect(settling.step("unsure").op).toBe("update");
  expect(settled).not.toHaveProperty("initErrors");
  expect(settled?.outputs).toMatchObject({ __identity: kept?.inputs?.__identity, etag: world.policy(FHIR_STORE).etag });
  expect(JSON.stringify(world.policy(FHIR_STORE))).toContain("group:nurses@example.com");
  expect(writtenTo(MIGRATION_JOB)).toEqual([
    [OTHER_ADMIN, shared, { ...viewers, members: [...viewers.members, "group:dba@example.com"] }],
    [OTHER_ADMIN, shared, { ...viewers, members: ["group:dba@example.com"] }],
  ]);
  expect(settling.messages("error", "old").join("\n")).toMatch(/Kept this grant on .*::new declares the same grant/);
  expect([Object.keys(await grants()).sort(), movedIsGranted()]).toEqual([["first", "old", "second", "unsure"], true]);

  emulator.setFaults([]);
  const renamed = await project.up();
  expect(renamed.changes).toEqual({ create: 1, delete: 1 });
  expect([Object.keys(await grants()).sort(), movedIsGranted()]).toEqual([["first", "new", "second", "unsure"], true]);

  await project.destroy();
  expect([await grants(), movedIsGranted()]).toEqual([{}, false]);
  expect(world.policy(MIGRATION_JOB)).toMatchObject({ bindings: [OTHER_ADMIN, OTHERS], auditConfigs: AUDIT });
});

test("a preview waits at most a minute for an API that is busy, and then says what it does not know", async () => {
  // The API asks to wait for more than the preview's limit. After that wait, it would have answered.
  const busy = { match: { path: `/**/${FHIR_STORE}:getIamPolicy` }, fault: { status: 503, retryAfter: 61 } };
  world = await World.create({ resources: { records: fhirGrant() }, emulator: { faults: [busy] } });
  const preview = await world.project.preview();
  expect(preview.messages("info", "records").join("\n")).toMatch(
    /It is unknown who gains and who loses access: .*UNAVAILABLE/,
  );
});
