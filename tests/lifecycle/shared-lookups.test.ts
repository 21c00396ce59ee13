import { startEmulator, type Emulator } from "../../emulator";
import { NotFoundError } from "../../provider/core/errors";
import { Bench, limits } from "../support/provider";
import { GET_SCOPE } from "../support/tokens";
import { PluginClient } from "./plugin-client";

const scopeName = (at: number) => `projects/p/locations/global/scopes/s${at % 50}`;
const argsOf = (at: number) => ({ location: "global", scopeId: `s${at % 50}`, project: "p" });
const seed = Array.from({ length: 50 }, (_, at) => ({ service: "gkehub" as const, name: scopeName(at) }));
const LOOKUPS = 500;

describe("500 lookups of 50 things make 50 requests", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ seed });
  });
  beforeEach(() => emulator.clearRequests());
  afterAll(() => emulator.stop());

  test("over gRPC", async () => {
    const plugin = await PluginClient.inProcess(undefined, emulator.env);
    await plugin.configure({ project: "p" });
    const results = await Promise.all(Array.from({ length: LOOKUPS }, (_, at) => plugin.invoke(GET_SCOPE, argsOf(at))));
    await plugin.close();
    expect(results.map(({ result }) => result?.name)).toEqual(results.map((_, at) => scopeName(at)));
    expect(emulator.requests()).toHaveLength(50);
  });
});

describe("in one process", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await Bench.start({ seed });
  });
  beforeEach(() => {
    bench.emulator.reset();
    bench.emulator.clearRequests();
  });
  afterAll(() => bench.emulator.stop());

  test("500 lookups of 50 things make 50 requests, whatever the order of their arguments", async () => {
    const provider = bench.provider();
    const results = await Promise.all(
      Array.from({ length: LOOKUPS }, (_, at) => {
        const entries = Object.entries(argsOf(at));
        return provider.invoke(GET_SCOPE, Object.fromEntries(at % 2 ? entries : entries.reverse()), limits());
      }),
    );
    expect(results.map((each) => each.name)).toEqual(results.map((_, at) => scopeName(at)));
    expect(bench.requests()).toHaveLength(50);
  });

  test("each caller gets its own copy of the result", async () => {
    const provider = bench.provider();
    const [one, other] = await Promise.all([0, 0].map((at) => provider.invoke(GET_SCOPE, argsOf(at), limits())));
    expect(one).toEqual(other);
    expect(one?.labels).not.toBe(other?.labels);
  });

  test("a result is not cached: the next lookup sends a request", async () => {
    const provider = bench.provider();
    await provider.invoke(GET_SCOPE, argsOf(0), limits());
    await provider.invoke(GET_SCOPE, argsOf(0), limits());
    expect(bench.requests()).toHaveLength(2);
  });

  test("a failure is not cached", async () => {
    const provider = bench.provider();
    const absent = { ...argsOf(0), scopeId: "absent" };
    for (let each = 0; each < 2; each++) {
      await expect(provider.invoke(GET_SCOPE, absent, limits())).rejects.toBeInstanceOf(NotFoundError);
    }
    expect(bench.requests()).toHaveLength(2);
  });
});
