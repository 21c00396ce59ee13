import { demoSeed, type Emulator, type EmulatorEvent } from "../index";
import { ASSOCIATIONS, associationBody, PARENT, startTest, stopAll } from "../testing/client";
import { History } from "./history";

afterEach(stopAll);

const STORE = "projects/demo-project/locations/us/datasets/clinic/fhirStores/records";
const NAME = `${PARENT}/firewallEndpointAssociations/a`;
const viewer = (member: string) => ({ policy: { bindings: [{ role: "roles/viewer", members: [member] }] } });

async function withStore() {
  const name = demoSeed.find(({ service }) => service === "healthcare")?.name ?? STORE;
  return { client: await startTest({ seed: demoSeed }), name };
}

describe("versions", () => {
  test("show each policy of a resource, with its time and author", async () => {
    const { client, name } = await withStore();
    client.emulator.advance(1000);
    const path = `/v1beta1/${name}:setIamPolicy`;
    await client.post(path, viewer("user:a@b.c"), { "user-agent": "pulumi/3" });
    client.emulator.mutate(name, viewer("user:x@y.z"));
    const [seeded, written, mutated] = client.emulator.history(name);
    expect(seeded).toMatchObject({ author: { by: "seed" }, changed: ["body", "policy"] });
    expect(written).toMatchObject({
      changed: ["policy"],
      author: { by: "request", request: 1, userAgent: "pulumi/3" },
      policy: { bindings: [{ members: ["user:a@b.c"] }] },
      time: new Date(client.emulator.now()).toISOString(),
    });
    expect(mutated).toMatchObject({ author: { by: "control" }, policy: { bindings: [{ members: ["user:x@y.z"] }] } });
    expect((await client.get(`/_emulator/history?name=${encodeURIComponent(name)}`)).body.versions).toEqual(
      client.emulator.history(name),
    );
  });

  test("name the request of an operation, and are kept after the delete of the resource", async () => {
    const client = await startTest({ operationMs: 1000 });
    const url = `${ASSOCIATIONS}?firewallEndpointAssociationId=a`;
    await client.post(url, associationBody(), { "user-agent": "terraform" });
    client.emulator.advance(1000);
    client.emulator.remove(NAME);
    const versions = client.emulator.history(NAME);
    expect(versions.map(({ body }) => body?.state)).toEqual(["CREATING", "ACTIVE", undefined]);
    expect(versions[1]?.author).toMatchObject({ by: "request", userAgent: "terraform" });
    expect(versions[2]).toMatchObject({ body: null, author: { by: "control" } });
  });

  test("are limited for each resource to the newest ones", async () => {
    const { client, name } = await withStore();
    for (let count = 0; count < 150; count++) {
      client.emulator.mutate(name, viewer(`user:u${count}@b.c`));
    }
    const versions = client.emulator.history(name);
    expect(versions).toHaveLength(100);
    expect(versions[99]?.policy).toMatchObject({ bindings: [{ members: ["user:u149@b.c"] }] });
  });
});

test("the characters of all versions are limited, and of each resource the last two are kept", () => {
  const history = new History();
  const body = { labels: { a: "x".repeat(20_000) } };
  for (let write = 0; write < 3_000; write++) {
    const author = { by: "seed" } as const;
    const version = { time: "", service: "gkehub", author, changed: ["body"], body, policy: null } as const;
    history.record(`r${write % 50}`, { ...version, changed: [...version.changed] });
  }
  const kept = Array.from({ length: 50 }, (_, index) => history.of(`r${index}`).length);
  expect(Math.min(...kept)).toBeGreaterThanOrEqual(2);
  expect(kept.reduce((sum, each) => sum + each, 0)).toBeLessThan((16 * 1024 * 1024) / 20_000);
});

describe("events", () => {
  test("report changes of requests, resources and operations in order", async () => {
    const client = await startTest({ operationMs: 1000 });
    const events: EmulatorEvent[] = [];
    const unsubscribe = client.emulator.subscribe((event) => events.push(event));
    await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    client.emulator.advance(1000);
    expect(events).toMatchObject([
      { type: "resource", name: NAME, version: { body: { state: "CREATING" } } },
      { type: "operation", operation: { target: NAME, state: "running" } },
      { type: "request", record: { method: "POST", status: 200 } },
      { type: "settings" },
      { type: "resource", name: NAME, version: { body: { state: "ACTIVE" } } },
      { type: "operation", operation: { target: NAME, state: "succeeded" } },
    ]);
    unsubscribe();
    client.emulator.reset();
    expect(events).toHaveLength(6);
  });

  test.each<[what: string, change: (emulator: Emulator) => unknown]>([
    ["another fault plan", (emulator) => emulator.setFaults([])],
    ["another fault", (emulator) => emulator.addFaults([{ match: { method: "GET" }, fault: { status: 503 } }])],
    ["other switches", (emulator) => emulator.configure({ operationMs: 1 })],
    ["another time", (emulator) => emulator.advance(1)],
  ])("report %s, so that an open console shows it", async (_what, change) => {
    const { emulator } = await startTest();
    const events: EmulatorEvent[] = [];
    emulator.subscribe((event) => events.push(event));
    change(emulator);
    expect(events).toEqual([{ type: "settings" }]);
  });

  test("report deleted operations and cleared requests", async () => {
    const client = await startTest();
    const started = await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    const { name } = started.body;
    const gone: EmulatorEvent[] = [];
    client.emulator.subscribe((event) => {
      if (event.type === "operationGone" || event.type === "requestsCleared") gone.push(event);
    });
    await client.delete(`/v1beta1/${name}`);
    await client.delete("/_emulator/requests");
    expect(gone).toEqual([{ type: "operationGone", name }, { type: "requestsCleared" }]);
  });

  test("an error in a listener has no effect on others", async () => {
    const warnings: unknown[] = [];
    const warn = jest.spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(warning));
    const client = await startTest();
    client.emulator.subscribe(() => {
      throw new Error("a listener's own mistake");
    });
    expect((await client.post(ASSOCIATIONS, associationBody())).status).toBe(200);
    expect(String(warnings[0])).toContain("a listener's own mistake");
    warn.mockRestore();
  });
});

test("operations of all APIs can be listed together", async () => {
  const client = await startTest({ operationMs: 1000 });
  await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
  const [operation] = client.emulator.operations();
  expect(operation).toMatchObject({
    service: "networksecurity",
    verb: "create",
    target: NAME,
    state: "running",
    createTime: new Date(client.emulator.now()).toISOString(),
    dueTime: new Date(client.emulator.now() + 1000).toISOString(),
  });
  expect((await client.get("/_emulator/operations")).body.operations).toEqual([operation]);
});
