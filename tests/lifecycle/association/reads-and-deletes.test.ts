/** Refreshes, imports, lists and deletes. */
import { InputError, NotReadyError } from "../../../provider/core/errors";
import type { Values } from "../../../provider/core/unknown";
import { failure, limits } from "../../support/provider";
import { ASSOCIATION } from "../../support/tokens";
import {
  useBench,
  NAME,
  POLICY,
  REQUEST_ID,
  ZONE,
  network,
  basic,
  bench,
  provider,
  nextRun,
  live,
  check,
  make,
} from "./scene";

useBench();

describe("a refresh", () => {
  test("shows changes by others, also in the inputs, so that the next run reverts them", async () => {
    const { id, inputs, state } = await make({ ...basic, labels: { env: "prod" } });
    bench.emulator.mutate(NAME, { patch: { labels: { env: "test" }, tlsInspectionPolicy: POLICY } });
    const read = await provider.read(ASSOCIATION, id, { inputs, state }, limits());
    expect(read?.inputs).toEqual({ ...inputs, labels: { env: "test" }, tlsInspectionPolicy: POLICY });
    const diff = provider.compare(ASSOCIATION, { id, inputs: read?.inputs, state: read?.state ?? {} }, inputs).diff;
    expect(diff).toMatchObject({
      action: "update",
      changes: [{ path: ["labels", "env"] }, { path: ["tlsInspectionPolicy"], kind: "delete" }],
    });
  });

  test("keeps the program's project if the API returns its number", async () => {
    const { id, inputs, state } = await make();
    bench.emulator.mutate(NAME, { patch: { network: "projects/123456/global/networks/n" } });
    const read = await provider.read(ASSOCIATION, id, { inputs, state }, limits());
    expect(read?.inputs).toEqual(inputs);
    expect(read?.state.network).toBe(network("n"));
  });

  test("keeps empty labels and the requestId, which the API does not return", async () => {
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

describe("a refresh after a delete that an earlier run began", () => {
  const deleting = async () => {
    const { id, inputs, state } = await make();
    await failure(nextRun().delete(ASSOCIATION, { id, inputs, state }, limits({ timeout: 2_000 })));
    expect(live()?.state).toBe("DELETING");
    return provider.read(ASSOCIATION, id, { inputs, state }, limits());
  };

  test("waits until the association is gone", async () => {
    expect(await deleting()).toBeUndefined();
  });

  test("waits until the association stays, because the delete fails", async () => {
    const fault = { operationError: { code: 13, message: "No." } };
    bench.emulator.setFaults([{ match: { method: "DELETE" }, fault }]);
    expect((await deleting())?.state.state).toBe("ACTIVE");
  });
});

describe("an import", () => {
  test.each([
    NAME,
    `//networksecurity.googleapis.com/${NAME}`,
    `https://networksecurity.googleapis.com/v1beta1/${NAME}`,
    ` ${NAME} `,
  ])("by %s imports all properties, and the next run finds no difference", async (id) => {
    const given = { ...basic, labels: { env: "prod" }, tlsInspectionPolicy: POLICY };
    await make(given);
    const read = await provider.read(ASSOCIATION, id, undefined, limits());
    expect(read?.id).toBe(NAME);
    expect(read?.inputs).toEqual({ ...given, project: "p" });
    const wanted = await check(given);
    expect(
      provider.compare(ASSOCIATION, { id: NAME, inputs: read?.inputs, state: read?.state ?? {} }, wanted).diff,
    ).toEqual({
      action: "none",
    });
  });

  test("of an association that does not exist reports this", async () => {
    expect(await provider.read(ASSOCIATION, NAME, undefined, limits())).toBeUndefined();
  });

  test("by an invalid id shows the valid form", async () => {
    const error = await failure(provider.read(ASSOCIATION, "a", undefined, limits()));
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toContain("projects/{project}/locations/{location}/firewallEndpointAssociations/");
  });
});

describe("a list", () => {
  const list = (project: string, lines: string[] = []) =>
    provider.list(ASSOCIATION, { project, location: ZONE }, { size: undefined, token: "" }, limits({ lines }));
  const answer = (body: Values) => bench.emulator.setFaults([{ match: { method: "GET" }, fault: { body } }]);

  test("has the project as the query spells it", async () => {
    await make();
    bench.emulator.configure({ projectNumbers: { "123": "p" } });
    expect((await list("p")).found).toEqual([{ id: NAME, name: "a" }]);
    expect((await list("123")).found).toEqual([{ id: NAME.replace("projects/p", "projects/123"), name: "a" }]);
  });

  test("says which locations it lacks", async () => {
    answer({ firewallEndpointAssociations: [{ name: NAME }], unreachable: ["projects/p/locations/us-east1-b"] });
    const lines: string[] = [];
    expect((await list("p", lines)).found).toHaveLength(1);
    expect(lines).toEqual([
      expect.stringMatching(/^The list lacks the associations in projects.p.locations.us-east1-b: /),
    ]);
  });

  test("is an error where it has something else, and leaves nothing out silently", async () => {
    answer({ firewallEndpointAssociations: [{ name: NAME }, { name: "projects/p" }] });
    expect((await failure(list("p"))).message).toMatch(/name should be like projects/);
  });
});

describe("a delete", () => {
  test("waits until another operation on the association has ended", async () => {
    const { id, inputs, state } = await make();
    await fetch(`${bench.emulator.url}/v1beta1/${NAME}?updateMask=labels`, {
      method: "PATCH",
      body: '{"labels":{"x":"y"}}',
    });
    await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
    expect(live()).toBeUndefined();
  });

  test("succeeds if its response was lost", async () => {
    const { id, inputs, state } = await make();
    bench.emulator.setFaults([{ match: { method: "DELETE" }, fault: { reset: "after" } }]);
    await nextRun().delete(ASSOCIATION, { id, inputs, state }, limits());
    expect(live()).toBeUndefined();
  });

  test("reports what happens next when it is interrupted, and the next run does it", async () => {
    const { id, inputs, state } = await make();
    const prior = { id, inputs, state };
    const error = await failure(nextRun().delete(ASSOCIATION, prior, limits({ timeout: 2_000 })));
    expect(error.message).toMatch(/Operation projects\/p\/.* \(delete\) continues in the cloud/);
    expect(error.message).toMatch(/stays in the state.*pulumi up, pulumi destroy or pulumi refresh.*to wait for it/s);
    bench.requests();
    // After a failed delete, engines keep the state from before it, which does not tell that a delete is under way.
    await bench.provider().delete(ASSOCIATION, prior, limits());
    expect(live()).toBeUndefined();
    expect(bench.emulator.requests().filter((each) => each.method === "DELETE" && each.status === 200)).toEqual([]);
  });

  test("reports that its time limit was reached if an earlier delete is still running", async () => {
    bench.emulator.configure({ operationMs: 60_000 });
    const { id, inputs, state } = await make();
    const prior = { id, inputs, state };
    await failure(nextRun().delete(ASSOCIATION, prior, limits({ timeout: 2_000 })));
    const again = await failure(bench.provider().delete(ASSOCIATION, prior, limits({ timeout: 2_000 })));
    expect(again).toMatchObject({ code: "TIMEOUT" });
    expect(again.message).toMatch(/the time limit was reached.*(busy|deleted)/s);
  });

  test.each(["its comparison", "its refresh"])(
    "keeps an association that another resource of the run holds by %s, and reports this",
    async (way) => {
      const { id, inputs, state } = await make();
      const run = nextRun();
      const [kept, gone] = ["urn:pulumi:dev::demo::type::kept", "urn:pulumi:dev::demo::type::gone"];
      if (way === "its refresh") await run.read(ASSOCIATION, id, { inputs, state }, limits({ identity: kept }));
      else run.compare(ASSOCIATION, { id, inputs, state }, inputs, { identity: kept });
      const lines: string[] = [];
      await run.delete(ASSOCIATION, { id, inputs, state }, limits({ identity: gone, lines }));
      expect(live()).toBeDefined();
      expect(lines.join()).toContain(`${NAME} stays in the cloud: ${kept}`);
    },
  );

  test.each(["urn:pulumi:dev::demo::type::renamed", limits().identity])(
    "is refused, with a remedy, if %s declares the association but could not create it",
    async (identity) => {
      const { id, inputs, state } = await make();
      const run = nextRun();
      await run.check(ASSOCIATION, basic, { identity });
      bench.emulator.configure({ deny: ["networksecurity.firewallEndpointAssociations.create"] });
      await failure(run.create(ASSOCIATION, inputs, limits({ identity })));
      const error = await failure(run.delete(ASSOCIATION, { id, inputs, state }, limits()));
      expect(error).toMatchObject({ code: "REFUSED" });
      expect(error.message).toContain(`${identity} declares the same association, but could not create it`);
      expect(error.message).toContain("give it an alias");
      expect(live()).toBeDefined();
    },
  );

  test("keeps an association that another resource has adopted in this run without seeing the end", async () => {
    const old = await make({ ...basic, requestId: REQUEST_ID });
    const run = nextRun();
    const identity = "urn:pulumi:dev::demo::type::renamed";
    bench.emulator.setFaults([{ match: { method: "GET", path: `**/${NAME}` }, fault: { status: 403 } }]);
    expect(await failure(run.create(ASSOCIATION, old.inputs, limits({ identity })))).toBeInstanceOf(NotReadyError);
    const lines: string[] = [];
    await run.delete(ASSOCIATION, old, limits({ lines }));
    expect(live()).toBeDefined();
    expect(lines.join()).toContain(`${NAME} stays in the cloud: ${identity}`);
  });

  test("after an equal replacement within the hour, warns that the association was not replaced, and how to replace it", async () => {
    const old = await make();
    const { createTime } = live() ?? {};
    const run = nextRun();
    // As `pulumi up --replace` does it: the new one first.
    await make(basic, run);
    const lines: string[] = [];
    await run.delete(ASSOCIATION, old, limits({ lines }));
    expect(live()?.createTime).toBe(createTime);
    expect(lines.join()).toMatch(/was not replaced.*deleteBeforeReplace to true.*pulumi up --replace <urn>/);
  });

  test("after an equal replacement hours later, the refused create says how to replace the association", async () => {
    await make();
    bench.emulator.advance(2 * 60 * 60_000);
    const error = await failure(make(basic, nextRun()));
    expect(error.message).toMatch(/ALREADY_EXISTS.*deleteBeforeReplace to true.*pulumi up --replace <urn>/s);
  });

  test("before a replacement takes the association from another resource, which makes it again in the same run", async () => {
    const { id, inputs, state } = await make();
    const prior = { id, inputs, state };
    const run = nextRun();
    const as = (identity: string) => limits({ identity });
    await run.check(ASSOCIATION, { ...basic, firewallEndpointAssociationId: "other" }, { identity: "moves" });
    await run.check(ASSOCIATION, basic, { identity: "stays" });
    await run.delete(ASSOCIATION, prior, as("moves"));
    expect(live()).toBeUndefined();

    expect(run.compare(ASSOCIATION, prior, inputs, { identity: "stays" }).diff).toMatchObject({
      action: "replace",
      deleteBeforeReplace: true,
      reason: expect.stringContaining("it is created again"),
    });
    await run.delete(ASSOCIATION, prior, as("stays"));
    const again = await run.create(ASSOCIATION, inputs, as("stays"));
    expect([again.id, live()]).toMatchObject([NAME, { state: "ACTIVE" }]);
    expect(run.compare(ASSOCIATION, { ...again, inputs }, inputs, { identity: "stays" }).diff).toEqual({
      action: "none",
    });
  });

  test("that the API refused before a replacement leaves the other resource unchanged", async () => {
    const { id, inputs, state } = await make();
    const prior = { id, inputs, state };
    const run = nextRun();
    await run.check(ASSOCIATION, { ...basic, firewallEndpointAssociationId: "other" }, { identity: "moves" });
    await run.check(ASSOCIATION, basic, { identity: "stays" });
    bench.emulator.configure({ deny: ["networksecurity.firewallEndpointAssociations.delete"] });
    await failure(run.delete(ASSOCIATION, prior, limits({ identity: "moves" })));
    expect(run.compare(ASSOCIATION, prior, inputs, { identity: "stays" }).diff).toEqual({ action: "none" });
  });

  test("keeps an association that another resource holds, whose state has the project's number and whose program has the id", async () => {
    const { id, inputs, state } = await make();
    bench.emulator.configure({ projectNumbers: { "123": "p" } });
    const byNumber = NAME.replace("projects/p", "projects/123");
    const held = { id: byNumber, inputs, state: { ...state, project: "123", name: byNumber } };
    for (const refreshed of [false, true]) {
      const run = nextRun();
      if (refreshed) await run.read(ASSOCIATION, byNumber, held, limits({ identity: "stays" }));
      await run.check(ASSOCIATION, basic, { identity: "stays" });
      expect(run.compare(ASSOCIATION, held, inputs, { identity: "stays" }).diff).toEqual({ action: "none" });
      await run.delete(ASSOCIATION, { id, inputs, state }, limits({ identity: "goes" }));
      expect(live()).toBeDefined();
    }
  });

  test("fails and keeps the association if the API denies it", async () => {
    const { id, inputs, state } = await make();
    bench.emulator.configure({ deny: ["networksecurity.firewallEndpointAssociations.delete"] });
    const error = await failure(nextRun().delete(ASSOCIATION, { id, inputs, state }, limits()));
    expect(error.message).toContain("Missing permission: networksecurity.firewallEndpointAssociations.delete");
    expect(live()).toBeDefined();
  });
});
