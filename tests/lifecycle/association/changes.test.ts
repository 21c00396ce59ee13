/** What can be told of inputs before a request, updates in place, and replacements. */
import { ApiError, NotFoundError, NotReadyError } from "../../../provider/core/errors";
import { UNKNOWN, type Values } from "../../../provider/core/unknown";
import { failure, limits } from "../../support/provider";
import { ASSOCIATION } from "../../support/tokens";
import {
  useBench,
  ENDPOINT,
  NAME,
  POLICY,
  REQUEST_ID,
  network,
  basic,
  inZone,
  bench,
  provider,
  live,
  all,
  check,
  make,
} from "./scene";

useBench();

describe("a check", () => {
  const problems = async (given: Values) =>
    (await provider.check(ASSOCIATION, { ...basic, ...given })).problems.map(({ path, reason }) => `${path} ${reason}`);

  test.each(["us-central1", "europe-west12", "northamerica-northeast1", "global", "eu"])(
    "refuses %s, which is no zone",
    async (location) => {
      expect(await problems(inZone(location))).toEqual([expect.stringMatching(/^location must be the zone/)]);
    },
  );

  test.each(["us-central1-a", "us-central1-ai1a", "europe-west12-c", "z"])(
    "takes %s, which may be one",
    async (zone) => {
      expect(await problems(inZone(zone))).toEqual([]);
    },
  );

  test("refuses a location that differs from the known location of the endpoint", async () => {
    const far = { location: "us-central1-b" };
    expect(await problems(far)).toEqual([
      "location must be the location in firewallEndpoint: an association belongs to the zone of its endpoint",
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
    await provider.previewCreate(ASSOCIATION, inputs, limits({ lines }));
    expect(lines.map((line) => line.split(" ")[0])).toEqual(doubts);
  });

  test("treats an empty policy as absent: a new one makes no difference, and an earlier policy is cleared", async () => {
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
    const diff = provider.compare(ASSOCIATION, { id, inputs, state }, wanted).diff;
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
    expect(provider.compare(ASSOCIATION, { id, inputs: wanted, state: updated }, wanted).diff).toEqual({
      action: "none",
    });
  });

  test("reads once, also if somebody else has changed another property since the last refresh", async () => {
    const { id, inputs, state } = await make();
    bench.emulator.mutate(NAME, { patch: { network: network("theirs") } });
    const wanted = await check({ ...basic, labels: { a: "b" } });
    bench.requests();
    const updated = await provider.update(ASSOCIATION, { id, inputs, state }, wanted, limits());
    expect(bench.requests().map((each) => each.method)).toEqual(["PATCH", "GET"]);
    expect([live()?.network, updated.network, updated.labels]).toEqual([
      network("theirs"),
      network("theirs"),
      { a: "b" },
    ]);
  });

  test("of only the requestId changes nothing and sends no request", async () => {
    const { id, inputs, state } = await make({ ...basic, requestId: REQUEST_ID });
    const wanted = await check({ ...basic, requestId: "5d0f2f0e-7d0b-4c3c-9a55-0d1f5ad0c8f4" });
    expect(provider.compare(ASSOCIATION, { id, inputs, state }, wanted).diff).toEqual({ action: "none" });
  });

  test("reports the property and the remedy when the API refuses the change as immutable", async () => {
    bench.emulator.configure({ immutableFields: ["network"] });
    const { id, inputs, state } = await make();
    const wanted = await check({ ...basic, network: network("m"), labels: { a: "b" } });
    const error = await failure(provider.update(ASSOCIATION, { id, inputs, state }, wanted, limits()));
    expect(error).toBeInstanceOf(ApiError);
    expect(error.message).toContain("Field 'network' is immutable");
    expect(error.message).toContain("deleteBeforeReplace");
    expect(error.message).toContain("--replace");
  });

  test("reports what to do when the association no longer exists", async () => {
    const { id, inputs, state } = await make();
    bench.emulator.remove(NAME);
    const wanted = await check({ ...basic, labels: { a: "b" } });
    const error = await failure(provider.update(ASSOCIATION, { id, inputs, state }, wanted, limits()));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toContain("pulumi refresh");
  });

  test("waits until another operation on the association has ended", async () => {
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

test("the update after an interrupted update makes the remaining changes", async () => {
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
    expect(provider.compare(ASSOCIATION, { id, inputs, state }, wanted).diff).toMatchObject({
      action: "replace",
      deleteBeforeReplace,
    });
  });

  test("creates the new association before the delete if the zone allows both; otherwise the API refuses it", async () => {
    await make();
    await make({ ...basic, firewallEndpointAssociationId: "b", network: network("m") });
    await make(inZone("us-central1-b"));
    expect(all()).toHaveLength(3);
    const error = await failure(make({ ...basic, firewallEndpointAssociationId: "c" }));
    expect(error.message).toContain("already has a firewall endpoint association in this zone");
  });
});
