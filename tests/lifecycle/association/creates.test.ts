/** Creates: request ids, adoption, refusals, and operations that fail. */
import { AlreadyExistsError, NotReadyError } from "../../../provider/core/errors";
import type { Values } from "../../../provider/core/unknown";
import { failure, limits } from "../../support/provider";
import { ASSOCIATION } from "../../support/tokens";
import {
  useBench,
  NAME,
  REQUEST_ID,
  ZONE,
  network,
  basic,
  inZone,
  bench,
  provider,
  nextRun,
  live,
  all,
  check,
  make,
} from "./scene";

useBench();

const ANOTHER = "urn:pulumi:dev::demo::type::another";

/** The request ids of the creates since the last look. */
const idsSent = () => bench.requests().flatMap(({ method, query }) => (method === "POST" ? [query.requestId] : []));

describe("a create", () => {
  test("sends the requestId that the program gives", async () => {
    const { state } = await make({ ...basic, requestId: REQUEST_ID });
    expect(idsSent()).toEqual([REQUEST_ID]);
    expect(state.requestId).toBe(REQUEST_ID);
  });

  test("of something that exists explains how to import it", async () => {
    await make();
    const inputs = await check(basic);
    const error = await failure(bench.provider().create(ASSOCIATION, inputs, limits({ identity: "another stack" })));
    expect(error).toBeInstanceOf(AlreadyExistsError);
    expect(error.message).toContain(`pulumi import ${ASSOCIATION} <name> ${NAME}`);
  });

  test("that the run after a killed run repeats adopts the association of the first create, also if somebody has changed it", async () => {
    const { inputs } = await make();
    bench.emulator.mutate(NAME, { patch: { labels: { env: "test" } } });
    const again = await bench.provider().create(ASSOCIATION, inputs, limits());
    expect(again).toMatchObject({ id: NAME, state: { labels: { env: "test" } } });
    expect(all()).toEqual([NAME]);
    const ids = idsSent();
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });

  test("whose first answer was lost is repeated with the same requestId and makes one association", async () => {
    bench.emulator.setFaults([{ match: { method: "POST" }, fault: { reset: "after" } }]);
    const { firewallEndpointAssociationId: _, ...given } = basic;
    await make(given);
    const ids = idsSent();
    expect([ids.length, new Set(ids).size, all().length]).toEqual([2, 1, 1]);
  });

  test("after each destroy within the hour makes a new association, although the API returns the older operations", async () => {
    const runs: unknown[][] = [];
    for (const _ of [1, 2, 3, 4]) {
      const { id, inputs, state } = await make(basic, nextRun());
      expect(live()?.state).toBe("ACTIVE");
      const requests = bench.requests();
      const posts = requests.filter(({ method }) => method === "POST");
      // It reads once after each operation: what an older one made is certainly visible, or gone.
      expect(requests).toHaveLength(2 * posts.length);
      runs.push(posts.map(({ query }) => query.requestId));
      await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
      bench.requests();
    }
    const [first, second] = runs[1] ?? [];
    const random = expect.any(String) as string;
    expect(runs).toEqual([[first], [first, second], [first, second, random], [first, second, random]]);
    expect(new Set(runs.flat()).size).toBe(4);
  });

  test("after a destroy does not adopt what somebody else has made since", async () => {
    const { id, inputs, state } = await make();
    await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
    await nextRun().create(ASSOCIATION, inputs, limits({ identity: ANOTHER }));
    expect(await failure(make(basic, nextRun()))).toBeInstanceOf(AlreadyExistsError);
  });

  test("with a stale requestId of the program reports the cause and the remedy", async () => {
    const given = { ...basic, requestId: REQUEST_ID };
    const { id, inputs, state } = await make(given);
    await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
    const error = await failure(bench.provider().create(ASSOCIATION, inputs, limits()));
    expect(error.message).toContain("an earlier create with the same requestId");
    expect(error.message).toContain("use a new requestId, or omit it");
    bench.clock.advance(60 * 60_000);
    await make(given);
    expect(live()).toBeDefined();
  });

  test("with the requestId of a create that failed reports that failure", async () => {
    const fault = { operationError: { code: 8, message: "The zone is full." } };
    bench.emulator.setFaults([{ match: { method: "POST" }, fault }]);
    const given = { ...basic, requestId: REQUEST_ID };
    await failure(make(given));
    const error = await failure(make(given, nextRun()));
    expect(error.message).toContain("an earlier create with the same requestId, which failed: The zone is full.");
    expect(idsSent()).toEqual([REQUEST_ID, REQUEST_ID]);
  });

  test("with the requestId of another association's create, which still runs, does not wait for that one", async () => {
    const given = await check({ ...basic, requestId: REQUEST_ID });
    await failure(provider.create(ASSOCIATION, given, limits({ timeout: 2_000 })));
    const error = await failure(make({ ...given, firewallEndpointAssociationId: "b", network: network("m") }));
    expect(error.message).toContain("an earlier create with the same requestId");
    expect(live()?.state).toBe("CREATING");
  });

  // The state lists it under another name; a front that tells the two apart badly gives both the same request id.
  test.each<[string, string | undefined, string | undefined]>([
    ["another resource has it", ANOTHER, limits().identity],
    ["a resource of another process has it", undefined, limits().identity],
    ["a resource without an identity has it, and this one has none, too", undefined, undefined],
  ])("is not adopted if %s", async (_who, holder, identity) => {
    const inputs = await check(basic);
    const { id, state } = await provider.create(ASSOCIATION, inputs, limits({ identity }));
    const run = nextRun();
    run.compare(ASSOCIATION, { id, inputs, state }, inputs, { identity: holder });
    expect(await failure(run.create(ASSOCIATION, inputs, limits({ identity })))).toBeInstanceOf(AlreadyExistsError);
    expect(live()).toBeDefined();
  });

  test("is adopted although another resource declares it, and again by the resource that has adopted it", async () => {
    const { inputs } = await make();
    const run = nextRun();
    await run.check(ASSOCIATION, basic, { identity: ANOTHER });
    for (const _ of [1, 2]) expect((await run.create(ASSOCIATION, inputs, limits())).id).toBe(NAME);
  });

  test("with the program's requestId adopts only what is as the program says", async () => {
    const given = { ...basic, labels: { env: "prod" }, requestId: REQUEST_ID };
    const { inputs } = await make(given);
    expect((await nextRun().create(ASSOCIATION, inputs, limits())).id).toBe(NAME);
    const error = await failure(make({ ...given, labels: { env: "test" } }, nextRun()));
    expect(error.message).toContain("an earlier create with the same requestId");
  });

  test("of something that exists names no import where the front has none", async () => {
    const { inputs } = await make();
    const front = bench.provider({}, {}, { canImport: false });
    const error = await failure(front.create(ASSOCIATION, inputs, limits({ identity: "another stack" })));
    expect(error).toBeInstanceOf(AlreadyExistsError);
    expect(error.message).not.toContain(`pulumi import ${ASSOCIATION}`);
    expect(error.message).toContain(`FirewallEndpointAssociation.get("<name>", "${NAME}")`);
  });

  test("in another backend creates another association, even if project, stack and name are the same", async () => {
    const inputs = await check(basic);
    const into = (url: string) => bench.provider({}, { PULUMI_BACKEND_URL: url });
    await into("file:///one").create(ASSOCIATION, inputs, limits());
    expect((await into("file:///one").create(ASSOCIATION, inputs, limits())).id).toBe(NAME);
    const error = await failure(into("file:///two").create(ASSOCIATION, inputs, limits()));
    expect(error).toBeInstanceOf(AlreadyExistsError);
  });

  test("in a region, which the API refuses, says that the location is a zone", async () => {
    const error = await failure(make(inZone("us-central")));
    expect(error.message).toContain('location is "us-central": an association belongs to the zone');
  });

  test("whose operation fails has the operation's error, with its name", async () => {
    const fault = { operationError: { code: 8, message: "The zone is full." } };
    bench.emulator.setFaults([{ match: { method: "POST" }, fault }]);
    const error = await failure(make());
    expect(error).toMatchObject({
      status: "RESOURCE_EXHAUSTED",
      cloudMessage: "The zone is full.",
      httpStatus: undefined,
    });
    expect(error.message).toContain("/operations/operation-");
    expect(idsSent()).toHaveLength(1);
    // The same request id brings back the failed operation; the next run does not stop at it.
    await make();
    expect(live()).toBeDefined();
  });

  describe("whose operation fails at once", () => {
    beforeEach(() => {
      bench.emulator.configure({ operationMs: 0 });
      const fault = { operationError: { code: 9, message: "The endpoint is not ready." } };
      bench.emulator.setFaults([{ match: { method: "POST" }, times: 0, fault }]);
    });

    test("is sent under two request ids if it is the first request, and under one if it is a later request", async () => {
      const expected = { status: "FAILED_PRECONDITION", cloudMessage: "The endpoint is not ready." };
      expect(await failure(make())).toMatchObject(expected);
      expect(new Set(idsSent()).size).toBe(2);
      const other = { ...basic, firewallEndpointAssociationId: "b", network: network("m") };
      expect(await failure(make(other))).toMatchObject(expected);
      expect(idsSent()).toHaveLength(1);
    });

    test("is sent again by the next run under the same two request ids and then under a third, which makes the association", async () => {
      await failure(make());
      const failed = idsSent();
      bench.clock.advance(2_000);
      bench.emulator.setFaults([]);
      await make(basic, nextRun());
      const sent = idsSent();
      expect([sent.slice(0, 2), new Set(sent).size]).toEqual([failed, 3]);
      expect(live()).toBeDefined();
    });

    test("reports the error of the operation, and not a stale id, if the program gives the request id", async () => {
      await failure(make());
      idsSent();
      const other = { ...basic, firewallEndpointAssociationId: "b", network: network("m"), requestId: REQUEST_ID };
      expect(await failure(make(other))).toMatchObject({ cloudMessage: "The endpoint is not ready." });
      expect(idsSent()).toEqual([REQUEST_ID]);
    });
  });

  describe("answered with an operation that says little of its times", () => {
    const answer = (operation: Values, times: number) => {
      const body = { name: `projects/p/locations/${ZONE}/operations/o`, done: true, ...operation };
      bench.emulator.setFaults([{ match: { method: "POST" }, times, fault: { body } }]);
    };
    const error = { code: 8, message: "The zone is full." };

    test("is sent under three request ids if each fails", async () => {
      answer({ error }, 0);
      expect(await failure(make())).toMatchObject({ cloudMessage: "The zone is full." });
      expect(idsSent()).toHaveLength(3);
    });

    test("adopts the association that exists, if its operation succeeded", async () => {
      await make();
      answer({ response: { name: NAME } }, 1);
      expect((await make(basic, nextRun())).id).toBe(NAME);
    });

    test.each([undefined, { createTime: "2030-01-01T00:00:00Z" }])(
      "does not take the association of somebody else if it failed, and says how to import it: %j",
      async (metadata) => {
        await nextRun().create(ASSOCIATION, await check(basic), limits({ identity: ANOTHER }));
        answer({ error, metadata }, 2);
        const refused = await failure(make(basic, nextRun()));
        expect(refused).toBeInstanceOf(AlreadyExistsError);
        expect(refused.message).toContain("pulumi import");
      },
    );
  });

  describe("whose association reads do not show", () => {
    const hide = (times: number) =>
      bench.emulator.setFaults([{ match: { method: "GET", path: `**/${NAME}` }, times, fault: { status: 404 } }]);

    test("for four seconds is complete when they do", async () => {
      hide(8);
      expect((await make()).state.state).toBe("ACTIVE");
      expect(idsSent()).toHaveLength(1);
    });

    test("at all is kept as not ready, with the reason", async () => {
      hide(0);
      const error = await failure(make());
      expect(error).toBeInstanceOf(NotReadyError);
      expect(error.message).toContain("ended without an error, but the association does not exist");
    });
  });

  test("is kept as not ready, with the reason, if it was killed and its operation then did not complete", async () => {
    const fault = { operationError: { code: 13, message: "Half.", keepResource: true } };
    bench.emulator.setFaults([{ match: { method: "POST" }, fault }]);
    const inputs = await check(basic);
    // The first run is killed: its outcome is lost.
    await failure(provider.create(ASSOCIATION, inputs, limits()));
    const error = await failure(bench.provider().create(ASSOCIATION, inputs, limits()));
    expect(error).toBeInstanceOf(NotReadyError);
    expect(error).toMatchObject({ id: NAME, reasons: [expect.stringContaining("Half."), expect.anything()] });
    expect(idsSent()).toHaveLength(2);
  });

  test("fails without a wait if the response names no operation", async () => {
    bench.emulator.setFaults([{ match: { method: "POST" }, times: 0, fault: { body: { unexpected: true } } }]);
    const error = await failure(make());
    expect(error.message).toContain("firewall endpoint association");
  });
});

test("a long operation reports its progress", async () => {
  const lines: string[] = [];
  await provider.create(ASSOCIATION, await check(basic), limits({ lines }));
  expect(lines[0]).toMatch(/^creating: 0 s of at most 20 min 0 s \(operation operation-/);
  expect(lines.at(-1)).toMatch(/^creating: [45] s/);
});
