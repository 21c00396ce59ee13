import { startTest, stopAll, uuid, type TestClient } from "../testing/client";

afterEach(stopAll);

const SECOND = 1000;
const HERE = "/v1/projects/p/locations/us-central1";
const TRIGGERS = `${HERE}/triggers`;
const trigger = {
  eventFilters: [{ attribute: "type", value: "google.cloud.pubsub.topic.v1.messagePublished" }],
  destination: { cloudRun: { service: "s", region: "us-central1" } },
};
const gateway = { apiConfig: "projects/p/locations/global/apis/a/configs/c" };
const job = { type: "ONE_TIME", source: "s", destination: "d" };

async function done(client: TestClient, reply: { status: number; body: { name: string } }) {
  expect(reply).toMatchObject({ status: 200, body: { done: false } });
  client.emulator.advance(client.emulator.config().operationMs);
  const { body } = await client.get(`/v1/${reply.body.name}`);
  expect(body.done).toBe(true);
  return body;
}

describe("operations of triggers", () => {
  test("have the duration operationMs; a patch takes effect at the end", async () => {
    const client = await startTest({ operationMs: SECOND });
    await done(client, await client.post(`${TRIGGERS}?triggerId=t`, trigger));
    const patched = await client.patch(`${TRIGGERS}/t?updateMask=labels`, { labels: { a: "b" } });
    const before = (await client.get(`${TRIGGERS}/t`)).body;
    expect(before.labels).toBeUndefined();
    // The response has no labels, as observed in the real API.
    expect((await done(client, patched)).response).toMatchObject(trigger);
    const after = (await client.get(`${TRIGGERS}/t`)).body;
    expect(after).toMatchObject({ ...trigger, labels: { a: "b" } });
    expect([before.etag, after.etag]).toEqual([undefined, undefined]);
    expect(after.updateTime > before.updateTime).toBe(true);
    await done(client, await client.delete(`${TRIGGERS}/t`));
    expect((await client.get(`${TRIGGERS}/t`)).status).toBe(404);
  });

  test("end with the error of a fault: a create leaves nothing, a patch and a delete keep the resource", async () => {
    const client = await startTest({ operationMs: SECOND });
    const fail = () => client.emulator.setFaults([{ fault: { operationError: { code: 8, message: "no room" } } }]);
    fail();
    expect(await done(client, await client.post(`${TRIGGERS}?triggerId=t`, trigger))).toMatchObject({
      error: { code: 8, message: "no room" },
    });
    expect((await client.get(`${TRIGGERS}/t`)).status).toBe(404);
    await done(client, await client.post(`${TRIGGERS}?triggerId=t`, trigger));
    const { body: before } = await client.get(`${TRIGGERS}/t`);
    fail();
    await done(client, await client.patch(`${TRIGGERS}/t?updateMask=labels`, { labels: { a: "b" } }));
    expect((await client.get(`${TRIGGERS}/t`)).body).toEqual(before);
    fail();
    await done(client, await client.delete(`${TRIGGERS}/t`));
    expect((await client.get(`${TRIGGERS}/t`)).body).toEqual(before);
  });

  test("validateOnly changes nothing; allowMissing lets a patch create and a delete accept a missing resource", async () => {
    const client = await startTest();
    expect((await client.post(`${TRIGGERS}?triggerId=t&validateOnly=true`, trigger)).body.done).toBe(true);
    expect((await client.get(`${TRIGGERS}/t`)).status).toBe(404);
    expect((await client.delete(`${TRIGGERS}/t`)).status).toBe(404);
    expect((await client.delete(`${TRIGGERS}/t?allowMissing=true`)).body.done).toBe(true);
    expect((await client.patch(`${TRIGGERS}/t?updateMask=labels`, trigger)).status).toBe(404);
    await done(client, await client.patch(`${TRIGGERS}/t?allowMissing=true`, trigger));
    expect((await client.get(`${TRIGGERS}/t`)).body).toMatchObject(trigger);
    client.emulator.mutate(`${TRIGGERS.slice(4)}/t`, { patch: { etag: "present" } });
    expect((await client.delete(`${TRIGGERS}/t?etag=stale`)).body.error.status).toBe("ABORTED");
  });

  test("a patch with a stale etag gets ABORTED and changes nothing; with the current etag it changes the trigger", async () => {
    const name = `${TRIGGERS.slice(4)}/t`;
    const client = await startTest({
      seed: [{ service: "eventarc", name, body: { ...trigger, etag: "present" } }],
    });
    const patch = (etag: string) => client.patch(`${TRIGGERS}/t?updateMask=labels`, { labels: { a: "b" }, etag });
    const stale = await patch("stale");
    expect([stale.status, stale.body.error?.status]).toEqual([409, "ABORTED"]);
    expect(client.emulator.resource(name)?.body.labels).toBeUndefined();
    await done(client, await patch("present"));
    expect(client.emulator.resource(name)?.body).toMatchObject({
      labels: { a: "b" },
      etag: expect.not.stringMatching(/^present$/),
    });
  });

  test("an out-of-band change during an update is kept, and so is the update", async () => {
    const client = await startTest({ operationMs: 1000 });
    await done(client, await client.post(`${TRIGGERS}?triggerId=t`, { ...trigger, labels: { a: "1", b: "1" } }));
    const update = await client.patch(`${TRIGGERS}/t?updateMask=labels`, { labels: { a: "2", b: "1" } });
    const name = `${TRIGGERS.slice(4)}/t`;
    client.emulator.mutate(name, { patch: { channel: "projects/p/locations/l/channels/c", labels: { b: "3" } } });
    await done(client, update);
    expect(client.emulator.resource(name)?.body).toMatchObject({
      channel: "projects/p/locations/l/channels/c",
      labels: { a: "2", b: "3" },
    });
  });

  test("a state that is set out of band during a failing update is kept", async () => {
    const client = await startTest({ operationMs: 1000 });
    const gateways = TRIGGERS.replace("triggers", "gateways");
    await done(client, await client.post(`${gateways}?gatewayId=g`, { apiConfig: "c" }));
    client.emulator.setFaults([{ match: { method: "PATCH" }, fault: { operationError: { code: 13, message: "no" } } }]);
    const update = await client.patch(`${gateways}/g?updateMask=labels`, { labels: { a: "b" } });
    const name = `${gateways.slice(4)}/g`;
    expect(client.emulator.resource(name)?.body.state).toBe("UPDATING");
    client.emulator.mutate(name, { patch: { state: "FAILED" } });
    client.emulator.advance(1000);
    expect((await client.get(`/v1/${update.body.name}`)).body.error).toMatchObject({ code: 13 });
    expect(client.emulator.resource(name)?.body.state).toBe("FAILED");
  });

  test("a mask can name nested fields, and a union has one field", async () => {
    const client = await startTest();
    await done(client, await client.post(`${TRIGGERS}?triggerId=t`, trigger));
    const patch = async (mask: string, destination: object) =>
      done(client, await client.patch(`${TRIGGERS}/t?updateMask=${mask}`, { destination }));
    await patch("destination.cloudRun.path", { cloudRun: { path: "/p" } });
    const get = async () => (await client.get(`${TRIGGERS}/t`)).body.destination;
    expect(await get()).toEqual({ cloudRun: { service: "s", region: "us-central1", path: "/p" } });
    await patch("destination.workflow", { workflow: "w" });
    expect(await get()).toEqual({ workflow: "w" });
    const wrong = await client.patch(`${TRIGGERS}/t?updateMask=destination.nothing`, {});
    expect(wrong.body.error.status).toBe("INVALID_ARGUMENT");
  });

  test("a function destination of the server is kept, and cannot be set", async () => {
    const cloudFunction = "projects/p/locations/l/functions/f";
    const client = await startTest({
      seed: [
        { service: "eventarc", name: `${TRIGGERS.slice(4)}/t`, body: { ...trigger, destination: { cloudFunction } } },
      ],
    });
    await done(client, await client.patch(`${TRIGGERS}/t?updateMask=labels`, { labels: { a: "b" } }));
    const changed = await client.patch(`${TRIGGERS}/t?updateMask=destination`, { destination: { cloudFunction: "g" } });
    expect(changed.status).toBe(400);
  });
});

describe("lists", () => {
  test("have one type and one parent, or all locations with -", async () => {
    const client = await startTest();
    const europe = TRIGGERS.replace("us-central1", "europe-west1");
    await done(client, await client.post(`${TRIGGERS}?triggerId=t`, trigger));
    await done(client, await client.post(`${europe}?triggerId=u`, trigger));
    const names = async (path: string) =>
      ((await client.get(path)).body.triggers ?? []).map(({ name }: { name: string }) => name.split("/").pop());
    expect(await names(TRIGGERS)).toEqual(["t"]);
    expect(await names(TRIGGERS.replace("us-central1", "-"))).toEqual(["u", "t"]);
    expect(await names(TRIGGERS.replace("/p/", "/q/"))).toEqual([]);
    expect((await client.get(`${HERE.replace("us-central1", "-")}/operations`)).body.operations).toHaveLength(2);
    expect((await client.get(`${HERE}/operations`)).body.operations).toHaveLength(1);
  });

  test("listPermitted omits scopes without permission", async () => {
    const scope = (id: string) => ({ service: "gkehub", name: `projects/p/locations/global/scopes/${id}` });
    const client = await startTest({
      seed: [scope("a"), scope("b")],
      deny: [{ permission: "gkehub.scopes.get", resource: "projects/p/locations/global/scopes/a" }],
    });
    const { body } = await client.get("/v1/projects/p/locations/global/scopes:listPermitted");
    expect(body.scopes).toMatchObject([{ name: scope("b").name }]);
  });
});

describe("parents", () => {
  const DATASETS = "/v1/projects/p/locations/us/datasets";

  test("must exist before their children, and are deleted with them", async () => {
    const client = await startTest();
    const store = () => client.post(`${DATASETS}/d/fhirStores?fhirStoreId=f`, { version: "R4" });
    expect((await store()).body.error).toMatchObject({ code: 404, message: expect.stringMatching(/datasets\/d'/) });
    await done(client, await client.post(`${DATASETS}?datasetId=d`, {}));
    expect((await store()).body).toMatchObject({ name: `${DATASETS.slice(4)}/d/fhirStores/f`, version: "R4" });
    expect((await client.delete(`${DATASETS}/d`)).body).toEqual({});
    expect((await client.get(`${DATASETS}/d/fhirStores/f`)).status).toBe(404);
  });

  test("are not deleted if that would orphan their children", async () => {
    const scope = "projects/p/locations/global/scopes/s";
    const client = await startTest({
      seed: [
        { service: "gkehub", name: scope },
        { service: "gkehub", name: `${scope}/namespaces/n` },
      ],
    });
    expect((await client.delete(`/v1/${scope}`)).body.error.status).toBe("FAILED_PRECONDITION");
    await done(client, await client.delete(`/v1/${scope}/namespaces/n`));
    await done(client, await client.delete(`/v1/${scope}`));
  });
});

describe("states", () => {
  test("of a gateway follow its operations", async () => {
    const client = await startTest({ operationMs: SECOND });
    const state = async () => (await client.get(`${HERE}/gateways/g`)).body.state;
    const created = await client.post(`${HERE}/gateways?gatewayId=g`, gateway);
    expect(await state()).toBe("CREATING");
    expect((await client.delete(`${HERE}/gateways/g`)).body.error.status).toBe("ABORTED");
    await done(client, created);
    expect(await state()).toBe("ACTIVE");
    const patched = await client.patch(`${HERE}/gateways/g?updateMask=displayName`, { displayName: "G" });
    expect(await state()).toBe("UPDATING");
    await done(client, patched);
    expect(await state()).toBe("ACTIVE");
    const removed = await client.delete(`${HERE}/gateways/g`);
    expect(await state()).toBe("DELETING");
    await done(client, removed);
    expect(await state()).toBeUndefined();
  });

  test("of a migration job follow its actions, which need certain states", async () => {
    const client = await startTest();
    const jobs = `${HERE}/migrationJobs`;
    await done(client, await client.post(`${jobs}?migrationJobId=j&requestId=${uuid(1)}`, job));
    const state = async () => (await client.get(`${jobs}/j`)).body.state;
    expect(await state()).toBe("NOT_STARTED");
    expect((await client.post(`${jobs}/j:stop`, {})).body.error.status).toBe("FAILED_PRECONDITION");
    for (const [action, after] of [
      ["verify", "NOT_STARTED"],
      ["start", "RUNNING"],
      ["stop", "STOPPED"],
      ["resume", "RUNNING"],
      ["promote", "COMPLETED"],
    ] as const) {
      await done(client, await client.post(`${jobs}/j:${action}`, {}));
      expect(await state()).toBe(after);
    }
    await done(client, await client.patch(`${jobs}/j?updateMask=displayName`, { displayName: "J" }));
    expect(await state()).toBe("COMPLETED");
  });
});

test("a patch without a mask overwrites the fields of the client, but not those of the server", async () => {
  const client = await startTest();
  const jobs = `${HERE}/migrationJobs`;
  await done(client, await client.post(`${jobs}?migrationJobId=j`, { ...job, displayName: "J", state: "RUNNING" }));
  await done(client, await client.patch(`${jobs}/j`, { ...job, labels: { a: "b" }, state: "COMPLETED" }));
  const { body } = await client.get(`${jobs}/j`);
  expect(body).toMatchObject({ ...job, labels: { a: "b" }, state: "NOT_STARTED" });
  expect(body.displayName).toBeUndefined();
  const scope = "projects/p/locations/global/scopes/s";
  client.emulator.seed([{ service: "gkehub", name: scope }]);
  await done(client, await client.post(`/v1/${scope}/namespaces?scopeNamespaceId=n`, { scope: "another" }));
  await done(client, await client.patch(`/v1/${scope}/namespaces/n`, { labels: { a: "b" } }));
  expect((await client.get(`/v1/${scope}/namespaces/n`)).body).toMatchObject({ scope, labels: { a: "b" } });
});

test("an orphaned association cannot be patched, but can be deleted", async () => {
  const name = "projects/p/locations/us-central1-a/firewallEndpointAssociations/a";
  const body = {
    network: "projects/p/global/networks/n",
    firewallEndpoint: "organizations/1/locations/us-central1-a/firewallEndpoints/e",
    state: "ORPHAN",
  };
  const client = await startTest({ seed: [{ service: "networksecurity", name, body }] });
  const refused = await client.patch(`/v1beta1/${name}?updateMask=labels`, { labels: { a: "b" } });
  expect(refused.body.error).toMatchObject({ code: 400, status: "FAILED_PRECONDITION" });
  expect((await client.get(`/v1beta1/${name}`)).body).toMatchObject({ state: "ORPHAN" });
  await done(client, await client.delete(`/v1/${name}`));
});

test("each version shows the fields of its own document, and a write through one keeps those of the other", async () => {
  const client = await startTest();
  const store = "projects/p/locations/us/datasets/d/fhirStores/f";
  client.emulator.seed([
    { service: "healthcare", name: store.split("/").slice(0, 6).join("/") },
    { service: "healthcare", name: store, body: { version: "R4", enableHistoryModifications: true } },
  ]);
  expect((await client.get(`/v1beta1/${store}`)).body.enableHistoryModifications).toBe(true);
  expect((await client.get(`/v1/${store}`)).body.enableHistoryModifications).toBeUndefined();
  const patched = await client.patch(`/v1/${store}?updateMask=labels`, { labels: { a: "b" } });
  expect(patched.body).toEqual({ name: store, version: "R4", labels: { a: "b" } });
  expect((await client.get(`/v1beta1/${store}`)).body).toMatchObject({
    labels: { a: "b" },
    enableHistoryModifications: true,
  });
  const unknown = await client.patch(`/v1/${store}?updateMask=labels`, { enableHistoryModifications: true });
  expect(unknown.body.error.message).toContain('Unknown name "enableHistoryModifications"');
  const version = await client.patch(`/v1/${store}?updateMask=version`, { version: "STU3" });
  expect(version.body.error.message).toBe("Field 'version' is immutable.");
});

test("a password is accepted, but not stored or returned; responses only say that it is set", async () => {
  const client = await startTest();
  const profiles = `${HERE}/connectionProfiles`;
  const mysql = { host: "h", port: 3306, username: "u" };
  const missing = await client.post(`${profiles}?connectionProfileId=c`, { mysql });
  expect(missing.body.error.message).toContain("mysql.password");
  await done(
    client,
    await client.post(`${profiles}?connectionProfileId=c`, { mysql: { ...mysql, password: "hunter2" } }),
  );
  expect((await client.get(`${profiles}/c`)).body.mysql).toEqual({ ...mysql, passwordSet: true });
  expect(JSON.stringify(client.emulator.resources())).not.toContain("hunter2");
  await done(client, await client.patch(`${profiles}/c?updateMask=displayName`, { displayName: "C" }));
});
