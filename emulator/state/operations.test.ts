import { ASSOCIATIONS, associationBody, PARENT, startTest, stopAll, type TestClient } from "../testing/client";

import { forgetOld } from "../services/request-ids";
import { Clock } from "./clock";
import { Operations } from "./operations";
import { Store } from "./store";

afterEach(stopAll);

const NAME = `${PARENT}/firewallEndpointAssociations/a`;
const url = `/v1beta1/${NAME}`;

const create = (client: TestClient) =>
  client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());

/** Starts an operation, deletes it while it runs, and advances the clock past its end. */
async function deleteWhileRunning(client: TestClient, start: () => Promise<{ body: { name: string } }>): Promise<void> {
  const { body: operation } = await start();
  expect((await client.delete(`/v1beta1/${operation.name}`)).status).toBe(200);
  expect((await client.get(`/v1beta1/${operation.name}`)).status).toBe(404);
  expect((await client.post(`/v1beta1/${operation.name}:cancel`, {})).status).toBe(404);
  expect((await client.delete(`/v1beta1/${operation.name}`)).status).toBe(404);
  expect((await client.get(`/v1beta1/${PARENT}/operations`)).body).toEqual({});
  client.emulator.advance(1000);
}

test("an operation is kept for 30 days after its end, then it is gone, also for the console", async () => {
  const client = await startTest();
  const { body: operation } = await create(client);
  const status = async () => (await client.get(`/v1beta1/${operation.name}`)).status;
  client.emulator.advance(30 * 24 * 60 * 60 * 1000 - 1);
  expect(await status()).toBe(200);
  const gone: unknown[] = [];
  client.emulator.subscribe((event) => event.type === "operationGone" && gone.push(event.name));
  client.emulator.advance(2);
  expect(await status()).toBe(404);
  expect([client.emulator.operations(), gone]).toEqual([[], [operation.name]]);
});

test("an operation of 40 days can be read until its end, and then for 30 days", async () => {
  const day = 24 * 60 * 60 * 1000;
  const client = await startTest({ operationMs: 40 * day });
  const { body: operation } = await create(client);
  const doneAfter = async (days: number) => {
    client.emulator.advance(days * day);
    const { status, body } = await client.get(`/v1beta1/${operation.name}`);
    return [status, body.done];
  };
  expect([await doneAfter(39), await doneAfter(1), await doneAfter(30)]).toEqual([
    [200, false],
    [200, true],
    [200, true],
  ]);
});

test("of 20,001 requestIds, the oldest is forgotten", () => {
  const store = new Store({ baseClock: () => 0 });
  for (let number = 0; number <= 20_000; number++) store.putRequest(`key-${number}`, { operation: "o", atMs: 0 });
  forgetOld(store, -1);
  expect([store.requestCount(), store.request("key-0"), store.request("key-1")]).toEqual([
    20_000,
    undefined,
    { operation: "o", atMs: 0 },
  ]);
});

describe("deleting a running operation does not stop it", () => {
  test("a create ends", async () => {
    const client = await startTest({ operationMs: 1000 });
    await deleteWhileRunning(client, () => create(client));
    expect((await client.get(url)).body).toMatchObject({ state: "ACTIVE" });
    expect(client.emulator.operations()).toEqual([]);
  });

  test("a patch takes effect", async () => {
    const client = await startTest({ operationMs: 1000 });
    await create(client);
    client.emulator.advance(1000);
    const { body: operations } = await client.get(`/v1beta1/${PARENT}/operations`);
    await client.delete(`/v1beta1/${operations.operations[0].name}`);
    await deleteWhileRunning(client, () => client.patch(`${url}?updateMask=labels`, { labels: { a: "b" } }));
    const { body } = await client.get(url);
    expect([body.labels, body.reconciling]).toEqual([{ a: "b" }, undefined]);
  });

  test("a delete removes", async () => {
    const client = await startTest({ operationMs: 1000 });
    await create(client);
    client.emulator.advance(1000);
    client.emulator.operations();
    const { body: operations } = await client.get(`/v1beta1/${PARENT}/operations`);
    await client.delete(`/v1beta1/${operations.operations[0].name}`);
    await deleteWhileRunning(client, () => client.delete(url));
    expect((await client.get(url)).status).toBe(404);
  });

  test("the resource stays busy until then", async () => {
    const client = await startTest({ operationMs: 1000 });
    const { body: operation } = await create(client);
    await client.delete(`/v1beta1/${operation.name}`);
    expect(client.emulator.operations()).toMatchObject([{ state: "deleted", target: NAME }]);
    expect((await client.delete(url)).body.error.status).toBe("ABORTED");
  });
});

test("a refused request changes nothing", async () => {
  const client = await startTest();
  await create(client);
  const before = client.emulator.resources();
  const refused = await client.patch(`${url}?updateMask=labels&requestId=nonsense`, { labels: { a: "b" } });
  expect(refused.status).toBe(400);
  expect(client.emulator.resources()).toEqual(before);
});

describe("memory", () => {
  const clock = () => 0;

  test("keeps the newest 10,000 operations, and all running ones", () => {
    const store = new Store({ baseClock: clock });
    const operations = new Operations(store, new Clock(clock, () => 0), () => ({}));
    const common = { service: "gkehub", version: "v1", verb: "create", parent: "p", target: "t" } as const;
    const running = operations.start({ ...common, durationMs: 1 });
    const ended = Array.from({ length: 10_050 }, () => operations.start({ ...common, durationMs: 0, response: {} }));
    expect(operations.all()).toHaveLength(10_000);
    expect(operations.find(["gkehub"], running.name)).toBeDefined();
    expect(() => operations.find(["gkehub"], String(ended[0]?.name))).toThrow("was not found");
    expect(operations.find(["gkehub"], String(ended.at(-1)?.name))).toBeDefined();
  });

  test("keeps the newest versions of all resources, and the last two of each existing one", () => {
    const store = new Store({ baseClock: clock });
    const put = (name: string, text: string) => store.put({ service: "gkehub", name, body: { text } });
    const large = "x".repeat(500_000);
    put("kept", "first");
    put("kept", "second");
    put("gone", "first");
    store.remove("gkehub", "gone");
    for (let count = 0; count < 60; count++) {
      put("changing", `${large}${count}`);
      store.commit();
    }
    expect(store.versions("gkehub", "changing").length).toBeLessThan(40);
    expect(store.versions("gkehub", "changing").at(-1)?.body).toEqual({ text: `${large}59` });
    expect(store.versions("gkehub", "kept").map(({ body }) => body?.text)).toEqual(["first", "second"]);
    expect(store.versions("gkehub", "gone")).toEqual([]);
  });

  test("keeps separate resources of two APIs with the same name", () => {
    const store = new Store({ baseClock: clock });
    const name = "projects/p/locations/l/things/t";
    store.put({ service: "gkehub", name, body: { of: "gkehub" }, policy: { etag: "a" } });
    store.put({ service: "eventarc", name, body: { of: "eventarc" } });
    store.put({ service: "eventarc", name: `${name}/parts/p`, body: {} });
    store.lagPolicy("gkehub", name, undefined, 1);
    expect(store.get("gkehub", name)?.body).toEqual({ of: "gkehub" });
    expect(store.get("eventarc", name)?.body).toEqual({ of: "eventarc" });
    expect(store.policyView("eventarc", name)).toBeUndefined();
    expect(store.servicesOf(name)).toEqual(["eventarc", "gkehub"]);
    expect(store.below("gkehub", name)).toEqual([]);
    expect(store.remove("eventarc", name)).toBe(true);
    expect(store.get("gkehub", name)?.policy).toEqual({ etag: "a" });
    expect(store.versions("gkehub", name)).toHaveLength(1);
    expect(store.versions("eventarc", name).map(({ body }) => body)).toEqual([{ of: "eventarc" }, null]);
  });
});

test("a time has nine digits, even if the clock has fractions of a millisecond", () => {
  const at = (ms: number) =>
    new Clock(
      () => ms,
      () => 0,
    ).timestamp();
  expect(at(0)).toBe("1970-01-01T00:00:00.000000000Z");
  expect(at(1_772_366_400_000.625)).toMatch(/^2026-03-01T12:00:00\.000\d{6}Z$/);
  expect(at(1_772_366_400_001) > at(1_772_366_400_000.999)).toBe(true);
});
