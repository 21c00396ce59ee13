/** Creates that end before their operation does, and what the next run makes of them. */
import { NotReadyError } from "../../../provider/core/errors";
import { failure, limits } from "../../support/provider";
import { ASSOCIATION } from "../../support/tokens";
import { useBench, NAME, basic, bench, provider, live, check } from "./scene";

useBench();

/** What the state has of a create whose time is over before its operation is. */
async function interrupted() {
  const inputs = await check(basic);
  const error = await failure(provider.create(ASSOCIATION, inputs, limits({ timeout: 2_000 })));
  const { id, properties } = error as unknown as NotReadyError;
  return { inputs, prior: { id, inputs, state: properties } };
}

describe("a create that is interrupted", () => {
  test("by its time limit keeps the resource with its operation, and the next update waits for the operation", async () => {
    const inputs = await check(basic);
    const error = await failure(provider.create(ASSOCIATION, inputs, limits({ timeout: 2_000 })));
    expect(error).toBeInstanceOf(NotReadyError);
    const { id, properties, reasons } = error as unknown as NotReadyError;
    expect(id).toBe(NAME);
    expect(reasons[0]).toMatch(/Operation projects\/p\/.*\/operations\/operation-.* \(create\) continues in the cloud/);
    expect(live()?.state).toBe("CREATING");
    bench.requests();
    const state = await bench.provider().update(ASSOCIATION, { id, inputs, state: properties }, inputs, limits());
    expect(state).toMatchObject({ name: NAME, state: "ACTIVE" });
    expect(Object.keys(state).filter((key) => key.startsWith("__"))).toEqual([]);
    expect(bench.requests().map((each) => each.method)).not.toContain("POST");
  });

  test("by a stop of the engine keeps the resource at once, and the next refresh waits for the operation", async () => {
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
    expect(provider.compare(ASSOCIATION, { id, inputs, state: read?.state ?? {} }, inputs).diff).toEqual({
      action: "none",
    });
  });

  test("stays not ready while the next refresh finds its operation running", async () => {
    bench.emulator.configure({ operationMs: 60_000 });
    const { prior } = await interrupted();
    const again = await failure(provider.read(ASSOCIATION, prior.id, prior, limits({ timeout: 2_000 })));
    expect(again).toBeInstanceOf(NotReadyError);
    expect((again as unknown as NotReadyError).properties).toEqual(prior.state);
  });

  test("is removed by the next refresh if its operation failed, and an update asks for a refresh", async () => {
    const fault = { operationError: { code: 13, message: "No." } };
    bench.emulator.setFaults([{ match: { method: "POST" }, fault }]);
    const { inputs, prior } = await interrupted();
    const update = await failure(provider.update(ASSOCIATION, prior, inputs, limits()));
    expect(update).toMatchObject({ status: "INTERNAL", cloudMessage: "No." });
    expect(update.message).toContain("pulumi refresh");
    const lines: string[] = [];
    expect(await provider.read(ASSOCIATION, prior.id, prior, limits({ lines }))).toBeUndefined();
    expect(lines.at(-1)).toMatch(/create that an earlier run began has failed.*No\./s);
  });

  test("is reported as incomplete by update and refresh, with the reason, if its operation failed after it made the association", async () => {
    const fault = { operationError: { code: 13, message: "No.", keepResource: true } };
    bench.emulator.setFaults([{ match: { method: "POST" }, fault }]);
    const { inputs, prior } = await interrupted();
    for (const next of [
      () => provider.update(ASSOCIATION, prior, inputs, limits()),
      () => provider.read(ASSOCIATION, prior.id, prior, limits()),
    ]) {
      const error = await failure(next());
      expect(error).toBeInstanceOf(NotReadyError);
      expect(error.message).toMatch(/No\.[^]*pulumi destroy --target/);
    }
  });

  test("is ready if somebody disabled the association: it is inactive because it is disabled", async () => {
    const { inputs, prior } = await interrupted();
    bench.clock.advance(60_000);
    await fetch(`${bench.emulator.url}/v1beta1/${NAME}?updateMask=disabled`, {
      method: "PATCH",
      body: '{"disabled":true}',
    });
    bench.clock.advance(60_000);
    expect(live()).toBeDefined();
    const lines: string[] = [];
    const updated = await provider.update(ASSOCIATION, prior, inputs, limits({ lines }));
    expect(updated.state).toBe("INACTIVE");
    expect(lines.join("\n")).toMatch(/is disabled/);
  });

  test("is completed by an update that explains its reason", async () => {
    const { inputs, prior } = await interrupted();
    const lines: string[] = [];
    await provider.update(ASSOCIATION, prior, inputs, limits({ lines }));
    expect(lines[0]).toMatch(/completes the create that an earlier run began: .*operation-/i);
    expect(lines.join()).not.toContain("was not ready");
  });

  test("takes the existing association if the server has forgotten the operation", async () => {
    const { prior } = await interrupted();
    bench.clock.advance(60_000);
    bench.emulator.setFaults([{ match: { path: "**/operations/*" }, times: 0, fault: { status: 404 } }]);
    const read = await provider.read(ASSOCIATION, prior.id, prior, limits());
    expect(read?.state.state).toBe("ACTIVE");
  });
});
