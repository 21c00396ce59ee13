/** What can be told of inputs before a change, updates in place, and replacements. */
import type { StatusName } from "../../../emulator/base/errors";
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
    ["an id that begins with a digit", { firewallEndpointAssociationId: "1a" }, ["firewallEndpointAssociationId"]],
    ["an id that ends with a hyphen", { firewallEndpointAssociationId: "a-" }, ["firewallEndpointAssociationId"]],
    ["a location of another shape", inZone("z"), ["location"]],
    ["both", { ...inZone("z"), firewallEndpointAssociationId: "1a" }, ["firewallEndpointAssociationId", "location"]],
    ["an id and a location that are not known yet", { firewallEndpointAssociationId: UNKNOWN, location: UNKNOWN }, []],
  ])("leaves %s to the preview, which warns of what is likely", async (_what, given, doubts) => {
    const inputs = await check({ ...basic, ...given });
    const lines: string[] = [];
    await provider.previewCreate(ASSOCIATION, inputs, limits({ lines }));
    expect(lines.map((line) => line.split(" ")[0])).toEqual(doubts);
  });

  test("takes 64 labels, and refuses one more", async () => {
    const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`l${at}`, "x"]));
    expect(await problems({ labels: labels(64) })).toEqual([]);
    expect(await problems({ labels: labels(65) })).toEqual(["labels must have at most 64 labels, has 65"]);
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

describe("a preflight", () => {
  const obstacles = async () => provider.preflight(ASSOCIATION, await check(basic), limits());

  test("is silent about a free name, and names the association that has a taken one", async () => {
    expect(await obstacles()).toEqual([]);
    await make();
    expect(await obstacles()).toEqual([expect.stringContaining(`${NAME} exists already`)]);
  });

  test("reports a missing permission to read, and fails where the result is unknown", async () => {
    bench.emulator.configure({ deny: ["networksecurity.firewallEndpointAssociations.get"] });
    expect(await obstacles()).toEqual([expect.stringContaining("PERMISSION_DENIED")]);
    bench.emulator.setFaults([{ times: 0, fault: { status: "UNAVAILABLE" } }]);
    expect((await failure(obstacles())).message).toContain("UNAVAILABLE");
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
    expect(error.message).toContain(
      "changing network in place, replace the association: set the resource option deleteBeforeReplace to true, " +
        "and run pulumi up --replace <urn>",
    );
  });

  const both = { network: network("m"), firewallEndpoint: `${ENDPOINT}2` };
  test.each<[StatusName, Values, string]>([
    ["FAILED_PRECONDITION", { ...both, labels: { a: "b" } }, "changing firewallEndpoint and network in place"],
    ["INVALID_ARGUMENT", { labels: { a: "b" } }, "no remedy"],
    ["PERMISSION_DENIED", both, "no remedy"],
  ])("that is answered %s advises a replacement where it would help: %j, %s", async (status, change, advice) => {
    const { id, inputs, state } = await make();
    bench.emulator.setFaults([{ match: { method: "PATCH" }, fault: { status } }]);
    const wanted = await check({ ...basic, ...change });
    const { message } = await failure(provider.update(ASSOCIATION, { id, inputs, state }, wanted, limits()));
    expect(/changing .* in place/.exec(message)?.[0] ?? "no remedy").toBe(advice);
  });

  test("without a change, after a run that left the association as not ready, says that it only checks it", async () => {
    const { id, inputs, state } = await make();
    const lines: string[] = [];
    await provider.update(ASSOCIATION, { id, inputs, state }, inputs, limits({ lines }));
    expect(lines).toEqual([
      "The resource was not ready at the end of an earlier run. This run checks it again; nothing changes",
    ]);
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
  const [id, otherNetwork] = [{ firewallEndpointAssociationId: "b" }, { network: network("m") }];

  test.each<[string, Values, boolean]>([
    ["of the location alone leaves room for both", { location: "us-central1-b" }, false],
    [
      "of the location, with an unknown network, leaves room for both",
      { location: "us-central1-b", network: UNKNOWN },
      false,
    ],
    ["of the project, with the same network in the same zone, cannot have both", { project: "q" }, true],
    ["of the project and the network leaves room for both", { project: "q", ...otherNetwork }, false],
    ["of the id, with the same network in the same zone, cannot have both", id, true],
    ["of the id and the network leaves room for both", { ...id, ...otherNetwork }, false],
    ["with a location that is not known yet might collide", { location: UNKNOWN }, true],
    [
      "with an id that is not known yet and another network might collide",
      { firewallEndpointAssociationId: UNKNOWN, ...otherNetwork },
      true,
    ],
    [
      "with a project that is not known yet and another network might collide",
      { project: UNKNOWN, ...otherNetwork },
      true,
    ],
    ["of the id, with a network that is not known yet, might collide", { ...id, network: UNKNOWN }, true],
  ])("%s", async (_what, change, deleteBeforeReplace) => {
    const { id, inputs, state } = await make();
    const wanted = { ...inputs, ...change };
    expect(provider.compare(ASSOCIATION, { id, inputs, state }, wanted).diff).toMatchObject({
      action: "replace",
      deleteBeforeReplace,
    });
  });

  test("that the user asks for, of an association that is updated in place, cannot have both: the name stays", async () => {
    const { id, inputs, state } = await make();
    const compared = provider.compare(ASSOCIATION, { id, inputs, state }, { ...inputs, ...otherNetwork });
    expect(compared).toMatchObject({ diff: { action: "update" }, collides: true });
  });

  test("of a state without a network, by another id, leaves room for both", async () => {
    const {
      id: name,
      inputs,
      state: { network: _, ...state },
    } = await make();
    const wanted = { ...inputs, ...id };
    expect(provider.compare(ASSOCIATION, { id: name, inputs, state }, wanted).collides).toBe(false);
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
