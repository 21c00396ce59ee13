import { growthOf } from "../../tests/support/steps";
import { checkSeed, demoSeed, InputError, parseText } from "..";
import { ASSOCIATIONS, associationBody, startTest, stopAll, uuid } from "../testing/client";

afterEach(stopAll);

const SCOPE = "projects/p/locations/global/scopes/s";
const scope = { service: "gkehub", name: SCOPE, body: { labels: { a: "b" } } };

describe("seeds", () => {
  test("the demo seed is valid and its resources answer", async () => {
    const client = await startTest({ seed: demoSeed });
    expect(client.emulator.resources()).toHaveLength(demoSeed.length);
  });

  test("get the fields that the server sets", async () => {
    const client = await startTest({ seed: [scope] });
    expect((await client.get(`/v1beta/${SCOPE}`)).body).toMatchObject({
      name: SCOPE,
      labels: { a: "b" },
      state: { code: "READY" },
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      createTime: expect.stringMatching(/Z$/),
    });
  });

  test("can be added and replaced at run time, in YAML or JSON", async () => {
    const client = await startTest();
    const yaml = `- service: gkehub\n  name: ${SCOPE}\n  body: {labels: {a: c}}\n`;
    expect((await client.post("/_emulator/seed", yaml)).status).toBe(200);
    expect((await client.get(`/v1beta/${SCOPE}`)).body.labels).toEqual({ a: "c" });
    await client.post("/_emulator/seed", [scope]);
    expect((await client.get(`/v1beta/${SCOPE}`)).body.labels).toEqual({ a: "b" });
  });

  test("of a store also create its dataset, unless it exists", async () => {
    const store = (dataset: string) => ({
      service: "healthcare",
      name: `projects/p/locations/us/datasets/${dataset}/fhirStores/f`,
    });
    const client = await startTest({ seed: [store("d")] });
    const dataset = "projects/p/locations/us/datasets/d";
    expect((await client.get(`/v1/${dataset}`)).body).toEqual({ name: dataset });
    client.emulator.mutate(dataset, { patch: { timeZone: "UTC" } });
    await client.post("/_emulator/seed", [store("d")]);
    expect((await client.get(`/v1/${dataset}`)).body).toEqual({ name: dataset, timeZone: "UTC" });
    const own = { service: "healthcare", name: "projects/p/locations/us/datasets/e", body: { timeZone: "CET" } };
    await client.post("/_emulator/seed", [store("e"), own]);
    expect((await client.get(`/v1/${own.name}`)).body).toMatchObject({ timeZone: "CET" });
  });

  test("accept policies that the switches anyRole and newerPolicyFields allow, as in an export", async () => {
    const switches = { anyRole: true, newerPolicyFields: ["rules"] };
    const first = await startTest({ ...switches, seed: [{ service: "gkehub", name: SCOPE }] });
    const policy = {
      rules: [{ any: "thing" }],
      bindings: [{ role: "roles/nonsense", members: ["user:ada@example.com"], rules: "kept" }],
    };
    expect((await first.post(`/v1/${SCOPE}:setIamPolicy`, { policy })).status).toBe(200);
    const exported = first.emulator.export();
    const second = await startTest({ ...switches, seed: exported });
    expect(second.emulator.export()).toEqual(exported);
    expect(() => checkSeed(exported, "seed", switches)).not.toThrow();
    expect((await second.post("/_emulator/seed", exported)).status).toBe(200);
    expect((await (await startTest()).post("/_emulator/seed", exported)).status).toBe(400);
  });

  test("with mistakes are refused completely, with the path of every mistake", async () => {
    const client = await startTest();
    const { status, body } = await client.post("/_emulator/seed", [
      scope,
      { service: "gkehub", name: "projects/p/locations/l/triggers/t" },
      { service: "gkehub", name: SCOPE, body: { lables: {}, state: { code: "ASLEEP" } } },
      { service: "gkehub", name: SCOPE, body: { name: "other" } },
      {
        service: "healthcare",
        name: "projects/p/locations/l/datasets/d/fhirStores/f",
        policy: { bindings: [{ role: "roles/viewer", members: ["nobody"] }] },
      },
      { service: "networksecurity", name: "projects/p/locations/z/firewallEndpointAssociations/a", policy: {} },
    ]);
    expect(status).toBe(400);
    for (const part of [
      "[1].name:",
      '[2].body: Unknown name "lables"',
      "[2].body: Invalid value at 'state.code'",
      "[3].body.name:",
      "[5].policy:",
      "[4].policy: Invalid member 'nobody'",
      "[5].body.network: required",
    ]) {
      expect(body.error.message).toContain(part);
    }
    expect(client.emulator.resources()).toEqual([]);
  });

  test("with many mistakes are refused with the first hundred of them and the number of the others", async () => {
    const client = await startTest();
    const wrong = Array.from({ length: 5_000 }, (_, index) => ({ service: "gkehub", name: `scopes/${index}` }));
    const { status, text } = await client.post("/_emulator/seed", wrong);
    expect([status, text.match(/\[\d+\]\.name/g)?.length]).toEqual([400, 100]);
    expect(text).toContain("… and 4900 more problems");
  });

  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 1]));
  const many = keys(5_000);

  test.each([
    ["POST", "/_emulator/seed", [many], "4900 more keys"],
    // More than a call can have arguments.
    ["POST", "/_emulator/seed", [{ service: "gkehub", name: SCOPE, body: keys(150_000) }], "149900 more problems"],
    ["POST", "/_emulator/mutate", many, "4900 more keys"],
    ["POST", "/_emulator/mutate", { name: SCOPE, patch: many }, "4900 more problems"],
    ["PUT", "/_emulator/config", many, "4900 more keys"],
    ["PUT", "/_emulator/faults", [many], "4900 more keys"],
    ["POST", `/v1beta/${SCOPE}:setIamPolicy`, many, "4900 more problems"],
    [
      "POST",
      `/v1beta/${SCOPE}:setIamPolicy`,
      { policy: {}, updateMask: Object.keys(many).join(",") },
      "4900 more problems",
    ],
  ])("%s %s with many unknown keys is refused with the first hundred, case %#", async (method, path, body, words) => {
    const client = await startTest({ seed: [scope] });
    const answer = await (method === "PUT" ? client.put : client.post)(path, body);
    expect([answer.status, answer.text.length < 50_000]).toEqual([400, true]);
    expect(answer.body.error.message).toContain(words);
  });

  test.each([
    [[{ service: "translate", name: "x" }], "[0].service"],
    [{ service: "gkehub" }, "array"],
    [[{ service: "gkehub", name: SCOPE, boddy: {} }], "boddy"],
    [
      [{ name: "//container.googleapis.com/projects/p" }],
      "[0].name: the emulator has no access policies of the API 'cont",
    ],
    [
      [{ name: "//compute.googleapis.com/projects/p/zone/z/disks/d" }],
      "or projects/{project}/zones/{zone}/disks/{disk}",
    ],
    [[{ service: "compute", name: "x" }], "{image} or 30 others"],
    [[{ name: "projects/p/topics/t" }], "[0].service: required, unless the name is a full one"],
  ])("%j is refused", async (seed, words) => {
    await expect(startTest({ seed })).rejects.toThrow(InputError);
    await expect(startTest({ seed })).rejects.toThrow(words);
  });
});

describe("control routes", () => {
  const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;

  test.each([
    ["POST seed", `[{"service":"gkehub","name":"${SCOPE}","body":{"labels":${deep}}}]`],
    ["POST mutate", `{"name":"${SCOPE}","patch":{"labels":${deep}}}`],
    ["PUT config", `{"operationMs":${deep}}`],
    ["PUT faults", `[{"fault":${deep}}]`],
    ["POST seed", "- ".repeat(20_000)],
    ["POST seed", Array.from({ length: 3_000 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
  ])("%s refuses values that are nested too deep", async (route, text) => {
    const client = await startTest({ seed: [scope] });
    const [method, path] = route.split(" ");
    const { status, body } = await (method === "PUT" ? client.put : client.post)(`/_emulator/${path}`, text);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining("nested more than 100 deep")]);
  });

  test("reset restores the start: seed, switches, faults, log and clock", async () => {
    const client = await startTest({ seed: [scope] });
    const now = client.emulator.now();
    await client.post(ASSOCIATIONS, associationBody());
    await client.put("/_emulator/config", { operationMs: 7 });
    await client.put("/_emulator/faults", [{ fault: { status: 503 } }]);
    await client.post("/_emulator/advance", { ms: 1000 });
    await client.post("/_emulator/reset");
    expect(client.emulator.resources().map(({ name }) => name)).toEqual([SCOPE]);
    expect(client.emulator.config().operationMs).toBe(0);
    expect([client.emulator.faults(), client.emulator.requests(), client.emulator.now()]).toEqual([[], [], now]);
    await client.post("/_emulator/reset", { seed: false });
    expect(client.emulator.resources()).toEqual([]);
  });

  test("health lists the projects with resources, by id, and by number if known", async () => {
    const client = await startTest({ seed: [scope], projectNumbers: { "123456": "p", "654321": "other" } });
    expect((await client.get("/_emulator/health")).body).toEqual({ status: "ok", projects: ["123456", "p"] });
    await client.post("/_emulator/reset", { seed: false });
    expect((await client.get("/_emulator/health")).body).toEqual({ status: "ok", projects: [] });
  });

  test("a seed and the routes with a name may name a project by its number", async () => {
    const numbered = SCOPE.replace("projects/p/", "projects/123456/");
    const seed = [{ service: "gkehub", name: numbered, body: { name: numbered } }];
    const client = await startTest({ seed, projectNumbers: { "123456": "p" } });
    expect((await client.get(`/v1beta/${SCOPE}`)).body.name).toBe(SCOPE);
    for (const name of [numbered, `//gkehub.googleapis.com/${numbered}`]) {
      expect(client.emulator.resource(name)?.name).toBe(SCOPE);
      expect(client.emulator.mutate(name, { patch: { labels: { a: "b" } } }).name).toBe(SCOPE);
      expect(client.emulator.history(name)).not.toEqual([]);
    }
    expect(client.emulator.remove(numbered)).toBe(true);
  });

  test("requests lists all requests except control requests, and can be cleared", async () => {
    const client = await startTest();
    await client.get("/_emulator/health");
    await client.post(`${ASSOCIATIONS}?requestId=${uuid(1)}`, associationBody());
    const { body } = await client.get("/_emulator/requests");
    expect(body.requests).toMatchObject([
      {
        seq: 1,
        method: "POST",
        path: ASSOCIATIONS,
        query: { requestId: uuid(1) },
        status: 200,
        id: "networksecurity.projects.locations.firewallEndpointAssociations.create",
        authorization: false,
        bodyBytes: JSON.stringify(associationBody()).length,
      },
    ]);
    await client.delete("/_emulator/requests");
    expect((await client.get("/_emulator/requests")).body.requests).toEqual([]);
  });

  test("config changes only the given switches and refuses unknown ones", async () => {
    const client = await startTest({ operationMs: 5 });
    const { body } = await client.put("/_emulator/config", { requireAuth: true });
    expect(body).toMatchObject({ operationMs: 5, requireAuth: true });
    const refused = await client.put("/_emulator/config", { operationMS: 1, requireAuth: "yes" });
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toContain("operationMS");
    expect(refused.body.error.message).toContain("requireAuth");
    expect((await client.get("/_emulator/config")).body).toEqual(body);
  });

  test.each([
    [{ operationsMs: 3 }, /^configuration: Unrecognized key: "operationsMs" \(the keys are operationMs, /],
    [{ faults: [{ match: { meth: "GET" }, fault: { status: 500 } }] }, /"meth" \(the keys are method, path, id\)/],
    [{ seed: [{ service: "gkehub", name: "x", polcy: {} }] }, /"polcy" \(the keys are service, name, body, policy\)/],
  ])("%j: a misspelled key is refused with the right ones", async (options, message) => {
    await expect(startTest(options as object)).rejects.toThrow(message);
  });

  test("config refuses an invalid pattern", async () => {
    const client = await startTest();
    const { status } = await client.put("/_emulator/config", { deny: [{ permission: "a.b.c", resource: "^(" }] });
    expect(status).toBe(400);
  });

  test("advance moves the clock and ends due operations", async () => {
    const client = await startTest({ operationMs: 60_000 });
    await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    await client.post("/_emulator/advance", { ms: 60_000 });
    expect((await client.get(`${ASSOCIATIONS}/a`)).body.state).toBe("ACTIVE");
    for (const ms of [-1, 0.5, 1e16]) expect((await client.post("/_emulator/advance", { ms })).status).toBe(400);
    await expect(startTest({ operationMs: 1e15 })).rejects.toThrow("operationMs");
  });

  test("the longest operation at the latest time can be listed", async () => {
    const client = await startTest({ operationMs: 1e12 });
    client.emulator.advance(8e15 - client.emulator.now());
    await client.post(`${ASSOCIATIONS}?firewallEndpointAssociationId=a`, associationBody());
    expect((await client.get("/_emulator/operations")).body.operations).toHaveLength(1);
  });

  test("mutate changes a resource and its policy out of band, with a new etag", async () => {
    const client = await startTest({ seed: demoSeed });
    const name = "projects/demo-project/locations/us-central1/gateways/edge";
    const { body: before } = await client.get(`/v1beta/${name}:getIamPolicy?options.requestedPolicyVersion=3`);
    const { status } = await client.post("/_emulator/mutate", {
      name,
      patch: { labels: { env: null, tier: "gold" }, displayName: null },
      policy: { bindings: [{ role: "roles/viewer", members: ["user:x@b.c"] }] },
    });
    expect(status).toBe(200);
    const { body } = await client.get(`/v1beta/${name}`);
    expect([body.labels, body.displayName]).toEqual([{ tier: "gold" }, undefined]);
    const { body: policy } = await client.get(`/v1beta/${name}:getIamPolicy`);
    expect(policy).toMatchObject({ bindings: [{ role: "roles/viewer" }] });
    expect(policy.etag).not.toBe(before.etag);
    await client.post("/_emulator/mutate", { name, policy: null });
    expect((await client.get(`/v1beta/${name}:getIamPolicy`)).body).toEqual({ etag: "ACAB" });
    expect((await client.post("/_emulator/mutate", { name: "nobody" })).status).toBe(400);
  });

  test.each([
    ["an unknown field", { patch: { colour: "red" } }, 'patch: Unknown name "colour"'],
    ["a value of another type", { patch: { labels: "none" } }, "patch: Invalid value at 'labels'"],
    ["an unknown state", { patch: { state: { code: "ASLEEP" } } }, "patch: Invalid value at 'state.code'"],
    ["another name", { patch: { name: "other" } }, "patch.name: 'other' differs"],
  ])("mutate refuses %s and changes nothing", async (_, mutation, words) => {
    const client = await startTest({ seed: [scope] });
    const before = client.emulator.resource(SCOPE);
    const { status, body } = await client.post("/_emulator/mutate", { name: SCOPE, ...mutation });
    expect(status).toBe(400);
    expect(body.error.message).toContain(words);
    expect(client.emulator.resource(SCOPE)).toEqual(before);
  });

  test("mutate refuses to remove a required field or set an unsupported policy, and keeps labels of any name", async () => {
    const name = "projects/p/locations/us-central1-a/firewallEndpointAssociations/a";
    const client = await startTest({ seed: [{ service: "networksecurity", name, body: associationBody() }] });
    expect(() => client.emulator.mutate(name, { patch: { network: null } })).toThrow("patch.network: required");
    expect(() => client.emulator.mutate(name, { policy: {} })).toThrow("firewallEndpointAssociations have no access");
    client.emulator.mutate(name, { patch: { labels: { constructor: "a", z: "b" } } });
    expect(client.emulator.resource(name)?.body.labels).toEqual({ constructor: "a", z: "b" });
  });

  test("the route `resources` shows a resource, and removes it as somebody else would", async () => {
    const client = await startTest({ seed: [scope] });
    const query = `name=${encodeURIComponent(SCOPE)}`;
    expect((await client.get(`/_emulator/resources?${query}`)).body).toMatchObject({ service: "gkehub", name: SCOPE });
    expect((await client.get("/_emulator/resources")).body.resources).toHaveLength(1);
    expect((await client.delete(`/_emulator/resources?${query}`)).status).toBe(200);
    expect((await client.get(`/v1beta/${SCOPE}`)).status).toBe(404);
    expect((await client.delete(`/_emulator/resources?${query}`)).status).toBe(404);
  });

  test.each(["/_emulator/", "/_emulator/nothing", "/_emulator/constructor"])("%s is an unknown route", async (path) => {
    const client = await startTest();
    expect((await client.get(path)).status).toBe(404);
  });

  test.each([
    ["faults?idx=0", "the parameters are index"],
    ["resources?nam=x&service=gkehub", '"nam": the parameters are name, service'],
    ["requests?index=0", "this route has no parameters"],
  ])("DELETE %s is refused, because the parameter is unknown", async (route, words) => {
    const client = await startTest({ seed: [scope], faults: [{ fault: { status: 503 } }] });
    const { status, body } = await client.delete(`/_emulator/${route}`);
    expect(status).toBe(400);
    expect(body.error.message).toContain(words);
    expect([client.emulator.faults(), client.emulator.resources()].map(({ length }) => length)).toEqual([1, 1]);
  });

  test("HEAD is answered like GET, as probes of containers send it", async () => {
    const client = await startTest();
    const statusOf = async (route: string) => {
      return (await fetch(`${client.emulator.url}/_emulator/${route}`, { method: "HEAD" })).status;
    };
    expect([await statusOf("health"), await statusOf("nothing")]).toEqual([200, 404]);
  });

  test.each([
    ["broken JSON", '[{"fault":{}},'],
    ["several JSON values", '{"a":1}'],
    ["broken YAML in one line", "&a "],
    ["keys that repeat", "a: b\n"],
    ["a seed of many keys", "key#: b\n"],
    ["unknown directives", "%a\n"],
  ])("the steps to read %s grow with the length", async (_, part) => {
    const prepare = `(load) => {
      const { parseText } = load("emulator/control/parse-text");
      process.emitWarning = () => undefined;
      return (count) => {
        try {
          parseText("plan", Array.from({ length: count }, (_, index) => ${JSON.stringify(part)}.replace("#", index)).join(""));
        } catch (error) {
          if (error.message.length > 1000) throw error;
        }
      };
    }`;
    expect(await growthOf({ toString: () => prepare } as never, 400)).toBeLessThan(4.5);
  });

  test.each([
    ["large JSON without its end", `[${"1,".repeat(200_000)}`, /^plan: it is not valid JSON, .*JSON/],
    ["a key that repeats", "a: 1\nb: 2\na: 3", "plan: Map keys must be unique at line 3, column 1: a: 3"],
    ["a key that repeats within", "- {b: {c: 1, c: 2}}", "Map keys must be unique at line 1, column 14"],
    ["a bracket too many", "a: b\nc: [d]]", "at line 2, column 7: c: [d]]"],
    ["a very long tag", "!".repeat(10_000), "!!!… at line 1"],
  ])("the error about %s names the place", (_, source, words) => {
    expect(() => parseText("plan", source)).toThrow(words);
  });

  test("invalid input is refused", async () => {
    const client = await startTest();
    expect((await client.post("/_emulator/seed", "[: {")).status).toBe(400);
    expect((await client.post("/_emulator/mutate", "[]")).status).toBe(400);
  });
});

test("the event of a reset comes after everything is reset", async () => {
  const client = await startTest({ operationMs: 5, faults: [{ fault: { status: 503 } }] });
  client.emulator.configure({ operationMs: 60_000 });
  client.emulator.setFaults([]);
  await client.get(ASSOCIATIONS);
  const seen: unknown[] = [];
  client.emulator.subscribe(({ type }) => {
    const { operationMs } = client.emulator.config();
    seen.push([type, operationMs, client.emulator.faults().length, client.emulator.requests().length]);
  });
  client.emulator.reset();
  expect(seen[0]).toEqual(["reset", 5, 1, 0]);
});
