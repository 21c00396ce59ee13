import { AlreadyExistsError, ApiError, InputError, NotFoundError, NotReadyError } from "../../provider/core/errors";
import { UNKNOWN, type Values } from "../../provider/core/unknown";
import type { Provider } from "../../provider/runtime/provider";
import { FakeClock } from "../../provider/testing/clock";
import { Bench, failure, limits } from "../support/provider";
import { ASSOCIATION } from "../support/tokens";

const ZONE = "us-central1-a";
const ENDPOINT = `organizations/1/locations/${ZONE}/firewallEndpoints/e`;
const NAME = `projects/p/locations/${ZONE}/firewallEndpointAssociations/a`;
const POLICY = "projects/p/locations/us-central1/tlsInspectionPolicies/t";
const REQUEST_ID = "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11";
const network = (id: string) => `projects/p/global/networks/${id}`;
const basic = { firewallEndpoint: ENDPOINT, network: network("n"), location: ZONE, firewallEndpointAssociationId: "a" };

const inZone = (zone: string) => ({ ...basic, location: zone, firewallEndpoint: ENDPOINT.replace(ZONE, zone) });

let bench: Bench;
let provider: Provider;

beforeAll(async () => {
  bench = await Bench.start({ operationMs: 5_000 });
});
beforeEach(() => {
  bench.emulator.reset();
  provider = bench.provider();
});
afterAll(() => bench.emulator.stop());

/** A provider of the next run, for deletes: a run does not delete what it has made itself. */
const nextRun = () => bench.provider();
const live = (name = NAME) => bench.emulator.resource(name)?.body;
const all = () => bench.emulator.resources().map((each) => each.name);

async function check(given: Values, by = provider): Promise<Values> {
  const { inputs, problems } = await by.check(ASSOCIATION, given);
  expect(problems).toEqual([]);
  return inputs;
}

async function make(given: Values = basic, by = provider) {
  const inputs = await check(given, by);
  const { id, state } = await by.create(ASSOCIATION, inputs, limits());
  return { id, state, inputs };
}

describe("the whole walk", () => {
  test("check, plan, create, read, no difference, update, delete, gone", async () => {
    const given = { ...basic, labels: { env: "prod" }, tlsInspectionPolicy: POLICY };
    const inputs = await check(given);
    expect(inputs).toEqual({ ...given, project: "p" });

    const planned = provider.plan(ASSOCIATION, inputs);
    expect(planned).toEqual({
      ...inputs,
      name: NAME,
      createTime: UNKNOWN,
      updateTime: UNKNOWN,
      state: UNKNOWN,
      reconciling: UNKNOWN,
    });
    expect(bench.requests()).toEqual([]);

    const { id, state } = await provider.create(ASSOCIATION, inputs, limits());
    expect(id).toBe(NAME);
    expect(state).toEqual({
      ...inputs,
      name: NAME,
      createTime: expect.stringMatching(/^2026-/),
      updateTime: expect.stringMatching(/^2026-/),
      state: "ACTIVE",
      reconciling: false,
    });
    // Every value that the plan knew is in the result.
    for (const [property, value] of Object.entries(planned))
      if (value !== UNKNOWN) expect(state[property]).toEqual(value);
    const [post, ...reads] = bench.requests();
    expect(post).toMatchObject({ method: "POST", query: { firewallEndpointAssociationId: "a" } });
    expect(post?.query.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(reads.map((each) => `${each.method} ${each.path}`)).toEqual([`GET /v1beta1/${NAME}`]);

    expect(provider.diff(ASSOCIATION, { id, inputs, state }, inputs)).toEqual({ action: "none" });
    const read = await provider.read(ASSOCIATION, id, { inputs, state }, limits());
    expect(read).toEqual({ id, inputs, state });

    await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
    expect(live()).toBeUndefined();
    expect(await provider.read(ASSOCIATION, id, { inputs, state }, limits())).toBeUndefined();
    await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
  });

  test("with a URL for every reference comes to the same association", async () => {
    const { inputs, state } = await make({
      ...basic,
      network: `https://www.googleapis.com/compute/v1/${network("n")}`,
      firewallEndpoint: `//networksecurity.googleapis.com/${ENDPOINT}`,
      tlsInspectionPolicy: `https://networksecurity.googleapis.com/v1/${POLICY}`,
    });
    expect(live()).toMatchObject({ network: network("n"), firewallEndpoint: ENDPOINT, tlsInspectionPolicy: POLICY });
    const relative = await check({ ...basic, tlsInspectionPolicy: POLICY });
    expect(inputs).toEqual(relative);
    expect(provider.diff(ASSOCIATION, { id: NAME, inputs, state }, relative)).toEqual({ action: "none" });
  });

  test("without an id: the server names it, nothing is derived from the Pulumi name, and no run finds a difference", async () => {
    const { firewallEndpointAssociationId: _, ...given } = basic;
    const inputs = await check(given);
    expect(provider.plan(ASSOCIATION, inputs)).toMatchObject({ name: UNKNOWN, firewallEndpointAssociationId: UNKNOWN });
    const { id, state } = await provider.create(ASSOCIATION, inputs, limits());
    expect(bench.requests()[0]?.query).not.toHaveProperty("firewallEndpointAssociationId");
    expect(id).toMatch(/firewallEndpointAssociations\/[0-9a-f-]{36}$/);
    expect(state).toMatchObject({ name: id, firewallEndpointAssociationId: id.split("/").at(-1) });
    expect(provider.diff(ASSOCIATION, { id, inputs, state }, inputs)).toEqual({ action: "none" });
    const read = await provider.read(ASSOCIATION, id, { inputs, state }, limits());
    expect(read?.inputs).toEqual(inputs);
  });
});

describe("defaults", () => {
  test("of project and location come from the configuration, and are inputs like any other", async () => {
    const own = bench.provider({ project: "q", zone: "europe-west1-b" });
    const { location: _, ...given } = inZone("europe-west1-b");
    expect(await check(given, own)).toEqual({ ...given, project: "q", location: "europe-west1-b" });
    expect(await check({ ...basic, project: "given" }, own)).toEqual({ ...basic, project: "given" });
  });

  test("come from the environment in the order of the other providers", async () => {
    const environment = { GOOGLE_CLOUD_PROJECT: "second", GOOGLE_PROJECT: "first", CLOUDSDK_COMPUTE_ZONE: "z" };
    const own = bench.provider({ project: undefined }, environment);
    const { location: _, ...given } = inZone("z");
    expect(await check(given, own)).toMatchObject({ project: "first", location: "z" });
  });

  test("that nobody has are problems that list where was looked", async () => {
    const own = bench.provider({ project: undefined });
    const { location: _, ...given } = basic;
    const { problems } = await own.check(ASSOCIATION, given);
    expect(problems).toEqual([
      {
        path: "location",
        reason: expect.stringMatching(/perimeter:zone <zone>.*GOOGLE_ZONE, GCLOUD_ZONE, CLOUDSDK_COMPUTE_ZONE/),
      },
      {
        path: "project",
        reason: expect.stringMatching(
          /perimeter:project <project>.*GOOGLE_PROJECT, GOOGLE_CLOUD_PROJECT, .*nor in the credentials/,
        ),
      },
    ]);
  });

  test("that are no part of a name are problems, and not requests", async () => {
    const { problems } = await bench.provider({ project: "a/b" }).check(ASSOCIATION, basic);
    expect(problems).toEqual([
      { path: "project", reason: expect.stringContaining("must be one part of a resource name") },
    ]);
  });

  test("that change mean a replacement, and an omitted project equal to the default means nothing", async () => {
    const { id, inputs, state } = await make({ ...basic, project: "p" });
    const prior = { id, inputs, state };
    expect(provider.diff(ASSOCIATION, prior, await check(basic))).toEqual({ action: "none" });
    const changed = await check(basic, bench.provider({ project: "q" }));
    expect(provider.diff(ASSOCIATION, prior, changed)).toMatchObject({
      action: "replace",
      changes: [{ path: ["project"], replaces: true }],
    });
  });
});

describe("a project's id and its number", () => {
  const NUMBER = "123456789";

  test("are one project: nothing is replaced, and nothing in the state changes its spelling", async () => {
    const { id, inputs, state } = await make();
    const prior = { id, inputs, state };
    const respelled = await check({ ...basic, network: `projects/${NUMBER}/global/networks/n` }, numbered());
    expect(respelled.project).toBe(NUMBER);
    expect(provider.diff(ASSOCIATION, prior, respelled)).toEqual({ action: "none" });
    const labelled = { ...respelled, labels: { a: "b" } };
    expect(provider.diff(ASSOCIATION, prior, labelled)).toMatchObject({ action: "update" });
    expect(provider.plan(ASSOCIATION, labelled, prior)).toMatchObject({ name: NAME, project: "p" });
    const updated = await provider.update(ASSOCIATION, prior, labelled, limits());
    expect(updated).toMatchObject({ name: NAME, project: "p", labels: { a: "b" } });
  });

  test("stay as the program has them when a refresh looks", async () => {
    const { id, inputs, state } = await make();
    const respelled = { ...inputs, project: NUMBER };
    const read = await provider.read(ASSOCIATION, id, { inputs: respelled, state }, limits());
    expect([read?.inputs.project, read?.state.project]).toEqual([NUMBER, "p"]);
  });

  test("become another project where one number becomes another, or one id another", async () => {
    const { id, inputs, state } = await make();
    const prior = { id, inputs: { ...inputs, project: NUMBER }, state };
    const to = (project: string) => provider.diff(ASSOCIATION, prior, { ...inputs, project }).action;
    expect([to(NUMBER), to("p"), to("987654321"), to("q")]).toEqual(["none", "none", "replace", "replace"]);
  });

  const numbered = () => bench.provider({ project: NUMBER });
});

describe("a check", () => {
  const problems = async (given: Values) =>
    (await provider.check(ASSOCIATION, { ...basic, ...given })).problems.map(({ path, reason }) => `${path} ${reason}`);

  test.each(["us-central1", "europe-west12", "northamerica-northeast1", "global", "eu"])(
    "refuses %s, which is no zone",
    async (location) => {
      expect(await problems(inZone(location))).toEqual([expect.stringMatching(/^location must be a zone/)]);
    },
  );

  test.each(["us-central1-a", "us-central1-ai1a", "europe-west12-c", "z"])(
    "takes %s, which may be one",
    async (zone) => {
      expect(await problems(inZone(zone))).toEqual([]);
    },
  );

  test("refuses another location than the endpoint's, where both are known", async () => {
    const far = { location: "us-central1-b" };
    expect(await problems(far)).toEqual([
      "location must be the location in firewallEndpoint: an association lives in the zone of its endpoint",
    ]);
    expect(await problems({ ...far, firewallEndpoint: UNKNOWN })).toEqual([]);
    expect(await problems({ location: UNKNOWN })).toEqual([]);
  });

  test.each(["A", "prod_1", "a.b", "ä", "a".repeat(64)])("refuses the id %s", async (id) => {
    expect(await problems({ firewallEndpointAssociationId: id })).toEqual([
      expect.stringMatching(/^firewallEndpointAssociationId must (consist of|have at most 63)/),
    ]);
  });

  test.each<[string, Values, string[]]>([
    ["an id that the API's rule takes", { firewallEndpointAssociationId: "a".repeat(63) }, []],
    ["an id that the server made", { firewallEndpointAssociationId: REQUEST_ID }, []],
    ["no id", { firewallEndpointAssociationId: undefined }, []],
    ["an id that is not known yet", { firewallEndpointAssociationId: UNKNOWN }, []],
    ["an id that begins with a digit", { firewallEndpointAssociationId: "1a" }, ["firewallEndpointAssociationId"]],
    ["an id that ends with a hyphen", { firewallEndpointAssociationId: "a-" }, ["firewallEndpointAssociationId"]],
    ["a location of another shape", inZone("z"), ["location"]],
  ])("leaves %s to the preview, which warns of what is likely", async (_what, given, doubts) => {
    const inputs = await check({ ...basic, ...given });
    const lines: string[] = [];
    await provider.previewCreate(ASSOCIATION, inputs, [], limits({ lines }));
    expect(lines.map((line) => line.split(" ")[0])).toEqual(doubts);
  });

  test("takes an empty policy for none: there is no difference, and one that was there is cleared", async () => {
    expect(await check({ ...basic, tlsInspectionPolicy: "" })).toEqual(await check(basic));
    const { id, inputs, state } = await make({ ...basic, tlsInspectionPolicy: POLICY });
    const cleared = await check({ ...basic, tlsInspectionPolicy: "" });
    await provider.update(ASSOCIATION, { id, inputs, state }, cleared, limits());
    expect(live()).not.toHaveProperty("tlsInspectionPolicy");
    expect((await provider.check(ASSOCIATION, { ...basic, network: "" })).problems).toHaveLength(1);
  });
});

describe("an update", () => {
  const full = { ...basic, labels: { env: "prod", team: "a" }, tlsInspectionPolicy: POLICY };

  test.each<[string, Values, string, Values]>([
    ["a label changed", { labels: { env: "test", team: "a" } }, "labels", { labels: { env: "test", team: "a" } }],
    [
      "a label added",
      { labels: { env: "prod", team: "a", x: "" } },
      "labels",
      { labels: { env: "prod", team: "a", x: "" } },
    ],
    ["labels removed", { labels: undefined }, "labels", { labels: undefined }],
    ["labels emptied", { labels: {} }, "labels", { labels: undefined }],
    [
      "the policy changed",
      { tlsInspectionPolicy: `${POLICY}2` },
      "tlsInspectionPolicy",
      { tlsInspectionPolicy: `${POLICY}2` },
    ],
    [
      "the policy removed",
      { tlsInspectionPolicy: undefined },
      "tlsInspectionPolicy",
      { tlsInspectionPolicy: undefined },
    ],
    ["the network changed", { network: network("m") }, "network", { network: network("m") }],
    [
      "the endpoint changed",
      { firewallEndpoint: `${ENDPOINT}2` },
      "firewallEndpoint",
      { firewallEndpoint: `${ENDPOINT}2` },
    ],
    [
      "several at once",
      { network: network("m"), labels: { only: "one" } },
      "network,labels",
      { network: network("m"), labels: { only: "one" } },
    ],
  ])("%s: in place, with exactly this mask", async (_what, change, mask, after) => {
    const { id, inputs, state } = await make(full);
    const wanted = await check({ ...full, ...change });
    const diff = provider.diff(ASSOCIATION, { id, inputs, state }, wanted);
    expect(diff.action).toBe("update");
    expect(provider.plan(ASSOCIATION, wanted, { id, inputs, state })).toMatchObject({
      name: id,
      createTime: state.createTime,
    });
    bench.requests();
    const updated = await provider.update(ASSOCIATION, { id, inputs, state }, wanted, limits());
    const [patch, read, ...others] = bench.requests();
    expect(patch).toMatchObject({ method: "PATCH", query: { updateMask: mask, requestId: expect.any(String) } });
    expect([read?.method, others]).toEqual(["GET", []]);
    const { labels, tlsInspectionPolicy, network: net, firewallEndpoint } = { ...full, ...after } as Values;
    expect(live()?.labels).toEqual(labels);
    expect(live()?.tlsInspectionPolicy).toEqual(tlsInspectionPolicy);
    expect([live()?.network, live()?.firewallEndpoint]).toEqual([net, firewallEndpoint]);
    expect(provider.diff(ASSOCIATION, { id, inputs: wanted, state: updated }, wanted)).toEqual({ action: "none" });
  });

  test("of the requestId alone changes nothing and asks for nothing", async () => {
    const { id, inputs, state } = await make({ ...basic, requestId: REQUEST_ID });
    const wanted = await check({ ...basic, requestId: "5d0f2f0e-7d0b-4c3c-9a55-0d1f5ad0c8f4" });
    expect(provider.diff(ASSOCIATION, { id, inputs, state }, wanted)).toEqual({ action: "none" });
  });

  test("that the API refuses as immutable names the property and both remedies", async () => {
    bench.emulator.configure({ immutableFields: ["network"] });
    const { id, inputs, state } = await make();
    const wanted = await check({ ...basic, network: network("m"), labels: { a: "b" } });
    const error = await failure(provider.update(ASSOCIATION, { id, inputs, state }, wanted, limits()));
    expect(error).toBeInstanceOf(ApiError);
    expect(error.message).toContain("Field 'network' is immutable");
    expect(error.message).toContain('replaceOnChanges to ["network"]');
    expect(error.message).toContain("--replace");
  });

  test("of an association that is gone says what to do", async () => {
    const { id, inputs, state } = await make();
    bench.emulator.remove(NAME);
    const wanted = await check({ ...basic, labels: { a: "b" } });
    const error = await failure(provider.update(ASSOCIATION, { id, inputs, state }, wanted, limits()));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toContain("pulumi refresh");
  });

  test("that meets another operation waits for its end", async () => {
    const { id, inputs, state } = await make();
    const wanted = await check({ ...basic, labels: { a: "b" } });
    await fetch(`${bench.emulator.url}/v1beta1/${NAME}?updateMask=labels`, {
      method: "PATCH",
      body: '{"labels":{"x":"y"}}',
    });
    bench.requests();
    const updated = await provider.update(ASSOCIATION, { id, inputs, state }, wanted, limits());
    expect(updated.labels).toEqual({ a: "b" });
    expect(bench.requests().filter((each) => each.status === 409).length).toBeGreaterThan(0);
  });
});

describe("a replacement", () => {
  test.each<[string, Values, boolean]>([
    ["of the location alone leaves room for both", { location: "us-central1-b" }, false],
    ["of the project, with the same network in the same zone, cannot have both", { project: "q" }, true],
    [
      "of the id, with the same network in the same zone, cannot have both",
      { firewallEndpointAssociationId: "b" },
      true,
    ],
    [
      "of the id and the network leaves room for both",
      { firewallEndpointAssociationId: "b", network: network("m") },
      false,
    ],
    ["with a location that is not known yet might collide", { location: UNKNOWN }, true],
    [
      "with an id that is not known yet and another network might collide",
      { firewallEndpointAssociationId: UNKNOWN, network: network("m") },
      true,
    ],
  ])("%s", async (_what, change, deleteBeforeReplace) => {
    const { id, inputs, state } = await make();
    const wanted = { ...inputs, ...change };
    expect(provider.diff(ASSOCIATION, { id, inputs, state }, wanted)).toMatchObject({
      action: "replace",
      deleteBeforeReplace,
    });
  });

  test("that leaves room does exist side by side, and one that does not is refused by the API", async () => {
    await make();
    await make({ ...basic, firewallEndpointAssociationId: "b", network: network("m") });
    await make(inZone("us-central1-b"));
    expect(all()).toHaveLength(3);
    const error = await failure(make({ ...basic, firewallEndpointAssociationId: "c" }));
    expect(error.message).toContain("already has a firewall endpoint association in this zone");
  });
});

describe("a create", () => {
  test("sends the requestId that the program gives", async () => {
    const { state } = await make({ ...basic, requestId: REQUEST_ID });
    expect(bench.requests()[0]?.query.requestId).toBe(REQUEST_ID);
    expect(state.requestId).toBe(REQUEST_ID);
  });

  test("of something that exists explains how to import it", async () => {
    await make();
    const inputs = await check(basic);
    const error = await failure(bench.provider().create(ASSOCIATION, inputs, limits({ identity: "another stack" })));
    expect(error).toBeInstanceOf(AlreadyExistsError);
    expect(error.message).toContain(`pulumi import ${ASSOCIATION} <name> ${NAME}`);
  });

  test("repeated by the run after one that was killed adopts what the first one made", async () => {
    const inputs = await check(basic);
    const first = provider.create(ASSOCIATION, inputs, limits());
    await first;
    const again = await bench.provider().create(ASSOCIATION, inputs, limits());
    expect(again.id).toBe(NAME);
    expect(all()).toEqual([NAME]);
    const ids = bench
      .requests()
      .filter((each) => each.method === "POST")
      .map((each) => each.query.requestId);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });

  test("whose first answer was lost is repeated with the same requestId and makes one association", async () => {
    bench.emulator.setFaults([{ match: { method: "POST" }, fault: { reset: "after" } }]);
    const { firewallEndpointAssociationId: _, ...given } = basic;
    await make(given);
    const posts = bench.requests().filter((each) => each.method === "POST");
    expect(new Set(posts.map((each) => each.query.requestId)).size).toBe(1);
    expect([posts.length, all().length]).toEqual([2, 1]);
  });

  test("after a destroy, within the hour, is not fooled by the old operation", async () => {
    const { id, inputs, state } = await make();
    await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
    const again = await bench.provider().create(ASSOCIATION, inputs, limits());
    expect(again.state.state).toBe("ACTIVE");
    expect(live()).toBeDefined();
  });

  test("with a requestId of the program's that is stale says so, and what to do", async () => {
    const given = { ...basic, requestId: REQUEST_ID };
    const { id, inputs, state } = await make(given);
    await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
    const error = await failure(bench.provider().create(ASSOCIATION, inputs, limits()));
    expect(error.message).toContain("an earlier create that had the same requestId");
    expect(error.message).toContain("give a new one, or none");
    bench.clock.advance(60 * 60_000);
    await make(given);
    expect(live()).toBeDefined();
  });

  test("with the requestId of another association's create is not taken for it", async () => {
    await make({ ...basic, requestId: REQUEST_ID });
    const other = { ...basic, firewallEndpointAssociationId: "b", network: network("m"), requestId: REQUEST_ID };
    const error = await failure(make(other));
    expect(error.message).toContain("an earlier create that had the same requestId");
  });

  test("is adopted by nobody but the resource that began it", async () => {
    const { id, inputs, state } = await make();
    const run = nextRun();
    // The state lists it under another name; a front that tells the two apart badly gives both the same request id.
    run.diff(ASSOCIATION, { id, inputs, state }, inputs, { identity: "urn:pulumi:dev::demo::type::other" });
    const error = await failure(run.create(ASSOCIATION, inputs, limits()));
    expect(error).toBeInstanceOf(AlreadyExistsError);
    expect(live()).toBeDefined();
  });

  test("with the program's requestId adopts only what is as the program says", async () => {
    const given = { ...basic, labels: { env: "prod" }, requestId: REQUEST_ID };
    const { inputs } = await make(given);
    expect((await nextRun().create(ASSOCIATION, inputs, limits())).id).toBe(NAME);
    const error = await failure(make({ ...given, labels: { env: "test" } }, nextRun()));
    expect(error.message).toContain("an earlier create that had the same requestId");
  });

  test("of something that exists names no import where the front has none", async () => {
    const { inputs } = await make();
    const front = bench.provider({}, {}, { canImport: false });
    const error = await failure(front.create(ASSOCIATION, inputs, limits({ identity: "another stack" })));
    expect(error).toBeInstanceOf(AlreadyExistsError);
    expect(error.message).not.toContain(`pulumi import ${ASSOCIATION}`);
    expect(error.message).toContain(`FirewallEndpointAssociation.get("<name>", "${NAME}")`);
  });

  test("in another backend is another one, where project, stack and name are the same", async () => {
    const inputs = await check(basic);
    const into = (url: string) => bench.provider({}, { PULUMI_BACKEND_URL: url });
    await into("file:///one").create(ASSOCIATION, inputs, limits());
    expect((await into("file:///one").create(ASSOCIATION, inputs, limits())).id).toBe(NAME);
    const error = await failure(into("file:///two").create(ASSOCIATION, inputs, limits()));
    expect(error).toBeInstanceOf(AlreadyExistsError);
  });

  test("in a region, which the API refuses, says that the location is a zone", async () => {
    const error = await failure(make(inZone("us-central")));
    expect(error.message).toContain('location is "us-central": an association lives in a zone');
  });

  test("whose operation ends in an error is that error, with the operation's name", async () => {
    const fault = { operationError: { code: 8, message: "The zone is full." } };
    bench.emulator.setFaults([{ match: { method: "POST" }, fault }]);
    const error = await failure(make());
    expect(error).toMatchObject({
      status: "RESOURCE_EXHAUSTED",
      cloudMessage: "The zone is full.",
      httpStatus: undefined,
    });
    expect(error.message).toContain("/operations/operation-");
    // The same request id brings back the failed operation; the next run does not stop at it.
    await make();
    expect(live()).toBeDefined();
  });

  describe("whose operation has failed when it is answered", () => {
    /** Answers every POST with an operation that began so long ago by the server's clock. Default: now. */
    function answering(metadata: (now: number) => Values): void {
      const began = bench.clock.now();
      bench.emulator.setFaults([
        {
          match: { method: "POST" },
          times: 0,
          fault: {
            body: {
              name: `projects/p/locations/${ZONE}/operations/operation-1`,
              done: true,
              error: { code: 9, message: "The endpoint is not ready." },
              metadata: { target: NAME, ...metadata(began) },
            },
          },
        },
      ]);
    }
    const at = (ms: number) => ({ createTime: new Date(ms).toISOString(), endTime: new Date(ms).toISOString() });
    const posts = () => bench.requests().filter((each) => each.method === "POST");

    test("is not created again: the operation began after our request", async () => {
      answering((now) => at(now));
      const error = await failure(make());
      expect(error).toMatchObject({ status: "FAILED_PRECONDITION", cloudMessage: "The endpoint is not ready." });
      expect(posts()).toHaveLength(1);
    });

    test.each([-3_600_000, 3_600_000])(
      "is not created again where our clock is %i ms off the server's",
      async (offset) => {
        answering((now) => at(now));
        const skewed = new FakeClock(bench.clock.now() + offset);
        await failure(make(basic, bench.provider({}, {}, { clock: skewed })));
        expect(posts()).toHaveLength(1);
      },
    );

    test("is created once more where the answer does not say when the operation began", async () => {
      answering(() => ({}));
      const error = await failure(make());
      expect(error.message).toContain("The endpoint is not ready.");
      const ids = posts().map((each) => each.query.requestId);
      expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
    });

    test("is created once more where the server's two clocks differ", async () => {
      answering((now) => at(now - 60_000));
      const error = await failure(make());
      expect(error.message).toContain("The endpoint is not ready.");
      expect(posts()).toHaveLength(2);
    });
  });

  test("whose answer names no operation is an error, not a wait", async () => {
    bench.emulator.setFaults([{ match: { method: "POST" }, times: 0, fault: { body: { unexpected: true } } }]);
    const error = await failure(make());
    expect(error.message).toContain("firewall endpoint association");
  });
});

describe("a create that is interrupted", () => {
  test("when its time is over is kept, with its operation, and the next update waits for that", async () => {
    const inputs = await check(basic);
    const error = await failure(provider.create(ASSOCIATION, inputs, limits({ timeout: 2_000 })));
    expect(error).toBeInstanceOf(NotReadyError);
    const { id, properties, reasons } = error as unknown as NotReadyError;
    expect(id).toBe(NAME);
    expect(reasons[0]).toMatch(/Operation projects\/p\/.*\/operations\/operation-.* \(create\) goes on in the cloud/);
    expect(live()?.state).toBe("CREATING");
    bench.requests();
    const state = await bench.provider().update(ASSOCIATION, { id, inputs, state: properties }, inputs, limits());
    expect(state).toMatchObject({ name: NAME, state: "ACTIVE" });
    expect(Object.keys(state).filter((key) => key.startsWith("__"))).toEqual([]);
    expect(bench.requests().map((each) => each.method)).not.toContain("POST");
  });

  test("by a stop of the engine is kept at once, and the next refresh waits for it", async () => {
    const inputs = await check(basic);
    bench.clock.onSleep = (number) => {
      if (bench.clock.sleeps.length === number) provider.cancel();
    };
    const error = await failure(provider.create(ASSOCIATION, inputs, limits())).finally(() => {
      bench.clock.onSleep = () => {};
    });
    expect(error).toBeInstanceOf(NotReadyError);
    expect(error.message).toMatch(/^Stopped/);
    const { id, properties } = error as unknown as NotReadyError;
    const read = await bench.provider().read(ASSOCIATION, id, { inputs, state: properties }, limits());
    expect(read?.state).toMatchObject({ state: "ACTIVE", reconciling: false });
    expect(provider.diff(ASSOCIATION, { id, inputs, state: read?.state ?? {} }, inputs)).toEqual({ action: "none" });
  });

  test("and still not ready at the next refresh stays not ready", async () => {
    bench.emulator.configure({ operationMs: 60_000 });
    const inputs = await check(basic);
    const first = (await failure(
      provider.create(ASSOCIATION, inputs, limits({ timeout: 2_000 })),
    )) as unknown as NotReadyError;
    const again = await failure(
      provider.read(ASSOCIATION, first.id, { inputs, state: first.properties }, limits({ timeout: 2_000 })),
    );
    expect(again).toBeInstanceOf(NotReadyError);
    expect((again as unknown as NotReadyError).properties).toEqual(first.properties);
  });

  test("and failed meanwhile is gone at the next refresh, and an update says to refresh", async () => {
    const fault = { operationError: { code: 13, message: "No." } };
    bench.emulator.setFaults([{ match: { method: "POST" }, fault }]);
    const inputs = await check(basic);
    const first = (await failure(
      provider.create(ASSOCIATION, inputs, limits({ timeout: 2_000 })),
    )) as unknown as NotReadyError;
    const prior = { id: first.id, inputs, state: first.properties };
    const update = await failure(provider.update(ASSOCIATION, prior, inputs, limits()));
    expect(update).toMatchObject({ status: "INTERNAL", cloudMessage: "No." });
    expect(update.message).toContain("pulumi refresh");
    const lines: string[] = [];
    expect(await provider.read(ASSOCIATION, first.id, prior, limits({ lines }))).toBeUndefined();
    expect(lines.at(-1)).toMatch(/create that an earlier run began has failed.*No\./s);
  });

  test("and failed half way meanwhile is told so by update and refresh, with the reason", async () => {
    const fault = { operationError: { code: 13, message: "No.", keepResource: true } };
    bench.emulator.setFaults([{ match: { method: "POST" }, fault }]);
    const inputs = await check(basic);
    const first = (await failure(
      provider.create(ASSOCIATION, inputs, limits({ timeout: 2_000 })),
    )) as unknown as NotReadyError;
    const prior = { id: first.id, inputs, state: first.properties };
    for (const next of [
      () => provider.update(ASSOCIATION, prior, inputs, limits()),
      () => provider.read(ASSOCIATION, first.id, prior, limits()),
    ]) {
      const error = await failure(next());
      expect(error).toBeInstanceOf(NotReadyError);
      expect(error.message).toMatch(/No\.[^]*pulumi destroy --target/);
    }
  });

  test("and disabled by somebody meanwhile is ready: it is inactive because it is disabled", async () => {
    const inputs = await check(basic);
    const first = (await failure(
      provider.create(ASSOCIATION, inputs, limits({ timeout: 2_000 })),
    )) as unknown as NotReadyError;
    bench.clock.advance(60_000);
    await fetch(`${bench.emulator.url}/v1beta1/${NAME}?updateMask=disabled`, {
      method: "PATCH",
      body: '{"disabled":true}',
    });
    bench.clock.advance(60_000);
    expect(live()).toBeDefined();
    const lines: string[] = [];
    const prior = { id: first.id, inputs, state: first.properties };
    const updated = await provider.update(ASSOCIATION, prior, inputs, limits({ lines }));
    expect(updated.state).toBe("INACTIVE");
    expect(lines.join("\n")).toMatch(/is disabled/);
  });

  test("is finished by an update that says why there is one", async () => {
    const inputs = await check(basic);
    const first = (await failure(
      provider.create(ASSOCIATION, inputs, limits({ timeout: 2_000 })),
    )) as unknown as NotReadyError;
    const lines: string[] = [];
    const prior = { id: first.id, inputs, state: first.properties };
    await provider.update(ASSOCIATION, prior, inputs, limits({ lines }));
    expect(lines[0]).toMatch(/finishes what an earlier run began.*create.*operation-/i);
  });

  test("and whose operation the server has forgotten is what is there", async () => {
    const inputs = await check(basic);
    const first = (await failure(
      provider.create(ASSOCIATION, inputs, limits({ timeout: 2_000 })),
    )) as unknown as NotReadyError;
    bench.clock.advance(60_000);
    bench.emulator.setFaults([{ match: { path: "**/operations/*" }, times: 0, fault: { status: 404 } }]);
    const read = await provider.read(ASSOCIATION, first.id, { inputs, state: first.properties }, limits());
    expect(read?.state.state).toBe("ACTIVE");
  });
});

test("an update that is interrupted is kept, and the next one does what is left", async () => {
  const { id, inputs, state } = await make();
  const wanted = await check({ ...basic, labels: { a: "b" } });
  const error = await failure(provider.update(ASSOCIATION, { id, inputs, state }, wanted, limits({ timeout: 2_000 })));
  expect(error).toBeInstanceOf(NotReadyError);
  const { properties } = error as unknown as NotReadyError;
  bench.requests();
  const updated = await provider.update(ASSOCIATION, { id, inputs: wanted, state: properties }, wanted, limits());
  expect(updated.labels).toEqual({ a: "b" });
  // The interrupted run has done it already.
  expect(bench.requests().map((each) => each.method)).toEqual(["GET", "GET"]);
});

describe("a refresh", () => {
  test("sees what somebody else changed, as inputs too, so that the next run puts it right", async () => {
    const { id, inputs, state } = await make({ ...basic, labels: { env: "prod" } });
    bench.emulator.mutate(NAME, { patch: { labels: { env: "test" }, tlsInspectionPolicy: POLICY } });
    const read = await provider.read(ASSOCIATION, id, { inputs, state }, limits());
    expect(read?.inputs).toEqual({ ...inputs, labels: { env: "test" }, tlsInspectionPolicy: POLICY });
    const diff = provider.diff(ASSOCIATION, { id, inputs: read?.inputs, state: read?.state ?? {} }, inputs);
    expect(diff).toMatchObject({
      action: "update",
      changes: [{ path: ["labels", "env"] }, { path: ["tlsInspectionPolicy"], kind: "delete" }],
    });
  });

  test("keeps the program's project where the API answers its number", async () => {
    const { id, inputs, state } = await make();
    bench.emulator.mutate(NAME, { patch: { network: "projects/123456/global/networks/n" } });
    const read = await provider.read(ASSOCIATION, id, { inputs, state }, limits());
    expect(read?.inputs).toEqual(inputs);
    expect(read?.state.network).toBe(network("n"));
  });

  test("keeps empty labels and the requestId, which the API does not answer", async () => {
    const { id, inputs, state } = await make({ ...basic, labels: {}, requestId: REQUEST_ID });
    const read = await provider.read(ASSOCIATION, id, { inputs, state }, limits());
    expect(read?.inputs).toEqual(inputs);
    expect(read?.state.requestId).toBe(REQUEST_ID);
  });

  test("works through a front that keeps outputs only", async () => {
    const { id, inputs, state } = await make();
    const read = await provider.read(ASSOCIATION, id, { state }, limits());
    expect(read?.state).toEqual(state);
    expect(read?.inputs).toMatchObject(inputs);
  });
});

describe("an import", () => {
  test.each([
    NAME,
    `//networksecurity.googleapis.com/${NAME}`,
    `https://networksecurity.googleapis.com/v1beta1/${NAME}`,
    ` ${NAME} `,
  ])("by %s takes everything over, and the next run finds no difference", async (id) => {
    const given = { ...basic, labels: { env: "prod" }, tlsInspectionPolicy: POLICY };
    await make(given);
    const read = await provider.read(ASSOCIATION, id, undefined, limits());
    expect(read?.id).toBe(NAME);
    expect(read?.inputs).toEqual({ ...given, project: "p" });
    const wanted = await check(given);
    expect(provider.diff(ASSOCIATION, { id: NAME, inputs: read?.inputs, state: read?.state ?? {} }, wanted)).toEqual({
      action: "none",
    });
  });

  test("of one that is not there says so", async () => {
    expect(await provider.read(ASSOCIATION, NAME, undefined, limits())).toBeUndefined();
  });

  test("by something else shows the form", async () => {
    const error = await failure(provider.read(ASSOCIATION, "a", undefined, limits()));
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toContain("projects/{project}/locations/{location}/firewallEndpointAssociations/");
  });
});

describe("a delete", () => {
  test("that meets another operation waits for its end", async () => {
    const { id, inputs, state } = await make();
    await fetch(`${bench.emulator.url}/v1beta1/${NAME}?updateMask=labels`, {
      method: "PATCH",
      body: '{"labels":{"x":"y"}}',
    });
    await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
    expect(live()).toBeUndefined();
  });

  test("whose answer was lost is done", async () => {
    const { id, inputs, state } = await make();
    bench.emulator.setFaults([{ match: { method: "DELETE" }, fault: { reset: "after" } }]);
    await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
    expect(live()).toBeUndefined();
  });

  test("that is interrupted says what happens next, and that does happen", async () => {
    const { id, inputs, state } = await make();
    const prior = { id, inputs, state };
    const error = await failure(nextRun().delete(ASSOCIATION, prior, limits({ timeout: 2_000 })));
    expect(error.message).toMatch(/Operation projects\/p\/.* \(delete\) goes on in the cloud/);
    expect(error.message).toMatch(/stays in the state.*pulumi up, pulumi destroy or pulumi refresh.*until it is gone/s);
    bench.requests();
    // After a failed delete, engines keep the state from before it, which does not tell that a delete is under way.
    await bench.provider().delete(ASSOCIATION, prior, limits());
    expect(live()).toBeUndefined();
    expect(bench.emulator.requests().filter((each) => each.method === "DELETE" && each.status === 200)).toEqual([]);
  });

  test("that is repeated while the first one goes on says that its time is over", async () => {
    bench.emulator.configure({ operationMs: 60_000 });
    const { id, inputs, state } = await make();
    const prior = { id, inputs, state };
    await failure(nextRun().delete(ASSOCIATION, prior, limits({ timeout: 2_000 })));
    const again = await failure(bench.provider().delete(ASSOCIATION, prior, limits({ timeout: 2_000 })));
    expect(again).toMatchObject({ code: "TIMEOUT" });
    expect(again.message).toMatch(/its time is over.*(busy|deleted)/s);
  });

  test("of what another resource of the run holds leaves it, and says so", async () => {
    const { id, inputs, state } = await make();
    const run = nextRun();
    const [kept, gone] = ["urn:pulumi:dev::demo::type::kept", "urn:pulumi:dev::demo::type::gone"];
    run.diff(ASSOCIATION, { id, inputs, state }, inputs, { identity: kept });
    const lines: string[] = [];
    await run.delete(ASSOCIATION, { id, inputs, state }, limits({ identity: gone, lines }));
    expect(live()).toBeDefined();
    expect(lines.join()).toContain(`${NAME} stays in the cloud: ${kept}`);
  });

  test("of what another resource declares and could not make is refused, with the way out", async () => {
    const { id, inputs, state } = await make();
    const run = nextRun();
    const identity = "urn:pulumi:dev::demo::type::renamed";
    await run.check(ASSOCIATION, basic, { identity });
    await failure(run.create(ASSOCIATION, inputs, limits({ identity })));
    const error = await failure(run.delete(ASSOCIATION, { id, inputs, state }, limits()));
    expect(error).toMatchObject({ code: "REFUSED" });
    expect(error.message).toMatch(/renamed declares the same association.*alias/s);
    expect(live()).toBeDefined();
  });

  test("that is denied is an error, and the association stays", async () => {
    const { id, inputs, state } = await make();
    bench.emulator.configure({ deny: ["networksecurity.firewallEndpointAssociations.delete"] });
    const error = await failure(nextRun().delete(ASSOCIATION, { id, inputs, state }, limits()));
    expect(error.message).toContain("Missing permission: networksecurity.firewallEndpointAssociations.delete");
    expect(live()).toBeDefined();
  });
});

test("a long operation shows how it is getting on", async () => {
  const lines: string[] = [];
  await provider.create(ASSOCIATION, await check(basic), limits({ lines }));
  expect(lines[0]).toMatch(/^creating: 0 s of at most 20 min 0 s \(operation operation-/);
  expect(lines.at(-1)).toMatch(/^creating: [45] s/);
});
