import { startTest, stopAll, type TestClient } from "../testing/client";
import type { Policy } from "./messages";

afterEach(stopAll);

const STORE = "projects/p/locations/us/datasets/d/fhirStores/f";
const condition = { title: "t", expression: "true" };

/** The four resource types with policies, with a seed for each. */
const RESOURCES = [
  { service: "eventarc", version: "v1", name: "projects/p/locations/l/triggers/t", permission: "eventarc.triggers" },
  {
    service: "apigateway",
    version: "v1beta",
    name: "projects/p/locations/l/gateways/g",
    permission: "apigateway.gateways",
  },
  {
    service: "datamigration",
    version: "v1beta1",
    name: "projects/p/locations/l/migrationJobs/j",
    permission: "datamigration.migrationjobs",
  },
  { service: "healthcare", version: "v1beta1", name: STORE, permission: "healthcare.fhirStores" },
] as const;

const start = (options = {}) =>
  startTest({ seed: RESOURCES.map(({ service, name }) => ({ service, name })), ...options });

/** @param version null omits the parameter */
const read = (client: TestClient, version: number | null = 3) =>
  client.get(`/v1beta1/${STORE}:getIamPolicy${version === null ? "" : `?options.requestedPolicyVersion=${version}`}`);

const write = (client: TestClient, policy: Policy, updateMask?: string) =>
  client.post(`/v1beta1/${STORE}:setIamPolicy`, { policy, ...(updateMask && { updateMask }) });

const viewer = (...members: string[]) => ({ role: "roles/viewer", members });

describe.each(RESOURCES)("$service", ({ service, version, name, permission }) => {
  const path = `/${version}/${name}`;

  test("reads only an etag before a policy is set, and then the written policy", async () => {
    const client = await start();
    const unset = await client.get(`${path}:getIamPolicy`);
    expect(unset.body).toEqual({ etag: "ACAB" });
    const policy = { bindings: [viewer("user:a@b.c")], etag: unset.body.etag };
    const written = await client.post(`${path}:setIamPolicy`, { policy });
    expect(written.body).toEqual({ version: 1, bindings: policy.bindings, etag: expect.any(String) });
    expect(written.body.etag).not.toBe("ACAB");
    expect((await client.get(`${path}:getIamPolicy`)).body).toEqual(written.body);
  });

  test("answers 404 for a missing resource, but an empty set of permissions", async () => {
    const client = await start({ seed: [] });
    for (const reply of [
      await client.get(`${path}:getIamPolicy`),
      await client.post(`${path}:setIamPolicy`, { policy: {} }),
    ]) {
      expect(reply.status).toBe(404);
      expect(reply.body.error.message).toBe(`Resource '${name}' was not found`);
    }
    const tested = await client.post(`${path}:testIamPermissions`, { permissions: [`${permission}.get`] });
    expect([tested.status, tested.body]).toEqual([200, {}]);
  });

  test("tests permissions: denied ones are omitted", async () => {
    const client = await start({ deny: [`${permission}.setIamPolicy`] });
    const permissions = [`${permission}.getIamPolicy`, `${permission}.setIamPolicy`];
    const { body } = await client.post(`${path}:testIamPermissions`, { permissions });
    expect(body).toEqual({ permissions: [`${permission}.getIamPolicy`] });
  });

  test("names the denied permission", async () => {
    const client = await start({ deny: [`${permission}.getIamPolicy`, `${permission}.setIamPolicy`] });
    const reply = await client.get(`${path}:getIamPolicy`);
    expect(reply.status).toBe(403);
    const denied = `${permission}.getIamPolicy`;
    expect(reply.body.error.message).toBe(
      {
        apigateway: `Permission '${denied}' denied on '${name}'`,
        datamigration: `Permission '${denied}' denied on resource '${name}' (or it may not exist).`,
        eventarc: `Permission "${denied}" denied on "${name}"`,
        healthcare: `Permission ${denied} denied on resource ${name} (or it may be malformed or not exist)`,
      }[service],
    );
    expect(reply.body.error.details[0].reason).toBe("IAM_PERMISSION_DENIED");
    expect((await client.post(`${path}:setIamPolicy`, { policy: {} })).status).toBe(403);
  });
});

describe("versions", () => {
  test.each([2, 4, -1])("%i is refused on read and on write", async (version) => {
    const client = await start();
    expect((await read(client, version)).body.error.status).toBe("INVALID_ARGUMENT");
    expect((await write(client, { version })).body.error.status).toBe("INVALID_ARGUMENT");
  });

  test("a policy without conditions reads as version 1 even when written and read as 3", async () => {
    const client = await start();
    await write(client, { version: 3, bindings: [viewer("user:a@b.c")] });
    expect((await read(client, 3)).body.version).toBe(1);
  });

  test("a condition needs version 3", async () => {
    const client = await start();
    const bindings = [{ ...viewer("user:a@b.c"), condition }];
    expect((await write(client, { version: 1, bindings })).body.error.status).toBe("INVALID_ARGUMENT");
    expect((await write(client, { version: 3, bindings })).body.version).toBe(3);
  });

  test.each([null, 0, 1])("reading conditions at version %s renames the role and drops the condition", async (v) => {
    const client = await start();
    const plain = { role: "roles/editor", members: ["user:x@b.c"] };
    await write(client, { version: 3, bindings: [{ ...viewer("user:a@b.c"), condition }, plain] });
    const { body } = await read(client, v);
    expect(body.version).toBe(1);
    expect(body.bindings[0].role).toMatch(/^roles\/viewer_withcond_[0-9a-f]{20}$/);
    expect(body.bindings[0].condition).toBeUndefined();
    expect(body.bindings[1]).toEqual(plain);
  });

  test("or is refused, with a switch", async () => {
    const client = await start({ conditionalReads: "refused" });
    await write(client, { version: 3, bindings: [{ ...viewer("user:a@b.c"), condition }] });
    const { status, body } = await read(client, 1);
    expect(status).toBe(400);
    expect(body.error.message).toMatch(
      /^Requested policy version \(1\) cannot be less than the existing policy version/,
    );
    expect((await read(client, 3)).status).toBe(200);
  });

  test("version 1 over conditions is refused with an etag; without an etag it removes the conditions", async () => {
    const client = await start();
    const bindings = [{ ...viewer("user:a@b.c"), condition }];
    const { body: stored } = await write(client, { version: 3, bindings });
    const refused = await write(client, { version: 1, bindings: [viewer("user:x@b.c")], etag: stored.etag });
    expect(refused.body.error.message).toMatch(/^Specified policy version \(1\) cannot be less than the existing/);
    expect((await write(client, { version: 1, bindings: [viewer("user:x@b.c")] })).status).toBe(200);
    expect((await read(client)).body.bindings).toEqual([viewer("user:x@b.c")]);
  });

  test("a role renamed by a version 1 read cannot be written back", async () => {
    const client = await start();
    await write(client, { version: 3, bindings: [{ ...viewer("user:a@b.c"), condition }] });
    const { body } = await read(client, 1);
    expect((await write(client, { bindings: body.bindings })).body.error.status).toBe("INVALID_ARGUMENT");
  });
});

describe("etags", () => {
  test("change with every write, even if the policy stays the same", async () => {
    const client = await start();
    const policy = { bindings: [viewer("user:a@b.c")] };
    const etags = [await write(client, policy), await write(client, policy), await write(client, policy)];
    expect(new Set(etags.map(({ body }) => body.etag)).size).toBe(3);
  });

  test("a stale etag gets ABORTED with the documented text and changes nothing", async () => {
    const client = await start();
    const first = await write(client, { bindings: [viewer("user:a@b.c")] });
    const second = await write(client, { bindings: [viewer("user:x@b.c")], etag: first.body.etag });
    const { status, body } = await write(client, { bindings: [], etag: first.body.etag });
    expect([status, body.error.status]).toEqual([409, "ABORTED"]);
    expect(body.error.message).toMatch(
      /^There were concurrent policy changes\. Please retry the whole read-modify-write with exponential backoff\./,
    );
    expect((await read(client)).body).toEqual(second.body);
  });

  test("are compared as bytes: url-safe base64 without padding is the same", async () => {
    const client = await start();
    const { body } = await write(client, { bindings: [viewer("user:a@b.c")] });
    const etag = Buffer.from(body.etag, "base64").toString("base64url");
    expect((await write(client, { etag })).status).toBe(200);
  });
});

describe("update mask", () => {
  const auditConfigs = [
    { service: "allServices", auditLogConfigs: [{ logType: "DATA_READ", exemptedMembers: ["user:e@b.c"] }] },
  ];

  test("keeps auditConfigs unless it names them", async () => {
    const client = await start();
    await write(client, { bindings: [viewer("user:a@b.c")], auditConfigs }, "bindings,etag,auditConfigs");
    await write(client, { bindings: [viewer("user:x@b.c")] });
    expect((await read(client)).body).toMatchObject({ bindings: [viewer("user:x@b.c")], auditConfigs });
    await write(client, {}, "audit_configs");
    const { body } = await read(client);
    expect(body.bindings).toEqual([viewer("user:x@b.c")]);
    expect(body.auditConfigs).toBeUndefined();
  });

  test("refuses an unknown path", async () => {
    const client = await start();
    expect((await write(client, {}, "bindings,nonsense")).body.error.message).toContain("nonsense");
  });
});

describe("the content of a policy", () => {
  const many = (count: number, kind: string) => Array.from({ length: count }, (_, index) => `${kind}:m${index}@b.c`);

  test.each([
    "allUsers",
    "allAuthenticatedUsers",
    "user:a@b.c",
    "serviceAccount:s@p.iam.gserviceaccount.com",
    "serviceAccount:p.svc.id.goog[ns/sa]",
    "group:g@b.c",
    "domain:example.com",
    "deleted:user:a@b.c?uid=123",
    "deleted:serviceAccount:s@p.iam.gserviceaccount.com?uid=1",
    "deleted:group:g@b.c?uid=9",
    "principal://iam.googleapis.com/locations/global/workforcePools/p/subject/s",
    "principalSet://iam.googleapis.com/locations/global/workforcePools/p/*",
  ])("accepts the member %s", async (member) => {
    const client = await start();
    expect((await write(client, { bindings: [viewer(member)] })).body.bindings).toEqual([viewer(member)]);
  });

  test.each(["a@b.c", "User:a@b.c", "user:", "user:a", "user: a@b.c", "robot:a@b.c", "deleted:user:a@b.c", "domain:x"])(
    "refuses the member %s, and names it",
    async (member) => {
      const client = await start();
      const { status, body } = await write(client, { bindings: [viewer(member)] });
      expect([status, body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
      expect(body.error.message).toContain(`Invalid member '${member}'`);
      expect(body.error.details[0].fieldViolations[0].field).toBe("policy.bindings[0].members[0]");
    },
  );

  test.each([
    ["a binding without a role", { bindings: [{ members: ["user:a@b.c"] }] }],
    ["a role that cannot exist", { bindings: [{ role: "roles/nonsense", members: ["user:a@b.c"] }] }],
    ["a malformed role", { bindings: [{ role: "viewer", members: ["user:a@b.c"] }] }],
    [
      "a condition without a title",
      { version: 3, bindings: [{ ...viewer("user:a@b.c"), condition: { expression: "x" } }] },
    ],
    ["an audit config without a log type", { auditConfigs: [{ service: "s", auditLogConfigs: [{}] }] }],
  ])("refuses %s", async (_, policy) => {
    const client = await start();
    const { status, body } = await write(client, policy, "bindings,auditConfigs");
    expect([status, body.error.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect((await read(client)).body).toEqual({ etag: "ACAB" });
  });

  test.each([
    ["without members", viewer()],
    ["without the property", { role: "roles/viewer" }],
    ["under a condition", { ...viewer(), condition: { title: "t", expression: "true" } }],
  ])("does not keep a binding %s", async (_, binding) => {
    const client = await start();
    const { status, body } = await write(client, { version: 3, bindings: [binding, viewer("user:a@b.c")] });
    expect([status, body.bindings]).toEqual([200, [viewer("user:a@b.c")]]);
    expect((await write(client, { bindings: [binding] })).body).toEqual({
      version: 1,
      etag: expect.any(String) as string,
    });
    expect((await read(client)).body.bindings).toBeUndefined();
  });

  test("refuses a missing policy and unknown fields with the messages of the front end", async () => {
    const client = await start();
    const missing = await client.post(`/v1beta1/${STORE}:setIamPolicy`, {});
    expect(missing.status).toBe(400);
    const { body } = await client.post(`/v1beta1/${STORE}:setIamPolicy`, {
      extra: 1,
      policy: { bindings: [{ role: "roles/viewer", member: "user:a@b.c" }] },
    });
    expect(body.error.message.split("\n")).toEqual([
      'Invalid JSON payload received. Unknown name "extra": Cannot find field.',
      "Invalid JSON payload received. Unknown name \"member\" at 'policy.bindings[0]': Cannot find field.",
    ]);
    expect(body.error.details[0].fieldViolations[1].field).toBe("policy.bindings[0]");
  });

  test("counts every occurrence of a principal, including exempted ones: accepts 1,500, refuses 1,501", async () => {
    const client = await start();
    const bindings = [viewer(...many(749, "user")), { role: "roles/editor", members: many(749, "user") }];
    const audit = (exempted: number) => [
      { service: "s", auditLogConfigs: [{ logType: "DATA_READ", exemptedMembers: many(exempted, "user") }] },
    ];
    expect((await write(client, { bindings, auditConfigs: audit(2) }, "bindings,auditConfigs")).status).toBe(200);
    const over = await write(client, { bindings, auditConfigs: audit(3) }, "bindings,auditConfigs");
    expect(over.body.error.message).toContain("(1501)");
    // The stored audit config counts if the mask does not name it.
    const more = await write(client, { bindings: [viewer(...many(1499, "user"))] });
    expect(more.body.error.message).toContain("(1501)");
  });

  test("allows 250 groups and refuses 251", async () => {
    const client = await start();
    expect((await write(client, { bindings: [viewer(...many(250, "group"))] })).status).toBe(200);
    const over = await write(client, { bindings: [viewer(...many(251, "group"))] });
    expect(over.body.error.message).toContain("(251)");
  });

  test("merges bindings with the same role and condition, and no others", async () => {
    const client = await start();
    const { body } = await write(client, {
      version: 3,
      bindings: [viewer("user:a@b.c"), { ...viewer("user:a@b.c"), condition }, viewer("user:x@b.c", "user:a@b.c")],
    });
    expect(body.bindings).toEqual([viewer("user:a@b.c", "user:x@b.c"), { ...viewer("user:a@b.c"), condition }]);
  });
});

describe("switches", () => {
  test("an unknown identity is refused for the given number of writes, then accepted", async () => {
    const client = await start({ unknownMembers: [{ member: "new@p.iam.gserviceaccount.com", refusals: 2 }] });
    const policy = { bindings: [viewer("user:a@b.c", "serviceAccount:new@p.iam.gserviceaccount.com")] };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { status, body } = await write(client, policy);
      expect(status).toBe(400);
      expect(body.error.message).toBe("Service account new@p.iam.gserviceaccount.com does not exist.");
    }
    expect((await write(client, policy)).status).toBe(200);
  });

  test("roles can be refused", async () => {
    const client = await start({ unsupportedRoles: ["roles/viewer"] });
    expect((await write(client, { bindings: [viewer("user:a@b.c")] })).body.error.message).toBe(
      "Role roles/viewer is not supported for this resource.",
    );
  });

  test("writes above the limit get 429 until the minute has passed, for that API only", async () => {
    const client = await start({ policyWritesPerMinute: { healthcare: 2 } });
    await write(client, {});
    await write(client, {});
    const { status, body } = await write(client, {});
    expect([status, body.error.status]).toEqual([429, "RESOURCE_EXHAUSTED"]);
    expect(body.error.details[0]).toMatchObject({
      reason: "RATE_LIMIT_EXCEEDED",
      metadata: { service: "healthcare.googleapis.com", quota_limit_value: "2" },
    });
    const other = await client.post("/v1/projects/p/locations/l/triggers/t:setIamPolicy", { policy: {} });
    expect(other.status).toBe(200);
    client.emulator.advance(60_000);
    expect((await write(client, {})).status).toBe(200);
  });

  test("reads are stale after a write for the given number of reads", async () => {
    const client = await start({ policyLagReads: 2 });
    const { body: written } = await write(client, { bindings: [viewer("user:a@b.c")] });
    expect((await read(client)).body).toEqual({ etag: "ACAB" });
    expect((await read(client)).body).toEqual({ etag: "ACAB" });
    expect((await read(client)).body).toEqual(written);
  });

  test("a resource that is made again does not have the stale policy of the deleted one", async () => {
    const client = await start({ policyLagReads: 5 });
    const make = () => client.post("/v1/projects/p/locations/global/apis?apiId=a", {});
    const at = "/v1/projects/p/locations/global/apis/a";
    await make();
    await client.post(`${at}:setIamPolicy`, { policy: { bindings: [viewer("user:a@b.c")] } });
    await client.post(`${at}:setIamPolicy`, { policy: { bindings: [viewer("user:z@b.c")] } });
    expect((await client.get(`${at}:getIamPolicy`)).body.bindings).toEqual([viewer("user:a@b.c")]);
    await client.delete(at);
    await make();
    expect((await client.get(`${at}:getIamPolicy`)).body.bindings).toBeUndefined();
  });

  test("policies can be returned sorted and with e-mails in lower case", async () => {
    const client = await start({ sortPolicies: true, lowercaseMembers: true });
    const { body } = await write(client, {
      bindings: [viewer("user:Z@B.c", "user:a@b.c"), { role: "roles/editor", members: ["user:m@b.c"] }],
    });
    expect(body.bindings).toEqual([
      { role: "roles/editor", members: ["user:m@b.c"] },
      viewer("user:a@b.c", "user:z@b.c"),
    ]);
  });

  test("members are stored once, under the primary address of their identity", async () => {
    const client = await start({ memberAliases: { "alias@b.c": "a@b.c", "old.com": "new.com" } });
    const { body } = await write(client, {
      bindings: [viewer("user:a@b.c", "user:alias@b.c", "group:alias@b.c", "domain:old.com", "user:x@old.com")],
    });
    expect(body.bindings).toEqual([viewer("user:a@b.c", "group:a@b.c", "domain:new.com", "user:x@old.com")]);
  });

  test("fields of a newer API are kept in bindings that carry them and at the top of the policy", async () => {
    const client = await start({ newerPolicyFields: ["future"] });
    const future = { deep: [1, { a: null }] };
    client.emulator.mutate(STORE, { policy: { future, bindings: [{ ...viewer("user:a@b.c"), future }] } });
    const { body: policy } = await read(client);
    expect(policy).toMatchObject({ future, bindings: [{ future }] });
    expect((await write(client, policy)).body).toMatchObject({ future, bindings: [{ future }] });
    const { body } = await write(client, { bindings: [viewer("user:a@b.c")] });
    expect(body.future).toEqual(future);
    expect(body.bindings).toEqual([viewer("user:a@b.c")]);
  });

  test("a denial can be limited to some resources", async () => {
    const other = STORE.replace("fhirStores/f", "fhirStores/other");
    const client = await start({ deny: [{ permission: "healthcare.fhirStores.getIamPolicy", resource: "**/other" }] });
    client.emulator.seed([{ service: "healthcare", name: other }]);
    expect((await read(client)).status).toBe(200);
    expect((await client.get(`/v1beta1/${other}:getIamPolicy`)).status).toBe(403);
  });
});

test("testIamPermissions refuses wildcards", async () => {
  const client = await start();
  const { status } = await client.post(`/v1beta1/${STORE}:testIamPermissions`, { permissions: ["healthcare.*"] });
  expect(status).toBe(400);
});

test("a project is also available under its number, with the same policy and etag", async () => {
  const client = await start({ projectNumbers: { "123": "p" } });
  const written = await client.post(`/v1beta1/${STORE.replace("/p/", "/123/")}:setIamPolicy`, {
    policy: { bindings: [viewer("user:a@b.c")] },
  });
  expect(written.status).toBe(200);
  expect((await read(client)).body).toEqual(written.body);
  expect((await client.get(`/v1beta1/${STORE.replace("/p/", "/123/")}`)).body.name).toBe(STORE);
  expect((await client.get(`/v1beta1/${STORE.replace("/p/", "/124/")}`)).status).toBe(404);
});
